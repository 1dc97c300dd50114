"""Messages become calls; what is no message is logged and dropped; an outage is waited out."""

from types import SimpleNamespace

import pytest
from django.db import OperationalError

from evaluation.messages import RunnerReport, encode
from evaluation.outcomes import Outcome
from leaderboard import dispatch, tasks, verdicts
from leaderboard.config.celery import app, verdict_app
from leaderboard.models import Evaluation, Runner
from tests.leaderboard.judging import (
    a_submission,
    an_evaluation,
    dump,
    lease_out,
    renewal_of,
    verdict_on,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]

FROM_RUNNERS = pytest.mark.parametrize(
    "task", [tasks.record_verdict, tasks.renew_lease, tasks.register_runner]
)


@pytest.fixture
def pauses(monkeypatch) -> list[float]:
    """The pauses that were made, without making them."""
    made: list[float] = []
    monkeypatch.setattr(tasks, "time", SimpleNamespace(sleep=made.append))
    # It would end the transaction that the test runs in; see dispatch/test_concurrency.py.
    monkeypatch.setattr(tasks, "close_old_connections", lambda: None)
    return made


def test_a_verdict_is_recorded_and_its_place_given_to_the_next() -> None:
    first, second = an_evaluation(), an_evaluation()
    submission = a_submission([first])
    tasks.record_verdict(encode(verdict_on(lease_out(first), Outcome.COMPILE_ERROR)).decode())
    submission.refresh_from_db()
    second.refresh_from_db()
    assert submission.state == "complete"
    assert second.state == Evaluation.State.STATIC_LEASED


def test_a_renewal_and_a_report_are_stored() -> None:
    evaluation = an_evaluation()
    tasks.renew_lease(encode(renewal_of(lease_out(evaluation, started=False))).decode())
    evaluation.refresh_from_db()
    assert evaluation.started
    tasks.register_runner(encode(RunnerReport(name="gpu-1", queue="static")).decode())
    assert Runner.objects.get().name == "gpu-1"


@FROM_RUNNERS
@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        '{"schema": "ptxbench.verdict/1"}',
        '{"schema": "ptxbench.lease-renewal/1", "evaluation": NaN}',
        "\ud800",
        "\0",
        "[" * 100_000,
        " " * 1_000_001,
        None,
        7,
        {"schema": "ptxbench.verdict/1"},
    ],
    ids=range(12),
)
def test_what_is_no_message_is_logged_and_dropped(task, text, caplog) -> None:
    lease_out(an_evaluation())
    before = dump()
    task(text)
    assert dump() == before
    assert "dropped" in caplog.text


@pytest.mark.parametrize("escape", ["\\ud800", "\\u0000"])
def test_escapes_that_postgresql_refuses_harm_nobody(escape: str) -> None:
    evaluation = an_evaluation()
    verdict = verdict_on(lease_out(evaluation), Outcome.COMPILE_ERROR, reason="HERE")
    tasks.record_verdict(encode(verdict).decode().replace("HERE", escape))
    evaluation.refresh_from_db()
    dropped = escape == "\\ud800"  # it is no character, so the text is no JSON
    assert evaluation.state == ("static_leased" if dropped else "decided")


def test_a_verdict_outlasts_a_restart_of_the_database(monkeypatch, pauses) -> None:
    evaluation = an_evaluation()
    text = encode(verdict_on(lease_out(evaluation), Outcome.COMPILE_ERROR)).decode()
    record, failures = verdicts.record, iter([OperationalError("gone"), OperationalError("gone")])

    def shaky(verdict) -> bool:
        for failure in failures:
            raise failure
        return record(verdict)

    monkeypatch.setattr(verdicts, "record", shaky)
    tasks.record_verdict(text)
    evaluation.refresh_from_db()
    assert evaluation.state == "decided"
    assert pauses == list(tasks.PAUSES[:2])


def test_an_outage_without_end_is_raised(monkeypatch, pauses) -> None:
    def fail(_verdict) -> bool:
        raise OperationalError("gone")

    monkeypatch.setattr(verdicts, "record", fail)
    text = encode(verdict_on(lease_out(an_evaluation()))).decode()
    with pytest.raises(OperationalError):
        tasks.record_verdict(text)
    assert pauses == list(tasks.PAUSES)


def test_the_sites_worker_reaps_when_it_starts_and_the_other_does_not(monkeypatch) -> None:
    rung: list[str] = []
    monkeypatch.setattr(dispatch, "ring", rung.append)
    tasks._reap_at_start(SimpleNamespace(app=verdict_app))
    assert rung == []
    tasks._reap_at_start(SimpleNamespace(app=app))
    assert rung == ["leaderboard.reap"]


def test_offers_and_reaps(monkeypatch) -> None:
    evaluation = an_evaluation()
    tasks.offer()
    evaluation.refresh_from_db()
    assert evaluation.state == "static_leased"
    called: list[str] = []
    monkeypatch.setattr(dispatch, "reap", lambda: called.append("reap"))
    tasks.reap()
    assert called == ["reap"]
