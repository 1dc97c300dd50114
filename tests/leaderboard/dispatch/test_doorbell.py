"""The bell rings after the commit, and a broken one disturbs nobody."""

import pytest
from django.db import transaction

from leaderboard.dispatch import RING_SECONDS, TAKE_IN, ring

pytestmark = pytest.mark.django_db


def test_it_rings_after_the_commit(broker, django_capture_on_commit_callbacks) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        ring(TAKE_IN, "a-key")
        assert broker.sent == []
    assert broker.sent == [
        {"name": TAKE_IN, "args": ["a-key"], "queue": "site", "expires": 2 * RING_SECONDS}
    ]


def test_it_stays_silent_without_a_commit(broker, django_capture_on_commit_callbacks) -> None:
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        ring(TAKE_IN, "a-key")
        transaction.set_rollback(True)
    assert broker.sent == []


def test_a_broken_bell_is_logged(broker, django_capture_on_commit_callbacks, caplog) -> None:
    broker.broken = True
    with django_capture_on_commit_callbacks(execute=True):
        ring(TAKE_IN, "a-key")
    assert "leaderboard.take_in was not sent" in caplog.text
