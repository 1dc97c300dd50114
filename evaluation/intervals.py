"""How sure a figure is: 95% intervals from sufficient statistics, without resampling.

Shares get Wilson's interval (J. Am. Stat. Assoc. 22, 1927). Means over tasks get a
stratified t interval: the cells (one per task) are independent samples, so the
variance of the mean of their means is Σ sᵢ²/nᵢ/T², with Welch-Satterthwaite degrees
of freedom (Biometrika 34, 1947). Where no trajectory differs from the others of its
cell, t would give an interval of width 0; Wilson's is used instead.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import ndtri, stdtrit

CONFIDENCE = 0.95

_LARGEST_VARIANCE = 0.25  # of any quantity in [0, 1] (Popoviciu's inequality)
_ROUNDING = 1e-12  # relative; sums of a few thousand doubles are far more exact
_SLACK = 1e-9  # by which stored sums may miss their bounds


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure in [0, 1] with the interval that holds it.

    Raises ValueError unless 0 ≤ low ≤ mean ≤ high ≤ 1, so it can hold no NaN.
    """

    mean: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.mean <= self.high <= 1:
            raise ValueError(f"not an interval in [0, 1] around its mean: {self}")


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two figures, in [-1, 1], with its interval.

    Raises ValueError unless -1 ≤ low ≤ mean ≤ high ≤ 1, so it can hold no NaN.
    """

    mean: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not -1 <= self.low <= self.mean <= self.high <= 1:
            raise ValueError(f"not an interval in [-1, 1] around its mean: {self}")


@dataclass(frozen=True, slots=True)
class Moments:
    """One cell's sample of a quantity in [0, 1]: its size, Σx and Σx².

    For a share of counts both sums are the count. Raises ValueError for sums that no
    such sample has.
    """

    n: int
    total: float
    total_sq: float

    def __post_init__(self) -> None:
        largest = 1 + _SLACK
        # Written so that a NaN fails too.
        if not (self.n >= 0 and 0 <= self.total <= self.n * largest):
            raise ValueError(f"the sum of {self.n} values in [0, 1] cannot be {self.total}")
        if not 0 <= self.total_sq <= self.total * largest:
            raise ValueError(f"sum of squares {self.total_sq} does not go with sum {self.total}")

    @property
    def mean(self) -> float:
        """Mean in [0, 1]. Raises ZeroDivisionError for an empty cell."""
        return min(1.0, self.total / self.n)

    @property
    def is_count(self) -> bool:
        """Whether every value is 0 or 1, which only then have equal sums of x and x²."""
        return self.total == self.total_sq

    @property
    def error(self) -> "_Error":
        """Squared standard error of the mean.

        A cell of one trajectory says nothing about its spread: it is given the largest
        variance possible, as a bound that is known and not estimated.
        """
        if self.n == 1:
            return _Error(_LARGEST_VARIANCE, math.inf)
        centred = self.total_sq - self.total * (self.total / self.n)
        # What cancellation leaves of equal values is rounding, of either sign.
        if centred <= _ROUNDING * self.total_sq:
            return _Error(0.0, self.n - 1)
        return _Error(centred / (self.n - 1) / self.n, self.n - 1)


@dataclass(frozen=True, slots=True)
class _Error:
    """A squared standard error, and the degrees of freedom it was estimated with."""

    square: float
    freedom: float


def wilson(successes: float, n: int, confidence: float = CONFIDENCE) -> Estimate | None:
    """Return the share successes ÷ n with Wilson's score interval; None if n is 0.

    `successes` may be fractional, as for a mean of values in [0, 1]. Raises ValueError
    unless 0 ≤ successes ≤ n and 0 < confidence < 1.
    """
    z = _normal_quantile(confidence)
    if n < 0 or not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n, got {successes} of {n}")
    if n == 0:
        return None
    share = successes / n
    return _estimate(share, _wilson_low(share, n, z), 1 - _wilson_low((n - successes) / n, n, z))


def mean_over_cells(cells: Sequence[Moments], confidence: float = CONFIDENCE) -> Estimate | None:
    """Return the mean of the cells' means with its stratified t interval, clipped to [0, 1].

    Wilson's interval for a single cell of counts, and, with mean · N successes of the N
    trajectories of all cells, where the values of each cell are equal. None without
    cells, and if any cell is empty: the mean over all tasks is then unknown. Raises
    ValueError unless 0 < confidence < 1.
    """
    if not cells or any(cell.n == 0 for cell in cells):
        return None
    mean = _mean(cells)
    if _needs_wilson(cells):
        total = sum(cell.n for cell in cells)
        return wilson(min(mean * total, total), total, confidence)
    half = _half_width(_errors(cells), confidence)
    return _estimate(mean, mean - half, mean + half)


def difference(
    a_cells: Sequence[Moments], b_cells: Sequence[Moments], confidence: float = CONFIDENCE
) -> Difference | None:
    """Return mean(a) - mean(b) over the same tasks, with its interval, clipped to [-1, 1].

    Welch's t interval over the cells of both. Where one of them has no variance to
    estimate, or is a single share, Newcombe's hybrid of the two intervals instead
    (Stat. Med. 17, 1998, method 10), which doesn't take "0 of n" for a certain 0. None
    where either mean is unknown. Raises ValueError if the numbers of cells differ.
    """
    if len(a_cells) != len(b_cells):
        raise ValueError(f"samples of {len(a_cells)} and {len(b_cells)} tasks differ in no mean")
    a = mean_over_cells(a_cells, confidence)
    b = mean_over_cells(b_cells, confidence)
    if a is None or b is None:
        return None
    mean = a.mean - b.mean
    if _needs_wilson(a_cells) or _needs_wilson(b_cells):
        below = math.hypot(a.mean - a.low, b.high - b.mean)
        above = math.hypot(a.high - a.mean, b.mean - b.low)
    else:
        below = above = _half_width([*_errors(a_cells), *_errors(b_cells)], confidence)
    return Difference(mean, max(-1.0, mean - below), min(1.0, mean + above))


def _mean(cells: Sequence[Moments]) -> float:
    return math.fsum(cell.mean for cell in cells) / len(cells)


def _needs_wilson(cells: Sequence[Moments]) -> bool:
    """Whether the cells are one share of counts, or have no variance to estimate."""
    single_share = len(cells) == 1 and cells[0].is_count
    return single_share or all(error.square == 0 for error in _errors(cells))


def _errors(cells: Sequence[Moments]) -> list[_Error]:
    """What each cell adds to the squared standard error of the mean of the cells' means."""
    weight = 1 / len(cells) ** 2
    return [_Error(e.square * weight, e.freedom) for e in (cell.error for cell in cells)]


