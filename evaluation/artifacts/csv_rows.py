"""Reads the rows of a CSV table, with the line each one stands on."""

import codecs
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.artifacts.problems import ProblemLog, shown

MAX_BYTES = 64 * 1024 * 1024
"""Largest table read, in bytes: eighteen times PTXBench's largest."""

Row = tuple[int, tuple[str, ...]]
"""A row's line, counted from 1, and its values in the order asked for, without outer spaces."""


class TablesError(ValueError):
    """A table cannot be understood at all. The message names the file, the line and the reason."""


def read_rows(path: Path, columns: Sequence[str], log: ProblemLog) -> tuple[list[Row], int]:
    """Read `columns` of a table; return its rows and how many were left out.

    A byte order mark and CRLF line ends are accepted, other columns ignored, blank
    lines skipped. A row that is not UTF-8, holds a NUL byte, or has too few or too many
    fields is left out and reported. Raises `TablesError` if the file is missing, empty
    or too large, or its header cannot be read or lacks a column.
    """
    header, *rest = _read_lines(path)
    names = _header(path.name, header)
    indices = _indices(path.name, names, columns)
    rows, left_out = [], 0
    for line, fields in _fields(rest, log):
        if len(fields) != len(names):
            left_out += 1
            if fields:  # unreadable lines, which have none, are reported already
                message = f"{len(fields)} fields instead of {len(names)}; row left out"
                log.add("error", line, message)
            continue
        rows.append((line, tuple([fields[index].strip() for index in indices])))
    return rows, left_out


def _read_lines(path: Path) -> list[bytes]:
    """The file's physical lines."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise TablesError(f"{path.name}: larger than {MAX_BYTES // 1024**2} MiB")
        data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except FileNotFoundError:
        raise TablesError(f"{path.name}: file is missing") from None
    except OSError as error:
        raise TablesError(f"{path.name}: cannot be read: {error.strerror}") from None
    if not data.strip():
        raise TablesError(f"{path.name}:1: file is empty")
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _text(line: bytes) -> str:
    """A line as text. Raises `ValueError` with the reason if it is none."""
    if b"\0" in line:
        raise ValueError("NUL byte")
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None


def _header(file: str, line: bytes) -> list[str]:
    """The column names."""
    try:
        names = [name.strip() for name in next(csv.reader((_text(line),)), [])]
    except (ValueError, csv.Error) as error:
        raise TablesError(f"{file}:1: header cannot be read: {error}") from None
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise TablesError(f"{file}:1: column appears twice: {shown(', '.join(repeated))}")
    return names


def _indices(file: str, names: list[str], columns: Sequence[str]) -> list[int]:
    """Where `columns` stand in a row."""
    if missing := [column for column in columns if column not in names]:
        raise TablesError(f"{file}:1: missing column: {', '.join(missing)}")
    return [names.index(column) for column in columns]


def _fields(lines: list[bytes], log: ProblemLog) -> Iterator[tuple[int, list[str]]]:
    """Line and fields of each row below the header; no fields where the line cannot be read.

    Each line is read by itself: no value spans lines, and so a quotation mark that
    is never closed costs its own row and not all that follow.
    """
    for line, data in enumerate(lines, start=2):
        if not data.strip():
            continue
        try:
            text = _text(data)
            if text.count('"') % 2:
                raise csv.Error("quotation mark without its pair")
            fields = next(csv.reader((text,)))
        except (ValueError, csv.Error) as error:
            log.add("error", line, f"{error}; row left out")
            fields = []
        yield line, fields
