"""What happened to a submission, in order, for pages and programs that follow it."""

from django.db.models import Max

from leaderboard.models import Submission, SubmissionEvent
from leaderboard.storable import storable

KINDS = frozenset(
    {
        "received",
        "reading",
        "rejected",
        "understood",
        "checked",
        "judged",
        "retried",
        "complete",
        "cancelled",
        "withdrawn",
        "published",
        "unpublished",
    }
)

FACT_CHARACTERS = 400
"""Most characters kept of one fact."""


def append(submission: Submission, kind: str, **facts: str | int | None) -> int:
    """Store an event and return its number, one more than that of the event before.

    The caller holds the submission's row (`select_for_update`, or an UPDATE of it) in this
    transaction, so that two events never want the same number. Raises ValueError for an
    unknown kind.
    """
    if kind not in KINDS:
        raise ValueError(f"no kind of event: {kind}")
    rows = SubmissionEvent.objects.filter(submission=submission)
    seq = (rows.aggregate(last=Max("seq"))["last"] or 0) + 1
    kept = {
        name: storable(fact, FACT_CHARACTERS) if isinstance(fact, str) else fact
        for name, fact in facts.items()
    }
    SubmissionEvent.objects.create(submission=submission, seq=seq, kind=kind, facts=kept)
    return seq
