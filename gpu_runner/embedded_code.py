"""The policy's rules on what strings and tables carry: binaries, files, host assembly."""

import re
from collections.abc import Iterator

from gpu_runner.cpp_literals import literal_value
from gpu_runner.cpp_tokens import Token
from gpu_runner.live_code import LiveCode, Span
from gpu_runner.policy_rules import Match
from gpu_runner.vendor_libraries import library_of_name

LARGE_TABLE = 4096
"""Numbers in one table, from which on it is reported. Tuning tables have some dozens."""
LARGE_TEXT = 32_768
"""Characters in one string, from which on it is reported."""

_ASM = frozenset({"asm", "__asm__", "__asm"})
_QUALIFIERS = frozenset({"volatile", "__volatile__", "inline", "goto", "__inline__"})
_READS_FILE = re.compile(r"\.(?:incbin|include)\b")
_HOST_CODE = re.compile(
    r"\b(?:syscall|sysenter|int\s+\$0x80)\b|%%?[re](?:[abcd]x|[sd]i|[sb]p)\b"
    r"|\.(?:pushsection|section|text|data|globl|quad)\b|@(?:PLT|GOT\w*)"
)
_ASM_COMMENT = re.compile(r"//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/")
_ASM_NAME = re.compile(r"(?<![\w$%])[A-Za-z_]\w*+")
_MAGIC_TEXTS = {"\x7fELF": "an ELF file", "\x50\xed\x55\xba": "a fat binary"}
_MAGIC_NUMBERS = {
    0x464C457F: "an ELF file",
    0x7F454C46: "an ELF file",
    0xBA55ED50: "a fat binary",
    0x466243B1: "a fat binary",
}
_NARROW = (2, 1)
_MAGIC_STARTS = {
    (number & (1 << 8 * width) - 1, width) for number in _MAGIC_NUMBERS for width in _NARROW
}
_IN_TABLE = frozenset({",", "-", "+", "{", "}", "(", ")"})
_LONGEST_NUMBER = 72


def assembly(code: LiveCode) -> Iterator[Match]:
    """Assembly that reads files or is the host's; PTX is what kernels are made of."""
    for span, index, token in code.identifiers():
        if token.text not in _ASM:
            continue
        begin = index + 1
        while span[begin].text in _QUALIFIERS:
            begin += 1
        template = span.text_at(begin + 1)
        if found := _READS_FILE.search(template):
            message = f"assembly reads a file ({found[0]}), which the sandbox does not offer"
            yield Match("notice", "assembler_file", found[0], token, message)
        if found := _HOST_CODE.search(template):
            message = f"assembly for the host ({found[0]}), which has no place in a kernel"
            yield Match("notice", "host_assembly", found[0], token, message)
        yield from _vendor_symbols(token, template)


def _vendor_symbols(token: Token, template: str) -> Iterator[Match]:
    """Functions of vendor libraries that assembly calls. PTX names its registers as it likes."""
    if ".reg" in template:
        return
    for name in _ASM_NAME.findall(_ASM_COMMENT.sub(" ", template)):
        if library := library_of_name(name):
            message = f"uses {library} in assembly ({name}): write the kernel itself"
            yield Match("banned", "vendor_call", name, token, message)


def binaries(code: LiveCode) -> Iterator[Match]:
    """Compiled code carried along as a string or a table of numbers."""
    for span in code.spans:
        for index, text in span.texts():
            if name := next((n for magic, n in _MAGIC_TEXTS.items() if magic in text), None):
                yield _binary(span[index], name)
            if len(text) >= LARGE_TEXT:
                message = f"a string of {len(text):,} characters; a kernel brings no data along"
                yield Match("notice", "large_data", str(span[index].start), span[index], message)
        for index, token in enumerate(span.tokens):
            if token.kind == "number" and (name := _magic_number(span, index)):
                yield _binary(token, name)
        yield from _tables(span)


def _binary(token: Token, name: str) -> Match:
    message = f"carries what looks like {name}; only code that is compiled here counts"
    return Match("notice", "embedded_binary", name, token, message)


def _magic_number(span: Span, index: int) -> str | None:
    """What kind of file the number, or the table that begins with it, is the beginning of."""
    value = _signed(span, index)
    if -(1 << 63) <= value < 1 << 64:
        for number in (value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF):
            if number in _MAGIC_NUMBERS:
                return _MAGIC_NUMBERS[number]
    for width in _NARROW:
        if (value & (1 << 8 * width) - 1, width) in _MAGIC_STARTS:
            number = _packed(span, index, width)
            if number in _MAGIC_NUMBERS:
                return _MAGIC_NUMBERS[number]
    return None


def _packed(span: Span, index: int, width: int) -> int:
    """The first four bytes of a table of numbers of `width` bytes, as one little-endian number."""
    packed = 0
    for place in range(0, 4, width):
        value = _signed(span, index)
        if not -(1 << 8 * width - 1) <= value < 1 << 8 * width:
            return -1
        packed |= (value & (1 << 8 * width) - 1) << 8 * place
        index += 3 if span[index + 2].text == "-" else 2
    return packed


def _signed(span: Span, index: int) -> int:
    """The value of an integer or character with its sign; -1 for anything else."""
    value = _value(span[index])
    return -value if span[index - 1].text == "-" and value >= 0 else value


def _value(token: Token) -> int:
    """The value of an integer or character; -1 for anything else."""
    if token.kind == "character":
        text = literal_value(token)
        return ord(text) if len(text) == 1 else -1
    digits = token.text.replace("'", "").rstrip("uUlLzZ")
    if token.kind != "number" or len(digits) > _LONGEST_NUMBER:
        return -1
    try:
        return int(digits, 8 if digits.startswith("0") and digits.isdigit() else 0)
    except ValueError:
        return -1


def _tables(span: Span) -> Iterator[Match]:
    """Long tables of numbers, at their first number."""
    count, first = 0, span[0]
    for token in [*span.tokens, span[-1]]:
        if token.kind in ("number", "character"):
            first = first if count else token
            count += 1
        elif token.text not in _IN_TABLE:
            if count >= LARGE_TABLE:
                message = f"a table of {count:,} numbers; a kernel brings no data along"
                yield Match("notice", "large_data", str(first.start), first, message)
            count = 0
