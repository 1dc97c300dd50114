"""Small uploads of every form, made in memory."""

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import zstandard

from evaluation.artifacts.bundle import Bundle, Hints, Limits, Refused, read_bundle

EXAMPLES = Path("evaluation/artifacts/examples")
TASK = "gemm_n7168_k5120"
HINTS = Hints("My model", TASK, "hopper")
NO_HINTS = Hints()
SOURCE = "__global__ void kernel() {}\n"
WORKLOAD = {"uuid": "94920358-01a8-4c5b-9209-3103fd490e94", "axes": {"M": 8192}, "inputs": {}}
MEMBER = "run/trajectories/exp_000.json"


def read(
    folder: Path,
    content: bytes | str,
    name: str,
    hints: Hints = HINTS,
    limits: Limits = Limits(),  # noqa: B008
) -> Bundle:
    """What is understood of a file with this content and name."""
    path = folder / "upload"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_bundle(path, name, hints, limits)


def refusal(
    folder: Path,
    content: bytes | str,
    name: str,
    hints: Hints = HINTS,
    limits: Limits = Limits(),  # noqa: B008
) -> str:
    """Why a file is refused, as text of all problems."""
    try:
        understood = read(folder, content, name, hints, limits)
    except Refused as refused:
        assert refused.report()["kind"] == ""
        assert refused.report()["turns"] == 0
        assert "error" in {problem.severity for problem in refused.problems}
        return str(refused)
    raise AssertionError(f"understood: {understood.report()}")


def messages(bundle: Bundle, severity: str) -> list[str]:
    """The problems of one severity, with their places."""
    return [str(problem) for problem in bundle.problems if problem.severity == severity]


def zipped(files: Mapping[str, bytes | str]) -> bytes:
    """A zip of the files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(
    files: Iterable[tuple[str, bytes]],
    change: Callable[[tarfile.TarInfo], object] = bool,
    form: int = tarfile.PAX_FORMAT,
) -> bytes:
    """A tar of the files, in this order; `change` may alter each header."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            change(member)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def archive(form: str, files: Mapping[str, bytes]) -> bytes:
    """An archive of one of the three accepted forms."""
    if form == "zip":
        return zipped(files)
    tar = tarred(files.items())
    return gzip.compress(tar) if form == "tar.gz" else zstandard.compress(tar)


def line(**changes: Any) -> str:
    """One turn as a line; a change to None leaves the field out."""
    row = {
        "model": "My model",
        "task": TASK,
        "architecture": "hopper",
        "trajectory": "a",
        "turn": 0,
        "source": SOURCE,
        "tokens": 10,
    } | changes
    return json.dumps({name: value for name, value in row.items() if value is not None}) + "\n"


def lines(*rows: object) -> str:
    """JSON Lines of the rows."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def trace(**changes: Any) -> dict[str, Any]:
    """A trace that keeps the rules; `changes` replace parts of its evaluation."""
    evaluation = {
        "status": "PASSED",
        "environment": {"hardware": "NVIDIA H100 80GB HBM3", "libs": {}},
        "timestamp": "2026-08-01T12:00:00",
        "log": "",
        "correctness": {"max_relative_error": 0.01, "max_absolute_error": "Infinity"},
        "performance": {
            "latency_ms": 2.0,
            "reference_latency_ms": 3.0,
            "speedup_factor": 1.5,
        },
    } | changes
    return {
        "definition": TASK,
        "workload": WORKLOAD,
        "solution": "fast",
        "evaluation": evaluation,
    }


def answer(content: str = f"```cpp\n{SOURCE}```") -> dict[str, Any]:
    """A message of the model."""
    return {"role": "assistant", "content": content}


def feedback(turn: int | None = None, **extra: Any) -> dict[str, Any]:
    """The evaluation's message behind an answer."""
    if turn is not None:
        extra["rollout"] = {"turn_idx": turn}
    return {"role": "user", "content": "Evaluation results", "extra": extra}


def conversation(
    *turns: dict[str, Any],
    task: str = TASK,
    model: str = "api/model",
    gencode: str = "arch=compute_90a,code=sm_90a",
) -> bytes:
    """A conversation in mini-swe-agent's form: system and task, then `turns`."""
    definition = json.dumps({"name": task, "axes": {"M": {"type": "var"}}})
    start = [
        {"role": "system", "content": "Write kernels."},
        {"role": "user", "content": f"The task: {definition}"},
    ]
    config = {"model": {"model_name": model}, "environment": {"env": {"NVCC_GENCODE": gencode}}}
    document = {"info": {"config": config}, "messages": [*start, *turns]}
    return json.dumps(document, indent=1).encode()
