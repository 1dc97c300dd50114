"""From waiting rows to requests in the broker, never more of them than the runners soon take."""

import logging
import secrets
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from hashlib import sha256

from django.db import transaction
from django.db.models.functions import Now

from evaluation.delivery import JUDGE, QUEUE_SECONDS
from evaluation.messages import BadMessage, JudgeRequest, encode
from evaluation.outcomes import Outcome
from evaluation.tasks import load_catalog
from leaderboard.config.celery import app
from leaderboard.dispatch.lanes import LANES, Lane, live_runners
from leaderboard.dispatch.leases import take_back
from leaderboard.endings import end
from leaderboard.models import Evaluation

logger = logging.getLogger(__name__)

SMALLEST_WINDOW = 8
PER_RUNNER = 2
"""Requests out per live runner: one at work and one at hand, so that none waits for the site."""

NO_DEFINITION = sha256(b"").hexdigest()
"""Stands for the definition of a task that has none here; only its static step is offered."""


def offer() -> int:
    """Send requests for waiting evaluations, in order, and return how many were leased.

    At most a window per queue is out. A request leaves on commit; if the broker cannot be
    reached, its row waits again.
    """
    return sum(_fill(lane) for lane in LANES)


def window(lane: Lane) -> int:
    """Return how many requests may be out on a queue at once."""
    return max(SMALLEST_WINDOW, PER_RUNNER * live_runners(lane.queue).count())


def _fill(lane: Lane) -> int:
    if lane.step == "dynamic" and not live_runners(lane.queue).exists():
        return 0
    waiting = lane.rows(lane.waiting_state)
    if lane.step == "dynamic":
        waiting = waiting.filter(workload__task__defined=True)
    with transaction.atomic():
        # First who is next, then how many are out: two offers at once then want the same
        # rows, of which each is leased once, and don't fill the window twice.
        size = window(lane)
        first = list(waiting.values_list("pk", flat=True)[:size])
        room = max(0, size - lane.rows(lane.leased_state).count())
        rows = Evaluation.objects.filter(pk__in=first[:room]).order_by("pk")
        requests = [
            request
            for row in rows.select_related("kernel", "workload__task")
            if (request := _lease(row, lane)) is not None
        ]
        if requests:
            transaction.on_commit(partial(_send, lane.queue, requests))
    return len(requests)


def _lease(evaluation: Evaluation, lane: Lane) -> JudgeRequest | None:
    """Lease one waiting row for the lane; None where somebody else was faster."""
    request = _request(evaluation, lane)
    try:
        encode(request)
    except BadMessage as error:
        reason = f"its request cannot be sent: {error}"
        transaction.on_commit(partial(_give_up, evaluation.pk, lane, reason))
        return None
    touched = Evaluation.objects.filter(
        pk=evaluation.pk, state=lane.waiting_state, attempt=evaluation.attempt
    ).update(
        state=lane.leased_state,
        lease=request.lease,
        owner="",
        started=False,
        lease_expires_at=Now() + timedelta(seconds=QUEUE_SECONDS),
    )
    return request if touched == 1 else None


def _request(evaluation: Evaluation, lane: Lane) -> JudgeRequest:
    kernel, task = evaluation.kernel, evaluation.workload.task.slug
    return JudgeRequest(
        evaluation=evaluation.pk,
        attempt=evaluation.attempt,
        lease=secrets.token_urlsafe(24),
        step=lane.step,
        protocol=evaluation.protocol,
        architecture=evaluation.architecture,
        hardware=evaluation.hardware,
        task=task,
        definition_sha256=load_catalog()[task].definition_sha256 or NO_DEFINITION,
        workload=str(evaluation.workload_id),
        language=kernel.language,
        source=kernel.source,
        source_sha256=kernel.sha256,
    )


@transaction.atomic
def _give_up(evaluation: int, lane: Lane, reason: str) -> None:
    """End an evaluation that no runner can ever be asked for, or it would block its queue."""
    rows = Evaluation.objects.filter(pk=evaluation, state=lane.waiting_state)
    if row := rows.select_for_update().first():
        end(row, Evaluation.State.INFRA_ERROR, Outcome.INFRA_ERROR, reason)


def _send(queue: str, requests: Sequence[JudgeRequest]) -> None:
    for index, request in enumerate(requests):
        text = encode(request).decode()
        try:
            app.send_task(JUDGE, args=[text], queue=queue, expires=QUEUE_SECONDS)
        except Exception as error:  # whatever a broker's client raises, the rows are safe
            logger.warning("%s takes no requests, its rows wait: %s", queue, error)
            take_back(requests[index:])
            return
