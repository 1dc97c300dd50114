"""PTXBench's three tables of dates: models, PTX targets, FlashAttention versions."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from evaluation.artifacts.csv_rows import read_rows
from evaluation.artifacts.problems import Problem, ProblemLog, shown
from evaluation.artifacts.ptxbench_records import MAX_NAME, ReferenceDate

MODEL_DATES = "model_release_dates.csv"
PTX_DATES = "ptx_release_dates.csv"
FLASH_ATTENTION_DATES = "fa_release_dates.csv"

_FORMS = (
    re.compile(r"(\d{4})-(\d{2})-?(\d{2})", re.ASCII),
    re.compile(r"(\d{4})(\d{2})(\d{2})", re.ASCII),
)


@dataclass(frozen=True, slots=True)
class DatedRow:
    """A date as published, with its line; `released` is None if it is no date."""

    line: int
    released: date | None
    as_published: str


def parse_date(text: str) -> date:
    """Read `2026-0131`, `2026-01-31` or `20260131`, which mean the same day.

    Raises `ValueError`, with the reason, for anything else and for days that do not exist.
    """
    for form in _FORMS:
        if match := form.fullmatch(text):
            try:
                return date(*map(int, match.groups()))
            except ValueError:
                raise ValueError(f"impossible date {shown(text)}") from None
    raise ValueError(f"not a date: {shown(text)}" if text else "no date")


def read_model_dates(directory: Path) -> tuple[dict[str, DatedRow], list[Problem]]:
    """Release dates by model name, in the table's order.

    Raises `TablesError` if the table cannot be understood.
    """
    log = ProblemLog(MODEL_DATES)
    rows, _ = read_rows(directory / MODEL_DATES, ("model", "date"), log)
    dated = _first_dates(((line, (model,), text) for line, (model, text) in rows), log)
    return {model: row for (model,), row in dated.items()}, log.sorted()


def read_reference_dates(directory: Path) -> tuple[list[ReferenceDate], list[Problem]]:
    """Dates of PTX targets and FlashAttention versions.

    Raises `TablesError` if a table cannot be understood.
    """
    log = ProblemLog(PTX_DATES)
    rows, _ = read_rows(directory / PTX_DATES, ("arch", "date"), log)
    ptx = _first_dates(((line, ("PTX", arch), text) for line, (arch, text) in rows), log)
    log_fa = ProblemLog(FLASH_ATTENTION_DATES)
    rows, _ = read_rows(directory / FLASH_ATTENTION_DATES, ("version", "arch", "dates"), log_fa)
    versions = _first_dates(
        ((line, (name, arch), text) for line, (name, arch, text) in rows), log_fa
    )
    references = [
        ReferenceDate("ptx", name, arch, row.released, row.as_published)
        for (name, arch), row in ptx.items()
    ] + [
        ReferenceDate("flash_attention", name, arch, row.released, row.as_published)
        for (name, arch), row in versions.items()
    ]
    return references, log.sorted() + log_fa.sorted()


def _first_dates(
    rows: Iterable[tuple[int, tuple[str, ...], str]], log: ProblemLog
) -> dict[tuple[str, ...], DatedRow]:
    """The first row of each name; later rows of the same name are reported."""
    dated: dict[tuple[str, ...], DatedRow] = {}
    for line, name, text in rows:
        if not all(0 < len(part) <= MAX_NAME for part in name):
            message = f"name {shown(' '.join(name))} is empty or too long; row left out"
            log.add("error", line, message)
            continue
        row = DatedRow(line, _reported_date(line, text, log), text)
        first = dated.setdefault(name, row)
        if first is not row:
            _report_second_date(" ".join(name), first, row, log)
    return dated


def _reported_date(line: int, text: str, log: ProblemLog) -> date | None:
    """The date, or None with a problem; the row itself is always kept."""
    try:
        return parse_date(text)
    except ValueError as error:
        log.add("error", line, f"{error}; row kept without a date")
        return None


def _report_second_date(name: str, first: DatedRow, second: DatedRow, log: ProblemLog) -> None:
    """Say that a name is listed again, and whether the dates differ."""
    if second.released is not None and first.released == second.released:
        log.add(
            "note", second.line, f"{shown(name)} is listed again; same date as line {first.line}"
        )
        return
    message = (
        f"{shown(name)} has two dates: {shown(first.as_published)} in line {first.line} is kept, "
        f"{shown(second.as_published)} is not"
    )
    log.add("error", second.line, message)
