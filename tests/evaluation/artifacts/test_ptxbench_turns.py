"""Turns of small tables, good and bad."""

import pytest

from evaluation.artifacts.ptxbench_tables import read_tables
from evaluation.outcomes import Outcome
from tests.evaluation.artifacts.ptxbench_rows import WORKLOAD, correct_row, turn_row

FILE = "reasoning_tokens_vs_performance.csv"


def read(tables, *turns, **others):
    return read_tables(tables(turns=list(turns), **others), {"gemm"})


def only_turn(result):
    ((_, (turn,)),) = result.runs[0].trajectories
    return turn


def only_problem(result):
    (problem,) = result.problems
    assert problem.file == FILE
    return problem


@pytest.mark.parametrize(
    ("label", "outcome"),
    [
        ("Compilation error", Outcome.COMPILE_ERROR),
        ("Runtime error", Outcome.RUNTIME_ERROR),
        ("Numerical error", Outcome.NUMERICAL_ERROR),
        ("Extraction error", Outcome.EXTRACTION_ERROR),
        ("Kernel Execution Timeout", Outcome.TIMEOUT),
        ("Sanitize Timeout", Outcome.TIMEOUT),
        ("Profiling Service Timeout", Outcome.OTHER_ERROR),
        ("Other error", Outcome.OTHER_ERROR),
        ("  Other error ", Outcome.OTHER_ERROR),
    ],
)
def test_labels(tables, label, outcome):
    result = read(tables, turn_row(correctness=label))
    turn = only_turn(result)
    assert (turn.result, turn.reason, turn.target_passed) == (outcome, label.strip(), False)
    assert result.problems == ()


@pytest.mark.parametrize(
    ("row", "outcome", "passed"),
    [
        (correct_row("1.0"), Outcome.FASTER, True),
        (correct_row("0.999", arch_tag="A, H"), Outcome.SLOWER, True),
        (
            correct_row("2.5", arch_tag="A, B", correct_with_arch="0"),
            Outcome.TARGET_NOT_EXECUTED,
            False,
        ),
        (
            correct_row("2.5", arch_tag="", correct_with_arch="0"),
            Outcome.TARGET_NOT_EXECUTED,
            False,
        ),
    ],
)
def test_correct_turns(tables, row, outcome, passed):
    result = read(tables, row)
    turn = only_turn(result)
    assert (turn.result, turn.target_passed, turn.reason) == (outcome, passed, "Correct")
    assert turn.speedup is not None
    assert result.problems == ()


def test_tags_of_incorrect_turns_mean_nothing(tables):
    result = read(tables, turn_row(correctness="Numerical error", arch_tag="H"))
    assert not only_turn(result).target_passed
    assert result.problems == ()


def test_an_unknown_label_is_an_other_error_that_names_it(tables):
    result = read(tables, turn_row(correctness="correct"))
    turn = only_turn(result)
    assert (turn.result, turn.reason) == (Outcome.OTHER_ERROR, "unknown label 'correct'")
    assert only_problem(result).severity == "error"


@pytest.mark.parametrize("text", ["nan", "inf", "-1.5", "0.0", "1_0", "1e999", "fast", ""])
def test_a_bad_speedup_of_a_correct_turn_is_dropped_and_reported(tables, text):
    result = read(tables, correct_row(text))
    assert only_turn(result).speedup is None
    assert only_turn(result).result is Outcome.SLOWER
    assert str(only_problem(result)).startswith(f"{FILE}:2: speedup '{text}' of a correct turn")


@pytest.mark.parametrize("text", ["0.7", "nan", "inf", "fast"])
def test_a_speedup_of_an_incorrect_turn_is_ignored_and_reported(tables, text):
    result = read(tables, turn_row(speedup=text))
    assert only_turn(result).speedup is None
    assert only_problem(result).severity == "warning"


@pytest.mark.parametrize("text", ["0", "-0.0", "", "0e5"])
def test_a_zero_speedup_of_an_incorrect_turn_is_normal(tables, text):
    assert read(tables, turn_row(speedup=text)).problems == ()


@pytest.mark.parametrize("text", ["-5", "1.5", "many", "1" * 30, "٣"])
def test_bad_reasoning_tokens_are_dropped_and_reported(tables, text):
    result = read(tables, turn_row(reasoning_tokens=text))
    assert only_turn(result).reasoning_tokens is None
    assert only_problem(result).message.startswith("reasoning_tokens ")


