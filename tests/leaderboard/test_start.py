"""`python -m leaderboard.start`, which is what `make run` runs: the real processes."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.queues import embedded_broker
from tests.serving import ROOT, free_port, without_database_url


@contextmanager
def started(
    state: Path, port: int, python: Path = Path(sys.executable), **environment: str
) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Run the site until its address is printed; kill what is left of it at the end."""
    command = [str(python), "-m", "leaderboard.start"]
    usual = {
        "STATE_DIR": str(state),
        "PORT": str(port),
        "WEB_WORKERS": "1",
        "XDG_RUNTIME_DIR": str(state.parent),
    }
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=without_database_url() | usual | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process, *_address(process)
        finally:
            if process.poll() is None:
                # Supervisor's processes have groups of their own: it alone can end them all.
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=60)


def _address(process: subprocess.Popen[str]) -> tuple[str, str]:
    assert process.stdout
    seen = []
    for line in process.stdout:
        seen.append(line)
        if found := re.search(r"http://\S+", line):
            return found[0], "".join(seen)
    pytest.fail("no address was printed:\n" + "".join(seen))


def test_starts_shows_the_ranking_stops_and_starts_again(tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, port) as (process, address, printed):
        assert "Compressing" in printed
        page = urlopen(address).read().decode()
        assert "Claude Opus 4.8" in page
        assert not re.search(r"Traceback|Server Error", page)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
    secret = (tmp_path / "secret_key").read_text()
    with started(tmp_path, port) as (process, address, printed):
        assert urlopen(address).status == 200
        assert "0 rows changed" in printed
        assert "Compressing" not in printed, "compressing again makes the second start slow"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
    assert (tmp_path / "secret_key").read_text() == secret
    assert not (tmp_path / "supervisord.pid").exists()


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"PORT": "0"}, "PORT must be a number from 1 to 65535, not '0'"),
        ({"PORT": "65536"}, "PORT must be a number"),
        ({"PORT": "http"}, "PORT must be a number"),
        ({"PORT": "-1"}, "PORT must be a number"),
        ({"WEB_WORKERS": "0"}, "WEB_WORKERS must be a number from 1 to 64"),
        ({"WEB_WORKERS": "x"}, "WEB_WORKERS must be a number"),
        ({"LOG_LEVEL": "loud"}, "LOG_LEVEL must be one of DEBUG"),
        ({"PRODUCTION": "maybe"}, "PRODUCTION must be true or false"),
        ({"PRODUCTION": "true"}, "SECRET_KEY is not set"),
        ({"DATABASE_URL": "somewhere"}, "DATABASE_URL is not understood"),
        ({"DATABASE_URL": "postgres://127.0.0.1:1/none"}, "The database cannot be used"),
        ({"STATE_DIR": "."}, "which holds the project itself"),
        ({"STATE_DIR": "static"}, "which holds the project itself"),
        ({"STATE_DIR": "leaderboard/config"}, "which holds the project itself"),
        ({"STATE_DIR": ".."}, "which holds the project itself"),
        ({"STATE_DIR": "README.md"}, "which is not a folder"),
        ({"STATE_DIR": "/proc/none"}, "Check STATE_DIR"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(
    tmp_path: Path, environment: dict[str, str], message: str
) -> None:
    result = run_once(tmp_path, **{"PORT": str(free_port())} | environment)
    assert result.returncode == 1
    (line,) = result.stderr.strip().splitlines()
    assert message in line
    assert "Traceback" not in result.stdout


def test_a_process_that_cannot_be_started_ends_everything(tmp_path: Path) -> None:
    # A port that passes the first look and is gone when gunicorn comes.
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "gunicorn.py").write_text("raise SystemExit('no gunicorn here')")
    result = run_once(tmp_path, PORT=str(free_port()), PYTHONPATH=str(broken))
    assert result.returncode == 1
    assert "no gunicorn here" in result.stdout + result.stderr
    assert "“site” could not be started" in result.stderr


def test_a_broker_that_cannot_be_started_ends_everything_and_names_its_log(tmp_path: Path) -> None:
    result = run_once(tmp_path, PORT=str(free_port()), XDG_RUNTIME_DIR=f"/var/{'long' * 30}")
    assert result.returncode == 1
    assert "is too long for a socket" in result.stderr
    *_others, line = result.stderr.splitlines()
    log = tmp_path / "broker" / "valkey.log"
    assert line == f"“broker” could not be started. Its messages are above, or in {log}."


def test_a_second_site_with_the_same_folder_is_refused(tmp_path: Path) -> None:
    with embedded_broker(tmp_path):
        result = run_once(tmp_path, PORT=str(free_port()))
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert f"A site already runs with {tmp_path}" in line


def test_a_path_with_a_space_starts_too(tmp_path: Path) -> None:
    python = tmp_path / "a path" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (python.parents[1] / "pyvenv.cfg").write_bytes((Path(sys.prefix) / "pyvenv.cfg").read_bytes())
    (python.parents[1] / "lib").symlink_to(Path(sys.prefix) / "lib")
    with started(tmp_path / "a state", free_port(), python=python) as (process, address, _printed):
        assert urlopen(address).status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0


def test_a_taken_port_names_the_next_step(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = str(server.getsockname()[1])
        result = run_once(tmp_path, PORT=port)
    assert result.returncode == 1
    assert f"Cannot listen on 127.0.0.1:{port}" in result.stderr
    assert "PORT=8001 make run" in result.stderr


def run_once(state: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "leaderboard.start"],
        cwd=ROOT,
        env=os.environ | {"STATE_DIR": str(state)} | environment,
        capture_output=True,
        text=True,
        timeout=150,
    )
