"""The findings of one upload, bounded in number and worst first when they are too many."""

from dataclasses import dataclass, field, replace

from evaluation.artifacts.problems import Problem, Severity

_ORDER: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(slots=True)
class Findings:
    """Collects problems; of each severity at most `limit` are held, the others counted."""

    limit: int
    _found: dict[Severity, list[Problem]] = field(default_factory=dict)
    _repeated: dict[tuple[str, ...], tuple[Problem, int]] = field(default_factory=dict)
    _dropped: int = 0

    def add(
        self,
        severity: Severity,
        file: str,
        line: int,
        message: str,
        cause: tuple[str, ...] | None = None,
    ) -> None:
        """Report one finding; those of one `cause` become one problem with the first's place."""
        if cause in self._repeated:
            first, count = self._repeated[cause]
            self._repeated[cause] = (first, count + 1)
            return
        found = self._found.setdefault(severity, [])
        if len(found) >= self.limit:
            self._dropped += 1
            return
        problem = Problem(file, line, message, severity)
        found.append(problem)
        if cause is not None:
            self._repeated[cause] = (problem, 1)

    def error_count(self) -> int:
        """Number of different errors held."""
        return len(self._found.get("error", ()))

    def listed(self) -> tuple[tuple[Problem, ...], int]:
        """The worst `limit` problems by file and line, and how many more there were."""
        counts = {id(problem): count for problem, count in self._repeated.values()}
        worst = [problem for severity in _ORDER for problem in self._found.get(severity, ())]
        kept = [_counted(problem, counts.get(id(problem), 1)) for problem in worst[: self.limit]]
        kept.sort(key=lambda problem: (problem.file, problem.line))
        return tuple(kept), self._dropped + len(worst) - len(kept)


def _counted(problem: Problem, count: int) -> Problem:
    """The problem with the number of times its cause was met."""
    if count == 1:
        return problem
    return replace(problem, message=f"{problem.message} ({count} times, the first here)")
