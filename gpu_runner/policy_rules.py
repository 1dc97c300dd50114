"""The policy's rules on names, calls and includes, each a function from code to matches."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from gpu_runner.cpp_tokens import KEYWORDS, Token
from gpu_runner.live_code import LiveCode, Span
from gpu_runner.own_names import own_names
from gpu_runner.vendor_libraries import (
    TORCH_KERNELS,
    TORCH_NAMESPACES,
    library_in_text,
    library_of_beginning,
    library_of_dotted,
    library_of_file,
    library_of_header,
    library_of_name,
    library_of_namespace,
)

Kind = Literal["banned", "notice"]


class Match(NamedTuple):
    """What a rule found at a token. Matches with one rule and subject are one finding."""

    kind: Kind
    rule: str
    subject: str
    token: Token
    message: str


_ADVICE = "write the kernel itself, without a library of finished kernels"
_MEMBER = frozenset({".", "->"})
_PASTES = frozenset({"##", "%:%:"})

_LOADER = re.compile(
    r"dlopen|dlmopen|dlv?sym|(?:cuModule|cuLibrary|cudaLibrary)(?:Load|Get)\w+"
    r"|cuLink(?:Create|Add)\w*|nvrtc[A-Z]\w*|nvPTXCompiler\w+|nvJitLink\w+|nvFatbin\w+"
    r"|LoadFromFile|GetGlobal(?:Required)?|TVMFFIFunctionGetGlobal"
)
_FUNCTION_LOOKUP = re.compile(r"(?:TVMFFIFunction)?GetGlobal(?:Required)?")
_DRIVER_LOOKUP = re.compile(r"cuGetProcAddress\w*|cudaGetDriverEntryPoint\w*")
_PROCESS = re.compile(
    r"system|popen|v?fork|f?exec(?:[lv]p?e?|vpe)|execveat|posix_spawnp?|ptrace"
    r"|socket|socketpair|memfd_create|syscall"
)
_LINKER_NAME = frozenset({"alias", "weakref", "asm", "__asm__", "__asm"})
# Words that may stand before a call, where other words make it a declaration.
_BEFORE_CALL = frozenset({"return", "else", "do", "co_return", "throw", "case", "and", "or", "not"})
_ALLOWED_LIBRARIES = {"thrust": "Thrust", "cub": "CUB", "curand": "cuRAND"}


def includes(code: LiveCode) -> Iterator[Match]:
    """Headers of vendor libraries, and paths that lead out of the include folders."""
    for token, path in code.includes:
        first = path.replace(".", "/").replace("_", "/").split("/")[0]
        if library := library_of_header(path):
            message = f"includes {library} ({path}): {_ADVICE}"
            yield Match("banned", "vendor_include", path, token, message)
        elif path.startswith("/"):
            message = f"includes the absolute path {path}, which the sandbox does not offer"
            yield Match("notice", "absolute_include", path, token, message)
        elif ".." in path.split("/"):
            message = f"includes {path}, outside the folders that the sandbox offers"
            yield Match("notice", "parent_include", path, token, message)
        elif library := _ALLOWED_LIBRARIES.get(first):
            message = f"includes {library}, which is allowed for what surrounds the kernel"
            yield Match("notice", "allowed_library", path, token, message)


def vendor_names(code: LiveCode) -> Iterator[Match]:
    """Functions, types and namespaces of vendor libraries."""
    own = own_names(code)
    for span, index, token in code.identifiers():
        if library := library_of_name(token.text):
            yield _vendor_name(token, library, own.covers(span, index))
        elif library := library_of_namespace(token.text):
            if _names_namespace(span, index) and not own.covers(span, index):
                message = f"uses {library} ({token.text}::): {_ADVICE}"
                yield Match("banned", "vendor_namespace", token.text, token, message)
        elif token.text in TORCH_NAMESPACES and (called := _torch_kernel(span, index)):
            message = f"calls PyTorch ({called}): {_ADVICE}"
            yield Match("banned", "vendor_call", called, token, message)


def _vendor_name(token: Token, library: str, own: bool) -> Match:
    """A name of a library's interface, or one that the kernel only made alike."""
    if own:
        message = f"defines {token.text} itself, a name as {library} has them"
        return Match("notice", "vendor_like_name", token.text, token, message)
    message = f"uses {library} ({token.text}): {_ADVICE}"
    return Match("banned", "vendor_call", token.text, token, message)


