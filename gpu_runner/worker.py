"""The Celery app of a runner: takes requests from its queue, renews leases, sends verdicts.

A runner knows a broker and nothing else of the site. Start it with `python -m gpu_runner
worker`, which first looks whether this host can check kernels at all.
"""

import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery import Celery, bootsteps
from kombu.exceptions import OperationalError

from evaluation.delivery import (
    JUDGE,
    RECORD_VERDICT,
    REGISTER_RUNNER,
    RENEW_LEASE,
    RENEW_SECONDS,
    STATIC,
    VERDICTS,
    celery_settings,
)
from evaluation.messages import (
    BadMessage,
    JudgeRequest,
    LeaseRenewal,
    RunnerReport,
    Verdict,
    decode_request,
    encode,
)
from gpu_runner.builds import Builder
from gpu_runner.static_verdict import answer
from gpu_runner.toolchain import find_toolchain

REPORT_SECONDS = 60
BRIEFLY = {"max_retries": 2, "interval_start": 0.1, "interval_step": 0.2}
"""For what is said again soon: a lost renewal or report costs nothing."""

STUBBORNLY = {"max_retries": 60, "interval_start": 0.2, "interval_step": 0.5, "interval_max": 5}
"""For a verdict, which is minutes of work: longer than a broker takes to be restarted."""

_log = logging.getLogger(__name__)

app = Celery("gpu_runner", fixups=[])  # a host may have Django; this has no use for it
app.conf.update(celery_settings(os.environ.get("CELERY_BROKER_URL") or "amqp://"))
app.conf.worker_enable_remote_control = False


def runner_name(queue: str) -> str:
    """Return what this runner is called on a queue: RUNNER_NAME, by default the host's name."""
    return f"{os.environ.get('RUNNER_NAME') or socket.gethostname()}/{queue}"[:120]


@app.task(name=JUDGE)
def judge(text: object) -> None:
    """Check the kernel of a request, a `JudgeRequest` as JSON text, and send the verdict.

    What is no request is logged and dropped: nobody is named who could be answered.
    """
    try:
        request = decode_request(_bytes(text))
    except BadMessage as error:
        _log.warning("A request is dropped: %s", error)
        return
    runner = runner_name(STATIC)
    with _renewing(request, runner):
        # The lease is renewed until the verdict is out: the broker may be gone for a while.
        _send_verdict(answer(request, _builder, runner))


def _bytes(text: object) -> bytes:
    if not isinstance(text, str):
        raise BadMessage(f"not a text but {type(text).__name__}")
    return text.encode(errors="surrogatepass")


def _builder() -> Builder:
    """Return what compiles here; always in the sandbox, whatever the environment says."""
    return Builder(find_toolchain())


@contextmanager
def _renewing(request: JudgeRequest, runner: str) -> Iterator[None]:
    """Renew the request's lease once before the block, and then while it runs."""
    renewal = LeaseRenewal(
        evaluation=request.evaluation, attempt=request.attempt, lease=request.lease, runner=runner
    )
    done = threading.Event()

    def renew() -> None:
        while not done.wait(RENEW_SECONDS):
            _say(RENEW_LEASE, renewal)

    _say(RENEW_LEASE, renewal)
    thread = threading.Thread(target=renew, name="renewal", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()


def _send_verdict(verdict: Verdict) -> None:
    try:
        _send(RECORD_VERDICT, encode(verdict), STUBBORNLY)
    except OperationalError:
        _log.exception("The verdict on evaluation %d is lost", verdict.evaluation)


def _say(task: str, message: LeaseRenewal | RunnerReport) -> None:
    """Send what is worth little; a broker that is away is heard of elsewhere."""
    try:
        _send(task, encode(message), BRIEFLY)
    except OperationalError as error:
        _log.warning("%s was not sent: %s", task, error)


def _send(task: str, message: bytes, retry_policy: dict[str, float]) -> None:
    app.send_task(
        task, args=[message.decode()], queue=VERDICTS, retry=True, retry_policy=retry_policy
    )


class Reports(bootsteps.StartStopStep):
    """Has the worker's main process say who it is, at once and every minute.

    A step of the consumer starts again after each loss of the broker.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)
    lacks: tuple[str, ...] = ()
    """What the host was found to lack when it was looked at."""

    def start(self, parent: Any) -> None:
        """Report now and ask the worker's timer for the rest."""
        queues = list(parent.app.amqp.queues.consume_from)
        self.report(queues)
        self.timer = parent.timer
        self.entry = parent.timer.call_repeatedly(REPORT_SECONDS, self.report, (queues,))

    def stop(self, parent: Any) -> None:
        """Ask for no more."""
        self.entry.cancel()

    def report(self, queues: list[str]) -> None:
        """Send one report for each queue."""
        for queue in queues:
            report = RunnerReport(
                name=runner_name(queue),
                queue=queue,
                toolchain=find_toolchain().version[:200],
                host=socket.gethostname()[:200],
                lacks=self.lacks,
            )
            _say(REGISTER_RUNNER, report)


app.steps["consumer"].add(Reports)
