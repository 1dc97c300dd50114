"""The queues as the database sees them: what waits, what is out, and who could take it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max, QuerySet
from django.db.models.functions import Now

from evaluation.architectures import ARCHITECTURES
from evaluation.delivery import LIVE_SECONDS, STATIC, gpu_queue
from evaluation.messages import StepName
from leaderboard.models import Evaluation, Runner, Submission

State = Evaluation.State


@dataclass(frozen=True, slots=True)
class Lane:
    """One queue of the broker and the rows it serves; `architecture` is None for any."""

    queue: str
    step: StepName
    architecture: str | None = None

    @property
    def waiting_state(self) -> Evaluation.State:
        """The state of rows that wait for this queue."""
        return State.STATIC_WAITING if self.step == "static" else State.DYNAMIC_WAITING

    @property
    def leased_state(self) -> Evaluation.State:
        """The state of rows whose request is out on this queue."""
        return State.STATIC_LEASED if self.step == "static" else State.DYNAMIC_LEASED

    def rows(self, *states: str) -> QuerySet[Evaluation]:
        """Return this queue's rows in these states, in the order in which they are served."""
        rows = Evaluation.objects.filter(state__in=states).order_by("pk")
        return rows if self.architecture is None else rows.filter(architecture=self.architecture)


LANES = (
    Lane(STATIC, "static"),
    *(Lane(gpu_queue(slug), "dynamic", slug) for slug in ARCHITECTURES),
)


def lane_of(evaluation: Evaluation) -> Lane:
    """Return the lane in which an evaluation waits or is out. Raises ValueError if it ended."""
    for lane in LANES:
        here = lane.architecture in (None, evaluation.architecture)
        if here and evaluation.state in (lane.waiting_state, lane.leased_state):
            return lane
    raise ValueError(f"evaluation {evaluation.pk} is {evaluation.state}, in no queue")


@dataclass(frozen=True, slots=True)
class QueueState:
    """What pages show of a queue: numbers of evaluations and of runners, and their last report."""

    queue: str
    waiting: int
    leased: int
    live_runners: int
    last_seen: datetime | None


def live_runners(queue: str | None = None) -> QuerySet[Runner]:
    """Return the runners that reported lately by the database's clock, of one queue or of all."""
    live = Runner.objects.filter(last_seen__gt=Now() - timedelta(seconds=LIVE_SECONDS))
    return live if queue is None else live.filter(queue=queue)


def queue_state() -> list[QueueState]:
    """Return the state of every queue, the static one first."""
    return [
        QueueState(
            queue=lane.queue,
            waiting=lane.rows(lane.waiting_state).count(),
            leased=lane.rows(lane.leased_state).count(),
            live_runners=live_runners(lane.queue).count(),
            last_seen=Runner.objects.filter(queue=lane.queue).aggregate(at=Max("last_seen"))["at"],
        )
        for lane in LANES
    ]


def ahead_of(submission: Submission) -> int:
    """Return how many evaluations are served before the submission's next waiting one.

    Its own don't count, those that are out with a runner do; 0 if nothing of it waits.
    """
    waiting = submission.evaluations.filter(state__in=Evaluation.WAITING)
    # The static step comes first: while it is due, the GPU's queue says nothing.
    first = waiting.order_by("-state", "pk").first()
    if first is None:
        return 0
    lane = lane_of(first)
    before = lane.rows(lane.waiting_state, lane.leased_state).filter(pk__lt=first.pk)
    return before.exclude(submissions=submission).count()
