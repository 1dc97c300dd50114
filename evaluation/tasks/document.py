"""Strict reading of JSON: every complaint names the file and the JSON path."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn


class CatalogError(ValueError):
    """A file of the task catalog is not what it must be."""


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value that knows where it stands.

    Each reader below returns the value in the type that it names, or raises
    CatalogError with the file and the JSON path.
    """

    file: str
    path: str
    value: object

    def error(self, problem: str) -> CatalogError:
        """A CatalogError about this value, to be raised by the caller."""
        return CatalogError(f"{self.file}: {self.path}: {problem}")

    def members(self) -> dict[str, "Node"]:
        """The members of an object, in the file's order."""
        if not isinstance(self.value, dict):
            raise self.error("must be an object")
        return {
            key: Node(self.file, f"{self.path}.{key}", value) for key, value in self.value.items()
        }

    def fields(self, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, "Node"]:
        """The members of an object that has all required fields and no unknown ones."""
        members = self.members()
        if missing := sorted(set(required) - set(members)):
            raise self.error(f"lacks {', '.join(missing)}")
        if unknown := sorted(set(members) - set(required) - set(optional)):
            raise self.error(f"has unknown fields: {', '.join(unknown)}")
        return members

    def elements(self) -> list["Node"]:
        """The elements of an array."""
        if not isinstance(self.value, list):
            raise self.error("must be an array")
        return [
            Node(self.file, f"{self.path}[{index}]", value)
            for index, value in enumerate(self.value)
        ]

    def text(self) -> str:
        """A string that is more than white space."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.error("must be a non-empty string")
        return self.value

    def one_of(self, choices: Iterable[str]) -> str:
        """A string out of the given ones."""
        choices = tuple(choices)
        if self.value not in choices:
            raise self.error(f"must be one of {', '.join(choices)}")
        return self.text()

    def size(self) -> int:
        """A positive integer."""
        # JSON's true is an int to Python, and no size.
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < 1:
            raise self.error("must be a positive integer")
        return self.value

    def optional_flag(self) -> bool | None:
        """True, false or null."""
        if self.value is not None and not isinstance(self.value, bool):
            raise self.error("must be true, false or null")
        return self.value


def read_json(folder: Path, name: str) -> Node:
    """The JSON document `folder/name`. Raises CatalogError if it cannot be read or parsed."""
    return _parse(_read(folder, name), name)


def read_json_lines(folder: Path, name: str) -> list[Node]:
    """One node per line of the JSON Lines file `folder/name`, which must not be empty."""
    lines = _read(folder, name).splitlines()
    if not lines:
        raise CatalogError(f"{name}: $: must have at least one line")
    return [_parse(line, f"{name}:{number}") for number, line in enumerate(lines, start=1)]


def _read(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogError(f"{name}: $: cannot be read: {error}") from error


def _parse(text: str, file: str) -> Node:
    try:
        value = json.loads(
            text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant
        )
    except ValueError as error:
        raise CatalogError(f"{file}: $: is not valid JSON: {error}") from error
    return Node(file, "$", value)


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # Python keeps the last of two equal keys and says nothing; the author meant something else.
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key occurs twice in one object")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
