"""Reads a JSON Lines file of turns, the form that is simplest to write.

Each line is one turn: `model`, `task`, `architecture`, `trajectory`, `turn` (from 0), `source`
(the kernel, or the model's answer with its code block; null if there was none) and
`tokens`. What the form names need not stand in the lines.
"""

from collections.abc import Iterator
from typing import Any

from evaluation.artifacts.answers import Kernel
from evaluation.artifacts.bundle_draft import Draft, Part, Place
from evaluation.artifacts.bundle_records import BundleTurn
from evaluation.artifacts.json_lines import Upload, json_lines
from evaluation.artifacts.problems import shown
from evaluation.artifacts.ptxbench_outcomes import MAX_TOKENS
from evaluation.artifacts.ptxbench_turns import TURN_NUMBER_LIMIT

FIELDS = ("model", "task", "architecture", "trajectory", "turn", "source", "tokens")

_NO_SOURCE = "The answer holds no source."


def read_turn_lines(upload: Upload, draft: Draft) -> Iterator[Kernel]:
    """Read the turns into `draft`, giving each kernel as it comes. Raises `Refused`."""
    draft.kind = "turns"
    for place, value in json_lines(upload, draft):
        if not isinstance(value, dict):
            draft.error(place, "is not an object; write one turn a line. Row left out")
            continue
        if unknown := sorted(set(value) - set(FIELDS)):
            names = shown(", ".join(unknown))
            draft.note(place, f"unknown fields are ignored: {names}", cause=("unknown", names))
        kernel = _read_turn(value, place, draft)
        if kernel is not None:
            yield kernel


def _read_turn(row: dict[str, Any], place: Place, draft: Draft) -> Kernel | None:
    """Add one turn; return its kernel if it has one and was kept."""
    part = Part(
        _text(row, "model", draft.hints.model),
        _text(row, "task", draft.hints.task),
        _text(row, "architecture", draft.hints.architecture),
    )
    number, source = row.get("turn"), row.get("source")
    faults = draft.part_faults(part)
    if (
        not isinstance(number, int)
        or isinstance(number, bool)
        or not 0 <= number < TURN_NUMBER_LIMIT
    ):
        faults.append(f"turn is not a whole number from 0 to {TURN_NUMBER_LIMIT - 1:,}")
    if not isinstance(source, str | None):
        faults.append("source is not a text")
    if not isinstance(row.get("trajectory"), str | int) or isinstance(row["trajectory"], bool):
        faults.append("trajectory is neither a text nor a whole number")
    if faults or not isinstance(number, int):
        draft.error(place, f"{'; '.join(faults)}; row left out")
        return None
    kernel, reason = None, _NO_SOURCE
    if source:
        kernel, reason = draft.kernel_or_reason(source, place)
    sha256 = kernel.sha256 if kernel else None
    turn = BundleTurn(number, sha256, reason, str(place), _tokens(row, place, draft))
    return kernel if draft.add_turn(part, str(row["trajectory"]), turn, place) else None


def _text(row: dict[str, Any], name: str, hint: str) -> str:
    """A name in a row, or what the form says where the row is silent."""
    value = row.get(name)
    if value is None:
        return hint
    return value.strip() if isinstance(value, str) else f"{value}"


def _tokens(row: dict[str, Any], place: Place, draft: Draft) -> int | None:
    """Reasoning tokens; None if not given or not a possible number."""
    tokens = row.get("tokens")
    if tokens is None:
        return None
    if isinstance(tokens, int) and not isinstance(tokens, bool) and 0 <= tokens < MAX_TOKENS:
        return tokens
    draft.warn(place, f"tokens is not a whole number from 0 to {MAX_TOKENS:,}; left out")
    return None
