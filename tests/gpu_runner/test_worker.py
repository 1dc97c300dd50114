"""`python -m gpu_runner worker`: the real process, the embedded broker and the real compiler."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty

import pytest

from evaluation import PROTOCOL
from evaluation.delivery import JUDGE, RECORD_VERDICT, REGISTER_RUNNER, RENEW_LEASE, STATIC
from evaluation.messages import encode
from gpu_runner.builds import Builder
from tests.gpu_runner.requests import request
from tests.gpu_runner.sources import GOOD
from tests.gpu_runner.test_hostile_sources import ENDLESS
from tests.queues import Broker, embedded_broker, put, take, take_until
from tests.serving import ROOT

SLOW = """\
#define EIGHT(x) x x x x x x x x
__global__ void run(float* out) {
  float sum = out[0];
  EIGHT(EIGHT(sum = powf(sum, out[0]); sum = powf(sum, out[0]);))
  out[0] = sum;
}
"""
"""Takes the compiler seconds."""

BAD = ("{", '{"schema":"ptxbench.judge-request/1"}', "\ud800", 5, None, ["x"], {"text": "x"})


@pytest.fixture
def broker(builder: Builder, tmp_path: Path) -> Iterator[Broker]:
    """An embedded broker, on a host that can compile."""
    with embedded_broker(tmp_path) as running:
        yield running


@contextmanager
def working(broker: Broker, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run a worker of one process until it has reported itself; end it with the block."""
    with subprocess.Popen(
        [sys.executable, "-m", "gpu_runner", "worker", "--jobs", "1"],
        cwd=ROOT,
        env=broker.environment | {"CELERY_BROKER_URL": broker.url} | environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            (report,) = take_until(broker.url, REGISTER_RUNNER, 60)
            assert report[1]["queue"] == STATIC
            yield process
        finally:
            process.kill()


def ask(broker: Broker, source: str, evaluation: int = 7) -> None:
    put(broker.url, JUDGE, STATIC, encode(request(source, evaluation=evaluation)).decode())


def children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def descendants(pid: int) -> list[int]:
    return [one for child in children(pid) for one in (child, *descendants(child))]


def name(pid: int) -> str:
    """A process's name; nothing for one that has ended, also where nobody has reaped it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if "\nState:\tZ" in status else status.split()[1]


def wait_for_compiler(worker: subprocess.Popen[str]) -> list[int]:
    """Wait until the worker's compiler runs; return its sandbox's processes and the compiler's."""
    for _attempt in range(600):
        found = [pid for pid in descendants(worker.pid) if name(pid) != "python"]
        if {"bwrap", "nvcc"} <= {name(pid) for pid in found}:
            return found
        time.sleep(0.05)
    pytest.fail("the compiler was not started")


def test_a_request_goes_in_and_a_verdict_comes_out(broker, builder):
    with working(broker, RUNNER_NAME="bench-1"):
        for message in BAD:
            put(broker.url, JUDGE, STATIC, message)
        put(broker.url, JUDGE, STATIC)
        put(broker.url, "os.system", STATIC, "true")
        ask(broker, GOOD)

        renewal, verdict = (
            message for _task, message in take_until(broker.url, RECORD_VERDICT, 60)
        )

        quoted = {"evaluation": 7, "attempt": 2, "lease": "a-lease", "runner": "bench-1/static"}
        assert quoted.items() <= renewal.items(), "wrong messages say and change nothing"
        assert quoted.items() <= verdict.items()
        assert (verdict["step"], verdict["protocol"]) == ("static", PROTOCOL)
        assert verdict["outcome"] == "target_absent"
        assert verdict["toolchain"] == builder.toolchain.version


def test_a_worker_that_is_told_to_stop_finishes_its_kernel_and_takes_no_other(broker):
    with working(broker) as worker:
        ask(broker, SLOW, evaluation=1)
        wait_for_compiler(worker)
        ask(broker, SLOW, evaluation=2)

        worker.send_signal(signal.SIGTERM)

        assert worker.wait(timeout=60) == 0
    renewal, verdict = (message for _task, message in take_until(broker.url, RECORD_VERDICT, 1))
    assert (renewal["evaluation"], verdict["evaluation"]) == (1, 1)
    with working(broker):
        messages = take_until(broker.url, RECORD_VERDICT, 60)
        assert [message["evaluation"] for _task, message in messages] == [2, 2]


def test_a_killed_process_leaves_no_compiler_behind_and_the_next_kernel_is_checked(broker):
    with working(broker) as worker:
        ask(broker, ENDLESS, evaluation=1)
        compiling = wait_for_compiler(worker)
        (child,) = [pid for pid in children(worker.pid) if name(pid) == "python"]

        os.kill(child, signal.SIGKILL)
        ask(broker, GOOD, evaluation=2)

        messages = take_until(broker.url, RECORD_VERDICT, 60)
        assert [message["evaluation"] for _task, message in messages] == [1, 2, 2]
        assert [name(pid) for pid in compiling if name(pid)] == []
        with pytest.raises(Empty):
            take(broker.url, 2, STATIC)


def test_a_killed_worker_leaves_nothing_behind(broker):
    with working(broker) as worker:
        ask(broker, ENDLESS)
        running = [*descendants(worker.pid), *wait_for_compiler(worker)]

        worker.kill()

        until = time.monotonic() + 10
        while left := [name(pid) for pid in running if name(pid)]:
            assert time.monotonic() < until, left
            time.sleep(0.1)


def test_a_verdict_outlasts_the_broker_that_it_was_meant_for(broker):
    with working(broker) as worker:
        ask(broker, SLOW)
        wait_for_compiler(worker)
        broker.kill()
        while any(name(pid) == "nvcc" for pid in descendants(worker.pid)):
            time.sleep(0.1)
        time.sleep(3)

        broker.start()

        tasks = [task for task, _message in take_until(broker.url, RECORD_VERDICT, 60)]
        assert tasks[0] == RENEW_LEASE
        ask(broker, GOOD, evaluation=8)
        messages = take_until(broker.url, RECORD_VERDICT, 60)
        assert messages[-1][1]["evaluation"] == 8


def test_a_worker_reports_again_after_its_broker_was_away(broker):
    with working(broker):
        broker.kill()
        time.sleep(1)
        broker.start()

        assert take(broker.url, 30)[0] == REGISTER_RUNNER


def test_a_host_without_a_sandbox_takes_nothing_and_says_why(broker, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*"):
            if program.name != "bwrap" and not (programs / program.name).exists():
                (programs / program.name).symlink_to(program)
    ask(broker, GOOD)

    done = run(broker.environment | {"CELERY_BROKER_URL": broker.url, "PATH": str(programs)})

    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert "Kernels can't be compiled on this host, so they wait." in line
    assert "apt-get install bubblewrap" in line
    assert take(broker.url, 5, STATIC)[0] == JUDGE


def test_a_worker_without_a_broker_is_told_what_to_name():
    environment = {key: os.environ[key] for key in os.environ if key != "CELERY_BROKER_URL"}

    done = run(environment)

    assert done.returncode == 2
    assert done.stderr == "CELERY_BROKER_URL is not set. Name the site's broker in it.\n"


def run(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gpu_runner", "worker"]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )


def test_the_worker_loads_no_site_even_beside_one(tmp_path):
    code = (
        "import sys; from gpu_runner.worker import app; app.loader.import_default_modules();"
        " app.finalize();"
        " print([name for name in sys.modules if name.startswith(('django.db', 'leaderboard'))])"
    )
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "leaderboard.config.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.stdout == "[]\n", done.stderr
