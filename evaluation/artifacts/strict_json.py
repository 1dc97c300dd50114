"""Reads JSON that a stranger wrote: bounded, and without anything JSON leaves open.

Refused, with line or JSON path: other encodings than UTF-8, NUL characters, lone surrogates,
keys given twice, numbers beyond a double, more than `MAX_DEPTH` levels, more than
`MAX_VALUES` values. `NaN` and `Infinity`, which are no JSON but what Python writes, are
read as null, and their paths kept.
"""

import codecs
import json
import math
import re
from dataclasses import dataclass, field
from typing import Any

from evaluation.artifacts.problems import shown

MAX_DEPTH = 64
MAX_VALUES = 500_000
"""Values and keys of one document: some hundred bytes of memory each."""

_MAX_DIGITS = 400
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}", re.ASCII)
_RISKY_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
# A string, closed or not, is one token; possessive repeats keep the scan linear.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{,]|[\]}]', re.DOTALL)

_Path = tuple[str | int, ...]


class JsonFault(ValueError):
    """Bytes that are not acceptable as JSON. `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A JSON value; `nulls` are the paths at which NaN or Infinity stood."""

    value: Any
    nulls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Constant:
    """Stands for NaN or Infinity until its path is known."""


@dataclass(frozen=True, slots=True)
class _Fault:
    """Stands for a value that must be refused until its path is known."""

    message: str


@dataclass(slots=True)
class _Builder:
    """Builds the values, and marks those that the parser would pass over in silence."""

    marked: bool = False
    nulls: list[str] = field(default_factory=list)

    def constant(self, _name: str) -> _Constant:
        self.marked = True
        return _Constant()

    def number(self, text: str) -> int | float | _Fault:
        whole = text.lstrip("-").isdigit()
        if whole and len(text) < _MAX_DIGITS:
            return int(text)
        if not whole and math.isfinite(value := float(text)):
            return value
        self.marked = True
        return _Fault(f"the number {shown(text)} is too large")

    def members(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Fault:
        members = dict(pairs)
        if len(members) == len(pairs):
            return members
        keys = [key for key, _value in pairs]
        twice = next(key for key in members if keys.count(key) > 1)
        self.marked = True
        return _Fault(f"the key {shown(twice)} stands twice in one object")

    def settle(self, value: Any, path: _Path) -> Any:
        """The value without marks. Raises `JsonFault` at the first that must be refused."""
        if isinstance(value, _Fault):
            raise JsonFault(1, f"{shown_path(path)}: {value.message}")
        if isinstance(value, _Constant):
            self.nulls.append(shown_path(path))
            return None
        if isinstance(value, str):
            _check_text(value, path)
        elif isinstance(value, list):
            for index, element in enumerate(value):
                value[index] = self.settle(element, (*path, index))
        elif isinstance(value, dict):
            for key, member in value.items():
                _check_text(key, path)
                value[key] = self.settle(member, (*path, key))
        return value


def parse(data: bytes) -> Parsed:
    """Read one JSON document, with or without a byte order mark. Raises `JsonFault`."""
    text = _decoded(data)
    _check_shape(data)
    builder = _Builder()
    try:
        value = json.loads(
            text,
            object_pairs_hook=builder.members,
            parse_constant=builder.constant,
            parse_float=builder.number,
            parse_int=builder.number,
        )
    except json.JSONDecodeError as error:
        place = f"column {error.colno:,}"
        raise JsonFault(error.lineno, f"is not JSON: {error.msg} at {place}") from None
    if builder.marked or _RISKY_ESCAPE.search(text):
        value = builder.settle(value, ())
    return Parsed(value, tuple(builder.nulls))


def shown_path(path: _Path) -> str:
    """A JSON path as messages show it, such as `$.messages[3].extra`."""
    parts = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        else:
            parts.append(f".{step}" if _PLAIN_KEY.fullmatch(step) else f"[{shown(step)}]")
    return "$" + "".join(parts)


def _decoded(data: bytes) -> str:
    """The bytes as text."""
    if (offset := data.find(b"\0")) >= 0:
        raise JsonFault(_line(data, offset), "holds a NUL byte; write the file as UTF-8 text")
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        message = f"is not UTF-8: byte 0x{data[error.start]:02x}; save the file as UTF-8"
        raise JsonFault(_line(data, error.start), message) from None


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def _check_shape(data: bytes) -> None:
    """Refuse what would exhaust stack or memory, before anything is built."""
    depth = values = 0
    for token in _TOKEN.finditer(data):
        first = data[token.start()]
        if first in b"[{":
            depth += 1
        elif first in b"]}":
            depth -= 1
            continue
        values += 1
        if depth > MAX_DEPTH:
            message = f"is nested deeper than {MAX_DEPTH} levels; flatten it"
            raise JsonFault(_line(data, token.start()), message)
        if values > MAX_VALUES:
            message = f"holds more than {MAX_VALUES:,} values; split the file"
            raise JsonFault(_line(data, token.start()), message)


def _check_text(text: str, path: _Path) -> None:
    """Refuse characters that a database or a page cannot take."""
    if "\0" in text:
        raise JsonFault(1, f"{shown_path(path)}: holds a NUL character; remove it")
    try:
        text.encode()
    except UnicodeEncodeError:
        message = "holds half of a surrogate pair; write whole characters"
        raise JsonFault(1, f"{shown_path(path)}: {message}") from None