def _names_namespace(span: Span, index: int) -> bool:
    """Whether the identifier stands for a namespace that is not inside one of the kernel's own."""
    begin = index
    if span[index - 1].text == "::":
        scope = span[index - 2]
        if scope.kind == "identifier" and scope.text not in KEYWORDS:
            return False
        begin -= 1
    before = span[begin - 1]
    if before.text in _MEMBER:
        return False
    is_alias = before.text == "=" and span[begin - 3].text == "namespace"
    return span[index + 1].text == "::" or before.text == "namespace" or is_alias


def _torch_kernel(span: Span, index: int) -> str:
    """The whole name if `at::` or `torch::` leads to a library's kernel, else nothing."""
    names = [span[index].text]
    while len(names) < 5 and span[index + 1].text == "::":
        index += 2
        names.append(span[index].text)
    is_kernel = names[-1] in TORCH_KERNELS and span[index + 1].text == "("
    return "::".join(names) if is_kernel else ""


def pasted_names(code: LiveCode) -> Iterator[Match]:
    """Macros that paste something to the beginning of a vendor's name.

    Where a use of the macro is seen, `vendor_names` judges what it makes.
    """
    for span in code.spans:
        if not span.is_macro:
            continue
        for index, token in enumerate(span.tokens):
            if span[index + 1].text in _PASTES and (library := library_of_beginning(token.text)):
                message = f"pastes names that begin like {library}'s ({token.text}##…)"
                yield Match("notice", "pasted_name", token.text, token, message)
    if code.overflow is not None:
        message = "macros stand for more code than is followed; from here on it was not read"
        yield Match("notice", "macro_overflow", "", code.overflow, message)


def loaders(code: LiveCode) -> Iterator[Match]:
    """Code that is loaded or compiled at run time, and what is asked for."""
    loads = looks_up = False
    for span, index, token in code.identifiers():
        asked = span.argument_text(index + 1) if _DRIVER_LOOKUP.fullmatch(token.text) else ""
        if _LOADER.fullmatch(token.text) or _LOADER.fullmatch(asked):
            loads = True
            looks_up |= _FUNCTION_LOOKUP.fullmatch(token.text) is not None
            yield _load(token, span.argument_text(index + 1))
    if loads:
        yield from _named_files(code, looks_up)


def _load(token: Token, asked: str) -> Match:
    """A call of a loader, banned if its arguments name a library."""
    if library := library_in_text(asked):
        message = f"loads {library} at run time ({token.text} of {asked[:60]!r}): {_ADVICE}"
        return Match("banned", "vendor_load", asked, token, message)
    message = f"can load code at run time ({token.text}); only code in the kernel counts"
    return Match("notice", "runtime_code", token.text, token, message)


def _named_files(code: LiveCode, looks_up: bool) -> Iterator[Match]:
    """Strings that are a library's file name and no more, in a source that loads something.

    If it looks up registered functions, dotted names of a library's count too.
    """
    for span in code.spans:
        for index, text in span.texts():
            library = library_of_file(text)
            if library := library or (library_of_dotted(text) if looks_up else None):
                message = f"loads code and names {library}'s ({text[:60]!r}): {_ADVICE}"
                yield Match("banned", "vendor_load", text, span[index], message)


def linker_names(code: LiveCode) -> Iterator[Match]:
    """Functions that borrow a vendor's name from the linker."""
    for span, index, token in code.identifiers():
        if token.text in _LINKER_NAME and span[index + 1].text == "(":
            asked = span.text_at(index + 2)
            if library := library_of_name(asked):
                message = f"links {library} ({token.text} of {asked}): {_ADVICE}"
                yield Match("banned", "vendor_call", asked, token, message)


def processes(code: LiveCode) -> Iterator[Match]:
    """Calls that start processes or open connections: a kernel needs none."""
    for span, index, token in code.identifiers():
        if _PROCESS.fullmatch(token.text) and _is_free_call(span, index):
            message = f"calls {token.text}, which has no place in a kernel"
            yield Match("notice", "process", token.text, token, message)


def _is_free_call(span: Span, index: int) -> bool:
    """Whether a C function is called: no member, no other namespace's, no declaration."""
    before = span[index - 1]
    if span[index + 1].text != "(" or before.text in _MEMBER:
        return False
    if before.text == "::":
        scope = span[index - 2]
        return scope.kind != "identifier" or scope.text == "std" or scope.text in _BEFORE_CALL
    return before.kind != "identifier" or before.text in _BEFORE_CALL
