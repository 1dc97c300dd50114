"""What somebody waits for, in words."""

from datetime import timedelta

import pytest
from django.db.models import F

from leaderboard.models import Runner
from leaderboard.queue_sheet import evaluation_wait, queue_lines, submission_waits
from tests.leaderboard.judging import a_runner, a_submission, an_evaluation

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]


def test_each_gpu_queue_is_told_with_what_is_ahead_of_it() -> None:
    for _ in range(3):
        an_evaluation(state="dynamic_waiting")
    submission = a_submission(
        [
            an_evaluation(state="dynamic_waiting"),
            an_evaluation(state="dynamic_waiting"),
            an_evaluation(state="dynamic_waiting", architecture="blackwell"),
        ]
    )
    a_runner("gpu.blackwell")
    hopper, blackwell = submission_waits(submission)
    assert (hopper.title, hopper.place) == (
        "Waiting for a Hopper runner",
        "3 kernels are ahead.",
    )
    assert "No such runner has reported yet" in hopper.runner
    assert (blackwell.title, blackwell.place) == ("Waiting for a Blackwell runner", "It is next.")
    assert blackwell.runner.startswith("1 runner is at work")


def test_the_static_step_is_only_mentioned_where_nobody_does_it() -> None:
    submission = a_submission([an_evaluation()])
    assert [wait.title for wait in submission_waits(submission)] == ["Waiting for the static check"]
    runner = a_runner("static")
    assert submission_waits(submission) == []
    Runner.objects.filter(pk=runner.pk).update(last_seen=F("last_seen") - timedelta(hours=1))
    assert "the last one was seen" in submission_waits(submission)[0].runner


def test_nobody_waits_for_a_submission_that_ended() -> None:
    assert submission_waits(a_submission([an_evaluation()], state="cancelled")) == []


def test_one_evaluation_waits_for_itself() -> None:
    an_evaluation(state="dynamic_waiting")
    wait = evaluation_wait(an_evaluation(state="dynamic_waiting"))
    assert wait is not None
    assert wait.place == "1 kernel is ahead."
    assert evaluation_wait(an_evaluation(state="decided")) is None


def test_every_queue_has_a_name() -> None:
    assert [line.title for line in queue_lines()] == [
        "Static check",
        "Hopper GPU",
        "Blackwell GPU",
    ]
