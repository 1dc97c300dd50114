"""The scopes of C++ code: which brackets a token stands in, and how far their names reach."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gpu_runner.cpp_tokens import Token

GLOBAL = ""
"""The key of the scope around all others."""

Key = str | int
"""What a scope goes under: its name, shared by all parts of a namespace, or its place."""

_INTRODUCERS = frozenset({"namespace", "struct", "class", "enum", "union"})
_STOPS = frozenset({"{", ";"})
_LABEL_ENDS = frozenset({"(", ")", "{", "}", ";"})


class Reach(NamedTuple):
    """The first and last token at which names of a scope are known without its name."""

    begin: int
    end: int
    key: Key


@dataclass(frozen=True, slots=True)
class Scopes:
    """The scopes of some code.

    For each token, `keys` has the scope it stands in; `external` says whether a
    declaration with `extern` goes on there, `linkage` the same or directly in
    `extern "C" {`. `round` has the keys of round brackets, `used` the namespaces of
    `using namespace`, `closing` the closing bracket of each opening one.
    """

    keys: Sequence[Key]
    external: Sequence[bool]
    linkage: Sequence[bool]
    round: frozenset[Key]
    reaches: Sequence[Reach]
    used: frozenset[str]
    closing: dict[int, int]


class _Open(NamedTuple):
    """An open bracket."""

    place: int
    key: Key
    linkage: bool
    is_round: bool


@dataclass(slots=True)
class _Reader:
    """Reads scopes token by token. `label` is the name the next brace will go under."""

    tokens: Sequence[Token]
    stack: list[_Open] = field(default_factory=lambda: [_Open(-1, GLOBAL, False, False)])
    opened: list[_Open] = field(default_factory=list)
    closing: dict[int, int] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    braces: int = 0
    external: bool = False
    label: str | None = None
    introducer: int = 0

    def step(self, index: int) -> None:
        """Take one token."""
        text = self.tokens[index].text
        if text in _INTRODUCERS:
            self.label, self.introducer = "", index
        elif text == "extern":
            self.external = True
        elif self.label is not None and self._names(index):
            self.label = text
        elif text in _LABEL_ENDS:
            self._bracket(index, text)
            self.label = None

    def _text(self, index: int) -> str:
        return self.tokens[index].text if index >= 0 else ""

    def _names(self, index: int) -> bool:
        """Whether the token is the name of what is introduced, or a part of it."""
        before = self._text(index - 1)
        is_name = before in _INTRODUCERS or before == "::"
        return is_name and self.tokens[index].kind == "identifier"

    def _bracket(self, index: int, text: str) -> None:
        if text == "(":
            self._push(_Open(index, index, self.external or self.stack[-1].linkage, True))
        elif text == "{":
            self._push(_Open(index, *self._brace(index), False))
            self.braces += 1
            self.external = False
        elif text == ")":
            if self.stack[-1].is_round:
                self.closing[self.stack.pop().place] = index
        else:
            if text == "}":
                self._close(index)
            elif self.label and self._text(self.introducer - 1) == "using":
                self.used.add(self.label)
            self.external = False

    def _push(self, bracket: _Open) -> None:
        self.stack.append(bracket)
        self.opened.append(bracket)

    def _brace(self, index: int) -> tuple[Key, bool]:
        """The scope a brace opens, and whether its declarations have C linkage."""
        around = self.stack[-1].key
        if self._text(index - 2) == "extern" and self.tokens[index - 1].kind == "string":
            return around, True
        if self.label is not None and self._text(self.introducer) == "namespace":
            is_inline = self._text(self.introducer - 1) == "inline"
            return (self.label if self.label and not is_inline else around), False
        return self.label or index, False

    def _close(self, index: int) -> None:
        """Close the innermost brace, and round brackets in it that were never closed."""
        if self.braces:
            while self.stack[-1].is_round:
                self.stack.pop()
            self.closing[self.stack.pop().place] = index
            self.braces -= 1


def read_scopes(tokens: Sequence[Token]) -> Scopes:
    """The scopes of code, in time linear in its length."""
    reader = _Reader(tokens)
    keys: list[Key] = []
    external: list[bool] = []
    linkage: list[bool] = []
    for index in range(len(tokens)):
        keys.append(reader.stack[-1].key)
        external.append(reader.external)
        linkage.append(reader.external or reader.stack[-1].linkage)
        reader.step(index)
    return Scopes(
        keys,
        external,
        linkage,
        frozenset(bracket.key for bracket in reader.opened if bracket.is_round),
        _reaches(tokens, reader),
        frozenset(reader.used),
        reader.closing,
    )


def _reaches(tokens: Sequence[Token], reader: _Reader) -> list[Reach]:
    """How far each bracket's names reach: those in round ones into the body behind."""
    last = len(tokens)
    stops = [last] * (last + 1)
    for index in range(last - 1, -1, -1):
        stops[index] = index if tokens[index].text in _STOPS else stops[index + 1]
    reaches: list[Reach] = []
    for bracket in reader.opened:
        end = reader.closing.get(bracket.place, last)
        if bracket.is_round:
            stop = stops[end]
            is_brace = stop < last and tokens[stop].text == "{"
            end = reader.closing.get(stop, last) if is_brace else stop
        reaches.append(Reach(bracket.place, end, bracket.key))
    return reaches
