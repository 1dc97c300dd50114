"""What an upload holds, as plain records that any of its forms is read into."""

from dataclasses import dataclass
from typing import Any, Literal, Self

from evaluation.artifacts.problems import Problem
from evaluation.outcomes import Outcome

Kind = Literal["ptxbench", "solutions", "traces", "turns", "kernel"]
Report = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hints:
    """What the uploader says about the file, used only where the file itself is silent."""

    model: str = ""
    task: str = ""
    architecture: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is read at most; sizes in bytes, `problems` in findings listed.

    `ratio` is how many times its own size a file may unpack to, beyond a small
    allowance: what expands further is made to fill memory. `turns` counts rows, good or bad.
    """

    compressed_bytes: int = 64 * 1024**2
    unpacked_bytes: int = 1024**3
    files: int = 20_000
    kernel_bytes: int = 512 * 1024
    member_bytes: int = 64 * 1024**2
    problems: int = 500
    ratio: int = 100
    turns: int = 50_000


class Refused(ValueError):
    """The whole file is refused. `problems` say why and what to do; at least one is an error."""

    def __init__(self, problems: tuple[Problem, ...], left_out: int = 0) -> None:
        self.problems = problems
        self.left_out = left_out
        super().__init__("\n".join(str(problem) for problem in problems))

    @classmethod
    def because(cls, file: str, message: str, line: int = 1) -> Self:
        """The refusal for one reason."""
        return cls((Problem(file, line, message, "error"),))

    def report(self) -> Report:
        """The same shape as a bundle's report, of kind "" and with zero counts."""
        return Bundle("", problems=self.problems, left_out=self.left_out).report()


@dataclass(frozen=True, slots=True)
class Reported:
    """What the uploader's own evaluation said about a turn.

    `speedup` is baseline time ÷ kernel time, of correct turns only. `hardware` is a slug
    of `evaluation.architectures.HARDWARE`.
    """

    outcome: Outcome
    reason: str
    target_passed: bool
    speedup: float | None
    hardware: str


@dataclass(frozen=True, slots=True)
class BundleTurn:
    """One turn. `number` counts from 0; `kernel` is the source's SHA-256.

    Without a kernel, `extraction` says why the answer holds none; it is empty if the file
    has no answer at all but only figures, so that nothing can be judged. `place` is
    `file:line`, or `file:$.path` inside a JSON document; at most 300 characters.
    """

    number: int
    kernel: str | None
    extraction: str
    place: str
    reasoning_tokens: int | None = None
    reported: Reported | None = None


@dataclass(frozen=True, slots=True)
class BundleTrajectory:
    """One conversation, its turns by number; numbers may be missing."""

    key: str
    turns: tuple[BundleTurn, ...]


@dataclass(frozen=True, slots=True)
class BundleRun:
    """The trajectories of one model on one task and architecture."""

    model: str
    task: str
    architecture: str
    prompt_set: str
    trajectories: tuple[BundleTrajectory, ...]


@dataclass(frozen=True, slots=True)
class LooseKernel:
    """A kernel that belongs to no conversation. `kernel` is the source's SHA-256."""

    kernel: str
    task: str
    architecture: str
    place: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything understood of a file; `left_out` counts problems beyond the limit."""

    kind: Kind | Literal[""]
    runs: tuple[BundleRun, ...] = ()
    kernels: tuple[LooseKernel, ...] = ()
    problems: tuple[Problem, ...] = ()
    left_out: int = 0

    def counts(self) -> dict[str, int]:
        """Numbers of runs, trajectories, turns and different kernels."""
        trajectories = [trajectory for run in self.runs for trajectory in run.trajectories]
        turns = [turn for trajectory in trajectories for turn in trajectory.turns]
        kernels = {turn.kernel for turn in turns if turn.kernel}
        return {
            "runs": len(self.runs),
            "trajectories": len(trajectories),
            "turns": len(turns),
            "kernels": len(kernels | {loose.kernel for loose in self.kernels}),
        }

    def report(self) -> Report:
        """The answer that page, API and command line give, fit for JSON."""
        problems = [
            {"file": p.file, "line": p.line, "message": p.message, "severity": p.severity}
            for p in self.problems
        ]
        return {
            "kind": self.kind,
            **self.counts(),
            "parts": [*map(_run_part, self.runs), *_kernel_parts(self.kernels)],
            "problems": problems,
            "problems_left_out": self.left_out,
        }


def _run_part(run: BundleRun) -> Report:
    turns = [turn for trajectory in run.trajectories for turn in trajectory.turns]
    return {
        "model": run.model,
        "task": run.task,
        "architecture": run.architecture,
        "trajectories": len(run.trajectories),
        "turns": len(turns),
        "kernels": len({turn.kernel for turn in turns if turn.kernel}),
    }


def _kernel_parts(kernels: tuple[LooseKernel, ...]) -> list[Report]:
    """Kernels without a conversation, and so without a model, counted by what they are for."""
    parts: dict[tuple[str, str], set[str]] = {}
    for loose in kernels:
        parts.setdefault((loose.task, loose.architecture), set()).add(loose.kernel)
    return [
        {
            "model": "",
            "task": task,
            "architecture": architecture,
            "trajectories": 0,
            "turns": 0,
            "kernels": len(hashes),
        }
        for (task, architecture), hashes in parts.items()
    ]
