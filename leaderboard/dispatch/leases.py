"""Who holds an evaluation: a random token with an end by the database's clock."""

import logging
from collections.abc import Collection
from datetime import timedelta

from django.db.models import QuerySet
from django.db.models.functions import Now

from evaluation.delivery import LEASE_SECONDS
from evaluation.messages import JudgeRequest, LeaseRenewal
from leaderboard.endings import NO_LEASE
from leaderboard.models import Evaluation
from leaderboard.storable import storable

logger = logging.getLogger(__name__)

RUNNER_CHARACTERS = 120


def held(
    evaluation: int | None, attempt: int | None, lease: str | None, states: Collection[str]
) -> QuerySet[Evaluation]:
    """Return the one row that this lease holds now, by the database's clock, or none."""
    if evaluation is None or attempt is None or not lease:
        return Evaluation.objects.none()  # a verdict of the command line
    if storable(lease, len(lease)) != lease:
        return Evaluation.objects.none()
    return Evaluation.objects.filter(
        pk=evaluation, attempt=attempt, lease=lease, state__in=states, lease_expires_at__gt=Now()
    )


def renew(renewal: LeaseRenewal) -> bool:
    """Prolong a lease that a runner works on; the first renewal says that it has begun.

    Returns whether the lease was still the row's. If not, nothing changes and it is logged.
    """
    rows = held(renewal.evaluation, renewal.attempt, renewal.lease, Evaluation.LEASED)
    touched = rows.update(
        started=True,
        owner=storable(renewal.runner, RUNNER_CHARACTERS),
        lease_expires_at=Now() + timedelta(seconds=LEASE_SECONDS),
    )
    if not touched:
        logger.warning(
            "evaluation %s, attempt %s: %r renewed a lease that is not the row's",
            renewal.evaluation,
            renewal.attempt,
            renewal.runner,
        )
    return bool(touched)


def take_back(requests: Collection[JudgeRequest]) -> None:
    """Let rows wait again whose request could not be sent. Nobody can have started on them."""
    for request in requests:
        static = request.step == "static"
        leased = Evaluation.State.STATIC_LEASED if static else Evaluation.State.DYNAMIC_LEASED
        waiting = Evaluation.State.STATIC_WAITING if static else Evaluation.State.DYNAMIC_WAITING
        rows = held(request.evaluation, request.attempt, request.lease, [leased])
        rows.filter(started=False).update(state=waiting, **NO_LEASE)
