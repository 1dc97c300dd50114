"""Rows 37, 38, 41 and 42 of the attacks, for the list of turns."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.artifacts.bundle import Hints, Limits
from tests.evaluation.artifacts.uploads import (
    NO_HINTS,
    SOURCE,
    TASK,
    line,
    messages,
    read,
    refusal,
)


def only_error(tmp_path: Path, bad: str) -> str:
    """The one error that a bad row between good ones gives."""
    content = line(turn=0) + bad + line(turn=1)
    bundle = read(tmp_path, content, "turns.jsonl", NO_HINTS)
    assert bundle.counts()["turns"] == 2
    (error,) = messages(bundle, "error")
    assert error.startswith("turns.jsonl:2: ")
    return error


def test_turns_of_several_models_make_several_runs(tmp_path: Path) -> None:
    content = line() + line(trajectory="b") + line(model="Other") + line(architecture="blackwell")
    bundle = read(tmp_path, content, "turns.jsonl", NO_HINTS)
    assert bundle.kind == "turns"
    assert bundle.counts() == {"runs": 3, "trajectories": 4, "turns": 4, "kernels": 1}
    first = bundle.runs[0]
    assert (first.model, first.task, first.architecture) == ("My model", TASK, "hopper")
    assert first.prompt_set == "standard"
    turn = first.trajectories[1].turns[0]
    assert (turn.number, turn.place, turn.reasoning_tokens) == (0, "turns.jsonl:2", 10)
    assert turn.reported is None


def test_form_fills_what_the_rows_lack_and_nothing_else(tmp_path: Path) -> None:
    content = line(model=None, task=None, architecture=None) + line(model="Other", trajectory="b")
    bundle = read(tmp_path, content, "x.jsonl", Hints("Mine", "mha_bwd_d128", "blackwell"))
    assert [(run.model, run.task, run.architecture) for run in bundle.runs] == [
        ("Mine", "mha_bwd_d128", "blackwell"),
        ("Other", TASK, "hopper"),
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"task": "gemm_n1_k1"}, "unknown task 'gemm_n1_k1'; known are gemm_n7168_k5120"),
        ({"task": 5}, "unknown task '5'"),
        ({"architecture": "ampere"}, "unknown architecture 'ampere'; known are hopper"),
        ({"model": None}, "the model is not named"),
        ({"model": "x" * 121}, "has 121 characters"),
        ({"model": "a\u202eb"}, "invisible characters"),
        ({"turn": 10**9}, "turn is not a whole number from 0 to 9,999"),
        ({"turn": -1}, "turn is not a whole number"),
        ({"turn": True}, "turn is not a whole number"),
        ({"turn": 1.0}, "turn is not a whole number"),
        ({"turn": "1"}, "turn is not a whole number"),
        ({"turn": None}, "turn is not a whole number"),
        ({"source": 5}, "source is not a text"),
        ({"trajectory": None}, "trajectory is neither"),
        ({"trajectory": True}, "trajectory is neither"),
    ],
)
def test_faulty_row_is_left_out_and_named(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    assert said in only_error(tmp_path, line(**changes))


@pytest.mark.parametrize(
    "key",
    ["", ".", "..", "a/b", "a\\b", "a\tb", "a\u202eb", "a\u200bb", "k" * 81, " a", " "],
)
def test_key_that_no_address_holds_is_refused(tmp_path: Path, key: str) -> None:
    assert "the trajectory's name" in only_error(tmp_path, line(trajectory=key))


@pytest.mark.parametrize("key", ["k" * 80, "🚀", "a b", "ключ", "...", "a%2fb", "a?b#c", 7])
def test_other_keys_are_kept(tmp_path: Path, key: str | int) -> None:
    bundle = read(tmp_path, line(trajectory=key), "turns.jsonl")
    assert bundle.runs[0].trajectories[0].key == str(key)


def test_turn_given_twice_is_left_out_with_both_places(tmp_path: Path) -> None:
    error = only_error(tmp_path, line(turn=0, source="other"))
    assert error == "turns.jsonl:2: turn 0 of 'a' stands at turns.jsonl:1 already; left out"


def test_gap_is_kept_and_shown(tmp_path: Path) -> None:
    bundle = read(tmp_path, line(turn=5) + line(turn=1), "turns.jsonl")
    assert [turn.number for turn in bundle.runs[0].trajectories[0].turns] == [1, 5]
    (warning,) = messages(bundle, "warning")
    assert warning == "turns.jsonl:2: trajectory 'a' lacks turns 0, 2–4; kept with the gap"


def test_source_may_be_an_answer_and_missing_source_is_a_turn(tmp_path: Path) -> None:
    content = (
        line(source=f"I think:\n```cpp\n{SOURCE}```\n")
        + line(turn=1, source=None)
        + line(turn=2, source="```python\nx\n```")
    )
    found, none, other = read(tmp_path, content, "turns.jsonl").runs[0].trajectories[0].turns
    assert found.kernel == read(tmp_path, line(), "x").runs[0].trajectories[0].turns[0].kernel
    assert (none.kernel, none.extraction) == (None, "The answer holds no source.")
    assert other.kernel is None
    assert "no ```cpp block" in other.extraction


def test_same_kernel_counts_once_whatever_its_line_ends(tmp_path: Path) -> None:
    content = line() + line(turn=1, source=SOURCE.replace("\n", "\r\n")) + line(turn=2)
    assert read(tmp_path, content, "turns.jsonl").counts()["kernels"] == 1


def test_kernel_that_is_too_large_leaves_a_turn_without_one(tmp_path: Path) -> None:
    limits = Limits(kernel_bytes=1024)
    bundle = read(tmp_path, line(source="/" * 1025) + line(turn=1), "turns.jsonl", limits=limits)
    assert "limit is 1,024" in bundle.runs[0].trajectories[0].turns[0].extraction
    assert "without a kernel" in messages(bundle, "warning")[0]


@pytest.mark.parametrize("tokens", [-1, 1.5, "10", True, 10**12])
def test_impossible_tokens_are_left_out_with_a_warning(tmp_path: Path, tokens: object) -> None:
    bundle = read(tmp_path, line(tokens=tokens), "turns.jsonl")
    assert bundle.runs[0].trajectories[0].turns[0].reasoning_tokens is None
    assert "tokens" in messages(bundle, "warning")[0]


def test_no_number_as_tokens_is_none_with_a_note(tmp_path: Path) -> None:
    bundle = read(tmp_path, line().replace(": 10", ": NaN"), "turns.jsonl")
    assert bundle.runs[0].trajectories[0].turns[0].reasoning_tokens is None
    assert "$.tokens is NaN or Infinity" in messages(bundle, "note")[0]


def test_byte_order_mark_line_ends_and_blank_lines_are_accepted(tmp_path: Path) -> None:
    content = "\ufeff" + line() + "\n  \n" + line(turn=1)
    bundle = read(tmp_path, content.replace("\n", "\r\n"), "turns.jsonl")
    assert bundle.counts()["turns"] == 2
    assert not bundle.problems


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (b'{"turn": 0, "turn": 1}', "the key 'turn' stands twice"),
        (b'{"turn": 1e400}', "too large"),
        (b'{"turn": ' + b"[" * 10_000, "deeper than 64"),
        (b'{"source": "\\ud800"}', "$.source: holds half of a surrogate pair"),
        (b'{"source": "\\u0000"}', "NUL character"),
        (b'{"source": "\xe9"}', "not UTF-8"),
        (b'{"source": "\0"}', "NUL byte"),
        (b'{"source": "', "is not JSON"),
    ],
)
def test_bad_json_refuses_the_file_with_its_line(tmp_path: Path, bad: bytes, said: str) -> None:
    problem = refusal(tmp_path, line().encode() + bad + b"\n" + line(turn=1).encode(), "t.jsonl")
    assert problem.startswith("t.jsonl:2: ")
    assert said in problem


def test_long_line_is_refused(tmp_path: Path) -> None:
    content = line() + line(source="x" * 9_000)
    said = refusal(tmp_path, content, "t.jsonl", limits=Limits(kernel_bytes=1024))
    assert said == "t.jsonl:2: the line has more than 8,192 bytes; write one object a line"


@pytest.mark.parametrize("rows", [line() * 11, "\n" * 10 + line(), line() + "{}\n" * 10])
def test_too_many_rows_are_refused(tmp_path: Path, rows: str) -> None:
    said = refusal(tmp_path, line(turn=1) + rows, "t.jsonl", limits=Limits(turns=10))
    assert "t.jsonl:11: holds more than 10 turns" in said


def test_row_that_is_no_object_and_unknown_fields_are_reported(tmp_path: Path) -> None:
    assert "is not an object" in only_error(tmp_path, "[]\n")
    bundle = read(tmp_path, line(score=1) + line(turn=1, score=2), "turns.jsonl")
    assert "'score' (2 times" in messages(bundle, "note")[0]


def test_file_with_nothing_good_is_refused_with_all_reasons(tmp_path: Path) -> None:
    said = refusal(tmp_path, line(task="no") + line(turn=-1), "turns.jsonl")
    assert "turns.jsonl:1: unknown task" in said
    assert "turns.jsonl:2: turn is not" in said
    assert "nothing in it can be judged" in said


def test_problems_are_listed_up_to_the_limit_errors_first(tmp_path: Path) -> None:
    content = line() + line(turn=3) + "".join(line(turn=-n) for n in range(1, 21))
    bundle = read(tmp_path, content, "turns.jsonl", limits=Limits(problems=10))
    assert len(messages(bundle, "error")) == 10
    assert bundle.left_out == 11
    report = json.loads(json.dumps(bundle.report()))
    assert report["problems_left_out"] == 11
    assert report["problems"][0] == {
        "file": "turns.jsonl",
        "line": 3,
        "message": "turn is not a whole number from 0 to 9,999; row left out",
        "severity": "error",
    }


def test_names_with_markup_and_other_scripts_are_kept_as_they_are(tmp_path: Path) -> None:
    names = ["<script>", '"quoted"', "=1+1", "Мodel", "نموذج"]
    content = "".join(line(model=name) for name in names)
    assert [run.model for run in read(tmp_path, content, "turns.jsonl").runs] == names
