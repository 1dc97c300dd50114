"""A submission as its page shows it: how far it is, its kernels, and what is still to come."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from django.core.paginator import Page, Paginator
from django.db.models import Count, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from evaluation.outcomes import Outcome
from leaderboard.models import Evaluation, Submission, SubmittedKernel, Verdict
from leaderboard.outcomes_table import Tally, tally

PER_PAGE = 100
"""Kernels on one page of the list."""

State = Evaluation.State
_STATIC = (State.STATIC_WAITING, State.STATIC_LEASED)
_DYNAMIC = (State.DYNAMIC_WAITING, State.DYNAMIC_LEASED)


class Mark(StrEnum):
    """What became of one step."""

    DONE = "done"
    NOW = "now"
    TODO = "todo"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Step:
    """One step on the way; `done` of `total` kernels where it goes kernel by kernel."""

    name: str
    label: Promise
    mark: Mark
    done: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts of a submission's kernels. `checked` went through the static step.

    `findings` has every kernel once: by its outcome, by what the static step found where
    a GPU still has to look, else as waiting.
    """

    total: int
    checked: int
    ended: int
    findings: Tally


@dataclass(frozen=True, slots=True)
class KernelLine:
    """One kernel of a submission. `outcome` is None while nothing is known.

    `reached` says that a static finding stands, but a GPU still has to look.
    """

    submitted: SubmittedKernel
    outcome: Outcome | None
    reached: bool

    @property
    def evaluation(self) -> Evaluation:
        """The judgement behind the line."""
        return self.submitted.evaluation


def progress(submission: Submission) -> Progress:
    """Count a submission's kernels by state and by finding, in two queries."""
    rows = submission.evaluations.order_by().values_list("state", "outcome").annotate(n=Count("pk"))
    states: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    for state, outcome, count in rows:
        states[state] += count
        # A cancelled kernel has no outcome and never gets one.
        if outcome or state != State.CANCELLED:
            findings[outcome or Outcome.WAITING] += count
    for outcome, count in _static_findings(submission):
        findings[outcome] += count
        findings[Outcome.WAITING] -= count
    return Progress(
        total=sum(states.values()),
        checked=sum(states.values()) - sum(states[state] for state in _STATIC),
        ended=sum(states[state] for state in Evaluation.ENDED),
        findings=tally((outcome, count) for outcome, count in findings.items() if count),
    )


def _static_findings(submission: Submission) -> list[tuple[str, int]]:
    found = Verdict.objects.filter(
        evaluation__submissions=submission, evaluation__state__in=_DYNAMIC, step="static"
    ).exclude(outcome="")
    return list(found.order_by().values_list("outcome").annotate(n=Count("pk")))


_LABELS: dict[str, Promise] = {
    "received": _("Received"),
    "read": _("Read"),
    "checked": _("Checked"),
    "gpu": _("GPU"),
    "complete": _("Complete"),
}


def steps(submission: Submission, counts: Progress) -> tuple[Step, ...]:
    """Return the steps with what became of each, in order."""
    total = counts.total
    judged = (counts.checked, counts.ended)
    marks = _marks(submission.state, counts)
    figures: dict[str, tuple[int | None, int | None]] = dict.fromkeys(_LABELS, (None, None))
    if total:
        figures["checked"], figures["gpu"] = (judged[0], total), (judged[1], total)
    return tuple(
        Step(name, label, mark, *figures[name])
        for (name, label), mark in zip(_LABELS.items(), marks, strict=True)
    )


def _marks(state: str, counts: Progress) -> list[Mark]:
    done, now, todo, failed = Mark.DONE, Mark.NOW, Mark.TODO, Mark.FAILED
    match state:
        case Submission.State.RECEIVED | Submission.State.UNPACKING:
            return [done, now, todo, todo, todo]
        case Submission.State.REJECTED:
            return [done, failed, todo, todo, todo]
        case Submission.State.COMPLETE:
            return [done] * 5
        case Submission.State.JUDGING if counts.checked < counts.total:
            return [done, done, now, todo, todo]
        case Submission.State.JUDGING:
            return [done, done, done, now, todo]
    read = done if counts.total else todo
    checked = done if counts.total and counts.checked == counts.total else todo
    return [done, read, checked, todo, failed]


def kernel_lines(submission: Submission, number: str) -> Page[KernelLine]:
    """Return one page of a submission's kernels; a `number` that is none gives the first."""
    return kernel_lines_of(Paginator(submission.submitted_kernels.all(), PER_PAGE).get_page(number))


def kernel_lines_of(page: Page[Any]) -> Page[KernelLine]:
    """Turn a page of submitted kernels into lines, without fetching sources."""
    submitted = cast("QuerySet[SubmittedKernel]", page.object_list)
    rows = submitted.select_related(
        "evaluation__workload__task", "evaluation__kernel", "submission__owner"
    ).defer("evaluation__kernel__source")
    page.object_list = _lines(list(rows))
    return page


def _lines(rows: list[SubmittedKernel]) -> list[KernelLine]:
    waiting = [row.evaluation_id for row in rows if row.evaluation.state in _DYNAMIC]
    found = Verdict.objects.filter(evaluation__in=waiting, step="static").exclude(outcome="")
    static = dict(found.values_list("evaluation_id", "outcome"))
    return [_line(row, static.get(row.evaluation_id, "")) for row in rows]


def _line(row: SubmittedKernel, static: str) -> KernelLine:
    word = row.evaluation.outcome or static
    return KernelLine(row, Outcome(word) if word else None, bool(static))
