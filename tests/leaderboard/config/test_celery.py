"""Celery's settings as the workers see them, and who knows which task."""

from typing import Any

import pytest

from evaluation import delivery
from evaluation.delivery import celery_settings
from leaderboard import tasks
from leaderboard.config.celery import SITE_TASKS, VERDICT_TASKS, app, verdict_app

APPS = pytest.mark.parametrize("worker", [app, verdict_app], ids=["site", "verdicts"])


@APPS
def test_what_the_workers_go_by(worker) -> None:
    conf = worker.conf
    assert conf.task_acks_late is True
    assert conf.task_acks_on_failure_or_timeout is True
    assert conf.task_reject_on_worker_lost is False
    assert conf.worker_prefetch_multiplier == 1
    assert conf.task_ignore_result is True
    assert conf.result_backend is None
    assert (conf.task_serializer, conf.accept_content) == ("json", ["json"])
    assert conf.task_default_queue == "site"
    assert conf.task_default_queue_type == "quorum"
    assert conf.task_create_missing_queue_type == "quorum"
    assert conf.broker_connection_retry_on_startup is True
    assert conf.broker_connection_max_retries is None
    assert conf.enable_utc is True
    assert conf.task_soft_time_limit == delivery.SOFT_SECONDS
    assert conf.task_time_limit == delivery.HARD_SECONDS
    assert conf.broker_transport_options["visibility_timeout"] == delivery.VISIBILITY_SECONDS


@APPS
@pytest.mark.parametrize("name", ["site", "verdicts", "static", "gpu.hopper", "gpu.blackwell"])
def test_every_queue_is_kept_by_a_majority_of_brokers(worker, name: str) -> None:
    queue: Any = worker.amqp.queues[name]
    assert queue.queue_arguments == {"x-queue-type": "quorum"}
    assert queue.durable


def test_publishing_is_confirmed_by_rabbitmq() -> None:
    options = celery_settings("amqp://host//")["broker_transport_options"]
    assert options["confirm_publish"] is True


def test_times_nest() -> None:
    times = [
        delivery.REAP_SECONDS,
        delivery.RENEW_SECONDS,
        delivery.LEASE_SECONDS,
        app.conf.task_soft_time_limit,
        app.conf.task_time_limit,
        app.conf.broker_transport_options["visibility_timeout"],
    ]
    assert times == sorted(set(times))
    assert 3 * delivery.RENEW_SECONDS < delivery.LEASE_SECONDS
    rabbitmqs_consumer_timeout = 1800
    assert app.conf.task_time_limit < rabbitmqs_consumer_timeout
    longest_pause = sum(tasks.PAUSES)
    assert longest_pause < delivery.LEASE_SECONDS


def test_the_reaper_comes_round() -> None:
    (entry,) = app.conf.beat_schedule.values()
    assert entry["task"] == "leaderboard.reap"
    assert entry["schedule"] == delivery.REAP_SECONDS
    assert entry["options"] == {"queue": "site", "expires": delivery.REAP_SECONDS}


def test_tasks_go_to_their_queues() -> None:
    for worker in (app, verdict_app):
        for name in SITE_TASKS:
            assert worker.amqp.router.route({}, name)["queue"].name == "site"
        for name in VERDICT_TASKS:
            assert worker.amqp.router.route({}, name)["queue"].name == "verdicts"


def test_the_worker_that_runners_reach_knows_three_tasks_and_not_even_celerys() -> None:
    assert set(verdict_app.tasks) == {
        "leaderboard.record_verdict",
        "leaderboard.renew_lease",
        "leaderboard.register_runner",
    }


def test_the_sites_worker_knows_the_sites_tasks() -> None:
    own = {name for name in app.tasks if not name.startswith("celery.")}
    assert own == {"leaderboard.offer", "leaderboard.reap"}
