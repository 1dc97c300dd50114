"""Dates as PTXBench writes them, possible and impossible."""

from datetime import date

import pytest

from evaluation.artifacts.ptxbench_dates import DatedRow, parse_date
from evaluation.artifacts.ptxbench_models import doubt
from evaluation.artifacts.ptxbench_tables import read_tables
from evaluation.published import ModelFacts


@pytest.mark.parametrize("text", ["2026-0131", "2026-01-31", "20260131"])
def test_one_day_in_three_forms(text):
    assert parse_date(text) == date(2026, 1, 31)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2025-0631", "impossible date"),
        ("2025-02-29", "impossible date"),
        ("0000-0101", "impossible date"),
        ("202601-31", "not a date"),
        ("2026-131", "not a date"),
        ("31.01.2026", "not a date"),
        ("2026-0131x", "not a date"),
        ("２０２６-0131", "not a date"),
        ("", "no date"),
    ],
)
def test_what_is_no_date(text, reason):
    with pytest.raises(ValueError, match=reason):
        parse_date(text)


def test_an_impossible_date_keeps_its_row(tables):
    result = read_tables(tables(fa=["fa3,hopper,2024-0711", "fa4,blackwell,2025-0631"]), {"gemm"})
    last = result.reference_dates[-1]
    assert (last.name, last.released, last.as_published) == ("fa4", None, "2025-0631")
    assert [str(problem) for problem in result.problems] == [
        "fa_release_dates.csv:3: impossible date '2025-0631'; row kept without a date"
    ]


def test_the_first_of_two_dates_is_kept(tables):
    result = read_tables(tables(models=["Some-1,2026-0131", "Some-1,2026-02-01"]), {"gemm"})
    assert result.models[0].released == date(2026, 1, 31)
    (problem,) = result.problems
    assert (problem.line, problem.severity) == (3, "error")
    assert "'2026-0131' in line 2 is kept, '2026-02-01' is not" in problem.message


def test_the_same_date_in_two_forms_is_only_noted(tables):
    result = read_tables(tables(models=["Some-1,2026-0131", "Some-1,2026-01-31"]), {"gemm"})
    (problem,) = result.problems
    assert (problem.line, problem.severity) == (3, "note")


def test_a_nameless_row_is_left_out(tables):
    result = read_tables(tables(models=["Some-1,2026-0131", ",2026-0131"]), {"gemm"})
    assert len(result.models) == 1
    assert (result.problems[0].line, result.problems[0].severity) == (3, "error")


def test_doubt_needs_a_date_before_the_earliest_possible_one():
    facts = ModelFacts("Maker", None, date(2026, 2, 19), "it came out later", "https://example.org")
    assert "it came out later" in doubt(DatedRow(2, date(2026, 2, 18), "2026-0218"), facts)
    assert doubt(DatedRow(2, date(2026, 2, 19), "2026-0219"), facts) == ""
    assert doubt(DatedRow(2, None, "2026-0631"), facts) == ""
    unknown = ModelFacts("Maker", None, None, "", "")
    assert doubt(DatedRow(2, date(1999, 1, 1), "1999-0101"), unknown) == ""
