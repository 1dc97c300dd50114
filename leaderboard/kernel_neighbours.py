"""Where a kernel was proposed, and which turns came before and after it."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from evaluation.outcomes import Outcome
from leaderboard.access import visible_turns
from leaderboard.accounts.models import User
from leaderboard.models import Kernel, Result, Turn
from leaderboard.models.choices import Provenance
from leaderboard.run_sheet import TurnAddresses

MOST_TURNS = 50
"""Turns shown that proposed the same kernel."""

MOST_STRIPS = 3
"""Trajectories shown turn by turn."""

AROUND = 16
"""Turns shown on either side of the kernel in its trajectory."""


@dataclass(frozen=True, slots=True)
class NeighbourTurn:
    """A turn with the address of its page, and that of its kernel where it has one.

    `outcome` is what this project measured, else what was reported, else None. `here` marks
    the kernel in question.
    """

    run: str
    model: str
    trajectory: str
    number: int
    address: str | None
    kernel: str | None
    outcome: Outcome | None
    public: bool
    here: bool


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Turns that proposed this kernel, and their trajectories around it; both cut to a bound."""

    same: tuple[NeighbourTurn, ...]
    same_left_out: int
    strips: tuple[tuple[NeighbourTurn, ...], ...]


def neighbours(kernel: Kernel, user: User | None) -> Neighbours:
    """Return the turns around `kernel` that `user` may see."""
    visible = visible_turns(user, kernel)
    same = list(
        _with_runs(visible).order_by(
            "trajectory__run__entry__name", "trajectory__run__slug", "trajectory__key", "number"
        )[:MOST_TURNS]
    )
    first: dict[int, Turn] = {}
    for turn in same:
        first.setdefault(turn.trajectory_id, turn)
    chosen = list(first.values())[:MOST_STRIPS]
    around = [_around(turn) for turn in chosen]
    outcomes = _outcomes(turn.pk for turns in (same, *around) for turn in turns)

    def shown(turns: Iterable[Turn]) -> tuple[NeighbourTurn, ...]:
        return tuple(_neighbour(turn, kernel, outcomes.get(turn.pk)) for turn in turns)

    return Neighbours(
        shown(same),
        visible.count() - len(same) if len(same) == MOST_TURNS else 0,
        tuple(shown(turns) for turns in around),
    )


def _with_runs(turns: QuerySet[Turn]) -> QuerySet[Turn]:
    return turns.select_related("trajectory__run__entry", "kernel")


def _around(turn: Turn) -> list[Turn]:
    near = Turn.objects.filter(
        trajectory=turn.trajectory_id,
        number__gte=max(0, turn.number - AROUND),
        number__lte=turn.number + AROUND,
    )
    return list(_with_runs(near).order_by("number"))


def _outcomes(turns: Iterable[int]) -> dict[int, Outcome]:
    """Return how turns ended; that a turn may be seen was decided before."""
    rows = Result.everything.filter(turn_id__in=set(turns)).values_list(
        "turn_id", "provenance", "outcome"
    )
    found: dict[int, Outcome] = {}
    for turn, provenance, outcome in rows.order_by("hardware", "protocol"):
        if turn not in found or provenance == Provenance.MEASURED:
            found[turn] = Outcome(outcome)
    return found


def _neighbour(turn: Turn, kernel: Kernel, outcome: Outcome | None) -> NeighbourTurn:
    run, key = turn.trajectory.run, turn.trajectory.key
    return NeighbourTurn(
        run=run.slug,
        model=run.entry.name,
        trajectory=key,
        number=turn.number,
        address=TurnAddresses(run.slug, key).of(turn.number),
        kernel=turn.kernel.sha256 if turn.kernel else None,
        outcome=outcome,
        public=run.public,
        here=turn.kernel_id == kernel.pk,
    )
