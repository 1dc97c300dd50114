"""Telling the site's worker that there is work: the rows say what, this only saves time."""

import logging
from functools import partial

from django.db import transaction

from evaluation.delivery import SITE
from leaderboard.config.celery import OFFER, REAP, TAKE_IN, app

__all__ = ["OFFER", "REAP", "RING_SECONDS", "TAKE_IN", "ring"]

logger = logging.getLogger(__name__)

RING_SECONDS = 60
"""How long a submission may lie untaken before the reaper rings for it again."""


def ring(task_name: str, *args: str) -> None:
    """Send a task to the site's worker once the transaction is committed.

    Never raises: a broker that cannot be reached is logged, and the reaper rings again.
    """
    transaction.on_commit(partial(_send, task_name, args))


def _send(task_name: str, args: tuple[str, ...]) -> None:
    try:
        # Twice the time between two rings: without a worker they don't pile up.
        app.send_task(task_name, args=args, queue=SITE, expires=2 * RING_SECONDS)
    except Exception as error:  # whatever a broker's client raises, the row is safe
        logger.warning("%s was not sent, the reaper will ring again: %s", task_name, error)
