"""What the site's workers do when a message comes in; each task is a thin door.

Tasks of `app` are rung for by the site itself. The three of `verdict_app` take JSON text
from runners: what is no message is logged and dropped, since a second try would not help.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from celery.signals import worker_ready
from django.db import InterfaceError, OperationalError, close_old_connections

from evaluation import messages
from evaluation.delivery import RECORD_VERDICT, REGISTER_RUNNER, RENEW_LEASE
from leaderboard import dispatch, verdicts
from leaderboard.config.celery import OFFER, REAP, app, verdict_app

logger = logging.getLogger(__name__)

PAUSES = (1, 2, 4, 8, 15)
"""Seconds between tries while the database cannot be reached, or is too busy."""

Message = TypeVar("Message")
Answer = TypeVar("Answer")


@app.task(name=OFFER, shared=False)
def offer() -> None:
    """Send requests for what waits."""
    dispatch.offer()


@app.task(name=REAP, shared=False)
def reap() -> None:
    """Bring back what was lost, then send requests for what waits."""
    dispatch.reap()


@worker_ready.connect
def _reap_at_start(sender: Any, **_kwargs: Any) -> None:
    """What was left when the site stopped is taken up again at once."""
    if sender.app.main == app.main:
        dispatch.ring(REAP)


@verdict_app.task(name=RECORD_VERDICT, shared=False)
def record_verdict(text: str) -> None:
    """Record a `Verdict`; a place in the window is free then, so offer the next."""
    verdict = _read(messages.decode_verdict, text)
    if verdict is not None and _through_outage(lambda: verdicts.record(verdict)):
        _through_outage(dispatch.offer)


@verdict_app.task(name=RENEW_LEASE, shared=False)
def renew_lease(text: str) -> None:
    """Prolong the lease that a `LeaseRenewal` quotes."""
    renewal = _read(messages.decode_renewal, text)
    if renewal is not None:
        _through_outage(lambda: dispatch.renew(renewal))


@verdict_app.task(name=REGISTER_RUNNER, shared=False)
def register_runner(text: str) -> None:
    """Store a `RunnerReport`."""
    report = _read(messages.decode_report, text)
    if report is not None:
        _through_outage(lambda: dispatch.register(report))


def _read(decode: Callable[[bytes], Message], text: object) -> Message | None:
    if not isinstance(text, str):
        logger.warning("dropped a message that is no text but %s", type(text).__name__)
        return None
    try:
        return decode(text.encode("utf-8", "surrogatepass"))
    except messages.BadMessage as error:
        logger.warning("dropped what is no message: %s", error)
        return None


def _through_outage(act: Callable[[], Answer]) -> Answer:
    """Do something in the database, waiting through its restart; raises if that takes too long.

    What is done twice must do no harm: the outage may come right after a commit.
    """
    for pause in PAUSES:
        try:
            return act()
        except (OperationalError, InterfaceError) as error:
            logger.warning("the database is not there, next try in %s s: %s", pause, error)
            close_old_connections()
            time.sleep(pause)
    return act()
