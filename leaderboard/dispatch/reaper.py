"""Bringing back what was lost on the way: requests, runners, and submissions nobody took."""

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from evaluation.delivery import ATTEMPTS
from evaluation.outcomes import Outcome
from leaderboard import events
from leaderboard.dispatch.doorbell import RING_SECONDS, TAKE_IN, ring
from leaderboard.dispatch.lanes import lane_of
from leaderboard.dispatch.offers import offer
from leaderboard.endings import end, followers, move, tell
from leaderboard.models import Evaluation, Submission

logger = logging.getLogger(__name__)

State = Evaluation.State

NO_ANSWER = f"No runner finished it in {ATTEMPTS} attempts."
NOT_READ = f"Reading the file failed {ATTEMPTS} times. Please report this, with the file."

NOTHING_UNDERSTOOD: dict[str, Any] = {
    "kind": "",
    "runs": 0,
    "trajectories": 0,
    "turns": 0,
    "kernels": 0,
    "parts": [],
    "problems_left_out": 0,
}
"""The report of a file that was not read, in the form that the readers give."""


def reap() -> None:
    """Return expired leases to waiting, or give them up after `ATTEMPTS`; then offer anew.

    Safe to run at any moment and twice at once. One row that cannot be dealt with is
    logged and holds up none of the others.
    """
    _each(_expired_evaluations(), _return_evaluation)
    _each(_expired_submissions(), _return_submission)
    _each(_untaken_submissions(), _ring_again)
    offer()


def _each(rows: QuerySet[Any], act: Callable[[Any], None]) -> None:
    """Act on each row by its key, in a transaction of its own, as far as it still qualifies."""
    for key in list(rows.values_list("pk", flat=True)):
        try:
            with transaction.atomic():
                if row := rows.filter(pk=key).select_for_update().first():
                    act(row)
        except Exception:
            logger.exception("%s %s was not brought back", rows.model.__name__, key)


def _expired_evaluations() -> QuerySet[Evaluation]:
    leased = Evaluation.objects.filter(state__in=Evaluation.LEASED)
    return leased.filter(lease_expires_at__lte=Now()).order_by("pk")


def _return_evaluation(evaluation: Evaluation) -> None:
    waiting = lane_of(evaluation).waiting_state
    if not evaluation.started:  # nobody took the request: no attempt was made
        move(evaluation, waiting)
    elif evaluation.attempt < ATTEMPTS:
        for submission in followers(evaluation):
            tell(submission, evaluation, "retried", Outcome.INFRA_ERROR)
        move(evaluation, waiting, attempt=evaluation.attempt + 1)
    else:
        end(evaluation, State.INFRA_ERROR, Outcome.INFRA_ERROR, evaluation.reason or NO_ANSWER)


def _expired_submissions() -> QuerySet[Submission]:
    reading = Submission.objects.filter(state=Submission.State.UNPACKING)
    return reading.filter(lease_expires_at__lte=Now()).order_by("pk")


def _return_submission(submission: Submission) -> None:
    """Let a file be read again whose reader was lost, or reject it after `ATTEMPTS`."""
    if submission.attempt < ATTEMPTS:
        _advance(submission, state=Submission.State.RECEIVED, attempt=submission.attempt + 1)
        events.append(submission, "retried", attempt=submission.attempt + 1)
        ring(TAKE_IN, str(submission.pk))
        return
    problem = {"file": submission.filename, "line": 0, "message": NOT_READ, "severity": "error"}
    report = NOTHING_UNDERSTOOD | {"problems": [problem]}
    _advance(submission, state=Submission.State.REJECTED, report=report)
    events.append(submission, "rejected", reason=NOT_READ)


def _advance(submission: Submission, **columns: Any) -> None:
    Submission.objects.filter(pk=submission.pk).update(
        **columns,
        lease="",
        lease_expires_at=None,
        revision=F("revision") + 1,
        changed=Now(),
    )


def _untaken_submissions() -> QuerySet[Submission]:
    received = Submission.objects.filter(state=Submission.State.RECEIVED)
    return received.filter(changed__lte=Now() - timedelta(seconds=RING_SECONDS)).order_by("created")


def _ring_again(submission: Submission) -> None:
    Submission.objects.filter(pk=submission.pk).update(changed=Now())
    ring(TAKE_IN, str(submission.pk))
