"""A lease is prolonged by who holds it, as long as it holds, by the database's clock."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from evaluation.delivery import LEASE_SECONDS
from leaderboard.dispatch import reap, renew
from leaderboard.models import Evaluation
from leaderboard.verdicts import record
from tests.leaderboard.judging import (
    an_evaluation,
    dump,
    expire,
    lease_out,
    renewal_of,
    verdict_on,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]


def ends_in(evaluation: Evaluation, low: float, high: float) -> bool:
    """Whether the lease ends between these seconds from now, by the database's clock."""
    return Evaluation.objects.filter(
        pk=evaluation.pk,
        lease_expires_at__gt=Now() + timedelta(seconds=low),
        lease_expires_at__lte=Now() + timedelta(seconds=high),
    ).exists()


@pytest.mark.parametrize("state", ["static_waiting", "dynamic_waiting"])
def test_the_first_renewal_says_who_began(state: str) -> None:
    evaluation = an_evaluation(state=state)
    request = lease_out(evaluation, started=False, owner="")
    assert renew(renewal_of(request, runner="gpu-7"))
    evaluation.refresh_from_db()
    assert (evaluation.started, evaluation.owner) == (True, "gpu-7")
    assert ends_in(evaluation, LEASE_SECONDS - 10, LEASE_SECONDS)


def test_a_later_renewal_prolongs() -> None:
    evaluation = an_evaluation()
    request = lease_out(evaluation, lease_expires_at=Now() + timedelta(seconds=5))
    assert renew(renewal_of(request))
    assert ends_in(evaluation, LEASE_SECONDS - 10, LEASE_SECONDS)


@pytest.mark.parametrize(
    "changes",
    [{"lease": "another"}, {"attempt": 2}, {"evaluation": 10**18}, {"attempt": 10**30}],
    ids=["foreign", "attempt", "unknown", "huge"],
)
def test_a_renewal_of_another_lease_does_nothing(changes: dict, caplog) -> None:
    request = lease_out(an_evaluation())
    before = dump()
    assert not renew(renewal_of(request, **changes))
    assert dump() == before
    assert "not the row's" in caplog.text


def test_a_lease_with_nul_is_none_of_ours() -> None:
    request = lease_out(an_evaluation())
    assert not renew(renewal_of(request, lease=request.lease + "\0"))


def test_a_runners_name_may_hold_anything() -> None:
    evaluation = an_evaluation()
    assert renew(renewal_of(lease_out(evaluation), runner="gpu\0-" + "7" * 190))
    evaluation.refresh_from_db()
    assert evaluation.owner == ("gpu-" + "7" * 190)[:120]


def test_an_expired_lease_stays_expired(caplog) -> None:
    evaluation = an_evaluation()
    request = lease_out(evaluation)
    expire(evaluation)
    before = dump()
    assert not renew(renewal_of(request))
    assert dump() == before
    assert "not the row's" in caplog.text


@pytest.mark.parametrize("state", ["static_waiting", "decided", "infra_error", "cancelled"])
def test_a_spent_lease_is_not_prolonged(state: str) -> None:
    evaluation = an_evaluation()
    request = lease_out(evaluation)
    Evaluation.objects.filter(pk=evaluation.pk).update(state=state)
    before = dump()
    assert not renew(renewal_of(request))
    assert dump() == before


@pytest.mark.parametrize("year", [2001, 2101])
def test_the_applications_clock_does_not_matter(year: int, monkeypatch, offered) -> None:
    wrong = datetime(year, 1, 1, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: wrong)
    kept, lost = an_evaluation(), an_evaluation()
    requests = {request.evaluation: request for request in offered()}
    assert renew(renewal_of(requests[kept.pk]))
    assert renew(renewal_of(requests[lost.pk]))
    assert ends_in(kept, LEASE_SECONDS - 10, LEASE_SECONDS)
    expire(lost)
    reap()
    kept.refresh_from_db()
    lost.refresh_from_db()
    assert (kept.state, kept.attempt) == ("static_leased", 1)
    assert lost.attempt == 2
    assert not record(verdict_on(requests[lost.pk]))
    assert record(verdict_on(requests[kept.pk]))
