"""Metrics against their definitions, worked out by hand and directly from turns."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics import (
    P_LEVELS,
    Summary,
    TurnResult,
    fast_p,
    frontier_share,
    outcome_counts,
    summaries_by_limit,
    summarise,
)
from evaluation.outcomes import Outcome

LIMIT = 6

SPEEDUPS = st.one_of(
    st.sampled_from([0.25, 0.5, 0.8, 1.0, 5e-324, 1.7e308]),
    st.floats(min_value=0.0, exclude_min=True, allow_infinity=False),
    st.floats(min_value=0.01, max_value=2.0),
)


@st.composite
def trajectory(draw: st.DrawFn) -> list[TurnResult]:
    """A trajectory with gaps, in any order, and turns beyond the limit."""
    numbers = draw(st.lists(st.integers(0, LIMIT + 1), unique=True, max_size=LIMIT))
    outcome = st.sampled_from(Outcome)
    speedup = st.none() | SPEEDUPS
    return [TurnResult(number, draw(outcome), draw(speedup)) for number in numbers]


RUNS = st.lists(trajectory(), max_size=7)


def turn(number: int, outcome: Outcome, speedup: float | None = None) -> TurnResult:
    return TurnResult(number, outcome, speedup)


def direct(run: list[list[TurnResult]], k: int) -> Summary:
    """The definitions, word for word, without any running state."""
    seen = [[t for t in turns if t.number < k] for turns in run]
    stage_2 = [[t.speedup for t in turns if t.target_passed and t.speedup] for turns in seen]
    s = [min(1.0, max(speedups, default=0.0)) for speedups in stage_2]
    speedups = [t.speedup for turns in seen for t in turns if t.correct and t.speedup]
    fast = [sum(any(x >= p for x in speedups) for speedups in stage_2) for p in P_LEVELS]
    return Summary(
        k=k,
        trajectories=len(run),
        turns=sum(len(turns) for turns in seen),
        correct=sum(any(t.correct for t in turns) for turns in seen),
        target=sum(any(t.target_passed for t in turns) for turns in seen),
        fast=(fast[0], fast[1], fast[2], fast[3]),
        sum_s=math.fsum(s),
        sum_s2=math.fsum(x * x for x in s),
        best_speedup=max(speedups, default=None),
        undecided=sum(t.undecided for turns in seen for t in turns),
    )


def numbers_of(summary: Summary) -> list[float]:
    shares = [summary.correct_share, summary.target_share, summary.frontier_share]
    shares += [summary.undecided_share, *(summary.fast_at(p) for p in P_LEVELS)]
    assert all(share is None or 0 <= share <= 1 for share in shares)
    values = [*shares, summary.sum_s, summary.sum_s2, summary.best_speedup]
    return [value for value in values if value is not None]


def test_worked_example() -> None:
    run = [
        [
            turn(0, Outcome.COMPILE_ERROR),
            turn(1, Outcome.SLOWER, 0.5),
            turn(2, Outcome.FASTER, 1.25),
        ],
        [turn(0, Outcome.TARGET_NOT_EXECUTED, 3.0), turn(2, Outcome.SLOWER, 0.8)],
        [turn(0, Outcome.WAITING)],
        [],
    ]
    assert summaries_by_limit(run, 3) == [
        Summary(1, 4, 3, 1, 0, (0, 0, 0, 0), 0.0, 0.0, 3.0, 1),
        Summary(2, 4, 4, 2, 1, (1, 1, 0, 0), 0.5, 0.25, 3.0, 1),
        Summary(3, 4, 6, 2, 2, (2, 2, 2, 1), 1.8, 1.0 + 0.8 * 0.8, 3.0, 1),
    ]


def test_a_gap_moves_no_later_turn_forward() -> None:
    run = [[turn(5, Outcome.FASTER, 2.0)]]
    assert [s.target for s in summaries_by_limit(run, 7)] == [0, 0, 0, 0, 0, 1, 1]


def test_a_stage_2_turn_without_a_figure_counts_for_target_only() -> None:
    summary = summarise([[turn(0, Outcome.SLOWER)]], 1)
    assert (summary.correct, summary.target, summary.fast) == (1, 1, (0, 0, 0, 0))
    assert (summary.frontier_share, summary.best_speedup) == (0.0, None)


def test_the_speedup_of_a_turn_that_is_not_correct_counts_for_nothing() -> None:
    summary = summarise([[turn(0, Outcome.REWARD_HACK, 9.0)]], 1)
    assert (summary.correct, summary.sum_s, summary.best_speedup) == (0, 0.0, None)


def test_no_trajectories_give_no_shares() -> None:
    summary = summarise([], 4)
    assert numbers_of(summary) == [0.0, 0.0]
    assert fast_p([], 4, 0.5) is None
    assert frontier_share([], 4) is None


@pytest.mark.parametrize("speedup", [math.nan, math.inf, -math.inf, 0.0, -1.0])
@pytest.mark.parametrize("outcome", [Outcome.FASTER, Outcome.COMPILE_ERROR])
def test_impossible_speedups_are_refused(outcome: Outcome, speedup: float) -> None:
    with pytest.raises(ValueError, match="speedup"):
        TurnResult(0, outcome, speedup)


def test_impossible_turns_limits_and_levels_are_refused() -> None:
    with pytest.raises(ValueError, match="count from 0"):
        TurnResult(-1, Outcome.FASTER, 1.0)
    with pytest.raises(ValueError, match="same number"):
        summarise([[turn(0, Outcome.FASTER, 2.0), turn(0, Outcome.TIMEOUT)]], 1)
    with pytest.raises(ValueError, match="at least 1"):
        summaries_by_limit([], 0)
    with pytest.raises(ValueError, match=r"0\.25, 0\.5, 0\.8, 1, got 0\.7"):
        summarise([], 1).fast_at(0.7)
    for p in (-0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="p is finite"):
            fast_p([], 1, p)
    with pytest.raises(ValueError, match="pooled"):
        summarise([], 1) + summarise([], 2)


def test_outcomes_are_counted_by_turn_number() -> None:
    run = [
        [turn(1, Outcome.TIMEOUT), turn(0, Outcome.TIMEOUT)],
        [turn(0, Outcome.TIMEOUT)],
        [turn(0, Outcome.FASTER, 1.0)],
        [],
    ]
    counts = outcome_counts(run)
    assert list(counts.items()) == [
        ((0, Outcome.FASTER), 1),
        ((0, Outcome.TIMEOUT), 2),
        ((1, Outcome.TIMEOUT), 1),
    ]


@given(RUNS)
def test_one_pass_gives_what_the_definitions_give(run: list[list[TurnResult]]) -> None:
    summaries = summaries_by_limit(iter(run), LIMIT)
    assert summaries == [direct(run, k) for k in range(1, LIMIT + 1)]
    assert summarise(run, 3) == summaries[2]
    for summary in summaries:
        assert all(math.isfinite(value) for value in numbers_of(summary))
        assert summary.sum_s2 <= summary.sum_s <= summary.trajectories
        for p in P_LEVELS:
            assert summary.fast_at(p) == fast_p(run, summary.k, p)


@given(RUNS)
def test_figures_never_fall_with_k(run: list[list[TurnResult]]) -> None:
    summaries = summaries_by_limit(run, LIMIT)
    for earlier, later in pairwise(summaries):
        for name in ("turns", "correct", "target", "sum_s", "sum_s2", "undecided"):
            assert getattr(earlier, name) <= getattr(later, name)
        assert all(a <= b for a, b in zip(earlier.fast, later.fast, strict=True))
        assert (earlier.best_speedup or 0) <= (later.best_speedup or 0)


@given(RUNS, st.integers(1, LIMIT))
def test_stages_nest_and_fast_p_never_rises_with_p(run: list[list[TurnResult]], k: int) -> None:
    summary = summarise(run, k)
    chain = [summary.trajectories, summary.correct, summary.target, *summary.fast]
    assert chain == sorted(chain, reverse=True)
    shares = [fast_p(run, k, p / 7) or 0 for p in range(12)]
    assert shares == sorted(shares, reverse=True)


@given(RUNS.filter(bool), st.integers(1, LIMIT))
def test_frontier_share_is_the_area_under_fast_p(run: list[list[TurnResult]], k: int) -> None:
    speedups = {t.speedup for turns in run for t in turns if t.speedup and t.speedup < 1}
    steps = [0.0, *sorted(speedups), 1.0]
    area = Fraction(0)
    for left, right in pairwise(steps):
        # On (left, right] no turn's speedup lies inside, so fast_p is constant there.
        hits = round((fast_p(run, k, right) or 0) * len(run))
        area += (Fraction(right) - Fraction(left)) * Fraction(hits, len(run))
    assert frontier_share(run, k) == pytest.approx(float(area), rel=1e-12)


@given(RUNS, RUNS, st.integers(1, LIMIT))
def test_pooling_is_summarising_together(
    run: list[list[TurnResult]], other: list[list[TurnResult]], k: int
) -> None:
    pooled, together = summarise(run, k) + summarise(other, k), summarise(run + other, k)
    for name in ("sum_s", "sum_s2"):  # rounded once more
        assert getattr(pooled, name) == pytest.approx(getattr(together, name), rel=1e-12)
    assert replace(pooled, sum_s=0.0, sum_s2=0.0) == replace(together, sum_s=0.0, sum_s2=0.0)
    assert pooled.sum_s2 <= pooled.sum_s <= pooled.trajectories


@given(RUNS, st.randoms(use_true_random=False))
def test_order_of_trajectories_and_turns_is_nothing(run: list[list[TurnResult]], random) -> None:
    shuffled = [random.sample(turns, len(turns)) for turns in run]
    random.shuffle(shuffled)
    assert summaries_by_limit(shuffled, LIMIT) == summaries_by_limit(run, LIMIT)
    assert outcome_counts(shuffled) == outcome_counts(run)
