"""Intervals against SciPy's, published figures, and what must hold for any sample."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from evaluation.intervals import (
    Difference,
    Estimate,
    Moments,
    difference,
    mean_over_cells,
    wilson,
)

VALUES = st.one_of(
    st.sampled_from([0.0, 1.0, 0.3, 5e-324, 1e-170, 1 - 2**-53]),
    st.floats(min_value=0.0, max_value=1.0),
)
SAMPLES = st.one_of(
    st.lists(VALUES, min_size=1, max_size=25),
    st.builds(lambda value, n: [value] * n, VALUES, st.integers(1, 25)),
    st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=25),
)
MODELS = st.lists(SAMPLES, min_size=1, max_size=5)
CONFIDENCES = st.sampled_from([0.95, 0.5, 0.999, 1 - 2**-53, 1e-9])


def moments(values: Sequence[float]) -> Moments:
    return Moments(len(values), math.fsum(values), math.fsum(x * x for x in values))


def cells(model: Sequence[Sequence[float]]) -> list[Moments]:
    return [moments(values) for values in model]


def bounds(estimate: Estimate | Difference | None) -> tuple[float, float]:
    assert estimate is not None
    return estimate.low, estimate.high


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_wilson_is_scipys(confidence: float) -> None:
    for n in (1, 2, 20, 1000):
        for successes in {0, 1, n // 3, n - 1, n}:
            exact = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
            estimate = wilson(successes, n, confidence)
            assert bounds(estimate) == pytest.approx((exact.low, exact.high), abs=1e-12)
            assert estimate is not None and estimate.mean == successes / n


def test_wilson_without_data_and_with_impossible_input() -> None:
    assert wilson(0, 0) is None
    for successes, n in [(-1, 5), (6, 5), (0, -1), (math.nan, 5), (math.inf, 5)]:
        with pytest.raises(ValueError, match="successes"):
            wilson(successes, n)
    for confidence in (0.0, 1.0, math.nan):
        with pytest.raises(ValueError, match="confidence"):
            wilson(1, 5, confidence)


def test_one_cell_is_students_interval() -> None:
    values = [0.3, 0.5, 0.55, 0.2, 0.9]
    exact = stats.ttest_1samp(values, 0).confidence_interval()
    assert bounds(mean_over_cells([moments(values)])) == pytest.approx((exact.low, exact.high))


def test_a_difference_over_one_cell_is_welchs_interval() -> None:
    a, b = [0.3, 0.5, 0.55, 0.2, 0.9, 0.4, 0.6], [0.25, 0.35, 0.1, 0.2]
    exact = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert bounds(difference([moments(a)], [moments(b)])) == pytest.approx((exact.low, exact.high))


def test_the_mean_over_cells_weights_tasks_and_not_trajectories() -> None:
    a, b = [0.2, 0.4, 0.3], [0.7, 0.9, 0.8, 0.6, 0.75, 0.85]
    # Welch's t for a + b: the same errors and degrees of freedom as for a - (-b).
    exact = stats.ttest_ind(a, np.negative(b), equal_var=False).confidence_interval()
    estimate = mean_over_cells([moments(a), moments(b)])
    assert bounds(estimate) == pytest.approx((exact.low / 2, exact.high / 2))
    assert estimate is not None and estimate.mean == pytest.approx((np.mean(a) + np.mean(b)) / 2)


def test_a_single_share_of_counts_is_wilsons() -> None:
    assert mean_over_cells([Moments(20, 7, 7)]) == wilson(7, 20)


def test_a_difference_of_two_shares_is_newcombes() -> None:
    # Newcombe 1998, table II, (a) 56/70 - 48/80 and (e) 10/10 - 0/20, method 10.
    a = difference([Moments(70, 56, 56)], [Moments(80, 48, 48)])
    assert bounds(a) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    e = difference([Moments(10, 10, 10)], [Moments(20, 0, 0)])
    assert bounds(e) == pytest.approx((0.6791, 1.0), abs=5e-5)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.3, 0.1 + 0.2])
@pytest.mark.parametrize("tasks", [1, 5])
def test_equal_values_get_wilsons_bound(value: float, tasks: int) -> None:
    estimate = mean_over_cells(cells([[value] * 20] * tasks))
    expected = wilson(value * 20 * tasks, 20 * tasks)
    assert bounds(estimate) == pytest.approx(bounds(expected), rel=1e-12)


def test_models_that_solve_nothing_do_not_differ_by_a_certain_0() -> None:
    nothing, little = cells([[0.0] * 20] * 5), cells([[0.1] * 10 + [0.2] * 10] * 5)
    assert bounds(difference(nothing, nothing)) == pytest.approx((-0.037, 0.037), abs=1e-3)
    low, high = bounds(difference(little, nothing))
    assert high - 0.15 < 0.15 - low, "the model at 0 may be better than 0, which lowers the lead"
    assert 0.15 - low > 0.036


def test_a_single_trajectory_gets_the_largest_variance() -> None:
    assert bounds(mean_over_cells([moments([0.5])])) == (0.0, 1.0)
    half = 1.96 * 0.5 / math.sqrt(5)
    estimate = mean_over_cells(cells([[0.5]] * 5))
    assert bounds(estimate) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-4)
    steady = [0.5, 0.52] * 10
    one_short = bounds(mean_over_cells(cells([steady] * 4 + [[0.5]])))
    assert one_short[1] - one_short[0] > 0.39


def test_no_data_gives_no_interval() -> None:
    empty, full = Moments(0, 0, 0), Moments(3, 1, 1)
    assert mean_over_cells([]) is None
    assert mean_over_cells([full, empty]) is None
    assert difference([], []) is None
    assert difference([full], [empty]) is None
    with pytest.raises(ValueError, match="differ in no mean"):
        difference([full], [full, full])


@pytest.mark.parametrize(
    "sums", [(-1, 0, 0), (2, 2.1, 1), (2, -0.1, 0), (2, 1, 1.1), (2, math.nan, 0), (2, 1, math.nan)]
)
def test_impossible_sums_are_refused(sums: tuple[int, float, float]) -> None:
    with pytest.raises(ValueError, match="sum"):
        Moments(*sums)


@pytest.mark.parametrize("values", [(0.5, 0.6, 0.7), (0.5, 0.4, 0.45), (math.nan, 0, 1), (2, 0, 3)])
def test_impossible_intervals_are_refused(values: tuple[float, float, float]) -> None:
    for kind in (Estimate, Difference):
        with pytest.raises(ValueError, match="not an interval"):
            kind(*values)


# That an Estimate can be built at all says that it is finite, inside [0, 1] and holds its mean.
@given(MODELS, CONFIDENCES)
@example([[1e-170, 2e-170], [0.0]], 0.95)
@example([[5e-324] * 12], 0.95)
def test_any_sample_has_an_interval(model: list[list[float]], confidence: float) -> None:
    estimate = mean_over_cells(cells(model), confidence)
    assert estimate is not None
    exact = math.fsum(math.fsum(values) / len(values) for values in model) / len(model)
    assert estimate.mean == pytest.approx(exact, rel=1e-12)
    narrower = mean_over_cells(cells(model), confidence / 2)
    assert narrower is not None
    rounding = 1e-15
    assert estimate.low <= narrower.low + rounding
    assert narrower.high <= estimate.high + rounding


@given(MODELS, MODELS, CONFIDENCES)
def test_any_two_samples_have_a_difference(
    a: list[list[float]], b: list[list[float]], confidence: float
) -> None:
    tasks = min(len(a), len(b))
    there = difference(cells(a[:tasks]), cells(b[:tasks]), confidence)
    back = difference(cells(b[:tasks]), cells(a[:tasks]), confidence)
    assert there is not None and back is not None
    mirrored = (-back.mean, -back.high, -back.low)
    assert (there.mean, there.low, there.high) == pytest.approx(mirrored, abs=1e-15)


@given(MODELS, st.randoms(use_true_random=False))
def test_the_order_of_tasks_is_nothing(model: list[list[float]], random) -> None:
    shuffled = random.sample(model, len(model))
    assert mean_over_cells(cells(shuffled)) == mean_over_cells(cells(model))


@given(st.integers(1, 200), st.floats(0, 1))
def test_wilson_contains_its_share(n: int, share: float) -> None:
    estimate = wilson(min(share * n, n), n)
    assert estimate is not None
    assert estimate.low <= estimate.mean <= estimate.high
    assert estimate.low < estimate.high


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(20261201)
    shapes, truth = [(0.4, 1.2), (2, 3), (5, 1)], np.mean([0.4 / 1.6, 2 / 5, 5 / 6])
    hits = 0
    for _ in range(2000):
        low, high = bounds(
            mean_over_cells(cells([rng.beta(*shape, size=20).tolist() for shape in shapes]))
        )
        hits += bool(low <= truth <= high)
    assert 0.93 <= hits / 2000 <= 0.97
