"""A JSON value that knows its path, so that every complaint names the field."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from evaluation.artifacts.problems import shown
from evaluation.artifacts.strict_json import shown_path


class FieldFault(ValueError):
    """A field is not what its format asks for."""

    def __init__(self, path: str, message: str) -> None:
        self.path = path
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Field:
    """A value at a path; `value` is None for null and for a field that is absent."""

    value: Any
    path: tuple[str | int, ...] = ()

    def fault(self, message: str) -> FieldFault:
        """The complaint about this field, to be raised."""
        return FieldFault(shown_path(self.path), message)

    def __getitem__(self, name: str) -> "Field":
        """A member. Raises `FieldFault` if this is no object."""
        if not isinstance(self.value, dict):
            raise self.fault("is missing" if self.value is None else "is not an object")
        return Field(self.value.get(name), (*self.path, name))

    def elements(self) -> Iterator["Field"]:
        """The elements of an array that has some. Raises `FieldFault`."""
        if not isinstance(self.value, list) or not self.value:
            raise self.fault("is not an array with at least one element")
        for index, element in enumerate(self.value):
            yield Field(element, (*self.path, index))

    @property
    def given(self) -> bool:
        """Whether it is there and not null."""
        return self.value is not None

    def text(self) -> str:
        """A string that is not blank. Raises `FieldFault`."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.fault("is missing" if self.value is None else "is not a text, or blank")
        return self.value

    def choice(self, choices: Collection[str]) -> str:
        """One of `choices`. Raises `FieldFault`."""
        value = self.text()
        if value not in choices:
            raise self.fault(f"is {shown(value)}, not one of {', '.join(choices)}")
        return value

    def positive(self) -> float | None:
        """A number above 0; None for null. Raises `FieldFault`."""
        if self.value is None:
            return None
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.fault(f"is {shown(str(self.value))}, not a number")
        if self.value <= 0:
            raise self.fault(f"is {self.value}, not above 0")
        return float(self.value)
