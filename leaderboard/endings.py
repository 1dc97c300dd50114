"""How an evaluation ends: results, figures, events and, last, its terminal state.

Locks are taken in one order everywhere: evaluations, submissions, runs, each by key.
"""

from typing import Any

from django.db.models import F
from django.db.models.functions import Now

from evaluation.messages import decode_verdict
from evaluation.outcomes import Outcome
from leaderboard import events
from leaderboard.models import DataVersion, Evaluation, Result, Run, Submission, SubmittedKernel
from leaderboard.storable import storable
from leaderboard.summaries import refresh

REASON_CHARACTERS = 400
RESULT_REASON_CHARACTERS = 200

NO_LEASE = {"lease": "", "owner": "", "started": False, "lease_expires_at": None}
"""The columns of a row that nobody holds."""


class LostRow(RuntimeError):
    """The row is not as it was when it was locked; the transaction must not be committed."""


def end(evaluation: Evaluation, state: Evaluation.State, outcome: str, reason: str) -> None:
    """End an evaluation with an outcome for all turns and submissions that wait for it.

    The caller holds the row in a transaction. The terminal state is written last. Raises
    `LostRow` if the row changed since it was read.
    """
    before = evaluation.state
    submissions = followers(evaluation)
    runs = _runs(evaluation)
    evaluation.outcome, evaluation.reason = outcome, storable(reason, REASON_CHARACTERS)
    Result.everything.filter(evaluation=evaluation).update(**result_columns(evaluation))
    refresh(runs)
    for submission in submissions:
        tell(submission, evaluation, _event(before), outcome)
        complete_if_judged(submission, ending=evaluation)
    if any(run.public for run in runs):
        DataVersion.bump()
    move(evaluation, state, outcome=outcome, reason=evaluation.reason, ended_at=Now())


def move(evaluation: Evaluation, state: Evaluation.State, **columns: Any) -> None:
    """Write a new state and free the row, only where it is as it was read; else `LostRow`."""
    touched = Evaluation.objects.filter(
        pk=evaluation.pk,
        state=evaluation.state,
        attempt=evaluation.attempt,
        lease=evaluation.lease,
    ).update(state=state, **NO_LEASE, **columns)
    if touched != 1:
        raise LostRow(f"evaluation {evaluation.pk} changed while it was held")


def result_columns(evaluation: Evaluation) -> dict[str, Any]:
    """Return what a turn's result says while, or after, its kernel is judged.

    Keys: outcome, reason, target_passed, speedup. The outcome is `waiting` until there is one.
    """
    outcome = Outcome(evaluation.outcome or Outcome.WAITING)
    return {
        "outcome": outcome.value,
        "reason": evaluation.reason[:RESULT_REASON_CHARACTERS] if evaluation.outcome else "",
        "target_passed": outcome.target_passed,
        "speedup": _speedup(evaluation) if outcome.correct else None,
    }


def _speedup(evaluation: Evaluation) -> float | None:
    """Return the speedup that figures go by, from the dynamic verdict."""
    verdict = evaluation.verdicts.filter(step="dynamic").first()
    if verdict is None:
        return None
    strategy = decode_verdict(verdict.message.encode()).stages.strategy
    # A measured speedup counts with the lower end of its interval, so that noise wins nothing.
    return strategy.speedup if strategy.interval is None else strategy.interval[0]


def followers(evaluation: Evaluation) -> list[Submission]:
    """Lock and return the submissions that still wait for an evaluation, by key."""
    links = SubmittedKernel.objects.filter(evaluation=evaluation).values("submission_id")
    judging = Submission.objects.filter(pk__in=links, state=Submission.State.JUDGING)
    return list(judging.select_for_update().order_by("pk"))


def tell(submission: Submission, evaluation: Evaluation, kind: str, outcome: str) -> None:
    """Append an event about one evaluation to a submission whose row the caller holds."""
    events.append(
        submission,
        kind,
        evaluation=evaluation.pk,
        kernel=evaluation.kernel.sha256,
        outcome=outcome,
    )


def complete_if_judged(submission: Submission, ending: Evaluation | None = None) -> bool:
    """End a submission of which no evaluation is open but `ending`, which is about to end.

    The caller holds the submission's row. Returns whether it is complete now.
    """
    still_open = submission.evaluations.exclude(state__in=Evaluation.ENDED)
    if ending is not None:
        still_open = still_open.exclude(pk=ending.pk)
    if still_open.exists():
        return False
    touched = Submission.objects.filter(pk=submission.pk, state=Submission.State.JUDGING).update(
        state=Submission.State.COMPLETE, revision=F("revision") + 1, changed=Now()
    )
    if touched:
        events.append(submission, "complete")
    return bool(touched)


def public_runs(evaluation: Evaluation) -> bool:
    """Return whether any run that everybody may see has this evaluation's kernel."""
    results = Result.everything.filter(evaluation=evaluation)
    return results.filter(turn__trajectory__run__public=True).exists()


def _runs(evaluation: Evaluation) -> list[Run]:
    """Lock and return the runs with a turn that waits for an evaluation, by key."""
    touched = Result.everything.filter(evaluation=evaluation).values("turn__trajectory__run_id")
    return list(Run.everything.filter(pk__in=touched).select_for_update().order_by("pk"))


def _event(state: str) -> str:
    static = (Evaluation.State.STATIC_WAITING, Evaluation.State.STATIC_LEASED)
    return "checked" if state in static else "judged"
