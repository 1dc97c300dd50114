"""Reads FlashInfer-Trace solutions and traces, and puts together those of one name.

A solution becomes a trajectory of one turn, by the model that is its author. A trace gives
the solution of its name reported figures if its workload is the task's deciding one; where
the solution is not in the upload, the turn has figures only.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from evaluation.artifacts.answers import Kernel
from evaluation.artifacts.bundle_draft import Draft, Part, Place
from evaluation.artifacts.bundle_records import BundleTurn, Reported
from evaluation.artifacts.flashinfer_solution import Solution, check_solution
from evaluation.artifacts.flashinfer_trace import Trace, check_trace, decides
from evaluation.artifacts.json_fields import Field, FieldFault
from evaluation.artifacts.json_lines import Upload, json_document, json_lines
from evaluation.artifacts.problems import shown
from evaluation.artifacts.strict_json import shown_path
from evaluation.tasks import load_catalog


@dataclass(frozen=True, slots=True)
class _Solved:
    """A solution without its source."""

    task: str
    author: str
    architectures: tuple[str, ...]
    kernel: str | None
    extraction: str
    place: Place


@dataclass(slots=True)
class TraceSetReader:
    """Reads the files of one upload into a draft."""

    draft: Draft
    _solutions: dict[str, _Solved] = field(default_factory=dict)
    _reported: dict[tuple[str, str, str], tuple[Reported, Place]] = field(default_factory=dict)
    _has_traces: bool = False

    def take_solutions(self, upload: Upload) -> Iterator[Kernel]:
        """Read a document with one solution or an array of them, giving each kernel."""
        value = json_document(upload.read(self.draft.limits.member_bytes), upload.file, self.draft)
        rows = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, row in rows:
            path: tuple[str | int, ...] = () if index is None else (index,)
            self.draft.count_row(Place(upload.file))
            yield from self._take_solution(row, path, Place(upload.file, 1, shown_path(path)))

    def take_solution_lines(self, upload: Upload) -> Iterator[Kernel]:
        """Read one solution a line, giving each kernel."""
        for place, value in json_lines(upload, self.draft):
            yield from self._take_solution(value, (), place)

    def take_traces(self, upload: Upload) -> None:
        """Read one trace a line."""
        for place, value in json_lines(upload, self.draft):
            try:
                trace = check_trace(Field(value))
                if trace is not None and trace.task not in load_catalog():
                    raise FieldFault("$.definition", f"unknown task {shown(trace.task)}")
            except FieldFault as fault:
                self.draft.error(place, f"{fault.path} {fault}; trace left out")
                continue
            if trace is None:
                self.draft.note(
                    place, "a workload without a solution; ignored", cause=("workload",)
                )
            else:
                self._keep(trace, place)

    def finish(self) -> None:
        """Add the turns to the draft, once everything has been read."""
        hint = self._model_hint()
        for name, solved in self._solutions.items():
            for architecture in solved.architectures or (self.draft.hints.architecture,):
                part = Part(hint or solved.author, solved.task, architecture)
                reported = self._reported.pop((name, solved.task, architecture), None)
                self._add(part, name, solved, reported[0] if reported else None)
        for (name, task, architecture), (figures, place) in self._reported.items():
            part = Part(self.draft.hints.model, task, architecture)
            self._add(part, name, _Solved(task, "", (), None, "", place), figures)
        self.draft.kind = "traces" if self._has_traces else "solutions"

    def _take_solution(
        self, row: Any, path: tuple[str | int, ...], place: Place
    ) -> Iterator[Kernel]:
        try:
            solution = check_solution(Field(row, path))
            if solution.name in self._solutions:
                first = self._solutions[solution.name].place
                raise Field(row, path)["name"].fault(f"stands at {first} already")
        except FieldFault as fault:
            self.draft.error(place._replace(path=""), f"{fault.path} {fault}; solution left out")
            return
        kernel, reason = self.draft.kernel_or_reason(solution.source, place, "kernel.cu")
        self._solutions[solution.name] = self._solved(solution, kernel, reason, place)
        if kernel is not None:
            yield kernel

    @staticmethod
    def _solved(solution: Solution, kernel: Kernel | None, reason: str, place: Place) -> _Solved:
        sha256 = kernel.sha256 if kernel else None
        return _Solved(
            solution.task, solution.author, solution.architectures, sha256, reason, place
        )

    def _keep(self, trace: Trace, place: Place) -> None:
        """Keep a trace's figures if its workload decides."""
        self._has_traces = True
        if not decides(load_catalog()[trace.task], trace.uuid, trace.axes):
            message = "is of a workload that does not decide verdicts; checked, and not kept"
            self.draft.note(place, message, cause=("other workload", trace.task))
            return
        key = (trace.solution, trace.task, trace.architecture)
        if key in self._reported:
            message = (
                f"$.solution {shown(trace.solution)} has a trace of this workload at "
                f"{self._reported[key][1]} already; trace left out"
            )
            self.draft.error(place, message)
            return
        self._reported[key] = (trace.figures.reported(trace.hardware), place)

    def _model_hint(self) -> str:
        """The model that the form names, unless the solutions are by several."""
        hint = self.draft.hints.model
        authors = {solved.author for solved in self._solutions.values()}
        if hint and len(authors) > 1:
            message = (
                "the solutions have several authors, which are kept; the form's model is not used"
            )
            self.draft.warn(Place(self.draft.file), message)
            return ""
        return hint

    def _add(self, part: Part, name: str, solved: _Solved, reported: Reported | None) -> None:
        faults = self.draft.part_faults(part)
        if faults:
            self.draft.error(solved.place, f"{shown(name)}: {'; '.join(faults)}; left out")
            return
        turn = BundleTurn(0, solved.kernel, solved.extraction, str(solved.place), None, reported)
        self.draft.add_turn(part, name, turn, solved.place)
