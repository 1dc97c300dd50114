"""Files that are odd but readable, and files that cannot be understood."""

import pytest

from evaluation.artifacts import csv_rows
from evaluation.artifacts.problems import ProblemLog, shown
from evaluation.artifacts.ptxbench_tables import TablesError, read_tables


def read(path, content: bytes):
    path = path / "table.csv"
    path.write_bytes(content)
    log = ProblemLog("table.csv")
    rows, left_out = csv_rows.read_rows(path, ("b", "a"), log)
    return rows, left_out, log.sorted()


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,2\n",
        b"\xef\xbb\xbfa,b\n1,2",
        b"a,b\r\n1,2\r\n",
        b"a,b\r1,2\r",
        b" a , b ,c\n 1 , 2 ,3\n",
        b'"a","b"\n"1","2"\n',
        b"a,b\n1,2\n\n  \n",
    ],
)
def test_forms_of_one_table(tmp_path, content):
    assert read(tmp_path, content) == ([(2, ("2", "1"))], 0, [])


@pytest.mark.parametrize(("bad", "reason"), [(b"3,\xe9", "not UTF-8"), (b"3,\0", "NUL byte")])
def test_a_line_that_is_no_text_costs_its_row(tmp_path, bad, reason):
    rows, left_out, problems = read(tmp_path, b"a,b\n1,2\n" + bad + b"\n5,6\n")
    assert (rows, left_out) == ([(2, ("2", "1")), (4, ("6", "5"))], 1)
    assert [str(problem) for problem in problems] == [f"table.csv:3: {reason}; row left out"]


def test_lines_are_physical_ones(tmp_path):
    rows, _, _ = read(tmp_path, "a,b\n\n1,x\u2028y\n3,4\n".encode())
    assert rows == [(3, ("x\u2028y", "1")), (4, ("4", "3"))]


def test_a_field_that_is_far_too_long_costs_its_row(tmp_path):
    rows, left_out, problems = read(tmp_path, b"a,b\n1," + b"x" * 200_000 + b"\n3,4\n")
    assert (rows, left_out) == ([(3, ("4", "3"))], 1)
    assert problems[0].line == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "table.csv:1: file is empty"),
        (b"\xef\xbb\xbf\r\n", "table.csv:1: file is empty"),
        (b"a,\xe9\n1,2\n", "table.csv:1: header cannot be read: not UTF-8"),
        (b"a,\0\n1,2\n", "table.csv:1: header cannot be read: NUL byte"),
        (b"a,c\n1,2\n", "table.csv:1: missing column: b"),
        (b"c\n1\n", "table.csv:1: missing column: b, a"),
        (b"a,b,a\n1,2,3\n", "table.csv:1: column appears twice: 'a'"),
    ],
)
def test_what_cannot_be_understood(tmp_path, content, message):
    with pytest.raises(TablesError) as caught:
        read(tmp_path, content)
    assert str(caught.value) == message


def test_a_table_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_rows, "MAX_BYTES", 8)
    with pytest.raises(TablesError, match="larger than"):
        read(tmp_path, b"a,b\n1,2\n3,4\n")


@pytest.mark.parametrize(
    "name",
    [
        "experiments.csv",
        "reasoning_tokens_vs_performance.csv",
        "model_release_dates.csv",
        "ptx_release_dates.csv",
        "fa_release_dates.csv",
    ],
)
def test_every_table_is_needed(tables, name):
    directory = tables()
    (directory / name).unlink()
    with pytest.raises(TablesError, match=f"{name}: file is missing"):
        read_tables(directory, {"gemm"})
    (directory / name).mkdir()
    with pytest.raises(TablesError, match=f"{name}: cannot be read"):
        read_tables(directory, {"gemm"})


def test_values_in_messages_are_harmless():
    assert shown("a\nb\u202e\x1b[31m") == r"'a\nb\u202e\x1b[31m'"
    long = shown("/start/" + "x" * 500 + "/end")
    assert len(long) < 90
    assert long.startswith("'/start/")
    assert long.endswith("/end'")
