"""A runner's report replaces its last one, whatever its texts hold."""

import pytest
from django.db.models.functions import Now

from evaluation.messages import RunnerReport
from leaderboard.dispatch import live_runners, register
from leaderboard.models import Runner

pytestmark = pytest.mark.django_db


def test_a_runner_is_stored_and_seen_by_the_databases_clock() -> None:
    report = RunnerReport(name="gpu-1", queue="gpu.hopper", hardware="NVIDIA H200")
    assert register(report)
    Runner.objects.update(last_seen="2001-01-01T00:00:00Z")
    assert not live_runners().exists()
    lacks = ("Counters are not permitted.", "The clocks are not held.")
    assert register(RunnerReport(name="gpu-1", queue="gpu.hopper", toolchain="13.0", lacks=lacks))
    runner = live_runners("gpu.hopper").get(last_seen__lte=Now())
    assert (runner.name, runner.hardware, runner.toolchain) == ("gpu-1", "", "13.0")
    assert runner.lacks == "\n".join(lacks)


def test_texts_that_no_column_holds_are_made_fit() -> None:
    assert register(RunnerReport(name="n" * 200, queue="static", host="a\0b"))
    runner = Runner.objects.get()
    assert (len(runner.name), runner.host) == (120, "ab")


def test_a_queue_that_is_none_of_ours_is_refused(caplog) -> None:
    assert not register(RunnerReport(name="gpu-1", queue="verdicts"))
    assert not Runner.objects.exists()
    assert "no queue" in caplog.text
