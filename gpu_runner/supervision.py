"""Starts a process group with limits, reads what it says, and sees it to its end."""

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from gpu_runner.bounded_output import HeadAndTail

GIB, MIB, KIB = 1 << 30, 1 << 20, 1 << 10
FLOOD = 64 * MIB
"""Output after which a command is stopped: nobody reads it."""

_NO_MEMORY = re.compile(
    # Each from a line's start and whole: what a source makes a compiler print stands
    # behind a file and a line, or is indented.
    r"^(?![^\n]*(?::\d+:\d+|[^(]\(\d+\)): (?!catastrophic error: out of memory$))"
    r"(?:(?:\S*/)?(?:cc1plus|cudafe\+\+|cicc|ptxas|fatbinary|nvlink|nvcc|g\+\+|gcc|as|ld|"
    r"collect2|sh)(?::| (?:error|fatal)\s*:)(?: (?:fatal )?error:)?[^\n]*"
    r"(?:out of memory|virtual memory exhausted|memory exhausted|std::bad_alloc"
    r"|Cannot allocate memory|Memory allocation failure|No space left on device"
    r"|died due to signal (?:6|9|11|25)\b|Killed signal terminated"
    r"|File size limit exceeded)[^\n]*"
    r"|terminate called after throwing an instance of 'std::bad_alloc'"
    r"|(?:[^\s()]+\(\d+\): )?(?:catastrophic error: )?out of memory|virtual memory exhausted[^\n]*"
    r"|/tmp/[^\s:]+: No space left on device|File size limit exceeded[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
"""How compilers say that there was no room: NVIDIA's crash where g++ says so."""

Confinement = Literal["none", "namespace", "own user"]
Ending = Literal["exited", "timeout", "memory", "killed"]


class Interrupted(RuntimeError):
    """A command was ended, or not started, because this process is to stop: no verdict."""


@dataclass(slots=True)
class _Runs:
    """The commands that run now. Each one's own thread ends it, so no pid is mistaken."""

    changed: threading.Condition = field(default_factory=threading.Condition)
    live: set[threading.Event] = field(default_factory=set)
    refusals: int = 0


_RUNS = _Runs()
_SLICE = 0.1
"""Seconds after which a run looks whether it is to end."""


def end_all(wait: float = 15.0) -> int:
    """End every command that runs now, from any thread; return how many there were.

    Their callers get `Interrupted`. Returns once they are gone, or after `wait` seconds.
    """
    with _RUNS.changed:
        ending = set(_RUNS.live)
        for asked in ending:
            asked.set()
        _RUNS.changed.wait_for(lambda: not ending & _RUNS.live, wait)
    return len(ending)


@contextlib.contextmanager
def no_more_runs() -> Iterator[None]:
    """End every command, and refuse new ones with `Interrupted` until the block is left."""
    with _RUNS.changed:
        _RUNS.refusals += 1
    try:
        end_all()
        yield
    finally:
        with _RUNS.changed:
            _RUNS.refusals -= 1


@contextlib.contextmanager
def _listed() -> Iterator[threading.Event]:
    """Have `end_all` know of a run; the event tells it to end."""
    asked = threading.Event()
    with _RUNS.changed:
        if _RUNS.refusals:
            raise Interrupted("Interrupted: no command is started any more.")
        _RUNS.live.add(asked)
    try:
        yield asked
    finally:
        with _RUNS.changed:
            _RUNS.live.discard(asked)
            _RUNS.changed.notify_all()


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command may use: wall-clock seconds, and bytes or processes.

    `memory_bytes` is each process's address space: for compilers, never for CUDA.
    `file_bytes` bounds each file it writes and the whole of its /tmp. `processes`
    holds where every run has a user id of its own, that is, for a runner that is root.
    """

    seconds: float = 180.0
    memory_bytes: int = 4 * GIB
    file_bytes: int = 256 * MIB
    processes: int = 64
    log_bytes: int = 60 * KIB


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. `status` is None unless it exited by itself.

    "killed" means that it printed without end. `log` holds head and tail of its output.
    `began` is False where Bubblewrap ended without having started it.
    """

    status: int | None
    ended: Ending
    log: str
    seconds: float
    began: bool = True


def supervise(
    command: list[str],
    folder: Path,
    environment: Mapping[str, str],
    limits: Limits,
    confinement: Confinement,
) -> Finished:
    """Run `command` in `folder` under `limits` and return once all of it has ended.

    Unless `confinement` is "none", the command is Bubblewrap, whose child is the first
    process of a namespace; with "own user" nothing else on the host has its user id.
    Raises Interrupted after `end_all`.
    """
    started = time.monotonic()
    output = HeadAndTail(limits.log_bytes)
    with _listed() as asked, _status_pipe() as (reported, reports):
        if confinement != "none":
            command = [command[0], "--json-status-fd", str(reports), *command[1:]]
        line = [*_limiting(limits, confinement), *command]
        with _started(line, folder, environment, reports) as process:
            try:
                stopped = _read(process, output, started + limits.seconds, asked)
            finally:
                _end(process, confinement)
        began = confinement == "none" or _did_begin(reported)
    if asked.is_set():
        raise Interrupted("Interrupted: the command was ended.")
    finished = _finished(process.returncode, stopped, output, time.monotonic() - started)
    return replace(finished, began=began)


def _started(
    line: list[str], folder: Path, environment: Mapping[str, str], reports: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603
        line,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=(reports,),
    )


@contextlib.contextmanager
def _status_pipe() -> Iterator[tuple[int, int]]:
    """Give both ends of a pipe that Bubblewrap writes to, and no command inside it."""
    reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        yield reading, writing
    finally:
        os.close(reading)
        os.close(writing)


def _did_begin(reported: int) -> bool:
    """Whether Bubblewrap reported a command's end, which it does only if one began.

    The log would not tell: a source can have a compiler print whatever it likes.
    """
    with contextlib.suppress(BlockingIOError):
        return b'"exit-code"' in os.read(reported, 1 << 16)
    return False


def _limiting(limits: Limits, confinement: Confinement) -> list[str]:
    """Return the words that set the limits; set by exec, so threads may call this."""
    prlimit = shutil.which("prlimit") or "/usr/bin/prlimit"
    words = [prlimit, f"--as={limits.memory_bytes}", f"--fsize={limits.file_bytes}", "--core=0"]
    # Bubblewrap dies with its runner, but not in its first milliseconds: this ends what
    # a runner that is killed just then leaves behind.
    words.append(f"--cpu={int(limits.seconds) + 5}")
    if confinement == "own user":
        # Shared user ids share the count: then one run would be refused for another's.
        words.append(f"--nproc={limits.processes}")
    return [*words, "--"]


def _read(
    process: subprocess.Popen[bytes],
    output: HeadAndTail,
    deadline: float,
    asked: threading.Event,
) -> Literal["timeout", "killed"] | None:
    """Read until the command ends; return why it must be stopped, if it must."""
    assert process.stdout is not None  # noqa: S101 (it was asked for)
    pipe = process.stdout.fileno()
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return "timeout"
        if output.total > FLOOD or asked.is_set():
            return "killed"
        # A descendant may hold the pipe after the command has ended: look at both.
        if select.select([pipe], [], [], min(left, _SLICE))[0]:
            data = os.read(pipe, 64 * KIB)
            if not data:
                return _wait(process, deadline, asked)
            output.feed(data)
        elif process.poll() is not None:
            return None


def _wait(
    process: subprocess.Popen[bytes], deadline: float, asked: threading.Event
) -> Literal["timeout", "killed"] | None:
    while (left := deadline - time.monotonic()) > 0:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(min(left, _SLICE))
            return None
        if asked.is_set():
            return "killed"
    return "timeout"


def _end(process: subprocess.Popen[bytes], confinement: Confinement) -> None:
    """End everything and wait until it is gone."""
    if confinement != "none":
        _end_namespace(process)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdout is not None  # noqa: S101 (it was asked for)
    # The pipe closes when the last process of the namespace is gone.
    until = time.monotonic() + 5
    while time.monotonic() < until:
        if not select.select([process.stdout.fileno()], [], [], 0.2)[0]:
            continue
        if not os.read(process.stdout.fileno(), 64 * KIB):
            return


def _end_namespace(process: subprocess.Popen[bytes]) -> None:
    """Kill the namespace's first process; the kernel then ends the rest of it.

    Killing Bubblewrap instead would end it too, but leave its child to the host's init,
    which in many containers reaps nothing.
    """
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        for child in children.split():
            os.kill(int(child), signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(2)


def _finished(
    code: int, stopped: Literal["timeout", "killed"] | None, output: HeadAndTail, seconds: float
) -> Finished:
    log = output.text()
    if stopped == "killed":
        log += f"\n[stopped after {FLOOD // MIB} MiB of output]\n"
    if stopped is not None:
        return Finished(None, stopped, log, seconds)
    if code < 0 or code == 128 + signal.SIGKILL or (code and _NO_MEMORY.search(log[-4000:])):
        return Finished(None, "memory", log, seconds)
    return Finished(code, "exited", log, seconds)
