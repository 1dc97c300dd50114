"""The ranking, from stored figures."""

import pytest
from django.http import QueryDict

from evaluation.outcomes import Outcome
from evaluation.ranking import LackReason
from evaluation.tasks import CORE_TASKS
from leaderboard.filters import parse_filters
from leaderboard.rows import Row, Standings
from leaderboard.standings import standings

pytestmark = pytest.mark.django_db

SLOW = [(Outcome.COMPILE_ERROR, None), (Outcome.SLOWER, 0.5)]
FAST = [(Outcome.FASTER, 1.25)]
BROKEN = [(Outcome.COMPILE_ERROR, None)] * 8


def table(query: str = "") -> Standings:
    return standings(parse_filters(QueryDict(query)))


def percent(row: Row) -> list[float]:
    assert row.frontier is not None
    return [round(100 * value, 1) for value in (row.frontier.mean, row.frontier.low)]


def test_the_published_ranking_is_the_expected_one(bundled: None) -> None:
    found = {row.entry.name: row for row in table().rows}
    assert percent(found["Claude Opus 4.8"]) == [55.4, 52.3]
    assert percent(found["Gemini 3.1 Pro"])[0] == 46.1
    assert percent(found["GLM-5.2"])[0] == 15.2
    assert percent(found["Qwen3.6-27B-s1"])[0] == 13.1
    assert percent(found["Qwen3.6-27B"]) == [0.0, 0.0]
    assert [row.rank for row in table().rows] == [1, 2, 3, 3, 3, 5, 5, 5, 6, 8, 8, None, None]


def test_one_query_answers_it(bundled: None, django_assert_num_queries) -> None:
    filters = parse_filters(QueryDict(""))
    with django_assert_num_queries(1):
        standings(filters)


def test_a_model_without_a_task_is_listed_with_what_it_lacks(bundled: None) -> None:
    row = next(row for row in table().rows if row.entry.slug.endswith("repair-notes"))
    assert (row.rank, row.frontier) == (None, None)
    assert [(lack.task, lack.reason) for lack in row.lacks] == [
        ("gemm_n7168_k5120", LackReason.MISSING_TASK)
    ]
    assert row.trajectories == 48
    assert table("tasks=backward").rows[-1].rank is not None


def test_turn_limits_above_the_runs_own_have_no_figures(bundled: None) -> None:
    rows = table("k=16").rows
    assert len(rows) == 13
    assert all(row.frontier is None and row.rank is None for row in rows)
    assert all(cell.figures is None for row in rows for cell in row.cells)


def test_prompt_sets_are_never_pooled(bundled: None) -> None:
    assert [row.entry.name for row in table("prompt=ablation").rows] == ["Gemini 3.1 Pro"]
    standard = next(r for r in table().rows if r.entry.name == "Gemini 3.1 Pro")
    assert standard.trajectories == 60


def test_repeated_runs_of_a_cell_are_pooled(make_entry, make_run) -> None:
    entry = make_entry()
    make_run(entry, [SLOW] * 6)
    make_run(entry, [FAST] * 4)
    (row,) = table("tasks=gemm").rows
    assert row.trajectories == 10
    assert percent(row)[0] == 70.0
    assert row.rank == 1
    assert row.beats_library


def test_a_run_that_is_too_short_for_k_adds_nothing_there(make_entry, make_run) -> None:
    entry = make_entry()
    make_run(entry, [SLOW] * 10, turn_limit=2)
    make_run(entry, [FAST] * 10, turn_limit=8)
    assert table("tasks=gemm&k=2").rows[0].trajectories == 20
    assert table("tasks=gemm&k=8").rows[0].trajectories == 10
    assert table("tasks=gemm&k=8").rows[0].cells[0].runs == ("run-0", "run-1")


def test_origins_of_one_model_are_rows_of_their_own(make_entry, make_run) -> None:
    entry = make_entry()
    make_run(entry, [SLOW] * 10)
    make_run(entry, [FAST] * 10, origin="uploaded")
    rows = table("tasks=gemm").rows
    assert [(row.entry.origin, percent(row)[0]) for row in rows] == [
        ("uploaded", 100.0),
        ("published", 50.0),
    ]


def test_nine_trajectories_are_too_few(make_entry, make_run) -> None:
    make_run(make_entry(), [SLOW] * 9)
    (row,) = table("tasks=gemm").rows
    assert row.rank is None
    assert row.frontier is not None
    assert [(lack.reason, lack.have) for lack in row.lacks] == [(LackReason.FEW_TRAJECTORIES, 9)]


def test_undecided_turns_make_a_run_provisional(make_entry, make_run) -> None:
    waiting = [(Outcome.WAITING, None), *SLOW]
    make_run(make_entry(), [waiting, *[SLOW] * 9])
    (row,) = table("tasks=gemm").rows
    assert [lack.reason for lack in row.lacks] == [LackReason.PROVISIONAL]


def test_filters_on_entries_keep_the_rank(bundled: None) -> None:
    ranks = {row.entry.slug: row.rank for row in table().rows}
    for query in ("open=yes", "open=no", "kind=variant", "since=2026-06-01", "until=2026-06-30"):
        rows = table(query).rows
        assert 0 < len(rows) < len(ranks)
        assert all(row.rank == ranks[row.entry.slug] for row in rows)
    assert {row.entry.open_weights for row in table("open=yes").rows} == {True}


@pytest.mark.parametrize("column", ["name", "frontier_share", "released", CORE_TASKS[3]])
def test_sorting_turns_around_and_keeps_missing_values_last(bundled: None, column: str) -> None:
    up, down = table(f"sort={column}").rows, table(f"sort=-{column}").rows
    assert sorted(r.entry.slug for r in up) == sorted(r.entry.slug for r in down)
    if column == "frontier_share":
        assert [r.frontier is None for r in up] == [False] * 11 + [True] * 2
        assert [r.frontier is None for r in down] == [False] * 11 + [True] * 2
        means = [r.frontier.mean for r in down if r.frontier]
        assert means == sorted(means, reverse=True)
    if column == "name":
        names = [row.entry.name.casefold() for row in up]
        assert names == sorted(names)


def test_no_data_is_an_empty_table() -> None:
    assert table().rows == ()
