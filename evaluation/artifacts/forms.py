"""Which of the accepted forms a file has: by its content first, by its name second."""

import re
from typing import Literal

from evaluation.artifacts.names import base_name
from evaluation.artifacts.strict_json import JsonFault, parse

Form = Literal[
    "zip",
    "tar.gz",
    "tar.zst",
    "conversation",
    "solutions",
    "solution lines",
    "traces",
    "turns",
    "kernel",
]

ACCEPTED = (
    "a PTXBench evaluation directory or a FlashInfer-Trace data set as .zip, .tar.gz or .tar.zst; "
    "FlashInfer-Trace solutions (.json) or traces (.jsonl); turns (.jsonl); a kernel (.cu)"
)

HEAD_BYTES = 64 * 1024
"""How much of a file's beginning is looked at, unless its first line is longer."""

_ARCHIVES: tuple[tuple[bytes, Form], ...] = (
    (b"PK\3\4", "zip"),
    (b"PK\5\6", "zip"),
    (b"\x1f\x8b", "tar.gz"),
    (b"\x28\xb5\x2f\xfd", "tar.zst"),
)
_OTHER_ARCHIVES = (
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"Rar!", "rar"),
)
_JSON_START = re.compile(rb"(\xef\xbb\xbf)?\s*(\{\s*[\"}]|\[\s*[\]{])")
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
_SOURCE_ENDINGS = (".cu", ".cuh", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".md", ".markdown")
_CODE_SIGNS = re.compile(rb"```|#\s*include|__global__|TVM_FFI")


class UnknownForm(ValueError):
    """A file of no accepted form. The message says what it is, and what is accepted."""


def form_of(head: bytes, whole: bool, filename: str) -> Form:
    """The form of a file that begins with `head`, all of it if `whole`.

    `head` must hold the first line. Raises `UnknownForm`.
    """
    name = base_name(filename).lower()
    for magic, form in _ARCHIVES:
        if head.startswith(magic):
            return form
    if not head.strip(b"\xef\xbb\xbf \t\r\n"):
        raise UnknownForm(f"is empty. Accepted are {ACCEPTED}")
    if _JSON_START.match(head) or name.endswith(_JSON_ENDINGS):
        return _json_form(head, whole)
    if name.endswith(_SOURCE_ENDINGS) or _CODE_SIGNS.search(head):
        return "kernel"
    kind = next((kind for magic, kind in _OTHER_ARCHIVES if head.startswith(magic)), "")
    if head[257:262] == b"ustar":
        kind = "uncompressed tar"
    what = f"is a {kind} archive, which is not read" if kind else "is of no known form"
    raise UnknownForm(f"{what}. Accepted are {ACCEPTED}")


def _json_form(head: bytes, whole: bool) -> Form:
    """Which JSON it is: its first line tells, or, if that is no value, the keys at its start."""
    first = next(line for line in head.splitlines() if line.strip(b"\xef\xbb\xbf \t"))
    try:
        value = parse(first).value
    except JsonFault:
        return _document_form(head)
    rest = head.split(first, 1)[1].strip()
    lines = bool(rest) or not whole
    keys = value if isinstance(value, dict) else {}
    if {"trajectory", "turn", "source"} & set(keys):
        return "turns"
    if "workload" in keys or "evaluation" in keys:
        return "traces"
    if "messages" in keys:
        return "conversation"
    if "sources" in keys or "spec" in keys:
        return "solution lines" if lines else "solutions"
    return _document_form(head)


def _document_form(head: bytes) -> Form:
    """The form of JSON over several lines, by the keys it begins with."""
    if re.search(rb'"(messages|info|trajectory_format)"\s*:', head):
        return "conversation"
    if re.search(rb'"(workload|evaluation)"\s*:', head):
        return "traces"
    if re.search(rb'"(trajectory|turn)"\s*:', head):
        return "turns"
    return "solutions"
