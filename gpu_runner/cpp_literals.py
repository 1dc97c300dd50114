"""What string literals say, once their escapes are read."""

import re
from collections.abc import Sequence

from gpu_runner.cpp_tokens import Token

_ESCAPE = re.compile(
    r"\\(?:x(?P<hex>[0-9a-fA-F]+)|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})"
    r"|(?P<octal>[0-7]{1,3})|(?P<plain>.))",
    re.DOTALL,
)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "a": "\a", "b": "\b"}
_RAW = re.compile(r'[uUL8]*R"([^(]*)\((.*)', re.DOTALL)
_TEXTS = frozenset({"string", "raw"})


def is_text(token: Token) -> bool:
    """Whether a token is a string literal."""
    return token.kind in _TEXTS


def literal_value(token: Token) -> str:
    """The characters a string or character literal stands for, even if it is not closed."""
    if token.kind == "raw" and (match := _RAW.fullmatch(token.text)):
        return match[2].removesuffix(f'){match[1]}"')
    quote = "'" if token.kind == "character" else '"'
    body = token.text.partition(quote)[2].removesuffix(quote)
    return _ESCAPE.sub(_escaped, body)


def joined_value(tokens: Sequence[Token]) -> str:
    """The string literals among the tokens, joined as neighbours are in C++."""
    return "".join(literal_value(token) for token in tokens if is_text(token))


def _escaped(match: re.Match[str]) -> str:
    """The character of one escape sequence. Bytes stand as Latin-1."""
    if digits := match["hex"]:
        return chr(int(digits[-2:], 16))
    if digits := match["octal"]:
        return chr(int(digits, 8) & 0xFF)
    if digits := match["short"] or match["long"]:
        code = int(digits, 16)
        return chr(code) if code <= 0x10FFFF else "\ufffd"
    return _PLAIN.get(match["plain"], match["plain"])
