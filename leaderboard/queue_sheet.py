"""What somebody waits for: which queue, how many are ahead, and who serves it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext, ngettext

from evaluation.architectures import ARCHITECTURES
from evaluation.delivery import STATIC
from leaderboard.dispatch import QueueState, queue_state
from leaderboard.dispatch.lanes import LANES, Lane
from leaderboard.models import Evaluation, Submission


@dataclass(frozen=True, slots=True)
class Wait:
    """Waiting at one queue, in sentences; `last_seen` continues the sentence `runner`."""

    title: str
    place: str
    runner: str
    last_seen: datetime | None
    served: bool


@dataclass(frozen=True, slots=True)
class QueueLine:
    """One queue with its name and what it does."""

    state: QueueState
    title: str
    purpose: str


def queue_lines() -> list[QueueLine]:
    """Return every queue, the static one first."""
    return [QueueLine(state, *_names(state.queue)) for state in queue_state()]


def _names(queue: str) -> tuple[str, str]:
    lane = next(lane for lane in LANES if lane.queue == queue)
    if lane.architecture is None:
        return gettext("Static check"), gettext("compiles, disassembles, counts instructions")
    name = ARCHITECTURES[lane.architecture].name
    return (
        gettext("%(arch)s GPU") % {"arch": name},
        gettext("runs and measures kernels"),
    )


def submission_waits(submission: Submission) -> list[Wait]:
    """Return what an open submission waits for: GPUs, and a static worker where none is there."""
    if not submission.is_open:
        return []
    mine = submission.evaluations.filter(state__in=Evaluation.WAITING)
    rows = list(mine.values_list("pk", "state", "architecture"))
    waits = _waits(rows, Q(submissions=submission))
    # While a worker is there, the progress bar says enough about the static step.
    return [wait for lane, wait in waits if lane.step == "dynamic" or not wait.served]


def evaluation_wait(evaluation: Evaluation) -> Wait | None:
    """Return what one evaluation waits for; None if it doesn't wait."""
    if evaluation.state not in Evaluation.WAITING:
        return None
    row = (evaluation.pk, evaluation.state, evaluation.architecture)
    return next((wait for _lane, wait in _waits([row], Q(pk=evaluation.pk))), None)


def _waits(rows: Iterable[tuple[int, str, str]], mine: Q) -> list[tuple[Lane, Wait]]:
    rows = list(rows)
    states = {state.queue: state for state in queue_state()} if rows else {}
    found = []
    for lane in LANES:
        keys = [
            pk
            for pk, state, architecture in rows
            if state == lane.waiting_state and lane.architecture in (None, architecture)
        ]
        if keys:
            found.append((lane, _wait(lane, states[lane.queue], keys, mine)))
    return found


def _wait(lane: Lane, state: QueueState, keys: list[int], mine: Q) -> Wait:
    before = lane.rows(lane.waiting_state, lane.leased_state).filter(pk__lt=min(keys))
    ahead = before.exclude(pk__in=Evaluation.objects.filter(mine).values("pk")).count()
    return Wait(
        title=_title(lane),
        place=_place(len(keys), ahead),
        runner=_runner(state),
        last_seen=state.last_seen,
        served=state.live_runners > 0,
    )


def _title(lane: Lane) -> str:
    if lane.architecture is None:
        return gettext("Waiting for the static check")
    name = ARCHITECTURES[lane.architecture].name
    return gettext("Waiting for a %(arch)s runner") % {"arch": name}


def _place(mine: int, ahead: int) -> str:
    if not ahead:
        return ngettext("It is next.", "%(n)d kernels; the first of them is next.", mine) % {
            "n": mine
        }
    return ngettext("%(ahead)d kernel is ahead.", "%(ahead)d kernels are ahead.", ahead) % {
        "ahead": ahead
    }


def _runner(state: QueueState) -> str:
    if state.live_runners:
        return ngettext(
            "%(n)d runner is at work, last seen",
            "%(n)d runners are at work, last seen",
            state.live_runners,
        ) % {"n": state.live_runners}
    if state.last_seen:
        return gettext("No runner is there now; the last one was seen")
    if state.queue == STATIC:
        return gettext("No worker has reported yet.")
    return gettext("No such runner has reported yet; the kernels wait until one does.")
