"""Starts a process group with limits, reads what it says, and sees it to its end."""

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gpu_runner.bounded_output import HeadAndTail

GIB, MIB, KIB = 1 << 30, 1 << 20, 1 << 10
FLOOD = 64 * MIB
"""Output after which a command is stopped: nobody reads it."""

_NO_MEMORY = re.compile(
    r"out of memory|virtual memory exhausted|std::bad_alloc|Cannot allocate memory"
    r"|memory exhausted|due to signal (6|9|11)\b|Killed signal terminated"
    r"|No space left on device|File size limit exceeded",
    re.IGNORECASE,
)
"""How compilers say that there was no room: NVIDIA's crash where g++ says so."""

Confinement = Literal["none", "namespace", "own user"]
Ending = Literal["exited", "timeout", "memory", "killed"]


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
    """

    status: int | None
    ended: Ending
    log: str
    seconds: float


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
    """
    started = time.monotonic()
    output = HeadAndTail(limits.log_bytes)
    with subprocess.Popen(  # noqa: S603
        [*_limiting(limits, confinement), *command],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            stopped = _read(process, output, started + limits.seconds)
        finally:
            _end(process, confinement)
    return _finished(process.returncode, stopped, output, time.monotonic() - started)


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
    process: subprocess.Popen[bytes], output: HeadAndTail, deadline: float
) -> Literal["timeout", "killed"] | None:
    """Read until the command ends; return why it must be stopped, if it must."""
    assert process.stdout is not None  # noqa: S101 (it was asked for)
    pipe = process.stdout.fileno()
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return "timeout"
        if output.total > FLOOD:
            return "killed"
        # A descendant may hold the pipe after the command has ended: look at both.
        if select.select([pipe], [], [], min(left, 0.2))[0]:
            data = os.read(pipe, 64 * KIB)
            if not data:
                return _wait(process, deadline)
            output.feed(data)
        elif process.poll() is not None:
            return None


def _wait(process: subprocess.Popen[bytes], deadline: float) -> Literal["timeout"] | None:
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return "timeout"
    return None


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
