"""Runs a command that reads untrusted text where it can reach nothing else.

The root folder holds what the caller lists, one writable folder and a private /tmp:
no /etc, no home, no /proc, no /sys, of /dev only `null`, no network, an empty
environment, another user without capabilities. The process namespace dies as a whole,
so nothing outlives the call, and the output is read through a buffer of known size.
"""

import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpu_runner.isolation import MissingSandbox, find_isolation, isolation_files, mounts
from gpu_runner.supervision import Confinement, Finished, Limits, supervise
from gpu_runner.system_files import Readable

__all__ = ["Finished", "Limits", "MissingSandbox", "Readable", "Sandbox", "SandboxFailure", "fetch"]

UNSAFE = "PTXBENCH_UNSAFE_NO_SANDBOX"
WORK = "/kernel"


class SandboxFailure(RuntimeError):
    """The sandbox itself did not start: an infrastructure error, no verdict."""


def unsafe_by_environment() -> bool:
    """Whether the environment asks to build without a sandbox. Raises ValueError."""
    value = os.environ.get(UNSAFE, "0")
    if value not in {"0", "1", ""}:
        raise ValueError(f"{UNSAFE} is {value!r}: set it to 1 to build without a sandbox, or to 0")
    return value == "1"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Where commands run: what they may read, and whether they are shut in at all.

    A plain path in `readable` is shown where it is, a `Readable` where that says.
    `unsafe` runs them on the host, with the limits and nothing else.
    """

    readable: tuple[Path | Readable, ...]
    unsafe: bool = False
    search: str | None = field(default=None, compare=False)

    def seen(self, path: Path | str) -> str:
        """Return the path by which a command inside reaches a readable host path."""
        for one in () if self.unsafe else self._readable():
            if Path(path) == one.source:
                return one.inside
            if Path(path).is_relative_to(one.source):
                return f"{one.inside}/{Path(path).relative_to(one.source)}"
        return str(path)

    def check(self) -> None:
        """Raise MissingSandbox, with the next step, if commands cannot run here."""
        if not self.unsafe:
            find_isolation(self.search)

    def run(
        self,
        command: Sequence[str | Path],
        workdir: Path,
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        environment: Mapping[str, str] = {},
    ) -> Finished:
        """Run a command with `workdir` as its writable /kernel; return how it ended.

        Arguments that are readable host paths are named as the sandbox shows them.
        As root, `workdir` and its files are given to the run's own user.
        Raises MissingSandbox, or SandboxFailure when Bubblewrap did not start it.
        """
        words = [self.seen(word) if Path(word).is_absolute() else str(word) for word in command]
        variables = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TMPDIR": "/tmp"} | {  # noqa: S108
            **environment
        }
        if self.unsafe:
            return supervise(words, workdir, variables, limits, "none")
        return self._run_inside(words, workdir, variables, limits)

    def _run_inside(
        self, words: list[str], workdir: Path, variables: Mapping[str, str], limits: Limits
    ) -> Finished:
        isolation = find_isolation(self.search)
        uid = isolation.new_uid()
        if uid is not None:
            _give(workdir, uid)
        line = [
            *isolation.prefix(uid, limits.file_bytes),
            *mounts((*self._readable(), *isolation_files(uid))),
            *("--dir", WORK, "--bind", str(workdir), WORK, "--chdir", WORK),
            *("--remount-ro", "/"),
            *(word for name in variables for word in ("--setenv", name, variables[name])),
            *("--", *isolation.change_user(uid), *words),
        ]
        how: Confinement = "own user" if isolation.own_uid == "each" else "namespace"
        finished = supervise(line, workdir, {}, limits, how)
        if finished.ended == "exited" and not finished.began:
            raise SandboxFailure((finished.log.strip().splitlines() or ["no reason given"])[0])
        return finished

    def _readable(self) -> tuple[Readable, ...]:
        return tuple(
            one if isinstance(one, Readable) else Readable.same(one) for one in self.readable
        )


def fetch(workdir: Path, name: str, target: Path, limit: int) -> Path | None:
    """Copy a file that a command left in its workdir; None if it left no plain file.

    What an untrusted command left may be a link or a pipe: it is opened as neither.
    """
    try:
        opened = os.open(workdir / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with open(opened, "rb") as source:  # noqa: PTH123 (a descriptor)
        facts = os.fstat(source.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > limit:
            return None
        with target.open("wb") as copy:
            shutil.copyfileobj(source, copy)
    return target


def _give(workdir: Path, uid: int) -> None:
    # Bubblewrap enters it before it gives up its user, and has no capabilities by then.
    workdir.chmod(0o755)
    for path in (workdir, *workdir.iterdir()):
        os.chown(path, uid, uid, follow_symlinks=False)
