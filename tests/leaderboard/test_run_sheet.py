"""A run and its turns, as a grid and turn by turn."""

from typing import Any

import pytest

from evaluation.outcomes import Outcome, Stage
from leaderboard import run_sheet
from leaderboard import turn_sheet as turns
from leaderboard.models import Run, Trajectory, Turn
from leaderboard.run_sheet import TurnAddresses
from leaderboard.summaries import refresh
from leaderboard.turn_sheet import Status, readings

# Whether something is missing is what the tests are about; types would demand to know it before.
run_sheets: Any = run_sheet.run_sheets
turn_sheet: Any = turns.turn_sheet

TURNS: list[list[tuple[Outcome, float | None]]] = [
    [(Outcome.COMPILE_ERROR, None), (Outcome.TARGET_NOT_EXECUTED, 2.0), (Outcome.SLOWER, 0.4)],
    [(Outcome.FASTER, 1.25)],
]


@pytest.fixture
def run(make_entry, make_run) -> Run:
    return make_run(make_entry(), TURNS, turn_limit=4)


def test_the_grid_has_a_square_per_turn_and_says_who_ended_early(run):
    (sheet,) = run_sheets(run, 8)
    first, second = sheet.grid
    assert [square.outcome for square in first.squares] == [outcome for outcome, _s in TURNS[0]]
    assert (first.key, first.missing, first.best_speedup) == ("exp_000", 1, 0.4)
    assert (second.missing, second.best_speedup) == (3, 1.25)
    assert first.squares[2].address == f"/runs/{run.slug}/exp_000/2/"


def test_a_gap_is_a_square_without_address(run):
    Turn.objects.get(trajectory__key="exp_000", number=1).delete()
    (sheet,) = run_sheets(run, 8)
    gap = sheet.grid[0].squares[1]
    assert (gap.number, gap.outcome, gap.address) == (1, None, None)


def test_a_trajectory_without_turns_is_shown(run):
    Trajectory.objects.create(run=run, key="exp_zzz")
    (sheet,) = run_sheets(run, 8)
    assert (sheet.grid[-1].squares, sheet.grid[-1].missing) == ((), 4)


def test_sources_have_sheets_of_their_own(run):
    turn = Turn.objects.get(trajectory__key="exp_000", number=0)
    turn.results.create(
        provenance="measured",
        hardware="h200",
        protocol="1",
        outcome="faster",
        target_passed=True,
        speedup=1.5,
    )
    refresh([run])
    measured, reported = run_sheets(run, 8)
    assert measured.source.provenance == "measured"
    assert measured.grid[0].squares[0].outcome is Outcome.FASTER
    assert measured.grid[0].squares[1].outcome is None
    assert measured.grid[0].squares[1].address
    assert reported.grid[0].squares[0].outcome is Outcome.COMPILE_ERROR


def test_limits_are_those_offered_the_chosen_and_the_last(run):
    (sheet,) = run_sheets(run, 3)
    assert [line.k for line in sheet.limits] == [1, 3, 4]
    assert sheet.chosen.k == 3
    assert run_sheets(run, 64)[0].chosen is None


def test_turn_lines_count_by_outcome(run):
    (sheet,) = run_sheets(run, 8)
    counts = dict(zip(sheet.outcomes, sheet.turns[0].counts, strict=True))
    assert counts[Outcome.COMPILE_ERROR] == counts[Outcome.FASTER] == 1
    assert [line.number for line in sheet.turns] == [0, 1, 2]


def test_three_queries_however_many_turns(run, django_assert_num_queries):
    run = Run.objects.select_related("workload__task").get(pk=run.pk)
    with django_assert_num_queries(3):
        run_sheets(run, 8)


def test_a_key_that_no_address_holds_is_no_error():
    assert TurnAddresses("run", "a/b").of(1) is None
    assert TurnAddresses("run", "ñ 0/").of(1) is None
    assert TurnAddresses("run", "ñ 0").of(10) == "/runs/run/%C3%B1%200/10/"


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_reads_as_three_stages(outcome):
    found = {reading.stage: reading.status for reading in readings(outcome)}
    assert list(found) == [Stage.SYNTAX, Stage.TARGET, Stage.STRATEGY]
    if outcome.stage is not Stage.OUTSIDE:
        assert (found[Stage.SYNTAX] is Status.PASS) == outcome.correct
        assert (found[Stage.TARGET] is Status.PASS) == outcome.target_passed
        assert (found[Stage.STRATEGY] is Status.PASS) == (outcome is Outcome.FASTER)
    else:
        assert set(found.values()) == {Status.UNKNOWN}


def test_what_comes_after_a_failed_stage_is_not_reached():
    statuses = [reading.status for reading in readings(Outcome.TIMEOUT)]
    assert statuses == [Status.FAIL, Status.NOT_REACHED, Status.NOT_REACHED]


def test_a_turn_has_its_neighbours(run):
    sheet = turn_sheet(run, "exp_000", 1)
    assert [square.number for square in sheet.strip] == [0, 1, 2]
    assert (sheet.previous.number, sheet.following.number) == (0, 2)
    last = turn_sheet(run, "exp_001", 0)
    assert last.previous is last.following is None


@pytest.mark.parametrize(
    ("key", "number"),
    [
        ("exp_000", 7),
        ("exp_000", 10**30),
        ("exp_9", 0),
        ("a\0b", 0),
        ("ñ" * 5000, 0),
        ("\udcff", 0),
    ],
)
def test_a_turn_that_is_not_stored_is_none(run, key, number):
    assert turn_sheet(run, key, number) is None
