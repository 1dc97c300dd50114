"""The real site in a process of its own, for the browser and for measurements."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
GUNICORN = [sys.executable, "-m", "gunicorn", "-c", "python:leaderboard.config.gunicorn"]


def free_port() -> int:
    """Return a port that nobody listens on."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port: int = server.getsockname()[1]
        return port


@contextmanager
def served(application: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Serve a WSGI application with gunicorn on a free port, and give its address."""
    port = free_port()
    process = subprocess.Popen(
        [*GUNICORN, application],
        cwd=ROOT,
        env={**environment, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _attempt in range(200):
        if process.poll() is not None:
            raise RuntimeError(f"gunicorn ended with status {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("gunicorn did not start listening")


def without_database_url() -> dict[str, str]:
    """Return this process's environment without the database of the test run."""
    return {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
