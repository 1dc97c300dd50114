"""The broker as the site's app sees it, without one."""

from collections.abc import Callable
from typing import Any

import pytest

from evaluation.messages import JudgeRequest, decode_request
from leaderboard.config.celery import app
from leaderboard.dispatch import offer


class Broker:
    """Keeps what is sent, in order; `broken` makes it refuse."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.broken = False

    def send_task(self, name: str, args: Any = (), **options: Any) -> None:
        if self.broken:
            raise ConnectionRefusedError("no broker")
        self.sent.append({"name": name, "args": list(args), **options})

    def requests(self) -> list[JudgeRequest]:
        """Return the judge requests sent since the last call."""
        texts = [sent["args"][0] for sent in self.sent if sent["name"] == "gpu_runner.judge"]
        self.sent.clear()
        return [decode_request(text.encode()) for text in texts]


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Broker:
    """A broker that is there."""
    broker = Broker()
    monkeypatch.setattr(app, "send_task", broker.send_task)
    return broker


@pytest.fixture
def offered(
    broker: Broker, django_capture_on_commit_callbacks: Callable[..., Any]
) -> Callable[[], list[JudgeRequest]]:
    """Return a function that offers, commits, and returns the requests that went out."""

    def run() -> list[JudgeRequest]:
        with django_capture_on_commit_callbacks(execute=True):
            offer()
        return broker.requests()

    return run
