"""Recording what runners found: only where their lease still holds, and once."""

import logging

from django.db import transaction
from django.db.models.functions import Now

from evaluation import messages
from evaluation.outcomes import Outcome
from leaderboard.dispatch.leases import RUNNER_CHARACTERS, held
from leaderboard.endings import (
    REASON_CHARACTERS,
    LostRow,
    complete_if_judged,
    end,
    followers,
    move,
    public_runs,
    result_columns,
    tell,
)
from leaderboard.models import DataVersion, Evaluation, Verdict
from leaderboard.storable import storable

__all__ = ["complete_if_judged", "record", "result_columns"]

logger = logging.getLogger(__name__)

State = Evaluation.State

LEASED = {"static": State.STATIC_LEASED, "dynamic": State.DYNAMIC_LEASED}

UNDECIDED_STATIC = (None, Outcome.TARGET_ABSENT)
"""Static findings after which a GPU must still say whether the kernel computes the right thing."""


def record(verdict: messages.Verdict) -> bool:
    """Store a verdict and all that follows from it in one transaction.

    Returns whether it was recorded. A verdict whose lease is unknown, spent, expired or
    another row's, or that is about something else than its row, changes nothing and is logged.
    """
    with transaction.atomic():
        evaluation = _hold(verdict)
        problem = "its lease is not the row's" if evaluation is None else ""
        if evaluation is not None:
            problem = _contradiction(evaluation, verdict)
        if evaluation is None or problem:
            logger.warning(
                "verdict of %r on evaluation %s, attempt %s, not recorded: %s",
                verdict.runner,
                verdict.evaluation,
                verdict.attempt,
                problem,
            )
            return False
        _keep(evaluation, verdict)
        _act_on(evaluation, verdict)
    return True


def _hold(verdict: messages.Verdict) -> Evaluation | None:
    """Lock the row, then ask for its lease: a query that waited would go by an old clock."""
    if verdict.evaluation is None:
        return None
    list(Evaluation.objects.select_for_update().filter(pk=verdict.evaluation))
    rows = held(verdict.evaluation, verdict.attempt, verdict.lease, [LEASED[verdict.step]])
    return rows.select_related("kernel", "workload__task").first()


def _contradiction(evaluation: Evaluation, verdict: messages.Verdict) -> str:
    """Return why a verdict cannot be about this row, empty if it can."""
    expected = {
        "source_sha256": evaluation.kernel.sha256,
        "protocol": evaluation.protocol,
        "architecture": evaluation.architecture,
        "task": evaluation.workload.task.slug,
    }
    for name, value in expected.items():
        if getattr(verdict, name) != value:
            return f"{name} is {getattr(verdict, name)!r}, not {value!r}"
    if not _possible(verdict):
        return f"the {verdict.step} step cannot find {verdict.outcome!r}"
    return ""


def _possible(verdict: messages.Verdict) -> bool:
    """Whether the verdict's step can come to its outcome: without a GPU nothing is correct."""
    if verdict.outcome is Outcome.WAITING:
        return False
    if verdict.step == "dynamic":
        return verdict.outcome is not None
    return verdict.outcome in UNDECIDED_STATIC or not verdict.outcome.correct


def _keep(evaluation: Evaluation, verdict: messages.Verdict) -> None:
    """Store the message; after an infrastructure error the next attempt's takes its place."""
    Verdict.objects.update_or_create(
        evaluation=evaluation,
        step=verdict.step,
        defaults={
            "attempt": evaluation.attempt,
            "outcome": verdict.outcome or "",
            "runner": storable(verdict.runner, RUNNER_CHARACTERS),
            "message": messages.encode(verdict).decode(),
            "recorded_at": Now(),
        },
    )


def _act_on(evaluation: Evaluation, verdict: messages.Verdict) -> None:
    outcome = verdict.outcome
    if outcome is Outcome.INFRA_ERROR:
        _end_lease(evaluation, verdict.reason)
    elif outcome is None or (verdict.step == "static" and outcome in UNDECIDED_STATIC):
        _pass_on(evaluation, outcome or "")
    else:
        end(evaluation, State.DECIDED, outcome, verdict.reason)


def _end_lease(evaluation: Evaluation, reason: str) -> None:
    """Let the lease end now, as one that was started: the reaper tries again, up to its cap."""
    touched = Evaluation.objects.filter(pk=evaluation.pk, lease=evaluation.lease).update(
        started=True, lease_expires_at=Now(), reason=storable(reason, REASON_CHARACTERS)
    )
    if touched != 1:
        raise LostRow(f"evaluation {evaluation.pk} changed while it was held")


def _pass_on(evaluation: Evaluation, found: str) -> None:
    """Let a kernel wait for a GPU, with all its attempts before it."""
    for submission in followers(evaluation):
        tell(submission, evaluation, "checked", found)
    if public_runs(evaluation):
        DataVersion.bump()
    move(evaluation, State.DYNAMIC_WAITING, attempt=1, reason="")
