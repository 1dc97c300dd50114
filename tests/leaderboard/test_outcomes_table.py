"""Counting how turns ended."""

from evaluation.outcomes import Outcome, Stage
from leaderboard.outcomes_table import outcomes_present, tally

COUNTS = [("slower", 3), ("compile_error", 4), ("timeout", 1), ("infra_error", 1), ("slower", 1)]


def test_equal_outcomes_are_added_up():
    counted = tally(COUNTS)
    assert counted.total == 10
    assert counted.counts[Outcome.SLOWER] == 4


def test_a_bar_runs_from_error_to_undecided():
    parts = tally(COUNTS).parts
    assert [(part.letter, part.count, part.style) for part in parts] == [
        ("E", 5, "end-e"),
        ("S", 4, "end-s"),
        ("?", 1, "end-u"),
    ]
    assert sum(part.share for part in parts) == 1


def test_a_narrow_part_has_no_room_for_its_letter():
    wide, narrow = tally([("slower", 99), ("faster", 1)]).parts
    assert wide.wide
    assert not narrow.wide


def test_reasons_stand_under_their_stages_the_most_frequent_first():
    stages = tally(COUNTS).stages
    assert [(stage, count) for stage, count, _endings in stages] == [
        (Stage.SYNTAX, 5),
        (Stage.STRATEGY, 4),
        (Stage.OUTSIDE, 1),
    ]
    assert [e.outcome for e in stages[0][2]] == [Outcome.COMPILE_ERROR, Outcome.TIMEOUT]


def test_a_reward_hack_is_not_undecided():
    assert [part.letter for part in tally([("reward_hack", 1), ("waiting", 1)]).parts] == ["X", "?"]


def test_nothing_counted_divides_nothing_by_nothing():
    empty = tally([("slower", 0)])
    assert empty.total == 0
    assert empty.parts == empty.endings == empty.stages == ()


def test_columns_are_the_outcomes_that_occur():
    tallies = [tally([("faster", 1), ("timeout", 0)]), tally([("compile_error", 2)])]
    assert outcomes_present(tallies) == (Outcome.COMPILE_ERROR, Outcome.FASTER)
