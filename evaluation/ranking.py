"""Who is ahead of whom, as far as the intervals allow saying so, and who cannot be ranked yet."""

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from evaluation.intervals import Estimate
from evaluation.metrics import Summary

MIN_TRAJECTORIES = 10
"""Trajectories a model needs in every task of the selection to be ranked."""

MAX_UNDECIDED_SHARE = 0.02
"""Share of undecided turns above which a run is provisional, and unranked."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One model's figures over the selected tasks, as the ranking needs them.

    `target` and `correct` are target@k and correct@k in [0, 1]; `key` is whatever the
    caller knows the model by. Raises ValueError for shares outside [0, 1].
    """

    key: Hashable
    frontier: Estimate
    target: float
    correct: float
    name: str

    def __post_init__(self) -> None:
        if not (0 <= self.target <= 1 and 0 <= self.correct <= 1):
            raise ValueError(f"shares lie in [0, 1], got {self.target} and {self.correct}")


@dataclass(frozen=True, slots=True)
class Ranked:
    """One row of the ranking.

    `range_low` and `range_high` are the best and the worst rank that the intervals
    allow; `rank` is the best of them, so ranks that are shared read as "not told apart".
    """

    item: Scored
    rank: int
    range_low: int
    range_high: int

    @property
    def key(self) -> Hashable:
        """What the caller knows the model by."""
        return self.item.key


class LackReason(StrEnum):
    """Why a task keeps a model from being ranked."""

    MISSING_TASK = "missing_task"
    FEW_TRAJECTORIES = "few_trajectories"
    PROVISIONAL = "provisional"


@dataclass(frozen=True, slots=True)
class Lack:
    """What a model lacks in one task.

    `have` and `need` are numbers of trajectories; where the reason is `PROVISIONAL`,
    the share of undecided turns, and the largest share allowed.
    """

    task: str
    reason: LackReason
    have: float
    need: float


def rank(items: Iterable[Scored]) -> list[Ranked]:
    """Order and rank models.

    Order: frontier share, target@k, correct@k, all descending, then name. A rank is 1 +
    the number of models whose interval lies wholly above; a wide interval further down
    can give a better rank than the row above has, which is then lowered to it, so ranks
    never fall down the column. The result depends on no order of the input.
    """
    rows = sorted(items, key=_order)
    lows = sorted(row.frontier.low for row in rows)
    highs = sorted(row.frontier.high for row in rows)
    ranked: list[Ranked] = []
    best = len(rows)
    for row in reversed(rows):
        above = len(rows) - bisect_right(lows, row.frontier.high)
        below = bisect_left(highs, row.frontier.low)
        best = min(best, 1 + above)
        # Lowering takes the range along: it starts at the rank that is shown.
        ranked.append(Ranked(row, best, range_low=best, range_high=len(rows) - below))
    ranked.reverse()
    return ranked


def _order(item: Scored) -> tuple[float, float, float, str, str]:
    return (-item.frontier.mean, -item.target, -item.correct, item.name, str(item.key))


def eligibility(cells: Mapping[str, Summary | None], tasks: Sequence[str]) -> list[Lack]:
    """Return what a model lacks to be ranked over `tasks`, in their order; empty if nothing.

    `cells` holds the model's summary per task name; None and an absent name are both a
    missing task. One task can lack two things.
    """
    return [lack for task in tasks for lack in _lacks(task, cells.get(task))]


def _lacks(task: str, cell: Summary | None) -> list[Lack]:
    if cell is None:
        return [Lack(task, LackReason.MISSING_TASK, 0, MIN_TRAJECTORIES)]
    lacks = []
    if cell.trajectories < MIN_TRAJECTORIES:
        few = Lack(task, LackReason.FEW_TRAJECTORIES, cell.trajectories, MIN_TRAJECTORIES)
        lacks.append(few)
    undecided = cell.undecided_share or 0.0
    if undecided > MAX_UNDECIDED_SHARE:
        lacks.append(Lack(task, LackReason.PROVISIONAL, undecided, MAX_UNDECIDED_SHARE))
    return lacks
