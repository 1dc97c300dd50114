"""A source as its policy is applied to it: what it includes, and its code with macros followed."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from gpu_runner.cpp_directives import Directive, live_parts
from gpu_runner.cpp_literals import is_text, joined_value, literal_value
from gpu_runner.cpp_macros import Expander, parse_macro
from gpu_runner.cpp_tokens import Token

_ARGUMENT_WINDOW = 32
_INCLUDES = frozenset({"include", "include_next", "import", "embed"})
_END = Token("space", "", 0)


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens that stand next to each other: all code, or the replacement of one macro."""

    tokens: list[Token]
    is_macro: bool = False

    def __getitem__(self, index: int) -> Token:
        """A token, or an empty one outside the span."""
        return self.tokens[index] if 0 <= index < len(self.tokens) else _END

    def texts(self) -> Iterator[tuple[int, str]]:
        """Each string as C++ sees it, neighbours joined, with the index of its first part."""
        index = 0
        while index < len(self.tokens):
            begin = index
            while is_text(self[index]):
                index += 1
            if index > begin:
                yield begin, joined_value(self.tokens[begin:index])
            index += 1

    def text_at(self, index: int) -> str:
        """The string that begins at `index`, neighbours joined; empty if none does."""
        parts: list[str] = []
        while is_text(self[index]):
            parts.append(literal_value(self[index]))
            index += 1
        return "".join(parts)

    def argument_text(self, index: int) -> str:
        """All strings among the first arguments of the call whose bracket is at `index`."""
        if self[index].text != "(":
            return ""
        depth = 0
        for end in range(index, min(index + _ARGUMENT_WINDOW, len(self.tokens))):
            depth += (self.tokens[end].text == "(") - (self.tokens[end].text == ")")
            if depth == 0:
                break
        return joined_value(self.tokens[index : end + 1])


@dataclass(slots=True)
class LiveCode:
    """What is left of a source without comments, dead branches and macros.

    `includes` has each path with the token that named it, `overflow` the place of the
    code from which on macros were too much to follow.
    """

    spans: list[Span] = field(default_factory=list)
    includes: list[tuple[Token, str]] = field(default_factory=list)
    overflow: Token | None = None

    def identifiers(self) -> Iterator[tuple[Span, int, Token]]:
        """Each identifier with its span and its index there."""
        for span in self.spans:
            for index, token in enumerate(span.tokens):
                if token.kind == "identifier":
                    yield span, index, token


def read_live_code(tokens: tuple[Token, ...]) -> LiveCode:
    """Follow directives in order. The code with its macros followed is the last span.

    Where they changed it, it is there as written too: which of a macro's definitions holds
    is not known for sure, and one of them may make a call vanish.
    """
    live, expander = LiveCode(), Expander()
    written: list[Token] = []
    followed: list[Token] = []
    done = 0
    for part in live_parts(tokens):
        if isinstance(part, Token):
            written.append(part)
            continue
        if part.name == "define":  # the code so far knows the macros so far
            followed += _expand(written[done:], expander, live)
            done = len(written)
        _follow(part, expander, live)
    followed += _expand(written[done:], expander, live)
    live.spans += [Span(written), Span(followed)] if written != followed else [Span(followed)]
    return live


def _expand(code: list[Token], expander: Expander, live: LiveCode) -> list[Token]:
    """The code with its macros followed, and a note of where that became too much."""
    expanded = expander.expand(code)
    if expander.exhausted and live.overflow is None and code:
        live.overflow = code[0]
    return expanded


def _follow(directive: Directive, expander: Expander, live: LiveCode) -> None:
    """Take note of a macro or an include."""
    if directive.name == "define" and (macro := parse_macro(directive)) is not None:
        expander.define(macro)
        live.spans.append(Span(list(macro.body), is_macro=True))
    elif directive.name in _INCLUDES and directive.tokens:
        first = directive.tokens[0]
        if first.kind == "header":
            path = first.text[1:-1]
        else:
            named = expander.expand(list(directive.tokens))
            path = joined_value(named) or "".join(token.text for token in named).strip("<>")
        live.includes.append((first, path))
