"""Two at once, with real connections: nothing happens twice and nothing is lost.

On PostgreSQL only: SQLite lets one writer in at a time, which is the stricter rule.
"""

import time
from collections.abc import Callable
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection, connections, transaction
from django.db.models.functions import Now

from evaluation.messages import encode
from evaluation.outcomes import Outcome
from leaderboard import endings, tasks, verdicts
from leaderboard.dispatch import offer, offers, reap, reaper
from leaderboard.dispatch.offers import SMALLEST_WINDOW
from leaderboard.models import Evaluation, OutcomeCount, Result, Trajectory, Turn
from leaderboard.verdicts import record, result_columns
from tests.leaderboard.judging import (
    a_result,
    a_run,
    a_submission,
    an_evaluation,
    expire,
    lease_out,
    link,
    verdict_on,
)

pytestmark = [
    # Named apps make Django empty tables with CASCADE: one of a package has no model here.
    pytest.mark.django_db(transaction=True, available_apps=settings.INSTALLED_APPS),
    pytest.mark.usefixtures("catalog", "broker"),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer"),
]

BLOCKED_SECONDS = 0.3
PATIENCE = 20


class Other(Thread):
    """A call in a thread with its own connection; `result` waits for what it returned."""

    def __init__(self, call: Callable[[], Any]) -> None:
        super().__init__()
        self.call = call
        self.answer: Any = None
        self.error: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self.answer = self.call()
        except Exception as error:
            self.error = error
        finally:
            connections.close_all()

    def result(self) -> Any:
        self.join(PATIENCE)
        assert not self.is_alive()
        if self.error is not None:
            raise self.error
        return self.answer

    def blocked(self) -> bool:
        """Whether it still waits after a while."""
        self.join(BLOCKED_SECONDS)
        return self.is_alive()


