"""A report of the readers, in words."""

from typing import Any

from leaderboard.report_sheet import PARTS, ReportSheet, report_sheet

PART = {
    "model": "My model",
    "task": "gemm_n7168_k5120",
    "architecture": "hopper",
    "trajectories": 2,
    "turns": 3,
    "kernels": 3,
}
PROBLEM = {"file": "a/b.json", "line": 7, "message": "wrong", "severity": "error"}
REPORT = {
    "kind": "turns",
    "runs": 1,
    "trajectories": 2,
    "turns": 3,
    "kernels": 1,
    "parts": [PART],
    "problems": [PROBLEM],
    "problems_left_out": 4,
}


def sheet_of(report: dict[str, Any]) -> ReportSheet:
    sheet = report_sheet(report)
    assert sheet is not None
    return sheet


def test_counts_are_phrases_and_nothing_is_left_out() -> None:
    sheet = sheet_of(REPORT)
    assert sheet.counts == ("1 run", "2 trajectories", "3 turns", "1 different kernel")
    assert (sheet.kind, sheet.problems_left_out) == ("list of turns", 4)
    assert (sheet.parts[0].title, sheet.parts[0].architecture) == ("GEMM 7168×5120", "Hopper")
    assert (sheet.problems[0].place, sheet.problems[0].label) == ("a/b.json:7", "left out")


def test_in_a_refused_file_nothing_is_left_out_but_everything_refused() -> None:
    sheet = sheet_of({"kind": "", "problems": [{**PROBLEM, "line": 0}]})
    assert not sheet.understood
    assert (sheet.problems[0].place, sheet.problems[0].label) == ("a/b.json", "refused")


def test_a_task_or_an_architecture_that_is_gone_keeps_its_name() -> None:
    part = {**PART, "task": "gone_task", "architecture": "volta"}
    shown = sheet_of({**REPORT, "parts": [part]}).parts[0]
    assert (shown.task, shown.title, shown.architecture) == ("", "gone_task", "volta")


def test_a_long_list_is_cut_and_says_so() -> None:
    sheet = sheet_of({**REPORT, "parts": [PART] * (PARTS + 3)})
    assert (len(sheet.parts), sheet.parts_left_out) == (PARTS, 3)


def test_an_unread_file_has_no_sheet() -> None:
    assert report_sheet({}) is None
