"""What a run's turns add up to: correct@k, target@k, fast_p@k, frontier share@k, best speedup@k.

A run is a collection of trajectories, a trajectory a sequence of turns. Everything
that is shown follows from a `Summary`: sufficient statistics of one run at one turn
limit k. "Among the first k" means turns whose number is below k, so a gap in a
trajectory moves no later turn forward. Definitions: protocol version 1, "Metrics";
fast_p is KernelBench's (arXiv 2502.10517).
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from evaluation.outcomes import Outcome

P_LEVELS = (0.25, 0.5, 0.8, 1.0)
"""Speedups p for which fast_p is kept in summaries."""

LIMITS = (1, 4, 8, 16, 32, 64)
"""Turn limits k that are offered by default; a run has those up to its own limit."""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How one turn ended.

    `number` counts from 0. `speedup` is baseline time ÷ kernel time as fast_p goes
    by it: the reported figure, or the lower end of a measured one's interval; None
    where there is no figure. Raises ValueError for a negative number and for a
    speedup that is not finite and positive.
    """

    number: int
    outcome: Outcome
    speedup: float | None = None

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError(f"turn numbers count from 0, got {self.number}")
        if self.speedup is not None and not (math.isfinite(self.speedup) and self.speedup > 0):
            raise ValueError(f"a speedup is finite and above 0, got {self.speedup}")

    @property
    def correct(self) -> bool:
        """Whether the kernel computes the right thing."""
        return self.outcome.correct

    @property
    def target_passed(self) -> bool:
        """Whether the target instructions did the work as well."""
        return self.outcome.target_passed

    @property
    def undecided(self) -> bool:
        """Whether nothing can be said yet; counts as not passed."""
        return self.outcome.undecided


@dataclass(frozen=True, slots=True)
class Summary:
    """Sufficient statistics of a run's trajectories over their first `k` turns.

    `correct`, `target` and `fast` (in the order of `P_LEVELS`) count trajectories,
    `turns` and `undecided` count turns. `sum_s` and `sum_s2` are the sums of s and s²
    over trajectories, s = min(1, best speedup of a turn that passed stage 2), 0
    without one. `best_speedup` is the largest of a correct turn, None without one.
    """

    k: int
    trajectories: int
    turns: int
    correct: int
    target: int
    fast: tuple[int, int, int, int]
    sum_s: float
    sum_s2: float
    best_speedup: float | None
    undecided: int

    def __add__(self, other: "Summary") -> "Summary":
        """Pool the trajectories of two summaries. Raises ValueError if their k differ."""
        if not isinstance(other, Summary):
            return NotImplemented
        if self.k != other.k:
            raise ValueError(f"summaries at k = {self.k} and k = {other.k} cannot be pooled")
        speedups = [s for s in (self.best_speedup, other.best_speedup) if s is not None]
        first, second, third, fourth = (a + b for a, b in zip(self.fast, other.fast, strict=True))
        return Summary(
            k=self.k,
            trajectories=self.trajectories + other.trajectories,
            turns=self.turns + other.turns,
            correct=self.correct + other.correct,
            target=self.target + other.target,
            fast=(first, second, third, fourth),
            sum_s=self.sum_s + other.sum_s,
            sum_s2=self.sum_s2 + other.sum_s2,
            best_speedup=max(speedups, default=None),
            undecided=self.undecided + other.undecided,
        )

    @property
    def correct_share(self) -> float | None:
        """correct@k in [0, 1]; None without trajectories."""
        return self._share(self.correct)

    @property
    def target_share(self) -> float | None:
        """target@k in [0, 1]; None without trajectories."""
        return self._share(self.target)

    @property
    def frontier_share(self) -> float | None:
        """Frontier share@k in [0, 1]; None without trajectories."""
        return self._share(self.sum_s)

    @property
    def undecided_share(self) -> float | None:
        """Share of turns that are undecided, in [0, 1]; None without turns."""
        return self.undecided / self.turns if self.turns else None

    def fast_count(self, p: float) -> int:
        """Number of trajectories behind fast_p@k. Raises ValueError if p is not in `P_LEVELS`."""
        if p not in P_LEVELS:
            choices = ", ".join(f"{level:g}" for level in P_LEVELS)
            raise ValueError(f"p must be one of {choices}, got {p}")
        return self.fast[P_LEVELS.index(p)]

    def fast_at(self, p: float) -> float | None:
        """fast_p@k in [0, 1]; None without trajectories. Raises ValueError as `fast_count`."""
        return self._share(self.fast_count(p))

    def _share(self, total: float) -> float | None:
        return total / self.trajectories if self.trajectories else None


