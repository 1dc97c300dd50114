"""Which names from an upload can be kept: as a key in an address, as a name on a page."""

import unicodedata
from pathlib import PurePosixPath

from evaluation.artifacts.problems import shown

MAX_KEY = 80
"""Longest trajectory key, in characters."""

MAX_MODEL = 120
"""Longest name of a model, in characters."""

_SHOWN = 120
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def key_fault(key: str) -> str:
    """What keeps `key` from standing in an address as one segment; empty if nothing does."""
    if key in ("", ".", ".."):
        return "is empty" if not key else "means a folder"
    if "/" in key or "\\" in key:
        return "holds a slash or backslash"
    return text_fault(key, MAX_KEY)


def text_fault(text: str, longest: int) -> str:
    """What keeps `text` from being a name that people can read and compare; mostly empty."""
    if not text.strip():
        return "is empty"
    if len(text) > longest:
        return f"has {len(text)} characters; the limit is {longest}"
    if any(unicodedata.category(character) in _UNSEEN for character in text):
        return "holds control or invisible characters"
    return "begins or ends with a space" if text != text.strip() else ""


def shown_name(path: str) -> str:
    """A file's name or path as messages and places show it: one line, printable, short."""
    name = shown(path)[1:-1]
    return name if len(name) <= _SHOWN else f"{name[: _SHOWN // 2]}…{name[-_SHOWN // 2 :]}"


def base_name(filename: str) -> str:
    """The last part of a file name that may come with another system's folders."""
    return PurePosixPath(filename.replace("\\", "/")).name
