"""When a kernel may be checked with thin headers in place of TVM-FFI's.

The real headers take a build from 1 second to 3.6. The thin ones declare less, so what
compiles with them compiles with the real ones; everything else is built again with
those. This file names the sources for which "declares less" is not enough: where a name
that only the real headers bring could change the meaning of the rest.
"""

import re

STOOD_IN = frozenset(
    f"tvm/ffi/{name}"
    for name in (
        "tvm_ffi.h",
        "function.h",
        "error.h",
        "dtype.h",
        "container/tensor.h",
        # These two are C and taken from the real ones.
        "c_api.h",
        "extra/c_env_api.h",
    )
)

_CONTINUED = re.compile(r"\\[ \t]*\n")
_INCLUDED = re.compile(r"#[ \t]*include[ \t]*([^\n]*)")
_NAMED = re.compile(r'[<"]([^>"]+)[>"]')
_DOUBTS = re.compile(
    # All names of a namespace become visible, the ones that are missing here too.
    r"\busing\s+namespace\b"
    # Names are added to namespaces that the real headers fill.
    r"|\bnamespace\s+(?:::\s*)?(?:std|tvm|ffi)\b"
    # The preprocessor is asked what there is.
    r"|__has_include|__COUNTER__|__INCLUDE_LEVEL__|#[ \t]*include_next"
    r"|#[ \t]*(?:if|ifdef|ifndef|elif)\b[^\n]*(?:TVM|DLPACK|GLIBCXX|_H_?\b)"
    # A trigraph, or a directive spelled with a digraph.
    r"|\?\?|%:"
)
_CHANGES_HEADERS = re.compile(r"#[ \t]*(?:define|undef|pragma[ \t]+push_macro)\b")


def may_stand_in(source: str) -> bool:
    """Whether a build with thin headers, if it succeeds, says what a full one would say."""
    joined = _CONTINUED.sub("", source)
    includes = list(_INCLUDED.finditer(joined))
    names = [_NAMED.match(match[1]) for match in includes]
    bound = [
        (match, name[1])
        for match, name in zip(includes, names, strict=True)
        if name and name[1].startswith(("tvm/", "dlpack/"))
    ]
    if not bound or None in names or _DOUBTS.search(joined):
        return False
    if not all(name in STOOD_IN for _match, name in bound):
        return False
    # A macro defined before the headers could rewrite the real ones and not these.
    return not _CHANGES_HEADERS.search(joined[: bound[-1][0].start()])
