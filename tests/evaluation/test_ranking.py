"""Ranks by intervals, their ranges, and what a model lacks to be ranked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.intervals import Estimate
from evaluation.metrics import Summary
from evaluation.ranking import Lack, LackReason, Scored, eligibility, rank

SHARES = st.integers(0, 20).map(lambda x: x / 20)


@st.composite
def scored(draw: st.DrawFn) -> Scored:
    low, mean, high = sorted(draw(st.tuples(SHARES, SHARES, SHARES)))
    key, name = draw(st.integers()), draw(st.text("ab", max_size=2))
    return Scored(key, Estimate(mean, low, high), draw(SHARES), draw(SHARES), name)


FIELDS = st.lists(scored(), max_size=12, unique_by=lambda item: item.key)


def item(name: str, low: float, mean: float, high: float, **shares: float) -> Scored:
    target, correct = shares.get("target", 0.5), shares.get("correct", 0.5)
    return Scored(name.lower(), Estimate(mean, low, high), target, correct, name)


def rows(*items: Scored) -> list[tuple[str, int, int, int]]:
    return [(r.item.name, r.rank, r.range_low, r.range_high) for r in rank(items)]


def test_intervals_that_overlap_share_a_rank() -> None:
    found = rows(
        item("C", 0.05, 0.1, 0.15),
        item("A", 0.5, 0.6, 0.7),
        item("B", 0.45, 0.5, 0.55),
        item("D", 0.0, 0.0, 0.05),
    )
    assert found == [("A", 1, 1, 2), ("B", 1, 1, 2), ("C", 3, 3, 4), ("D", 3, 3, 4)]


def test_a_wide_interval_below_lowers_the_rank_above() -> None:
    found = rows(item("A", 0.6, 0.7, 0.8), item("B", 0.45, 0.5, 0.55), item("Wide", 0.1, 0.4, 0.65))
    assert found == [("A", 1, 1, 2), ("B", 1, 1, 3), ("Wide", 1, 1, 3)]


def test_ties_go_by_target_then_correct_then_name() -> None:
    same = (0.2, 0.3, 0.4)
    found = rows(
        item("D", *same),
        item("C", *same),
        item("B", *same, correct=0.6),
        item("A", *same, target=0.6),
    )
    assert [name for name, *_ in found] == ["A", "B", "C", "D"]


def test_empty_and_single() -> None:
    assert rank([]) == []
    (only,) = rank([item("A", 0, 0, 0)])
    assert (only.key, only.rank, only.range_low, only.range_high) == ("a", 1, 1, 1)


def test_shares_outside_0_to_1_are_refused() -> None:
    for share in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="shares"):
            item("A", 0, 0, 0, target=share)


@given(FIELDS)
def test_ranks_go_down_the_column_and_lie_in_their_range(field: list[Scored]) -> None:
    ranked = rank(field)
    means = [row.item.frontier.mean for row in ranked]
    ranks = [row.rank for row in ranked]
    assert means == sorted(means, reverse=True)
    assert ranks == sorted(ranks)
    assert ranks[:1] == [1] * min(1, len(ranks))
    for row in ranked:
        assert 1 <= row.range_low <= row.rank <= row.range_high <= len(field)


@given(FIELDS)
def test_ranks_follow_from_pairs_of_intervals(field: list[Scored]) -> None:
    for row in rank(field):
        high, low = row.item.frontier.high, row.item.frontier.low
        above = sum(other.frontier.low > high for other in field)
        below = sum(other.frontier.high < low for other in field)
        assert row.rank <= 1 + above
        assert row.range_high == len(field) - below


@given(FIELDS, st.randoms(use_true_random=False))
def test_the_order_of_the_input_is_nothing(field: list[Scored], random) -> None:
    assert rank(random.sample(field, len(field))) == rank(field)


def cell(trajectories: int, turns: int, undecided: int = 0) -> Summary:
    return Summary(8, trajectories, turns, 0, 0, (0, 0, 0, 0), 0.0, 0.0, None, undecided)


def test_a_model_with_enough_of_everything_lacks_nothing() -> None:
    cells = {"gemm": cell(10, 50, undecided=1), "mha": cell(20, 0), "not selected": None}
    assert eligibility(cells, ["gemm", "mha"]) == []


def test_what_a_model_lacks_is_named_by_task() -> None:
    cells = {"few": cell(9, 72), "open": cell(9, 100, undecided=3), "none": None}
    assert eligibility(cells, ["absent", "few", "open", "none"]) == [
        Lack("absent", LackReason.MISSING_TASK, 0, 10),
        Lack("few", LackReason.FEW_TRAJECTORIES, 9, 10),
        Lack("open", LackReason.FEW_TRAJECTORIES, 9, 10),
        Lack("open", LackReason.PROVISIONAL, 0.03, 0.02),
        Lack("none", LackReason.MISSING_TASK, 0, 10),
    ]


def test_exactly_the_largest_share_is_not_provisional() -> None:
    for turns in range(50, 5001, 50):
        assert eligibility({"t": cell(10, turns, undecided=turns // 50)}, ["t"]) == []
        assert eligibility({"t": cell(10, turns, undecided=turns // 50 + 1)}, ["t"]) != []
