"""What was lost comes back: with the next attempt if it was started, and three times at most."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from evaluation.delivery import ATTEMPTS
from leaderboard.dispatch import RING_SECONDS, reap, reaper
from leaderboard.models import Evaluation, OutcomeCount, Submission, SubmissionEvent
from tests.leaderboard.judging import (
    a_run,
    a_submission,
    an_evaluation,
    dump,
    expire,
    lease_out,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]

State = Evaluation.State


@pytest.fixture
def reaped(broker, django_capture_on_commit_callbacks, monkeypatch):
    """Return a function that reaps without offering and returns what was sent."""
    monkeypatch.setattr(reaper, "offer", lambda: 0)

    def run() -> list[tuple[str, list]]:
        with django_capture_on_commit_callbacks(execute=True):
            reap()
        sent = [(one["name"], one["args"]) for one in broker.sent]
        broker.sent.clear()
        return sent

    return run


def kinds(submission: Submission) -> list[str]:
    return list(submission.events.values_list("kind", flat=True))


@pytest.mark.parametrize("waiting", ["static_waiting", "dynamic_waiting"])
def test_a_started_lease_that_ended_is_tried_again(waiting: str, reaped) -> None:
    evaluation = an_evaluation(state=waiting)
    submission = a_submission([evaluation])
    lease_out(evaluation)
    expire(evaluation)
    reaped()
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempt) == (waiting, 2)
    assert (evaluation.lease, evaluation.owner, evaluation.started) == ("", "", False)
    assert evaluation.lease_expires_at is None
    assert kinds(submission) == ["retried"]


def test_a_request_that_nobody_took_costs_no_attempt(reaped) -> None:
    evaluation = an_evaluation()
    submission = a_submission([evaluation])
    lease_out(evaluation, started=False)
    expire(evaluation)
    reaped()
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempt) == (State.STATIC_WAITING, 1)
    assert kinds(submission) == []


def test_a_lease_that_holds_is_left_alone(reaped) -> None:
    lease_out(an_evaluation())
    before = dump()
    reaped()
    assert dump() == before


def test_the_last_attempt_ends_as_an_infrastructure_error(reaped) -> None:
    evaluation = an_evaluation(attempt=ATTEMPTS)
    submission = a_submission([evaluation])
    run = a_run([evaluation])
    lease_out(evaluation)
    expire(evaluation)
    reaped()
    evaluation.refresh_from_db()
    submission.refresh_from_db()
    assert (evaluation.state, evaluation.outcome) == (State.INFRA_ERROR, "infra_error")
    assert evaluation.ended_at is not None
    assert (submission.state, submission.revision) == (Submission.State.COMPLETE, 2)
    assert kinds(submission) == ["checked", "complete"]
    assert evaluation.results(manager="everything").get().outcome == "infra_error"
    counted = OutcomeCount.everything.get(run=run)
    assert (counted.outcome, counted.count) == ("infra_error", 1)


def test_ended_and_cancelled_rows_are_not_brought_back(reaped) -> None:
    for state in Evaluation.ENDED:
        expire(an_evaluation(state=state))
    before = dump()
    reaped()
    assert dump() == before


def test_what_came_back_is_offered_at_once(broker, django_capture_on_commit_callbacks) -> None:
    evaluation = an_evaluation()
    lease_out(evaluation)
    expire(evaluation)
    with django_capture_on_commit_callbacks(execute=True):
        reap()
    (request,) = broker.requests()
    assert (request.evaluation, request.attempt) == (evaluation.pk, 2)


def test_one_row_that_fails_holds_up_no_other(reaped, monkeypatch, caplog) -> None:
    bad, good = an_evaluation(), an_evaluation()
    for evaluation in (bad, good):
        lease_out(evaluation)
        expire(evaluation)
    move = reaper.move

    def fail(evaluation: Evaluation, *args, **columns) -> None:
        if evaluation.pk == bad.pk:
            raise RuntimeError("a fault of this row")
        move(evaluation, *args, **columns)

    monkeypatch.setattr(reaper, "move", fail)
    reaped()
    good.refresh_from_db()
    bad.refresh_from_db()
    assert (good.state, bad.state) == (State.STATIC_WAITING, State.STATIC_LEASED)
    assert "a fault of this row" in caplog.text


def test_a_submission_nobody_took_is_rung_for_again_but_not_all_the_time(reaped) -> None:
    new = a_submission(state="received")
    old = a_submission(state="received")
    Submission.objects.filter(pk=old.pk).update(changed=Now() - timedelta(seconds=RING_SECONDS + 1))
    assert reaped() == [("leaderboard.take_in", [str(old.pk)])]
    assert reaped() == []
    assert set(Submission.objects.values_list("state", "attempt")) == {("received", 1)}
    assert not SubmissionEvent.objects.filter(submission__in=[new, old]).exists()


def test_a_reader_that_was_lost_is_replaced_three_times_at_most(reaped) -> None:
    submission = a_submission(state="unpacking", lease="a", lease_expires_at=Now())
    for attempt in range(2, ATTEMPTS + 1):
        assert reaped() == [("leaderboard.take_in", [str(submission.pk)])]
        submission.refresh_from_db()
        assert (submission.state, submission.attempt) == ("received", attempt)
        assert (submission.lease, submission.lease_expires_at) == ("", None)
        Submission.objects.filter(pk=submission.pk).update(
            state="unpacking", lease="b", lease_expires_at=Now()
        )
    assert reaped() == []
    submission.refresh_from_db()
    assert (submission.state, submission.revision) == ("rejected", ATTEMPTS + 1)
    assert kinds(submission) == ["retried", "retried", "rejected"]
    (problem,) = submission.report["problems"]
    assert problem["severity"] == "error"
    assert set(submission.report) == {
        "kind",
        "runs",
        "trajectories",
        "turns",
        "kernels",
        "parts",
        "problems",
        "problems_left_out",
    }


def test_a_reader_at_work_is_left_alone(reaped) -> None:
    a_submission(state="unpacking", lease="a", lease_expires_at=Now() + timedelta(seconds=60))
    before = dump()
    assert reaped() == []
    assert dump() == before


def test_reaping_twice_brings_back_once(reaped) -> None:
    evaluation = an_evaluation()
    lease_out(evaluation)
    expire(evaluation)
    reaped()
    reaped()
    evaluation.refresh_from_db()
    assert evaluation.attempt == 2
