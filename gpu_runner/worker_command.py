"""`worker`: takes kernels to check from the site's queue until it is told to stop."""

import argparse
import logging
import os
import sys
import warnings

from gpu_runner.identify import look_around

USAGE, INFRASTRUCTURE = 2, 3


def work(arguments: argparse.Namespace) -> int:
    """Serve the queues; return 3 without having taken a job if this host cannot check kernels."""
    if not os.environ.get("CELERY_BROKER_URL"):
        return _refused("CELERY_BROKER_URL is not set. Name the site's broker in it.", USAGE)
    host = look_around()
    if not (host.toolchain and host.sandbox):
        return _refused(
            f"Kernels can't be compiled on this host, so they wait. {' '.join(host.lacks)}",
            INFRASTRUCTURE,
        )
    return _serve(arguments.queues, arguments.jobs or host.cores, host.lacks)


def _serve(queues: list[str], jobs: int, lacks: tuple[str, ...]) -> int:
    # No other command needs Celery, and the app reads the environment.
    from celery.exceptions import CPendingDeprecationWarning, SecurityWarning  # noqa: PLC0415

    from gpu_runner.worker import Reports, app  # noqa: PLC0415

    level = (os.environ.get("LOG_LEVEL") or "WARNING").upper()
    logging.basicConfig(level=level, format="{asctime} {levelname} {name}: {message}", style="{")
    # Only a message that is code would be a danger to root; these are JSON, and what is
    # compiled runs as another user.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    # At each loss of the broker: that a setting, which is set, will change its default.
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)
    Reports.lacks = lacks
    worker = app.Worker(
        queues=",".join(queues),
        hostname=f"{queues[0]}@{os.uname().nodename}",
        concurrency=jobs,
        pool="prefork",
        loglevel=level,
        quiet=True,
        redirect_stdouts=False,
        # Talk among workers, which nobody here listens to.
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


def _refused(message: str, status: int) -> int:
    print(message, file=sys.stderr)
    return status
