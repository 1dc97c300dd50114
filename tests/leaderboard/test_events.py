"""Events are numbered from 1, one submission apart from the other."""

import pytest

from leaderboard import events
from tests.leaderboard.judging import a_submission

pytestmark = pytest.mark.django_db


def test_numbers_only_grow() -> None:
    one, other = a_submission(), a_submission()
    assert [events.append(one, kind) for kind in ("received", "reading")] == [1, 2]
    assert events.append(other, "received") == 1
    assert list(one.events.values_list("seq", "kind")) == [(1, "received"), (2, "reading")]


def test_facts_are_kept_as_far_as_a_database_can() -> None:
    submission = a_submission()
    events.append(submission, "checked", evaluation=7, outcome="a\0b\ud800c", kernel="k" * 9999)
    facts = submission.events.get().facts
    assert facts == {"evaluation": 7, "outcome": "ab\ufffdc", "kernel": "k" * 400}


def test_an_unknown_kind_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="finished"):
        events.append(a_submission(), "finished")
