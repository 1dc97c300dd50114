"""Small files of every accepted form, ready to be handed in, with words about each."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

import evaluation.artifacts

FOLDER = Path(evaluation.artifacts.__file__).parent / "examples"

LONGEST_TEXT = 64
"""Characters of a value that an excerpt shows."""

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of all members, so that an archive is the same bytes whenever it is made."""


@dataclass(frozen=True, slots=True)
class Example:
    """One accepted form. `text` is an excerpt, `download` the name of the whole file."""

    name: str
    title: str
    files: str
    explanation: str
    text: str
    download: str
    hints: str = ""


def examples() -> tuple[Example, ...]:
    """Return an example of each form in the active language, the simplest to write first."""
    return (_turns(), _evaluation(), _solutions(), _traces(), _kernel())


@cache
def example_file(download: str) -> bytes:
    """Return a whole example by the name under which it is offered. Raises KeyError."""
    return _FILES[download]()


def _turns() -> Example:
    return Example(
        name="turns",
        title=gettext("List of turns"),
        files=gettext(".jsonl, one line a turn"),
        explanation=gettext(
            "The simplest to write. “source” is a kernel, or the model's whole answer with a "
            "```cpp block; leave it null where the model gave none. “tokens” may be missing."
        ),
        text=_lines("turns.jsonl"),
        download="turns.jsonl",
    )


def _evaluation() -> Example:
    return Example(
        name="evaluation",
        title=gettext("PTXBench evaluation directory"),
        files=gettext(".zip, .tar.gz or .tar.zst with trajectories/*.json"),
        explanation=gettext(
            "The conversations as mini-swe-agent stores them. The first message of the user is "
            "the task; each answer that a message of the user follows is one turn, with the last "
            "```cpp block as its kernel. Figures in “extra” are kept as reported results."
        ),
        text="trajectories/exp_000.json\n" + _conversation("evaluation/trajectories/exp_000.json"),
        download="evaluation.zip",
    )


def _solutions() -> Example:
    return Example(
        name="solutions",
        title=gettext("FlashInfer-Trace solutions"),
        files=gettext(".json, one solution or a list of them"),
        explanation=gettext(
            "Each solution is a kernel of its own: “author” is the model, “definition” the task, "
            "“target_hardware” says for which architecture it is judged."
        ),
        text=_document("solutions.json"),
        download="solutions.json",
    )


def _traces() -> Example:
    return Example(
        name="traces",
        title=gettext("FlashInfer-Trace traces"),
        files=gettext(".jsonl, in one archive with their solutions"),
        explanation=gettext(
            "What somebody measured, kept as reported results beside what is measured here. "
            "Traces name their solutions, so both come in one archive, in solutions/ and traces/."
        ),
        text=_lines("traces.jsonl"),
        download="traces.zip",
    )


def _kernel() -> Example:
    return Example(
        name="kernel",
        title=gettext("Single kernel"),
        files=gettext(".cu, or an answer in .md"),
        explanation=gettext(
            "Task and architecture come from the form. Single kernels have a list of their own "
            "and are never part of a model's ranking."
        ),
        text=(FOLDER / "kernel.cu").read_text(),
        download="kernel.cu",
        hints=gettext("choose GEMM 7168×5120 and Hopper in the form"),
    )


def _lines(name: str) -> str:
    """Each line of a JSONL file with its long values cut."""
    lines = (FOLDER / name).read_text().splitlines()
    return "\n".join(json.dumps(_short(json.loads(line)), ensure_ascii=False) for line in lines)


def _document(name: str) -> str:
    return json.dumps(_short(json.loads((FOLDER / name).read_text())), indent=1, ensure_ascii=False)


def _conversation(name: str) -> str:
    document = json.loads((FOLDER / name).read_text())
    shown = {"messages": document["messages"][:4]}
    return json.dumps(_short(shown), indent=1, ensure_ascii=False)


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _short(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_short(one) for one in value]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}…"
    return value


def _archive(members: Mapping[str, str]) -> bytes:
    """Return a zip archive of example files by the names they have in it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in members.items():
            member = zipfile.ZipInfo(name, _LONG_AGO)
            archive.writestr(member, (FOLDER / file).read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _conversations() -> dict[str, str]:
    folder = FOLDER / "evaluation"
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.json"))
    return {name: f"evaluation/{name}" for name in names}


_TRACES = {"solutions/gemm.json": "solutions.json", "traces/gemm.jsonl": "traces.jsonl"}

_FILES: dict[str, Callable[[], bytes]] = {
    "turns.jsonl": (FOLDER / "turns.jsonl").read_bytes,
    "evaluation.zip": lambda: _archive(_conversations()),
    "solutions.json": (FOLDER / "solutions.json").read_bytes,
    "traces.zip": lambda: _archive(_TRACES),
    "kernel.cu": (FOLDER / "kernel.cu").read_bytes,
}