@dataclass(slots=True)
class _Progress:
    """What a run has reached so far, fed turn by turn in the order of turn numbers."""

    frontier: list[float]
    """Best stage-2 speedup per trajectory; 0 without one, which no speedup can be."""
    correct: set[int] = field(default_factory=set)
    target: set[int] = field(default_factory=set)
    best_speedup: float = 0.0
    turns: int = 0
    undecided: int = 0

    def add(self, trajectory: int, turn: TurnResult) -> None:
        """Take in one turn of the trajectory with this index."""
        self.turns += 1
        if not turn.correct:
            self.undecided += turn.undecided
            return
        speedup = turn.speedup or 0.0
        self.correct.add(trajectory)
        self.best_speedup = max(self.best_speedup, speedup)
        if turn.target_passed:
            self.target.add(trajectory)
            self.frontier[trajectory] = max(self.frontier[trajectory], speedup)

    def summary(self, k: int) -> Summary:
        """The figures so far, as those of the first k turns."""
        shares = [min(1.0, speedup) for speedup in self.frontier]
        first, second, third, fourth = (sum(s >= p for s in shares) for p in P_LEVELS)
        # fsum rounds once: the sums don't depend on the order of trajectories, and since
        # s² ≤ s, sum_s2 ≤ sum_s ≤ trajectories hold exactly.
        return Summary(
            k=k,
            trajectories=len(shares),
            turns=self.turns,
            correct=len(self.correct),
            target=len(self.target),
            fast=(first, second, third, fourth),
            sum_s=math.fsum(shares),
            sum_s2=math.fsum(s * s for s in shares),
            best_speedup=self.best_speedup or None,
            undecided=self.undecided,
        )


def summaries_by_limit(trajectories: Iterable[Sequence[TurnResult]], limit: int) -> list[Summary]:
    """Return the summaries at k = 1, …, `limit`, in one pass over the turns.

    Turns may come in any order; a trajectory without turns counts as one without
    success. Raises ValueError if `limit` is below 1 or a trajectory has two turns of
    the same number.
    """
    if limit < 1:
        raise ValueError(f"a turn limit is at least 1, got {limit}")
    by_number: list[list[tuple[int, TurnResult]]] = [[] for _ in range(limit)]
    count = 0
    for index, trajectory in enumerate(trajectories):
        count += 1
        if len({turn.number for turn in trajectory}) < len(trajectory):
            raise ValueError(f"trajectory {index} has two turns of the same number")
        for turn in trajectory:
            if turn.number < limit:
                by_number[turn.number].append((index, turn))
    progress = _Progress(frontier=[0.0] * count)
    summaries = []
    for number, turns in enumerate(by_number):
        for index, turn in turns:
            progress.add(index, turn)
        summaries.append(progress.summary(k=number + 1))
    return summaries


def summarise(trajectories: Iterable[Sequence[TurnResult]], k: int) -> Summary:
    """Return the summary of the first `k` turns. Raises ValueError as `summaries_by_limit`."""
    return summaries_by_limit(trajectories, k)[-1]


def fast_p(trajectories: Iterable[Sequence[TurnResult]], k: int, p: float) -> float | None:
    """Share of trajectories with a stage-2 turn of speedup ≥ p among the first k.

    In [0, 1], None without trajectories. Works from the turns, for any p ≥ 0, where a
    `Summary` only knows `P_LEVELS`. Raises ValueError if p is negative or not finite.
    """
    if not (math.isfinite(p) and p >= 0):
        raise ValueError(f"p is finite and at least 0, got {p}")
    hits = [any(_reaches(turn, k, p) for turn in trajectory) for trajectory in trajectories]
    return sum(hits) / len(hits) if hits else None


def _reaches(turn: TurnResult, k: int, p: float) -> bool:
    speedup = turn.speedup
    return turn.number < k and turn.target_passed and speedup is not None and speedup >= p


def frontier_share(trajectories: Iterable[Sequence[TurnResult]], k: int) -> float | None:
    """Frontier share@k in [0, 1], the area under fast_p@k over p in [0, 1]; None without data."""
    return summarise(trajectories, k).frontier_share


def outcome_counts(
    trajectories: Iterable[Sequence[TurnResult]],
) -> dict[tuple[int, Outcome], int]:
    """Count trajectories by turn number and outcome of that turn, sorted by both."""
    counts = Counter((turn.number, turn.outcome) for turns in trajectories for turn in turns)
    return dict(sorted(counts.items()))
