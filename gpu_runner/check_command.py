"""`check`: one kernel with a report, or many with a progress bar and a table."""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from evaluation.artifacts.answers import MAX_BYTES, BadSource
from evaluation.messages import Verdict, encode
from gpu_runner.build_cache import BuildCache
from gpu_runner.builds import Builder
from gpu_runner.check import check_source
from gpu_runner.disassembly import DisassemblyError
from gpu_runner.report import name_text, report, table
from gpu_runner.sandbox import MissingSandbox, SandboxFailure, unsafe_by_environment
from gpu_runner.supervision import no_more_runs
from gpu_runner.toolchain import MissingToolchain, find_toolchain

REACHED, USAGE, INFRASTRUCTURE, INTERRUPTED = 0, 2, 3, 130
_HOST_FAULTS = (MissingSandbox, SandboxFailure, DisassemblyError, MissingToolchain)


@dataclass(frozen=True, slots=True)
class Checked:
    """One file: its verdict, or why there is none and the exit status that this means."""

    file: Path
    verdict: Verdict | None = None
    reason: str = ""
    status: int = REACHED


def check(arguments: argparse.Namespace) -> int:
    """Check the files and return the exit status: that of the worst of them."""
    out: Path | None = arguments.json
    if out and not out.parent.is_dir():
        folder = name_text(str(out.parent))
        return _refused(f"{folder} is not a folder. Name another file after --json.", USAGE)
    try:
        with _builder(arguments) as builder:
            checked = _check_all(arguments, builder)
    except KeyboardInterrupt:
        return _refused("Interrupted; what was compiled is kept.", INTERRUPTED)
    except (*_HOST_FAULTS, OSError, ValueError) as error:
        return _refused(*_understood(error))
    problem = _write(out, checked) if out else ""
    _show(checked)
    if problem:
        return _refused(problem, USAGE)
    return max(one.status for one in checked)


def _understood(error: Exception) -> tuple[str, int]:
    """Return the line and the exit status for an error that concerns all files."""
    if isinstance(error, OSError):
        where = name_text(str(error.filename or ""))
        return f"{where} {error.strerror}. Check STATE_DIR.".strip(), INFRASTRUCTURE
    return str(error), USAGE if isinstance(error, ValueError) else INFRASTRUCTURE


def _show(checked: list[Checked]) -> None:
    if len(checked) == 1:
        only = checked[0]
        print(report(only.verdict, str(only.file)) if only.verdict else only.reason)
    else:
        print(table((str(one.file), one.verdict, one.reason) for one in checked))


@contextmanager
def _builder(arguments: argparse.Namespace) -> Iterator[Builder]:
    toolchain = find_toolchain()
    unsafe = arguments.unsafe_no_sandbox or unsafe_by_environment()
    if arguments.no_cache:
        with tempfile.TemporaryDirectory(prefix="builds-") as folder:
            yield Builder(toolchain, unsafe, cache=BuildCache(Path(folder)))
    else:
        yield Builder(toolchain, unsafe)


def _check_all(arguments: argparse.Namespace, builder: Builder) -> list[Checked]:
    builder.sandbox.check()
    files: list[Path] = arguments.files
    # The work is in the compilers, which are processes; a thread each only waits for them.
    jobs = arguments.jobs or os.cpu_count() or 1
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [
            pool.submit(_check_file, file, arguments.task, arguments.arch, builder)
            for file in files
        ]
        try:
            return _results(waiting)
        except KeyboardInterrupt:
            with no_more_runs():
                pool.shutdown(cancel_futures=True)
            raise


def _results(waiting: list[Future[Checked]]) -> list[Checked]:
    with tqdm(total=len(waiting), unit=" kernels", disable=None, leave=False) as bar:
        for future in waiting:
            future.add_done_callback(lambda _done: bar.update())
        return [future.result() for future in waiting]


def _check_file(file: Path, task: str, architecture: str, builder: Builder) -> Checked:
    try:
        data = _read(file)
        return Checked(file, check_source(data, file.name, task, architecture, builder))
    except BadSource as error:
        return Checked(file, reason=str(error), status=USAGE)
    except _HOST_FAULTS as error:
        return Checked(file, reason=str(error), status=INFRASTRUCTURE)


def _read(file: Path) -> bytes:
    """Return a file's bytes. Raises `BadSource` for what is no file of a kernel's size."""
    name = name_text(str(file))
    if file.is_dir():
        raise BadSource(f"{name} is a directory. Name its files: {name}/*.cu")
    try:
        size = file.stat().st_size
        if file.exists() and not file.is_file():
            raise BadSource(f"{name} is not a regular file. Hand in the kernel's source text.")
        if size > MAX_BYTES:
            raise BadSource(
                f"{name} has {size:,} bytes; the limit is {MAX_BYTES:,}. "
                "Hand in one kernel, without data."
            )
        return file.read_bytes()
    except OSError as error:
        raise BadSource(f"{name} cannot be read: {error.strerror}. Check the path.") from error


def _write(path: Path, checked: list[Checked]) -> str:
    """Write the verdicts, one a line; return what went wrong."""
    lines = [encode(one.verdict) for one in checked if one.verdict]
    try:
        path.write_bytes(b"\n".join(lines) + b"\n" if lines else b"")
    except OSError as error:
        name = name_text(str(path))
        return f"{name} cannot be written: {error.strerror}. Name another file after --json."
    return ""


def _refused(message: str, status: int) -> int:
    print(message, file=sys.stderr)
    return status
