"""The processes beside the site that `make run` starts, as supervisor runs them."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

from leaderboard.broker import holder
from tests.gpu_runner.conftest import builder, toolchain
from tests.gpu_runner.test_worker import SLOW, descendants, name
from tests.leaderboard.test_start import started
from tests.queues import embedded_broker
from tests.serving import ROOT, free_port, without_database_url

__all__ = ["builder", "toolchain"]  # fixtures

ASK = "import django; django.setup(); from tests.leaderboard.judging import an_evaluation as ask;"


def ask_for(state: Path, source: str) -> None:
    """Store a waiting evaluation; nobody is told, so that only the reaper can find it."""
    environment = without_database_url() | {
        "STATE_DIR": str(state),
        "DJANGO_SETTINGS_MODULE": "leaderboard.config.settings",
    }
    code = f"{ASK} ask({source!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)


def rows(state: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(state / "leaderboard.sqlite3")) as database:
        return database.execute(query).fetchall()


def wait_for(seen: Callable[[], object], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.1)


def states(state: Path) -> list[object]:
    return [row[0] for row in rows(state, "SELECT state FROM leaderboard_evaluation")]


def runners(state: Path) -> list[object]:
    return [row[0] for row in rows(state, "SELECT queue FROM leaderboard_runner")]


def compiles(site: subprocess.Popen[str]) -> bool:
    return any(name(pid) == "nvcc" for pid in descendants(site.pid))


def test_stopping_amid_work_and_starting_again_finishes_it(builder, tmp_path):
    state = tmp_path / "state"
    with started(state, free_port()) as (site, _address, _printed):
        wait_for(lambda: runners(state) == ["static"], 30)
        assert holder(state)
        ask_for(state, SLOW)
        ask_for(state, f"{SLOW}// another\n")
        wait_for(lambda: compiles(site), 60)
        site.send_signal(signal.SIGINT)
        assert site.wait(timeout=60) == 0
        assert site.stdout
        assert "Traceback" not in site.stdout.read()
    assert not holder(state)
    assert not [int(one.name) for one in Path("/proc").glob("[0-9]*") if mine(int(one.name), state)]
    with started(state, free_port()) as (site, _address, _printed):
        # Both have no wgmma, which the static step says and a GPU may still overrule.
        wait_for(lambda: states(state) == ["dynamic_waiting"] * 2, 90)
        assert rows(state, "SELECT attempt FROM leaderboard_evaluation") == [(1,), (1,)]
        assert len(rows(state, "SELECT id FROM leaderboard_verdict")) == 2


def mine(pid: int, state: Path) -> bool:
    """Whether a process was started for a state folder and still runs."""
    try:
        return f"STATE_DIR={state}\0".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def test_a_killed_process_comes_back(builder, tmp_path):
    state = tmp_path / "state"
    with started(state, free_port()) as (site, _address, _printed):
        wait_for(lambda: runners(state) == ["static"], 30)
        before = holder(state)
        os.kill(int(before), signal.SIGKILL)
        wait_for(lambda: holder(state) not in ("", before), 20)
        ask_for(state, SLOW)
        wait_for(lambda: states(state) == ["dynamic_waiting"], 90)
        assert site.poll() is None


def test_a_host_that_cannot_compile_says_so_and_serves_the_site(tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*"):
            if program.name != "bwrap" and not (programs / program.name).exists():
                (programs / program.name).symlink_to(program)
    log = tmp_path / "state" / "supervisord.log"
    with started(tmp_path / "state", free_port(), PATH=str(programs)) as (site, address, first):
        wait_for(lambda: "static_worker entered FATAL" in log.read_text(), 30)
        time.sleep(2)
        assert urlopen(address).status == 200
        assert site.poll() is None
        site.send_signal(signal.SIGINT)
        assert site.wait(timeout=20) == 0
        assert site.stdout
        printed = first + site.stdout.read()
    assert printed.count("Kernels can't be compiled on this host, so they wait.") == 1
    assert "bubblewrap" in printed
    assert "Traceback" not in printed


def test_another_broker_replaces_the_embedded_one(builder, tmp_path):
    state = tmp_path / "state"
    with (
        embedded_broker(tmp_path) as other,
        started(state, free_port(), CELERY_BROKER_URL=other.url) as (_site, _address, _printed),
    ):
        wait_for(lambda: runners(state) == ["static"], 30)
        assert not (state / "broker").exists()
