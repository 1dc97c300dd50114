"""Requests leave in order, on commit, never more than a window of them, each row once."""

from datetime import timedelta
from hashlib import sha256

import pytest
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from evaluation.delivery import QUEUE_SECONDS
from evaluation.messages import decode_request
from evaluation.tasks import load_catalog
from leaderboard.dispatch import offer
from leaderboard.dispatch.offers import SMALLEST_WINDOW
from leaderboard.models import Evaluation, Runner
from tests.leaderboard.judging import (
    TASK,
    UNDEFINED_TASK,
    a_run,
    a_runner,
    a_submission,
    an_evaluation,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]

State = Evaluation.State


def test_a_request_says_everything_the_runner_needs(
    broker, django_capture_on_commit_callbacks
) -> None:
    evaluation = an_evaluation("__global__ void f() {}\n")
    with django_capture_on_commit_callbacks(execute=True):
        assert offer() == 1
    (sent,) = broker.sent
    assert (sent["name"], sent["queue"]) == ("gpu_runner.judge", "static")
    assert sent["expires"] == QUEUE_SECONDS
    request = decode_request(sent["args"][0].encode())
    evaluation.refresh_from_db()
    assert evaluation.state == State.STATIC_LEASED
    assert (evaluation.started, evaluation.owner) == (False, "")
    assert request.lease == evaluation.lease
    assert len(request.lease) == 32
    assert (request.evaluation, request.attempt, request.step) == (evaluation.pk, 1, "static")
    assert request.source == "__global__ void f() {}\n"
    assert request.source_sha256 == sha256(request.source.encode()).hexdigest()
    assert (request.task, request.architecture, request.hardware) == (TASK, "hopper", "h200")
    assert request.definition_sha256 == load_catalog()[TASK].definition_sha256


def test_a_lease_ends_by_the_databases_clock(offered) -> None:
    an_evaluation()
    offered()
    ends = Now() + timedelta(seconds=QUEUE_SECONDS)
    assert Evaluation.objects.filter(
        lease_expires_at__gt=ends - timedelta(seconds=60), lease_expires_at__lte=ends
    ).exists()


def test_requests_leave_in_order_and_at_most_a_window_is_out(offered) -> None:
    rows = [an_evaluation() for _ in range(SMALLEST_WINDOW + 3)]
    first = offered()
    assert [request.evaluation for request in first] == [row.pk for row in rows[:SMALLEST_WINDOW]]
    assert len({request.lease for request in first}) == SMALLEST_WINDOW
    assert offered() == []
    Evaluation.objects.filter(pk=rows[3].pk).update(state=State.DECIDED)
    assert [request.evaluation for request in offered()] == [rows[SMALLEST_WINDOW].pk]


def test_more_runners_make_a_larger_window(offered) -> None:
    for _ in range(SMALLEST_WINDOW):
        a_runner()
    dead = a_runner()
    Runner.objects.filter(pk=dead.pk).update(last_seen=F("last_seen") - timedelta(hours=1))
    for _ in range(3 * SMALLEST_WINDOW):
        an_evaluation()
    assert len(offered()) == 2 * SMALLEST_WINDOW


def test_nothing_is_sent_before_the_commit_and_nothing_if_there_is_none(
    broker, django_capture_on_commit_callbacks
) -> None:
    an_evaluation()
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        assert offer() == 1
        assert broker.sent == []
        transaction.set_rollback(True)
    assert broker.sent == []
    assert Evaluation.objects.get().state == State.STATIC_WAITING


def test_without_a_broker_the_rows_wait_and_nothing_is_raised(broker, offered) -> None:
    rows = [an_evaluation(), an_evaluation(attempt=2)]
    broker.broken = True
    assert offered() == []
    waiting = Evaluation.objects.filter(state=State.STATIC_WAITING, lease="", started=False)
    assert list(waiting.values_list("attempt", flat=True)) == [1, 2]
    broker.broken = False
    assert [request.evaluation for request in offered()] == [row.pk for row in rows]


def test_a_kernel_waits_for_a_runner_with_its_gpu(offered) -> None:
    evaluation = an_evaluation(state=State.DYNAMIC_WAITING)
    a_runner("static")
    a_runner("gpu.blackwell")
    gone = a_runner("gpu.hopper")
    Runner.objects.filter(pk=gone.pk).update(last_seen=F("last_seen") - timedelta(hours=1))
    assert offered() == []
    a_runner("gpu.hopper")
    (request,) = offered()
    assert (request.evaluation, request.step) == (evaluation.pk, "dynamic")
    evaluation.refresh_from_db()
    assert evaluation.state == State.DYNAMIC_LEASED


def test_a_task_without_definition_is_checked_but_never_run(offered) -> None:
    a_runner("gpu.hopper")
    evaluation = an_evaluation(task=UNDEFINED_TASK)
    (request,) = offered()
    assert request.definition_sha256 == sha256(b"").hexdigest()
    Evaluation.objects.filter(pk=evaluation.pk).update(state=State.DYNAMIC_WAITING)
    assert offered() == []


def test_a_kernel_that_no_message_can_carry_is_given_up_and_blocks_nobody(offered) -> None:
    huge = an_evaluation("\x01" * 400_000)
    submission = a_submission([huge])
    run = a_run([huge])
    small = an_evaluation()
    assert [request.evaluation for request in offered()] == [small.pk]
    huge.refresh_from_db()
    submission.refresh_from_db()
    assert (huge.state, huge.outcome) == (State.INFRA_ERROR, "infra_error")
    assert "cannot be sent" in huge.reason
    assert submission.state == "complete"
    assert run.outcomecount_rows(manager="everything").get().outcome == "infra_error"
