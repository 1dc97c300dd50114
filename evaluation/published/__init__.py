"""Facts about published models that no table of results holds, each with its source.

`models.json` is kept by hand. What could not be found is null, never guessed.
"""

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("models.json")
_KEYS = {"organisation", "organisation_source", "open_weights", "open_weights_source", "not_before"}
_NOT_BEFORE_KEYS = {"date", "reason", "source"}


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known about one model. An `open_weights` of None means "not known".

    `not_before` is the earliest day it can have been released; a published date
    before it is doubtful, for `not_before_reason`, according to `not_before_source`.
    """

    organisation: str
    open_weights: bool | None
    not_before: date | None
    not_before_reason: str
    not_before_source: str


def load_model_facts(path: Path = _FILE) -> dict[str, ModelFacts]:
    """Read the curated facts, by the model's published name.

    Raises `ValueError`, naming the file, the model and the key, if they are not as they must be.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_unique)
        if not isinstance(content, dict):
            raise ValueError("not an object")
        return {name: _facts(name, entry) for name, entry in content.items()}
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different; JSON itself would let the last one win."""
    names = [name for name, _ in pairs]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"key appears twice: {', '.join(repeated)}")
    return dict(pairs)


def _facts(name: str, entry: object) -> ModelFacts:
    """One model's facts, checked."""
    if not isinstance(entry, dict) or set(entry) != _KEYS:
        raise ValueError(f"{name}: must have exactly the keys {', '.join(sorted(_KEYS))}")
    open_weights = entry["open_weights"]
    if open_weights is not None and not isinstance(open_weights, bool):
        raise ValueError(f"{name}: open_weights must be true, false or null")
    if open_weights is not None:
        _text(name, entry, "open_weights_source")
    _text(name, entry, "organisation_source")
    earliest, reason, source = _not_before(name, entry["not_before"])
    return ModelFacts(_text(name, entry, "organisation"), open_weights, earliest, reason, source)


def _not_before(name: str, entry: object) -> tuple[date | None, str, str]:
    """The earliest release with its reason and source; nothing if the entry is null."""
    if entry is None:
        return None, "", ""
    if not isinstance(entry, dict) or set(entry) != _NOT_BEFORE_KEYS:
        raise ValueError(f"{name}: not_before must be null or have date, reason and source")
    text = _text(name, entry, "date")
    try:
        earliest = date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{name}: not_before.date must be a day such as 2026-01-31") from None
    return earliest, _text(name, entry, "reason"), _text(name, entry, "source")


def _text(name: str, entry: dict[str, Any], key: str) -> str:
    """A text that is not empty."""
    value = entry[key]
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name}: {key} must be a text that is not empty")
    return value
