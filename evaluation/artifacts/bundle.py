"""The one door for uploads: whatever its form, a file becomes a `Bundle` or is refused."""

from collections.abc import Container, Iterator
from pathlib import Path, PurePosixPath

from evaluation.artifacts.answers import Kernel
from evaluation.artifacts.archives import ArchiveForm, Member, is_system_file, members
from evaluation.artifacts.bundle_draft import Draft, Place
from evaluation.artifacts.bundle_records import (
    Bundle,
    BundleRun,
    BundleTrajectory,
    BundleTurn,
    Hints,
    Limits,
    LooseKernel,
    Refused,
    Reported,
)
from evaluation.artifacts.forms import HEAD_BYTES, Form, UnknownForm, form_of
from evaluation.artifacts.json_lines import Upload
from evaluation.artifacts.names import base_name, shown_name
from evaluation.artifacts.problems import Problem
from evaluation.artifacts.single_kernel import read_single_kernel
from evaluation.artifacts.trace_set import TraceSetReader
from evaluation.artifacts.trajectories import TrajectoryReader
from evaluation.artifacts.turn_lines import read_turn_lines

__all__ = [
    "Bundle",
    "BundleRun",
    "BundleTrajectory",
    "BundleTurn",
    "Hints",
    "Limits",
    "LooseKernel",
    "Problem",
    "Refused",
    "Reported",
    "read_bundle",
    "read_sources",
]

DEFAULT_LIMITS = Limits()


def read_bundle(path: Path, filename: str, hints: Hints, limits: Limits = DEFAULT_LIMITS) -> Bundle:
    """Understand the file at `path`, which came under the name `filename`.

    Holds no sources, only their hashes. Raises `Refused`.
    """
    draft = _draft(filename, hints, limits)
    for _kernel in _kernels(path, filename, draft):
        pass  # the draft has its hash
    return draft.finish()


def read_sources(
    path: Path,
    filename: str,
    hints: Hints,
    wanted: Container[str],
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[tuple[str, str]]:
    """SHA-256 and source of each wanted kernel of the same file, each once, one at a time.

    `wanted` are hashes that `read_bundle` gave, with the same hints and limits: both read
    the file in the same way, so each of them comes. Raises `Refused`.
    """
    given: set[str] = set()
    for kernel in _kernels(path, filename, _draft(filename, hints, limits)):
        if kernel.sha256 in wanted and kernel.sha256 not in given:
            given.add(kernel.sha256)
            yield kernel.sha256, kernel.source


def _draft(filename: str, hints: Hints, limits: Limits) -> Draft:
    return Draft(shown_name(base_name(filename)) or "upload", hints, limits)


def _kernels(path: Path, filename: str, draft: Draft) -> Iterator[Kernel]:
    """Read the file into the draft, giving its kernels as they come."""
    if path.stat().st_size > draft.limits.compressed_bytes:
        limit = draft.limits.compressed_bytes // 1024**2
        draft.refuse(f"is larger than {limit} MiB; compress it, or upload it in parts")
    try:
        form = _form(path, filename, draft)
    except UnknownForm as unknown:
        draft.refuse(str(unknown))
    if form in ("zip", "tar.gz", "tar.zst"):
        return _archive(path, form, draft)
    upload = Upload(draft.file, path)
    if form == "kernel":
        return read_single_kernel(upload, base_name(filename), draft)
    if form == "turns":
        return read_turn_lines(upload, draft)
    if form == "conversation":
        return _conversation(upload, PurePosixPath(base_name(filename)).stem, draft)
    return _trace_set(upload, form, draft)


def _form(path: Path, filename: str, draft: Draft) -> Form:
    """The file's form. Looks at the whole first line, up to the longest that may be."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        if b"\n" not in head:
            head += file.readline(8 * draft.limits.kernel_bytes)
        whole = not file.read(1)
    return form_of(head, whole, filename)


def _conversation(upload: Upload, key: str, draft: Draft) -> Iterator[Kernel]:
    reader = TrajectoryReader(draft)
    yield from reader.take(upload.read(draft.limits.member_bytes), upload.file, "", key)
    reader.finish()


def _trace_set(upload: Upload, form: Form, draft: Draft) -> Iterator[Kernel]:
    reader = TraceSetReader(draft)
    if form == "traces":
        reader.take_traces(upload)
    elif form == "solution lines":
        yield from reader.take_solution_lines(upload)
    else:
        yield from reader.take_solutions(upload)
    reader.finish()


def _archive(path: Path, form: ArchiveForm, draft: Draft) -> Iterator[Kernel]:
    """Read the members that belong to a known layout."""
    trajectories, traces = TrajectoryReader(draft), TraceSetReader(draft)
    used: dict[str, TrajectoryReader | TraceSetReader] = {}
    for member in members(path, form, draft.file, draft.limits):
        layout = _layout(member.path)
        if not layout:
            _pass_over(member, draft)
            continue
        file = shown_name(member.path)
        if layout == "trajectories":
            used[layout] = trajectories
            parts = PurePosixPath(member.path)
            yield from trajectories.take(member.read(), file, str(parts.parent.parent), parts.stem)
            continue
        used["traces"] = traces
        if layout == "solutions":
            yield from traces.take_solutions(Upload(file, content=member.read()))
        else:
            traces.take_traces(Upload(file, content=member.read()))
    if len(used) != 1:
        _refuse_layout(bool(used), draft)
    for reader in used.values():
        reader.finish()


def _layout(path: str) -> str:
    """What a member is by its folder and ending; empty if it is of no known layout."""
    *folders, name = path.split("/")
    if is_system_file(path) or not folders:
        return ""
    if folders[-1] == "trajectories" and name.endswith(".json"):
        return "trajectories"
    if "solutions" in folders and name.endswith(".json"):
        return "solutions"
    return "traces" if "traces" in folders and name.endswith(".jsonl") else ""


def _pass_over(member: Member, draft: Draft) -> None:
    if not is_system_file(member.path):
        message = f"{shown_name(member.path)} is not needed, and was not read"
        draft.note(Place(draft.file), message, cause=("not needed",))


def _refuse_layout(both: bool, draft: Draft) -> None:
    if both:
        draft.refuse("holds conversations and traces; upload them as two archives")
    draft.refuse(
        "holds neither trajectories/*.json (a PTXBench evaluation directory) nor "
        "solutions/*.json or traces/*.jsonl (FlashInfer-Trace); archive the folder above them"
    )
