"""Follows a source's own macros, so that a name cannot hide behind pasting or an alias.

Arguments, `#`, `##`, nesting and recursion are as in the standard. The work is bounded,
because a few lines of macros can stand for more code than any memory holds. Macros of
headers are unknown here and left as they are.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gpu_runner.cpp_directives import Directive
from gpu_runner.cpp_tokens import Token, tokenize

MAX_STEPS = 100_000
"""Tokens handled on behalf of macros before the rest is left as it is: about 0.3 s."""

_MAX_DEPTH = 40
_MAX_PASTED = 256
_ANY_NUMBER = "__VA_ARGS__"
_PASTES = frozenset({"##", "%:%:"})
_STRINGIFIES = frozenset({"#", "%:"})

_Marked = tuple[Token, frozenset[str]]
"""A token, and the macros it came out of, which it can name no more."""


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro's name, its parameters' places (None: it takes no arguments), its replacement.

    `rest` is the parameter, if any, that stands for all arguments from its place on.
    """

    name: str
    parameters: Mapping[str, int] | None
    rest: str
    body: tuple[Token, ...]

    @property
    def pastes(self) -> bool:
        """Whether the replacement pastes tokens together."""
        return any(token.text in _PASTES for token in self.body)


def parse_macro(directive: Directive) -> Macro | None:
    """The macro of a `#define`, or None if there is none."""
    if not directive.tokens or directive.tokens[0].kind != "identifier":
        return None
    name, *rest = directive.tokens
    # Only a bracket that touches the name opens a list of parameters.
    if not rest or rest[0].text != "(" or rest[0].start != name.start + len(name.text):
        return Macro(name.text, None, "", tuple(rest))
    texts = [token.text for token in rest]
    if ")" not in texts:
        return None
    end = texts.index(")")
    names = "".join(texts[1:end]).split(",") if end > 1 else []
    last = names[-1] if names and names[-1].endswith("...") else ""
    if last:
        names[-1] = last = last.removesuffix("...") or _ANY_NUMBER
    places = {parameter: place for place, parameter in enumerate(names)}
    return Macro(name.text, places, last, tuple(rest[end + 1 :]))


@dataclass(slots=True)
class Expander:
    """Expands code with the macros defined so far. `exhausted` once the work was too much."""

    macros: dict[str, Macro] = field(default_factory=dict)
    steps: int = MAX_STEPS

    @property
    def exhausted(self) -> bool:
        """Whether code was left unexpanded because there was too much of it."""
        return self.steps <= 0

    def define(self, macro: Macro) -> None:
        """Take a definition. One that pastes stays, since a later one may be its alternative."""
        known = self.macros.get(macro.name)
        if known is None or macro.pastes or not known.pastes:
            self.macros[macro.name] = macro

    def expand(self, code: list[Token]) -> list[Token]:
        """The code with its macros replaced. New tokens have the place of the macro's use."""
        if not self.macros:
            return code
        return [token for token, _ in self._expand([(token, frozenset()) for token in code], 0)]

    def _expand(self, code: list[_Marked], depth: int) -> Iterator[_Marked]:
        pending = code[::-1]
        while pending:
            marked = pending.pop()
            token, hidden = marked
            macro = self.macros.get(token.text) if token.kind == "identifier" else None
            if macro is None or token.text in hidden or self.exhausted:
                yield marked
                continue
            arguments: list[list[_Marked]] = []
            if macro.parameters is not None:
                if not pending or pending[-1][0].text != "(":
                    yield marked
                    continue
                arguments = self._arguments(pending)
            inside = hidden | {macro.name}
            pieces = _Substitution(self, macro, arguments, token.start, depth).tokens()
            pending += [(piece, marks | inside) for piece, marks in reversed(pieces)]

    def _arguments(self, pending: list[_Marked]) -> list[list[_Marked]]:
        """Take a bracketed list of arguments off `pending`; one never closed goes to the end."""
        pending.pop()
        arguments: list[list[_Marked]] = [[]]
        depth = 0
        while pending:
            self.steps -= 1
            marked = pending.pop()
            text = marked[0].text
            if text == ")" and depth == 0:
                break
            depth += (text == "(") - (text == ")")
            if text == "," and depth == 0:
                arguments.append([])
            else:
                arguments[-1].append(marked)
        return arguments


@dataclass(slots=True)
class _Substitution:
    """One use of a macro: its replacement with the arguments put in."""

    expander: Expander
    macro: Macro
    arguments: list[list[_Marked]]
    start: int
    depth: int

    def tokens(self) -> list[_Marked]:
        """The replacement after `#` and `##`, not yet scanned again."""
        out: list[_Marked] = []
        piece_begin, pasting = 0, False
        for index, token in enumerate(self.macro.body):
            self.expander.steps -= 1
            if self.expander.exhausted:
                break
            if token.text in _PASTES and index:
                pasting = True
                continue
            piece = self._piece(index)
            if not pasting:
                piece_begin = len(out)
            elif piece and len(out) > piece_begin:
                out[-1:] = _paste(out[-1], piece.pop(0))
            out += piece
            pasting = False
        return out

    def _piece(self, index: int) -> list[_Marked]:
        """What one token of the replacement stands for."""
        body = self.macro.body
        token = body[index]
        before = body[index - 1].text if index else ""
        after = body[index + 1].text if index + 1 < len(body) else ""
        raw = self._argument(token.text)
        self.expander.steps -= len(raw or ())
        if raw is not None and before in _STRINGIFIES:
            return [(_stringified(raw, self.start), frozenset())]
        if raw is not None:
            if before in _PASTES or after in _PASTES or self.depth >= _MAX_DEPTH:
                return list(raw)
            return list(self.expander._expand(raw, self.depth + 1))
        if token.text in _STRINGIFIES and self._argument(after) is not None:
            return []
        return [(Token(token.kind, token.text, self.start), frozenset())]

    def _argument(self, name: str) -> list[_Marked] | None:
        """The argument of a parameter; None for other names."""
        place = (self.macro.parameters or {}).get(name)
        if place is None:
            return None
        if name == self.macro.rest:
            return self._rest(place)
        return self.arguments[place] if place < len(self.arguments) else []

    def _rest(self, index: int) -> list[_Marked]:
        """The arguments from `index` on, with their commas."""
        comma = (Token("punctuator", ",", self.start), frozenset[str]())
        joined: list[_Marked] = []
        for argument in self.arguments[index:]:
            joined += [comma, *argument] if joined else argument
        return joined


def _paste(left: _Marked, right: _Marked) -> list[_Marked]:
    """Two tokens as one, or as they were if that is no token, or longer than any name."""
    text = left[0].text + right[0].text
    if len(text) > _MAX_PASTED or len(made := tokenize(text).tokens) != 1:
        return [left, right]
    # What may not be expanded again is forgotten: too much is followed rather than too little,
    # and the work is bounded.
    return [(Token(made[0].kind, made[0].text, left[0].start), left[1] & right[1])]


def _stringified(argument: list[_Marked], start: int) -> Token:
    """The argument as a string literal. Blanks, which no rule looks at, are left out."""
    text = "".join(
        token.text.replace("\\", "\\\\").replace('"', '\\"')
        if token.kind in ("string", "character")
        else token.text
        for token, _ in argument
    )
    return Token("string", f'"{text}"', start)
