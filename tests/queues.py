"""The embedded broker in a process of its own, and what goes through it."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from celery import Celery
from kombu import Connection
from redis import Redis
from redis.exceptions import ConnectionError as NotThere

from evaluation.delivery import VERDICTS, celery_settings
from tests.serving import ROOT, without_database_url


class Broker:
    """An embedded broker that can be killed and started again with what it held."""

    def __init__(self, state: Path) -> None:
        """Start it for a state folder, in which its socket lies too."""
        self.state = state
        self.environment = without_database_url() | {
            "STATE_DIR": str(state),
            "XDG_RUNTIME_DIR": str(state),
        }
        self.environment.pop("CELERY_BROKER_URL", None)
        self.start()

    @property
    def socket(self) -> Path:
        """Where it listens."""
        (found,) = self.state.glob("ptxbench-*/broker.sock")
        return found

    @property
    def url(self) -> str:
        """Its address."""
        return f"redis+socket://{self.socket}"

    def start(self) -> None:
        """Start the process and wait until it answers."""
        command = [sys.executable, "-m", "leaderboard.broker"]
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment)
        for _attempt in range(200):
            try:
                Redis(unix_socket_path=str(self.socket)).ping()
                return
            except (NotThere, ValueError):
                time.sleep(0.05)
        raise RuntimeError(f"the broker does not answer; status {self.process.poll()}")

    def kill(self) -> None:
        """End it as if the machine had lost it."""
        self.process.kill()
        self.process.wait()


@contextmanager
def embedded_broker(state: Path) -> Iterator[Broker]:
    """Run an embedded broker, and end it with the block."""
    broker = Broker(state)
    try:
        yield broker
    finally:
        broker.kill()


def put(url: str, task: str, queue: str, *arguments: object) -> None:
    """Send a task as the site or a runner would."""
    app = Celery("sender", fixups=[], set_as_current=False)
    app.conf.update(celery_settings(url))
    app.send_task(task, args=arguments, queue=queue)
    app.close()


def take(url: str, seconds: float, queue: str = VERDICTS) -> tuple[str, dict[str, Any]]:
    """Take the next message from a queue: its task, and the JSON that it carries.

    Raises `queue.Empty` if none comes in time.
    """
    with Connection(url) as connection, connection.SimpleQueue(queue) as waiting:
        message = waiting.get(timeout=seconds)
        message.ack()
        ((text,), _keywords, _embedded) = message.payload
        return message.headers["task"], json.loads(text)


def take_until(url: str, task: str, seconds: float) -> list[tuple[str, dict[str, Any]]]:
    """Take messages until one of `task` came; return all of them."""
    taken: list[tuple[str, dict[str, Any]]] = []
    until = time.monotonic() + seconds
    while not taken or taken[-1][0] != task:
        taken.append(take(url, until - time.monotonic()))
    return taken