class Gate:
    """Stops the first call of a function until it is opened."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.reached, self.opened = function, Event(), Event()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.reached.is_set():
            self.reached.set()
            assert self.opened.wait(PATIENCE)
        return self.function(*args, **kwargs)


@contextmanager
def stopped_before(monkeypatch: pytest.MonkeyPatch, module: Any, name: str):
    """Stop the first caller of a function, and let it go on at the end of the block."""
    gate = Gate(getattr(module, name))
    monkeypatch.setattr(module, name, gate)
    try:
        yield gate.reached
    finally:
        gate.opened.set()


@pytest.mark.parametrize("_round", range(5))
def test_offers_at_once_lease_no_row_twice_and_no_more_than_a_window(_round, broker) -> None:
    for _ in range(SMALLEST_WINDOW + 4):
        an_evaluation()
    others = [Other(offer) for _ in range(4)]
    assert sum(other.result() for other in others) == SMALLEST_WINDOW
    requests = broker.requests()
    assert len({request.evaluation for request in requests}) == len(requests) == SMALLEST_WINDOW
    leased = Evaluation.objects.filter(state="static_leased").values_list("pk", "lease")
    assert dict(leased) == {request.evaluation: request.lease for request in requests}


def test_an_offer_that_is_late_finds_the_rows_taken(broker, monkeypatch) -> None:
    for _ in range(SMALLEST_WINDOW):
        an_evaluation()
    with stopped_before(monkeypatch, offers, "_lease") as reached:
        late = Other(offer)
        assert reached.wait(PATIENCE)
        assert offer() == SMALLEST_WINDOW
    assert late.result() == 0
    assert len(broker.requests()) == SMALLEST_WINDOW


def test_the_reaper_waits_for_a_verdict_and_leaves_it(monkeypatch) -> None:
    evaluation = an_evaluation()
    request = lease_out(evaluation, lease_expires_at=Now() + timedelta(seconds=0.5))
    with stopped_before(monkeypatch, endings, "move") as reached:
        recording = Other(lambda: record(verdict_on(request, Outcome.COMPILE_ERROR)))
        assert reached.wait(PATIENCE)
        time.sleep(0.6)  # the lease ends while its verdict is being written
        reaping = Other(reap)
        assert reaping.blocked()
    assert recording.result() is True
    reaping.result()
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempt) == ("decided", 1)


def test_a_verdict_waits_for_the_reaper_and_is_late(monkeypatch) -> None:
    evaluation = an_evaluation()
    run = a_run([evaluation])
    request = lease_out(evaluation, lease_expires_at=Now() + timedelta(seconds=0.5))
    monkeypatch.setattr(reaper, "offer", lambda: 0)
    time.sleep(0.6)
    with stopped_before(monkeypatch, reaper, "move") as reached:
        reaping = Other(reap)
        assert reached.wait(PATIENCE)
        # Were it not for the row's lock, this lease would look as if it held.
        late = Other(lambda: record(verdict_on(request, Outcome.COMPILE_ERROR)))
        late.blocked()
    reaping.result()
    assert late.result() is False
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempt) == ("static_waiting", 2)
    assert Result.everything.get(turn__trajectory__run=run).outcome == "waiting"


@pytest.mark.parametrize("outcome", [None, Outcome.COMPILE_ERROR, Outcome.INFRA_ERROR])
def test_of_two_deliveries_at_once_one_is_recorded(outcome, monkeypatch) -> None:
    evaluation = an_evaluation()
    submission = a_submission([evaluation])
    verdict = verdict_on(lease_out(evaluation), outcome)
    with stopped_before(monkeypatch, verdicts, "_keep") as reached:
        first = Other(lambda: record(verdict))
        assert reached.wait(PATIENCE)
        second = Other(lambda: record(verdict))
        assert second.blocked()
    assert (first.result(), second.result()) == (True, False)
    assert submission.events.filter(kind="checked").count() == (outcome != Outcome.INFRA_ERROR)


@pytest.mark.parametrize("stop", ["refresh", "move"])
def test_two_verdicts_on_one_run_are_both_in_its_figures(stop: str, monkeypatch) -> None:
    one, two = an_evaluation(), an_evaluation()
    submission, run = a_submission([one, two]), a_run([one, two])
    requests = [lease_out(one), lease_out(two)]
    with stopped_before(monkeypatch, endings, stop) as reached:
        first = Other(lambda: record(verdict_on(requests[0], Outcome.COMPILE_ERROR)))
        assert reached.wait(PATIENCE)
        second = Other(lambda: record(verdict_on(requests[1], Outcome.BANNED_LIBRARY)))
        assert second.blocked()
    assert first.result()
    assert second.result()
    counted = OutcomeCount.everything.filter(run=run).values_list("turn", "outcome", "count")
    assert sorted(counted) == [(0, "compile_error", 1), (1, "banned_library", 1)]
    submission.refresh_from_db()
    assert submission.state == "complete"
    events = submission.events.values_list("seq", "kind")
    assert list(events) == [(1, "checked"), (2, "checked"), (3, "complete")]


def test_a_verdict_is_recorded_although_its_connection_was_cut(monkeypatch) -> None:
    evaluation = an_evaluation()
    verdict = verdict_on(lease_out(evaluation), Outcome.COMPILE_ERROR)
    monkeypatch.setattr(tasks, "PAUSES", (0.01,))
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    options = connection.get_connection_params()
    named = {name: options[name] for name in ("dbname", "user", "host", "port")}
    with psycopg.connect(**named) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [backend])
    tasks.record_verdict(encode(verdict).decode())
    evaluation.refresh_from_db()
    assert evaluation.state == "decided"


def take_in(evaluation: Evaluation, linked: Callable[[], None]) -> Any:
    """Let a new submission want an evaluation, as intake does, and call `linked` within."""
    with transaction.atomic():
        row = Evaluation.objects.select_for_update().get(pk=evaluation.pk)
        submission, run = a_submission([]), a_run([])
        link(submission, row)
        turn = Turn.objects.create(trajectory=Trajectory.objects.get(run=run), number=0)
        result = a_result(turn, row)
        Result.everything.filter(pk=result.pk).update(**result_columns(row))
        linked()
        if row.ended:
            endings.complete_if_judged(submission)
    return submission, result


def test_who_joins_just_before_a_verdict_gets_it() -> None:
    evaluation = an_evaluation()
    request = lease_out(evaluation)
    joined, go_on = Event(), Event()

    def wait() -> None:
        joined.set()
        assert go_on.wait(PATIENCE)

    joining = Other(lambda: take_in(evaluation, wait))
    assert joined.wait(PATIENCE)
    recording = Other(lambda: record(verdict_on(request, Outcome.COMPILE_ERROR)))
    assert recording.blocked()
    go_on.set()
    submission, result = joining.result()
    assert recording.result()
    submission.refresh_from_db()
    result.refresh_from_db()
    assert (submission.state, result.outcome) == ("complete", "compile_error")


def test_who_joins_during_a_verdict_finds_it(monkeypatch) -> None:
    evaluation = an_evaluation()
    request = lease_out(evaluation)
    with stopped_before(monkeypatch, endings, "move") as reached:
        recording = Other(lambda: record(verdict_on(request, Outcome.COMPILE_ERROR)))
        assert reached.wait(PATIENCE)
        joining = Other(lambda: take_in(evaluation, lambda: None))
        assert joining.blocked()
    assert recording.result()
    submission, result = joining.result()
    submission.refresh_from_db()
    result.refresh_from_db()
    assert (submission.state, result.outcome) == ("complete", "compile_error")


def test_reapers_at_once_raise_the_attempt_once(monkeypatch) -> None:
    evaluation = an_evaluation()
    submission = a_submission([evaluation])
    lease_out(evaluation)
    expire(evaluation)
    monkeypatch.setattr(reaper, "offer", lambda: 0)
    with stopped_before(monkeypatch, reaper, "move") as reached:
        first = Other(reap)
        assert reached.wait(PATIENCE)
        second = Other(reap)
        assert second.blocked()
    first.result()
    second.result()
    evaluation.refresh_from_db()
    assert evaluation.attempt == 2
    assert list(submission.events.values_list("kind", flat=True)) == ["retried"]
