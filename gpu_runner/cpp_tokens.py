"""C++ source as tokens: translation phases 1 to 3 of C++17, as the compiler does them.

Nothing is ever refused: what is no token of C++ becomes a punctuator or runs to
the end of its line, so a policy can be applied to whatever somebody hands in. Every
step is linear in the length of the source.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

Kind = Literal[
    "identifier", "number", "string", "raw", "character", "header", "punctuator", "comment",
    "space", "newline",
]  # fmt: skip


class Token(NamedTuple):
    """One token. `start` counts characters of the source after line splicing.

    `string` covers ordinary literals with their prefix, `raw` raw ones; either may lack
    its closing quote. `header` is what follows `#include`, with its brackets.
    """

    kind: Kind
    text: str
    start: int


KEYWORDS = frozenset(
    {"and", "auto", "case", "class", "co_await", "co_return", "co_yield", "const", "constexpr",
     "delete", "do", "else", "enum", "explicit", "extern", "friend", "goto", "if", "inline",
     "mutable", "namespace", "new", "not", "operator", "or", "register", "return", "signed",
     "sizeof", "static", "struct", "template", "throw", "typedef", "typename", "union",
     "using", "virtual", "void", "volatile", "bool", "char", "short", "int", "long",
     "unsigned", "float", "double", "public", "private", "protected"}
)  # fmt: skip
"""Words that may stand before a name without being a part of it, as in `return ::name`."""

_SPLICE = re.compile(r"\\[ \t\v\f]*+(?:\r\n|[\r\n])")

_TOKEN = re.compile(
    r"""
      (?P<space>[ \t\v\f]++)
    | (?P<newline>\r\n|[\r\n])
    | (?P<comment>//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?)
    | (?P<raw>(?:u8|[uUL])?+R"(?P<delimiter>[^ ()\\\t\v\f\r\n"]{0,16}+)\()
    | (?P<string>(?:u8|[uUL])?+"(?:[^"\\\r\n]++|\\[^\r\n])*+"?)
    | (?P<character>(?:u8|[uUL])?+'(?:[^'\\\r\n]++|\\[^\r\n])*+'?)
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'(?=\w)|[\w.])*+)
    | (?P<identifier>[^\W0-9][\w$]*+|\$[\w$]*+)
    | (?P<punctuator>%:%:|%:|\#\#|::|->|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_HEADER = re.compile(r'<[^>\r\n]*+>|"[^"\r\n]*+"')
_INCLUDES = frozenset({"include", "include_next", "import", "embed"})
_HASHES = frozenset({"#", "%:"})

# Where in a line the scanner is: only there can `#` begin a directive and a header follow.
_ELSEWHERE, _LINE_START, _AFTER_HASH, _AFTER_INCLUDE = range(4)


@dataclass(frozen=True, slots=True)
class CppSource:
    """A source as tokens, which joined give it back after line splicing."""

    text: str
    tokens: tuple[Token, ...]
    _cuts: "_Cuts"
    _line_starts: tuple[int, ...]

    def position(self, start: int) -> tuple[int, int]:
        """Line and column, both from 1, of a token's `start` in the text as handed in."""
        return self.place(self._cuts.original(start))

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character of the text as handed in."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its end."""
        begin = self._line_starts[number - 1]
        end = self._line_starts[number] if number < len(self._line_starts) else len(self.text)
        return self.text[begin:end].rstrip("\r\n")


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Where continued lines were joined: places in the joined text, characters left out so far."""

    places: list[int]
    removed: list[int]
    ends: list[int]

    def original(self, place: int) -> int:
        """A place of the joined text in the text as handed in."""
        index = bisect_right(self.places, place)
        return place + (self.removed[index - 1] if index else 0)

    def joined(self, offset: int) -> int:
        """The reverse, for an offset that is not inside a cut."""
        index = bisect_right(self.ends, offset)
        return offset - (self.removed[index - 1] if index else 0)


def tokenize(source: str) -> CppSource:
    """The tokens of a source, white space and comments included. Never raises."""
    text, cuts = _splice(source)
    starts = (0, *(match.end() for match in re.finditer(r"\r\n|[\r\n]", source)))
    return CppSource(source, tuple(_scan(source, text, cuts)), cuts, starts)


def _splice(source: str) -> tuple[str, _Cuts]:
    """Join continued lines (phase 2). The compiler allows blanks behind the backslash."""
    matches = list(_SPLICE.finditer(source))
    removed = list(accumulate(match.end() - match.start() for match in matches))
    ends = [match.end() for match in matches]
    places = [end - gone for end, gone in zip(ends, removed, strict=True)]
    return _SPLICE.sub("", source) if matches else source, _Cuts(places, removed, ends)


def _scan(source: str, text: str, cuts: _Cuts) -> list[Token]:
    """Cut the joined text into tokens (phase 3)."""
    tokens: list[Token] = []
    place, where = 0, _LINE_START
    while match := (where == _AFTER_INCLUDE and _HEADER.match(text, place)) or _TOKEN.match(
        text, place
    ):
        kind: Kind = match.lastgroup or "header"  # type: ignore[assignment]
        if kind == "raw":
            token, end = _raw_string(source, match, cuts)
        else:
            token, end = Token(kind, match[0], place), match.end()
        tokens.append(token)
        place = end
        if kind == "newline":
            where = _LINE_START
        elif where and kind not in ("space", "comment"):
            where = _next_where(where, token)
    return tokens


def _next_where(where: int, token: Token) -> int:
    """Where the scanner is behind a token that is neither blank nor comment."""
    if where == _LINE_START and token.text in _HASHES:
        return _AFTER_HASH
    if where == _AFTER_HASH and token.text in _INCLUDES:
        return _AFTER_INCLUDE
    return _ELSEWHERE


def _raw_string(source: str, opening: re.Match[str], cuts: _Cuts) -> tuple[Token, int]:
    """A raw string and the place behind it.

    Between its quotes line splicing is undone, so its end is sought in the text as
    handed in. One that is never closed goes on to the end of the source.
    """
    begin = cuts.original(opening.end() - 1) + 1
    closing = f'){opening["delimiter"]}"'
    found = source.find(closing, begin)
    end = len(source) if found < 0 else found + len(closing)
    return Token("raw", opening[0] + source[begin:end], opening.start()), cuts.joined(end)
