"""What a kernel's source may not use, and what people should know about it before it runs.

The policy names an honest mistake early and in plain words. It is no defence: whoever
hides well enough is stopped by the sandbox, which has no such library, and by the
profile, in which foreign code shows.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpu_runner.cpp_tokens import CppSource, tokenize
from gpu_runner.embedded_code import assembly, binaries
from gpu_runner.live_code import read_live_code
from gpu_runner.policy_rules import (
    Kind,
    Match,
    includes,
    linker_names,
    loaders,
    pasted_names,
    processes,
    vendor_names,
)

MAX_FINDINGS = 100
"""Findings reported; banned ones come before notices if there are more."""

_RULES = (
    includes,
    vendor_names,
    pasted_names,
    loaders,
    linker_names,
    processes,
    assembly,
    binaries,
)
_EXCERPT_BEFORE, _EXCERPT, _MESSAGE = 40, 120, 300
_DIRECTION = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, at the first of its places; `line` and `column` count from 1.

    `banned` decides the outcome `banned_library`; a `notice` decides nothing. `excerpt`
    is the line, or the part of it around the column, without control characters.
    """

    kind: Kind
    rule: str
    line: int
    column: int
    excerpt: str
    message: str


def inspect(source: str) -> tuple[Finding, ...]:
    """All findings in a kernel's source, by place. Never raises, whatever the text."""
    cpp = tokenize(source)
    code = read_live_code(cpp.tokens)
    found: dict[tuple[str, str], list[Match]] = {}
    for rule in _RULES:
        for match in rule(code):
            found.setdefault((match.rule, match.subject), []).append(match)
    findings = [_finding(cpp, matches) for matches in found.values()]
    findings += _hidden_order(cpp)
    findings.sort(key=lambda finding: (finding.kind, finding.line, finding.column))
    return tuple(sorted(findings[:MAX_FINDINGS], key=lambda f: (f.line, f.column)))


def _finding(cpp: CppSource, matches: list[Match]) -> Finding:
    """The matches of one subject as one finding."""
    first = min(matches, key=lambda match: match.token.start)
    line, column = cpp.position(first.token.start)
    places = len({match.token.start for match in matches})
    more = f" ({places} places, the first here)" if places > 1 else ""
    excerpt = _excerpt(cpp.line(line), column)
    message = _cut(_plain(first.message), _MESSAGE)  # it may quote a name of any length
    return Finding(first.kind, first.rule, line, column, excerpt, message + more)


def _hidden_order(cpp: CppSource) -> Iterator[Finding]:
    """Characters that make a text look other than it is, wherever they stand."""
    found = list(_DIRECTION.finditer(cpp.text))
    if found:
        line, column = cpp.place(found[0].start())
        message = (
            f"{len(found)} characters change the direction of writing: code may look reordered"
        )
        excerpt = _excerpt(cpp.line(line), column)
        yield Finding("notice", "hidden_order", line, column, excerpt, message)


def _excerpt(text: str, column: int) -> str:
    """The line around a column, short and safe to show."""
    begin = max(0, column - 1 - _EXCERPT_BEFORE)
    shown = _plain(text[begin : begin + _EXCERPT + 1]).strip()
    return ("…" if begin else "") + _cut(shown, _EXCERPT)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"


def _plain(text: str) -> str:
    """A text with tabs as blanks and everything else that cannot be seen escaped."""
    return "".join(
        char if char.isprintable() else " " if char == "\t" else f"\\x{{{ord(char):x}}}"
        for char in text
    )
