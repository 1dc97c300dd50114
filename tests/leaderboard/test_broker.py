"""`python -m leaderboard.broker`: the real server, killed and started again."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from redis import Redis

from leaderboard.broker import holder
from tests.queues import Broker, embedded_broker
from tests.serving import ROOT


def client(broker: Broker) -> Redis:
    return Redis(unix_socket_path=str(broker.socket), decode_responses=True)


def refused(environment: dict[str, str]) -> str:
    """Start a broker that must refuse; return its one line."""
    command = [sys.executable, "-m", "leaderboard.broker"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    return line


def test_it_listens_on_a_private_socket_only_and_never_drops_messages(tmp_path: Path) -> None:
    with embedded_broker(tmp_path) as broker:
        configured = client(broker).config_get("*")
        assert configured["port"] == "0"
        assert configured["maxmemory-policy"] == "noeviction"
        assert configured["appendonly"] == "yes"
        assert stat.S_IMODE(broker.socket.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "broker").stat().st_mode) == 0o700
        assert holder(tmp_path) == str(broker.process.pid)
    assert holder(tmp_path) == ""


def test_a_killed_broker_starts_again_with_what_it_held(tmp_path: Path) -> None:
    with embedded_broker(tmp_path) as broker:
        client(broker).rpush("static", "one", "two")
        broker.kill()
        assert broker.socket.exists(), "a killed broker leaves its socket behind"
        broker.start()
        assert client(broker).lrange("static", 0, -1) == ["one", "two"]


def test_a_second_broker_leaves_the_first_alone(tmp_path: Path) -> None:
    with embedded_broker(tmp_path) as broker:
        client(broker).rpush("static", "one")
        line = refused(broker.environment)
        assert f"A broker already runs for {tmp_path} (process {broker.process.pid})" in line
        assert client(broker).lrange("static", 0, -1) == ["one"]


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"CELERY_BROKER_URL": "redis://elsewhere"}, "CELERY_BROKER_URL names another broker"),
        ({"XDG_RUNTIME_DIR": f"/var/{'long' * 30}"}, "is too long for a socket"),
        ({"STATE_DIR": "/proc/none"}, "Check STATE_DIR"),
        ({"XDG_RUNTIME_DIR": "/proc/none"}, "Check STATE_DIR and XDG_RUNTIME_DIR"),
    ],
)
def test_where_it_cannot_run_it_says_so_in_one_line(
    tmp_path: Path, environment: dict[str, str], message: str
) -> None:
    usual = {"STATE_DIR": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    assert message in refused({**os.environ, **usual, **environment})


def test_a_folder_that_others_can_enter_is_not_used(tmp_path: Path) -> None:
    with embedded_broker(tmp_path) as broker:
        folder = broker.socket.parent
    folder.chmod(0o755)
    assert "is not a folder that only you can enter" in refused(broker.environment)
