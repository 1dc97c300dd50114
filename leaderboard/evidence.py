"""Everything there is to see about one kernel, as its page shows it.

A page stays below a megabyte whatever a runner or an uploader wrote: texts are cut to the
room they have, and the API gives the whole. All strings are plain text for templates to
escape, with control characters written out.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch

from evaluation.architectures import ARCHITECTURES, HARDWARE, Architecture
from evaluation.delivery import STATIC, gpu_queue
from evaluation.outcomes import Outcome
from leaderboard.access import is_visible, visible_evaluations
from leaderboard.accounts.models import User
from leaderboard.kernel_neighbours import Neighbours, neighbours
from leaderboard.models import Evaluation, Kernel, Verdict
from leaderboard.shown_text import Room
from leaderboard.verdict_evidence import VerdictEvidence, verdict_evidence

SOURCE_BYTES = 320_000
SOURCE_LINE_BYTES = 60
"""What the page may put around a line of source (its number and an anchor)."""

VERDICT_BYTES = 320_000
"""Room for what all verdicts of the kernel say, together."""

MOST_EVALUATIONS = 32
"""More than there are tasks on two architectures now; a bound for the page all the same."""


@dataclass(frozen=True, slots=True)
class Source:
    """The kernel's text in lines; `lines_left_out` of `line_count` did not fit the page."""

    lines: tuple[str, ...]
    line_count: int
    size: int

    @property
    def lines_left_out(self) -> int:
        """Number of lines that only the API shows."""
        return self.line_count - len(self.lines)


@dataclass(frozen=True, slots=True)
class EvaluationEvidence:
    """One judgement of the kernel: how far it is, how it ended, and what was found.

    `queue` is what it waits in or is out with, empty once it ended. `outcome` is None
    before the end. `verdicts` holds at most one per step, the static one first.
    """

    task: str
    workload: str
    architecture: Architecture
    hardware: str
    protocol: str
    state: str
    state_label: str
    ended: bool
    queue: str
    attempt: int
    outcome: Outcome | None
    reason: str
    ended_at: datetime | None
    verdicts: tuple[VerdictEvidence, ...]


@dataclass(frozen=True, slots=True)
class KernelEvidence:
    """A kernel with its source, its judgements and the turns around it, as one viewer sees them.

    `public` says whether everybody can see the kernel, `settled` whether every judgement
    shown has ended.
    """

    sha256: str
    language: str
    public: bool
    source: Source
    evaluations: tuple[EvaluationEvidence, ...]
    evaluations_left_out: int
    neighbours: Neighbours

    @property
    def settled(self) -> bool:
        """Whether nothing about it is still to come."""
        return all(one.ended for one in self.evaluations)


def kernel_evidence(kernel: Kernel, user: User | None) -> KernelEvidence:
    """Return what `user` may see about `kernel`; None stands for somebody not signed in."""
    verdicts = Prefetch("verdicts", Verdict.objects.order_by("-step"))  # static, dynamic
    visible = (
        visible_evaluations(user, kernel)
        .select_related("workload__task")
        .prefetch_related(verdicts)
        .order_by("workload__task__order", "-architecture", "pk")
    )
    room = Room(VERDICT_BYTES)
    stored = list(visible[: MOST_EVALUATIONS + 1])
    shown = stored[:MOST_EVALUATIONS]
    more = visible.count() - len(shown) if len(stored) > len(shown) else 0
    return KernelEvidence(
        sha256=kernel.sha256,
        language=kernel.language,
        public=is_visible(None, kernel),
        source=_source(kernel.source),
        evaluations=tuple(_evaluation(one, room) for one in shown),
        evaluations_left_out=more,
        neighbours=neighbours(kernel, user),
    )


def _source(text: str) -> Source:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    shown = Room(SOURCE_BYTES).lines(lines, SOURCE_LINE_BYTES)
    return Source(shown, len(lines), len(text.encode()))


def _evaluation(stored: Evaluation, room: Room) -> EvaluationEvidence:
    outcome = Outcome(stored.outcome) if stored.outcome else None
    return EvaluationEvidence(
        task=stored.workload.task.slug,
        workload=stored.workload.label,
        architecture=ARCHITECTURES[stored.architecture],
        hardware=HARDWARE[stored.hardware].name,
        protocol=stored.protocol,
        state=stored.state,
        state_label=str(Evaluation.State(stored.state).label),
        ended=stored.ended,
        queue=_queue(stored),
        attempt=stored.attempt,
        outcome=outcome,
        reason=room.excerpt(stored.reason, 2_000).text,
        ended_at=stored.ended_at,
        verdicts=tuple(verdict_evidence(one, room) for one in stored.verdicts.all()),
    )


def _queue(stored: Evaluation) -> str:
    if stored.ended:
        return ""
    static = (Evaluation.State.STATIC_WAITING, Evaluation.State.STATIC_LEASED)
    return STATIC if stored.state in static else gpu_queue(stored.architecture)
