"""A bundle in the making: readers add turns, kernels and findings to it."""

from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from evaluation.architectures import ARCHITECTURES
from evaluation.artifacts.answers import BadSource, ExtractionError, Kernel, read_kernel
from evaluation.artifacts.bundle_records import (
    Bundle,
    BundleRun,
    BundleTrajectory,
    BundleTurn,
    Hints,
    Kind,
    Limits,
    LooseKernel,
    Refused,
)
from evaluation.artifacts.findings import Findings
from evaluation.artifacts.names import MAX_MODEL, key_fault, text_fault
from evaluation.artifacts.problems import shown
from evaluation.artifacts.ptxbench_turns import TURN_NUMBER_LIMIT, gap_ranges
from evaluation.tasks import load_catalog


class Part(NamedTuple):
    """What a run is of; `root` tells apart runs that a file keeps in different folders."""

    model: str
    task: str
    architecture: str
    prompt_set: str = "standard"
    root: str = ""


class Place(NamedTuple):
    """Where in an upload something stands; `path` is a JSON path, inside a document."""

    file: str
    line: int = 1
    path: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.path or self.line}"


_Numbered = dict[int, BundleTurn]


@dataclass(slots=True)
class Draft:
    """What has been understood so far. `file` is the upload's own name, to be shown."""

    file: str
    hints: Hints
    limits: Limits
    findings: Findings = field(init=False)
    kind: Kind | None = None
    _runs: dict[Part, dict[str, _Numbered]] = field(default_factory=dict)
    _kernels: dict[tuple[str, str, str], LooseKernel] = field(default_factory=dict)
    _rows: int = 0

    def __post_init__(self) -> None:
        self.findings = Findings(self.limits.problems)

    def error(self, place: Place, message: str, cause: tuple[str, ...] | None = None) -> None:
        """Report what is left out."""
        self._report("error", place, message, cause)

    def warn(self, place: Place, message: str, cause: tuple[str, ...] | None = None) -> None:
        """Report what is kept although something is wrong with it."""
        self._report("warning", place, message, cause)

    def note(self, place: Place, message: str, cause: tuple[str, ...] | None = None) -> None:
        """Report what is good to know."""
        self._report("note", place, message, cause)

    def count_row(self, place: Place) -> None:
        """Count a row, a message or a line. Raises `Refused` when there are too many."""
        self._rows += 1
        if self._rows > self.limits.turns:
            message = f"holds more than {self.limits.turns:,} turns; split the file"
            raise Refused.because(place.file, message, place.line)

    def kernel(self, data: bytes, name: str = "", answer: bool = False) -> Kernel:
        """The kernel in `data`, as `read_kernel`. Raises `BadSource` or `ExtractionError`."""
        kernel = read_kernel(data, name, answer)
        if (size := len(kernel.source.encode())) > self.limits.kernel_bytes:
            raise BadSource(
                f"The kernel has {size:,} bytes; the limit is {self.limits.kernel_bytes:,}."
            )
        return kernel

    def kernel_or_reason(
        self, text: str, place: Place, name: str = "", answer: bool = False
    ) -> tuple[Kernel | None, str]:
        """The kernel of a turn, or the reason why it has none."""
        try:
            return self.kernel(text.encode(), name, answer), ""
        except ExtractionError as error:
            self.note(place, f"{error}", cause=("no kernel",))
            return None, str(error)
        except BadSource as error:
            self.warn(place, f"{error} The turn counts as one without a kernel.")
            return None, str(error)

    def part_faults(self, part: Part) -> list[str]:
        """What keeps a run's model, task and architecture from being understood."""
        faults = []
        if not part.model:
            faults.append("the model is not named; say it with the upload")
        elif fault := text_fault(part.model, MAX_MODEL):
            faults.append(f"the model's name {shown(part.model)} {fault}")
        return faults + target_faults(part.task, part.architecture)

    def add_turn(self, part: Part, key: str, turn: BundleTurn, place: Place) -> bool:
        """Add a turn to its trajectory; False, with a problem, if it cannot be placed."""
        if fault := key_fault(key):
            message = f"the trajectory's name {shown(key)} {fault}; rename it. Turn left out"
            self.error(place, message, cause=("key", place.file, key))
            return False
        if not 0 <= turn.number < TURN_NUMBER_LIMIT:
            message = f"turn {turn.number} is not from 0 to {TURN_NUMBER_LIMIT - 1:,}; left out"
            self.error(place, message)
            return False
        numbered = self._runs.setdefault(part, {}).setdefault(key, {})
        if turn.number in numbered:
            first = numbered[turn.number].place
            message = f"turn {turn.number} of {shown(key)} stands at {first} already; left out"
            self.error(place, message)
            return False
        numbered[turn.number] = turn
        return True

    def add_kernel(self, loose: LooseKernel) -> None:
        """Add a kernel that belongs to no conversation."""
        self._kernels.setdefault((loose.kernel, loose.task, loose.architecture), loose)

    def refuse(self, message: str) -> NoReturn:
        """Refuse the whole file, with what has been found so far."""
        self.error(Place(self.file), message)
        raise Refused(*self.findings.listed())

    def finish(self) -> Bundle:
        """The bundle. Raises `Refused` if it is empty."""
        self._report_gaps()
        if not (self._runs or self._kernels) or self.kind is None:
            self.refuse("nothing in it can be judged; correct what is listed and upload it again")
        problems, left_out = self.findings.listed()
        runs = tuple(_run(part, by_key) for part, by_key in self._runs.items())
        return Bundle(self.kind, runs, tuple(self._kernels.values()), problems, left_out)

    def _report_gaps(self) -> None:
        """A warning for each trajectory that lacks turns before its last."""
        for by_key in self._runs.values():
            for key, numbered in by_key.items():
                numbers = sorted(numbered)
                if numbers[-1] >= len(numbers):
                    file, _, line = numbered[numbers[0]].place.rpartition(":")
                    place = Place(file, int(line) if line.isdigit() else 1)
                    gaps = gap_ranges(numbers)
                    self.warn(
                        place, f"trajectory {shown(key)} lacks turns {gaps}; kept with the gap"
                    )

    def _report(
        self, severity: str, place: Place, message: str, cause: tuple[str, ...] | None
    ) -> None:
        text = f"{place.path}: {message}" if place.path else message
        self.findings.add(severity, place.file, place.line, text, cause)  # type: ignore[arg-type]


def target_faults(task: str, architecture: str) -> list[str]:
    """What keeps a task and an architecture from being understood."""
    faults = []
    known = load_catalog()
    if not task:
        faults.append("the task is not named; say it with the upload")
    elif task not in known:
        faults.append(f"unknown task {shown(task)}; known are {', '.join(known)}")
    if not architecture:
        faults.append("the architecture is not named; say it with the upload")
    elif architecture not in ARCHITECTURES:
        names = ", ".join(ARCHITECTURES)
        faults.append(f"unknown architecture {shown(architecture)}; known are {names}")
    return faults


def _run(part: Part, by_key: dict[str, _Numbered]) -> BundleRun:
    trajectories = tuple(
        BundleTrajectory(key, tuple(numbered[number] for number in sorted(numbered)))
        for key, numbered in by_key.items()
    )
    return BundleRun(part.model, part.task, part.architecture, part.prompt_set, trajectories)
