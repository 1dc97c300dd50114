"""Names that a kernel defines itself although they look like a vendor library's."""

from gpu_runner.cpp_tokens import Token
from gpu_runner.live_code import LiveCode, Span
from gpu_runner.vendor_libraries import library_of_name

# Only a plain value: `auto` or a pointer may hold a function that was looked up.
_PLAIN_TYPES = frozenset(
    {"bool", "char", "short", "int", "long", "unsigned", "float", "double", "size_t",
     "uint32_t", "int32_t", "uint64_t", "int64_t", "dim3"}
)  # fmt: skip
_INTRODUCERS = frozenset({"struct", "class", "enum", "union"})
_AFTER_VALUE = frozenset({"=", ";", ",", ")", "[", "{"})


def own_names(code: LiveCode) -> frozenset[str]:
    """Vendor-like names of values, types and functions with a body that the code defines.

    A function that is only declared is the library's: somebody else must have its body.
    """
    span = code.spans[-1]
    candidates = [
        index
        for index, token in enumerate(span.tokens)
        if token.kind == "identifier" and library_of_name(token.text)
    ]
    if not candidates:
        return frozenset()
    closing = _closing_brackets(span.tokens)
    return frozenset(span[index].text for index in candidates if _defines(span, index, closing))


def _defines(span: Span, index: int, closing: dict[int, int]) -> bool:
    """Whether the name at `index` is being defined there."""
    before, after = span[index - 1], span[index + 1].text
    if before.text in _PLAIN_TYPES and after in _AFTER_VALUE:
        return True
    if before.text in _INTRODUCERS and after in ("{", ":"):
        return True
    # A call is followed by a brace only inside another bracket, as in `if (f()) {`.
    follows = span[closing.get(index + 1, -2) + 1].text
    return before.kind == "identifier" and follows == "{"


def _closing_brackets(tokens: list[Token]) -> dict[int, int]:
    """Where each round bracket closes, by where it opens."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.text == "(":
            opened.append(index)
        elif token.text == ")" and opened:
            closing[opened.pop()] = index
    return closing
