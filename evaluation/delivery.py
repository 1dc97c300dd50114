"""How site and runner reach each other: queues, task names, times, and Celery's settings.

Both sides build their own Celery app from `celery_settings`, so that neither can drift.
The times nest: renewal < lease < soft limit < hard limit < visibility timeout.
"""

from typing import Any

SITE = "site"
VERDICTS = "verdicts"
STATIC = "static"

JUDGE = "gpu_runner.judge"
"""Takes a `JudgeRequest` as JSON text; runs on the queue of its step."""

RECORD_VERDICT = "leaderboard.record_verdict"
RENEW_LEASE = "leaderboard.renew_lease"
REGISTER_RUNNER = "leaderboard.register_runner"
"""The three tasks that a runner may call, on the queue `verdicts`; each takes JSON text."""

RENEW_SECONDS = 30
LEASE_SECONDS = 120
"""How long a started request may be silent."""

QUEUE_SECONDS = 600
"""How long a request may lie in the broker before another takes its place."""

REAP_SECONDS = 15
ATTEMPTS = 3

SOFT_SECONDS = 900
HARD_SECONDS = 960
VISIBILITY_SECONDS = 3600

LIVE_SECONDS = 180
"""A runner that was silent for longer is shown as gone; it reports every minute."""


def gpu_queue(architecture: str) -> str:
    """Return the queue of kernels that wait for a GPU of `architecture`."""
    return f"gpu.{architecture}"


def celery_settings(broker_url: str) -> dict[str, Any]:
    """Return the settings of a Celery app that talks through `broker_url`.

    Messages are JSON and acknowledged when their work is done, one at a time; a worker that
    dies with its message loses it, because the lease of its row brings it back, with a cap.
    Queues are quorum queues with confirmed publishing on RabbitMQ; Redis and Valkey ignore that.
    """
    options: dict[str, Any] = {"visibility_timeout": VISIBILITY_SECONDS}
    if broker_url.startswith(("amqp", "pyamqp")):
        options = {"confirm_publish": True}
    return {
        "broker_url": broker_url,
        "broker_transport_options": options,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "result_backend": None,
        "task_ignore_result": True,
        "task_serializer": "json",
        "accept_content": ["json"],
        "task_acks_late": True,
        "task_reject_on_worker_lost": False,
        "task_default_queue_type": "quorum",
        "task_default_queue": SITE,
        "task_create_missing_queues": True,
        "task_create_missing_queue_type": "quorum",
        "worker_prefetch_multiplier": 1,
        "worker_detect_quorum_queues": True,
        "worker_hijack_root_logger": False,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "task_soft_time_limit": SOFT_SECONDS,
        "task_time_limit": HARD_SECONDS,
        "task_publish_retry_policy": {"max_retries": 3, "interval_start": 0, "interval_step": 0.2},
        "enable_utc": True,
        "timezone": "UTC",
    }
