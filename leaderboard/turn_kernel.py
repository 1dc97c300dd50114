"""The kernel of a turn in a few lines, for the turn's page; the kernel's own page has the rest."""

from dataclasses import dataclass

from leaderboard.models import Evaluation, Kernel, Result, Turn
from leaderboard.shown_text import Room
from leaderboard.verdict_evidence import VerdictEvidence, verdict_evidence

ROOM = 60_000
"""Bytes that what was found may take on the page; little of it is shown."""


@dataclass(frozen=True, slots=True)
class TurnKernel:
    """The turn's kernel, and how far its judgement is. `said` is what the static step found."""

    sha256: str
    evaluation: Evaluation | None
    said: VerdictEvidence | None


def turn_kernel(turn: Turn) -> TurnKernel | None:
    """Return the kernel of a turn that the asker may see; None where none is stored."""
    found = Kernel.objects.filter(turns=turn).values_list("sha256", flat=True).first()
    if found is None:
        return None
    # That the turn may be seen was decided before, so what was found about it may be as well.
    results = Result.everything.filter(turn=turn, evaluation__isnull=False)
    result = results.select_related("evaluation").order_by("hardware", "protocol").first()
    evaluation = result.evaluation if result else None
    stored = evaluation.verdicts.filter(step="static").first() if evaluation else None
    return TurnKernel(found, evaluation, verdict_evidence(stored, Room(ROOM)) if stored else None)
