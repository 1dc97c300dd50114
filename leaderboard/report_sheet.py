"""What the readers understood of an uploaded file, as pages show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from evaluation.architectures import ARCHITECTURES
from evaluation.tasks import load_catalog
from leaderboard.words import task_title

PARTS = 200
"""Most parts that a page lists; the API has all of them."""

KINDS: dict[str, Promise] = {
    "ptxbench": _("PTXBench evaluation directory"),
    "solutions": _("FlashInfer-Trace solutions"),
    "traces": _("FlashInfer-Trace traces"),
    "turns": _("list of turns"),
    "kernel": _("single kernel"),
}

REFUSED = _("refused")

SEVERITIES: dict[str, Promise] = {
    "error": _("left out"),
    "warning": _("contradiction"),
    "note": _("note"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """One run, or one single kernel, of a file; `task` is empty where the site knows none."""

    model: str
    task: str
    title: str
    architecture: str
    trajectories: int
    turns: int
    kernels: int


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem with its place, such as `runs/exp_000.json:12`."""

    place: str
    message: str
    severity: str
    label: str


@dataclass(frozen=True, slots=True)
class ReportSheet:
    """A report in words: `counts` are phrases such as “3 runs”."""

    kind: str
    counts: tuple[str, ...]
    parts: tuple[Part, ...]
    parts_left_out: int
    problems: tuple[Finding, ...]
    problems_left_out: int

    @property
    def understood(self) -> bool:
        """Whether anything in the file can be judged."""
        return bool(self.counts)


def report_sheet(report: Mapping[str, Any]) -> ReportSheet | None:
    """Return the sheet of a report as `Bundle.report` gives it; None for an empty one."""
    if not report:
        return None
    parts, counts = report.get("parts", []), _counts(report)
    labels = SEVERITIES if counts else {**SEVERITIES, "error": REFUSED}
    return ReportSheet(
        kind=str(KINDS.get(report.get("kind", ""), "")),
        counts=counts,
        parts=tuple(_part(one) for one in parts[:PARTS]),
        parts_left_out=max(0, len(parts) - PARTS),
        problems=tuple(_finding(one, labels) for one in report.get("problems", [])),
        problems_left_out=report.get("problems_left_out", 0),
    )


def _counts(report: Mapping[str, Any]) -> tuple[str, ...]:
    runs, trajectories, turns, kernels = (
        report.get(name, 0) for name in ("runs", "trajectories", "turns", "kernels")
    )
    phrases: Sequence[tuple[int, str]] = (
        (runs, ngettext("%(n)d run", "%(n)d runs", runs)),
        (trajectories, ngettext("%(n)d trajectory", "%(n)d trajectories", trajectories)),
        (turns, ngettext("%(n)d turn", "%(n)d turns", turns)),
        (kernels, ngettext("%(n)d different kernel", "%(n)d different kernels", kernels)),
    )
    return tuple(phrase % {"n": count} for count, phrase in phrases if count)


def _part(part: Mapping[str, Any]) -> Part:
    task, architecture = part.get("task", ""), part.get("architecture", "")
    known = task in load_catalog()
    return Part(
        model=part.get("model", ""),
        task=task if known else "",
        title=task_title(task) if known else task,
        architecture=ARCHITECTURES[architecture].name
        if architecture in ARCHITECTURES
        else architecture,
        trajectories=part.get("trajectories", 0),
        turns=part.get("turns", 0),
        kernels=part.get("kernels", 0),
    )


def _finding(problem: Mapping[str, Any], labels: Mapping[str, Promise]) -> Finding:
    severity = problem.get("severity", "error")
    file, line = problem.get("file", ""), problem.get("line", 0)
    return Finding(
        place=f"{file}:{line}" if line else file,
        message=problem.get("message", ""),
        severity=severity,
        label=str(labels.get(severity, severity)),
    )
