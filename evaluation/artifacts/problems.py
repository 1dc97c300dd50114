"""What a reader found wrong, with the place where it found it."""

from dataclasses import dataclass, field, replace
from typing import Literal

Severity = Literal["error", "warning", "note"]

_SHOWN_CHARACTERS = 81
_KEPT_EACH_SIDE = 40


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding in a file. `line` counts physical lines from 1.

    `error`: a row or a value is left out, or not understood. `warning`: everything
    is kept, but something contradicts something else. `note`: good to know.
    """

    file: str
    line: int
    message: str
    severity: Severity

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


@dataclass(slots=True)
class ProblemLog:
    """Collects the problems of one file."""

    file: str
    _found: list[Problem] = field(default_factory=list)
    _repeated: dict[tuple[str, ...], tuple[Problem, int]] = field(default_factory=dict)

    def add(self, severity: Severity, line: int, message: str) -> None:
        """Report one finding."""
        self._found.append(Problem(self.file, line, message, severity))

    def add_repeated(
        self, severity: Severity, line: int, cause: tuple[str, ...], message: str
    ) -> None:
        """Report a finding whose cause many rows may share: one problem, counted.

        A thousand rows with one cause must not hide the other findings. The problem
        has the first row's line and message.
        """
        first = Problem(self.file, line, message, severity)
        problem, count = self._repeated.get(cause, (first, 0))
        self._repeated[cause] = (problem, count + 1)

    def sorted(self) -> list[Problem]:
        """All findings by line."""
        counted = [
            replace(problem, message=f"{problem.message} ({count} rows, the first here)")
            if count > 1
            else problem
            for problem, count in self._repeated.values()
        ]
        return sorted(self._found + counted, key=lambda problem: problem.line)


def shown(value: str) -> str:
    """A value as a message quotes it: in quotes, on one line, control characters escaped, short.

    A long value is cut in the middle, since the end of a path tells most.
    """
    if len(value) > _SHOWN_CHARACTERS:
        value = f"{value[:_KEPT_EACH_SIDE]}…{value[-_KEPT_EACH_SIDE:]}"
    return repr(value)
