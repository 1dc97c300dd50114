"""The site's workers with real brokers: messages come through, and bad ones end nothing."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from celery import Celery

from evaluation.delivery import REGISTER_RUNNER, celery_settings
from evaluation.messages import RunnerReport, encode

ROOT = Path(__file__).parents[3]
BROKERS = ["redis://127.0.0.1:6379/11", "amqp://guest:guest@127.0.0.1:5672//"]
START_SECONDS = 60


@pytest.fixture(params=BROKERS, ids=["redis", "rabbitmq"])
def broker_url(request) -> str:
    """A broker that runs here; required where `REQUIRE_SERVICES=1`."""
    place = urlsplit(request.param)
    try:
        socket.create_connection((place.hostname, place.port), timeout=2).close()
    except OSError:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(f"no broker at {request.param}")
        pytest.skip(f"no broker at {request.param}")
    return request.param


def settings_of(state: Path, broker_url: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "STATE_DIR": str(state),
        "CELERY_BROKER_URL": broker_url,
        "DJANGO_SETTINGS_MODULE": "leaderboard.config.settings",
        "PYTHONWARNINGS": "ignore",
    }


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with a database in which a submission's reading failed for the last time."""
    state = tmp_path_factory.mktemp("prepared")
    code = (
        "import django; django.setup(); from django.core.management import call_command; "
        "call_command('migrate', verbosity=0); from leaderboard.models import Submission; "
        "from leaderboard.accounts.models import User; from django.utils import timezone; "
        "Submission.objects.create(owner=User.objects.create(username='ada'), size=1, "
        "state='unpacking', attempt=3, lease='x', lease_expires_at=timezone.now())"
    )
    environment = settings_of(state, BROKERS[0])
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
    return state


@pytest.fixture
def environment(broker_url: str, prepared: Path, tmp_path: Path) -> dict[str, str]:
    """What a site of its own is started with."""
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return settings_of(tmp_path, broker_url)


@pytest.fixture
def sender(broker_url: str) -> Iterator[Celery]:
    """A runner's side of the broker."""
    app = Celery("sender", set_as_current=False)
    app.conf.update(celery_settings(broker_url))
    yield app
    app.close()


@contextmanager
def worker(name: str, queue: str, environment: dict[str, str], log: Path) -> Iterator[None]:
    """Run one of the site's workers on a queue of its own."""
    command = [sys.executable, "-m", "celery", "-A", f"leaderboard.config.celery:{name}"]
    command += ["worker", "-P", "solo", "-Q", queue, "-n", f"{queue}@%h", "-l", "INFO"]
    command += ["--without-mingle", "--without-gossip"]
    with log.open("w") as file:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
        try:
            yield
            assert process.poll() is None, log.read_text()
        finally:
            process.terminate()
            process.wait(20)


def column(environment: dict[str, str], name: str, table: str) -> list[str]:
    """Return a column of one of the site's tables."""
    path = Path(environment["STATE_DIR"]) / "leaderboard.sqlite3"
    with closing(sqlite3.connect(path, timeout=20)) as database:
        rows = database.execute(f"SELECT {name} FROM leaderboard_{table}")  # noqa: S608
        return [value for (value,) in rows]


def wait_until(true: Callable[[], bool], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while not true():
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.1)


def forget(sender: Celery, queue: str) -> None:
    with sender.connection_for_write() as connection:
        channel = connection.default_channel
        channel.queue_delete(queue)
        if hasattr(channel, "exchange_delete"):
            channel.exchange_delete(queue)


def publish(sender: Celery, queue: str, body: object, **headers: object) -> None:
    """Send what no well-behaved runner sends."""
    with sender.producer_or_acquire() as producer:
        producer.publish(
            json.dumps(body),
            content_type="application/json",
            content_encoding="utf-8",
            exchange=queue,
            routing_key=queue,
            declare=[sender.amqp.queues[queue]],
            headers={"task": REGISTER_RUNNER, "id": str(uuid4()), "lang": "py", **headers},
        )


def test_a_runners_messages_are_taken_and_bad_ones_end_nothing(
    environment, sender: Celery, tmp_path: Path
) -> None:
    queue, elsewhere = f"test-{uuid4().hex}", f"test-{uuid4().hex}"
    log = tmp_path / "worker.log"

    def report(name: str) -> str:
        return encode(RunnerReport(name=name, queue="static")).decode()

    more = {"task": REGISTER_RUNNER, "args": [], "kwargs": {}, "options": {"queue": elsewhere}}
    with worker("verdict_app", queue, environment, log):
        bodies: tuple[Any, ...] = (
            5,
            "text",
            [],
            [[], {}],
            [5, {}, {}],
            [[], [], {}],
            {"args": 5},
            None,
        )
        for body in bodies:
            publish(sender, queue, body)
        for options in ({"chain": [more]}, {"callbacks": [more]}, {"errbacks": [more]}):
            publish(sender, queue, [[report("chained")], {}, options])
            publish(sender, queue, [[report("chained")], {}, {}], **options)
        publish(sender, queue, [[report("limited")], {}, {}], timelimit="soon")
        publish(sender, queue, [[report("later")], {}, {}], eta="never")
        for name in ("leaderboard.reap", "celery.group", "os.system"):
            sender.send_task(name, queue=queue)
        sender.send_task(REGISTER_RUNNER, args=["no message"], queue=queue)
        sender.send_task(REGISTER_RUNNER, args=[report("last")], queue=queue)
        wait_until(lambda: "last" in column(environment, "name", "runner"), log)
        assert column(environment, "name", "runner") == ["last"]
    text = log.read_text()
    assert "dropped what is no message" in text
    assert "nothing to do after it" in text
    forget(sender, queue)


def test_the_sites_worker_takes_its_own_tasks(environment, sender: Celery, tmp_path: Path) -> None:
    queue, log = f"test-{uuid4().hex}", tmp_path / "worker.log"
    with worker("app", queue, environment, log):
        sender.send_task("leaderboard.reap", queue=queue, expires=60)
        wait_until(lambda: column(environment, "state", "submission") == ["rejected"], log)
    forget(sender, queue)
