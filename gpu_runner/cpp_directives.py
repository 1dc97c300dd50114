"""Separates a source's preprocessor directives from its code, without code that is switched off.

Only `#if 0` and `#if 1` are believed. Under any other condition code counts as there,
since who compiles it, and with what defined, is not known here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from gpu_runner.cpp_tokens import Token

_BLANK = frozenset({"space", "comment"})
_HASHES = frozenset({"#", "%:"})


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive's name, such as `include`, and the tokens behind it, without blanks."""

    name: str
    tokens: tuple[Token, ...]


@dataclass(slots=True)
class _Group:
    """The open branch of one `#if`: whether it is live, and whether a later one can be."""

    live: bool
    settled: bool


@dataclass(slots=True)
class _Conditions:
    """The branches that are open, and how many of them are dead."""

    groups: list[_Group] = field(default_factory=list)
    dead: int = 0

    def follow(self, directive: Directive) -> None:
        """Open, change or close a branch."""
        name = directive.name
        if name in ("if", "ifdef", "ifndef"):
            self._enter(directive, settled=False)
        elif self.groups and name in ("elif", "elifdef", "elifndef", "else"):
            self._enter(directive, settled=self._leave().settled)
        elif self.groups and name == "endif":
            self._leave()

    def _enter(self, directive: Directive, settled: bool) -> None:
        condition = "".join(token.text for token in directive.tokens)
        known = condition if directive.name in ("if", "elif") else ""
        live = not settled and known != "0"
        self.groups.append(_Group(live, settled or known == "1"))
        self.dead += not live

    def _leave(self) -> _Group:
        group = self.groups.pop()
        self.dead -= not group.live
        return group


def live_parts(tokens: tuple[Token, ...]) -> Iterator[Directive | Token]:
    """Directives and, one by one, tokens of code, in order; no blanks, nothing switched off.

    The conditional directives themselves are not among them.
    """
    conditions = _Conditions()
    for line in _lines(tokens):
        if not line or line[0].text not in _HASHES or line[0].kind != "punctuator":
            if not conditions.dead:
                yield from line
            continue
        directive = Directive(line[1].text if len(line) > 1 else "", tuple(line[2:]))
        if directive.name in _CONDITIONALS:
            conditions.follow(directive)
        elif not conditions.dead:
            yield directive


_CONDITIONALS = frozenset({"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"})


def _lines(tokens: tuple[Token, ...]) -> Iterator[list[Token]]:
    """The tokens line by line, without blanks. A comment over several lines ends none."""
    line: list[Token] = []
    for token in tokens:
        if token.kind == "newline":
            yield line
            line = []
        elif token.kind not in _BLANK:
            line.append(token)
    yield line