def test_reasoning_tokens_not_given(tables):
    result = read(tables, turn_row(reasoning_tokens=""))
    assert only_turn(result).reasoning_tokens is None
    assert result.problems == ()


@pytest.mark.parametrize("text", ["-1", "1.0", "", "x", "10000", "1000000000", "9" * 5000, "²"])
def test_a_row_with_an_impossible_turn_number_is_left_out(tables, text):
    result = read(tables, turn_row(), turn_row(turn=text))
    assert only_turn(result).number == 0
    assert only_problem(result).line == 3
    assert only_problem(result).severity == "error"
    assert result.turns_left_out == 1


def test_a_turn_twice_counts_once(tables):
    result = read(tables, correct_row("1.5"), correct_row("9.9"))
    assert only_turn(result).speedup == 1.5
    expected = f"{FILE}:3: turn 0 of trajectory 'exp_000' is in line 2 already; turn left out"
    assert str(only_problem(result)) == expected


def test_gaps_are_kept_and_reported(tables):
    result = read(tables, *(turn_row(turn=str(number)) for number in (7, 0, 2)))
    ((key, turns),) = result.runs[0].trajectories
    assert (key, [turn.number for turn in turns]) == ("exp_000", [0, 2, 7])
    assert result.runs[0].turn_limit == 8
    assert only_problem(result).severity == "warning"
    assert "lacks turns 1, 3–6;" in only_problem(result).message


def test_a_trajectory_that_ends_early_has_no_gap(tables):
    rows = [turn_row(turn="0"), turn_row(turn="1"), turn_row(trajectory_id="exp_001")]
    result = read(tables, *rows)
    assert [len(turns) for _, turns in result.runs[0].trajectories] == [2, 1]
    assert result.problems == ()


def test_a_thousand_turns_of_an_unknown_run_are_one_problem(tables):
    rows = [turn_row(exp_dir="/runs/other", turn=str(number)) for number in range(1_000)]
    result = read(tables, turn_row(), *rows)
    assert str(only_problem(result)) == (
        f"{FILE}:3: unknown run '/runs/other'; turn left out (1000 rows, the first here)"
    )
    assert (result.turn_count, result.turns_left_out) == (1, 1_000)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("model", "Other-2"),
        ("arch", "blackwell"),
        ("definition", "conv"),
        ("workload", WORKLOAD.replace("9", "8")),
    ],
)
def test_a_row_that_contradicts_its_run_counts_for_no_model(tables, column, value):
    result = read(tables, turn_row(), correct_row("1.5", turn="1", **{column: value}))
    assert only_turn(result).result is Outcome.COMPILE_ERROR
    assert f"{column} '{value}' instead of" in only_problem(result).message
    assert (only_problem(result).line, result.turns_left_out) == (3, 1)


@pytest.mark.parametrize(
    "change",
    [{"required_arch_tag": "B"}, {"correct_with_arch": "0"}, {"correct_with_arch": "yes"}],
)
def test_flags_that_contradict_the_tags_are_reported_and_not_used(tables, change):
    result = read(tables, correct_row("1.5", **change))
    assert only_turn(result).result is Outcome.FASTER
    assert only_problem(result).severity == "warning"


def test_a_row_with_too_many_fields_is_left_out(tables):
    result = read(tables, turn_row(), turn_row(turn="1") + ",extra")
    assert str(only_problem(result)) == f"{FILE}:3: 17 fields instead of 16; row left out"
    assert result.turns_left_out == 1


def test_an_unclosed_quotation_mark_costs_its_own_row_only(tables):
    unclosed = turn_row(turn="2", model='"Some-1')
    result = read(tables, turn_row(), unclosed, correct_row("1.5", turn="1", arch_tag="H, B"))
    assert (result.turn_count, result.turns_left_out) == (2, 1)
    assert str(only_problem(result)) == (f"{FILE}:3: quotation mark without its pair; row left out")


def test_values_keep_their_column_when_others_are_unknown(tables):
    directory = tables()
    path = directory / FILE
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text(f"new,{lines[0]}\nx,{lines[1]}\n", encoding="utf-8")
    assert only_turn(read_tables(directory, {"gemm"})).reasoning_tokens == 100


def test_progress_counts_rows_done(tables):
    done: list[int] = []
    rows = [turn_row(turn=str(number)) for number in range(2_500)]
    read_tables(tables(turns=rows), {"gemm"}, done.append)
    assert done == [1_000, 2_000, 2_500]