def _half_width(errors: Sequence[_Error], confidence: float) -> float:
    """Half the width of the t interval for a sum with these independent errors."""
    square = math.fsum(error.square for error in errors)
    # Welch-Satterthwaite by shares of the total: squares of tiny variances would underflow.
    # The floor stands for "practically normal", and is reached if all errors are bounds.
    inverse = math.fsum((e.square / square) ** 2 / e.freedom for e in errors)
    freedom = 1 / max(inverse, 1e-9)
    return float(-stdtrit(freedom, _tail(confidence))) * math.sqrt(square)


def _wilson_low(share: float, n: int, z: float) -> float:
    """Lower end of Wilson's interval; the upper end is that of the complement, from 1 down."""
    if share == 0:
        return 0.0
    centre = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    # The product of both ends is known; their difference would cancel near 0.
    return share * (share / (centre + half))


def _normal_quantile(confidence: float) -> float:
    return float(-ndtri(_tail(confidence)))


def _tail(confidence: float) -> float:
    """Probability below a two-sided interval; small, so more exact than that above it."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    return (1 - confidence) / 2


def _estimate(mean: float, low: float, high: float) -> Estimate:
    """Clip to [0, 1], and hold the mean against rounding."""
    mean = min(1.0, max(0.0, mean))
    return Estimate(mean, max(0.0, min(low, mean)), min(1.0, max(high, mean)))
