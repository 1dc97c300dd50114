"""Figures are derived from turns, and stay right however often they are derived."""

import pytest

from evaluation.outcomes import Outcome
from leaderboard.models import OutcomeCount, Result, RunSummary
from leaderboard.summaries import refresh

pytestmark = pytest.mark.django_db

TRAJECTORIES = [
    [(Outcome.COMPILE_ERROR, None), (Outcome.TARGET_NOT_EXECUTED, 2.0), (Outcome.SLOWER, 0.6)],
    [(Outcome.FASTER, 1.5)],
    [],
]


def test_figures_at_each_turn_limit(make_entry, make_run) -> None:
    run = make_run(make_entry(), TRAJECTORIES, turn_limit=3)
    rows = {row.k: row for row in RunSummary.objects.filter(run=run)}
    assert set(rows) == {1, 2, 3}
    first, last = rows[1], rows[3]
    assert (first.trajectories, first.turns, first.correct, first.target) == (3, 2, 1, 1)
    assert (first.fast_50, first.fast_100, first.sum_s, first.best_speedup) == (1, 1, 1.0, 1.5)
    assert (rows[2].correct, rows[2].target, rows[2].best_speedup) == (2, 1, 2.0)
    assert (last.correct, last.target, last.fast_50, last.fast_80) == (2, 2, 2, 1)
    assert (last.sum_s, last.sum_s2) == (1.6, pytest.approx(1.36))
    assert last.figures.frontier_share == pytest.approx(1.6 / 3)


def test_outcomes_are_counted_by_turn(make_entry, make_run) -> None:
    run = make_run(make_entry(), TRAJECTORIES)
    counts = OutcomeCount.objects.filter(run=run).values_list("turn", "outcome", "count")
    assert sorted(counts) == [
        (0, "compile_error", 1),
        (0, "faster", 1),
        (1, "target_not_executed", 1),
        (2, "slower", 1),
    ]


def test_refreshing_again_writes_nothing(make_entry, make_run) -> None:
    run = make_run(make_entry(), TRAJECTORIES)
    assert refresh([run]).written == 0


def test_a_result_that_goes_takes_its_figures_along(make_entry, make_run) -> None:
    run = make_run(make_entry(), TRAJECTORIES)
    Result.objects.filter(outcome="faster").delete()
    assert refresh([run]).written > 0
    assert RunSummary.objects.get(run=run, k=1).correct == 0
    Result.objects.filter(turn__trajectory__run=run).delete()
    refresh([run])
    assert not RunSummary.objects.filter(run=run).exists()


def test_two_sources_of_one_turn_are_kept_apart(make_entry, make_run) -> None:
    run = make_run(make_entry(), TRAJECTORIES)
    reported = Result.objects.get(outcome="faster")
    Result.objects.create(
        turn=reported.turn,
        provenance="measured",
        hardware="h200",
        protocol="1",
        outcome=Outcome.RUNTIME_ERROR,
        target_passed=False,
    )
    refresh([run])
    rows = RunSummary.objects.filter(run=run, k=8).values_list("provenance", "correct", "turns")
    assert sorted(rows) == [("measured", 0, 1), ("reported", 2, 4)]
