"""Names that a kernel defines itself although they look like a vendor library's.

Such a name excuses its uses where it is known, and nowhere else; and never a prototype
with C linkage, behind which only the library's function can be.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from gpu_runner.cpp_scopes import GLOBAL, Key, Scopes, read_scopes
from gpu_runner.cpp_tokens import KEYWORDS
from gpu_runner.live_code import LiveCode, Span
from gpu_runner.vendor_libraries import library_of_name, library_of_namespace

_PLAIN_TYPES = frozenset(
    {"auto", "bool", "char", "short", "int", "long", "unsigned", "float", "double", "size_t",
     "uint32_t", "int32_t", "uint64_t", "int64_t", "dim3"}
)  # fmt: skip
_INTRODUCERS = frozenset({"struct", "class", "enum", "union"})
_AFTER_VALUE = frozenset({"=", ";", ",", ")", "[", "{"})
_DECLARATORS = frozenset({"*", "&"})
_BEFORE_PROTOTYPE = frozenset({"*", "&", "(", ")", ">", ","})
_MEMBER = frozenset({".", "->"})


@dataclass(frozen=True, slots=True)
class OwnNames:
    """For each span, by its identity, the indexes of names that are the kernel's own."""

    indexes: dict[int, set[int]]

    def covers(self, span: Span, index: int) -> bool:
        """Whether a name is one that the kernel defined, as far as can be seen there."""
        return index in self.indexes.get(id(span), ())


@dataclass(slots=True)
class _Reading:
    """The vendor-like names of a span: where they stand, and which scope defines which."""

    span: Span
    scopes: Scopes
    uses: list[int] = field(default_factory=list)
    defined: dict[Key, set[str]] = field(default_factory=lambda: defaultdict(set))


class _Change(NamedTuple):
    """The token from which on one part more, or less, of a scope reaches."""

    place: int
    step: int
    key: Key


def own_names(code: LiveCode) -> OwnNames:
    """The names in a code that it defines itself.

    Other spans than the code with its macros followed know, besides their own names, what
    that code knows at their place.
    """
    readings = [reading for span in code.spans if (reading := _read(span))]
    own = {id(reading.span): _known(reading, _uses(reading)) for reading in readings}
    if readings and (last := readings[-1]).span is code.spans[-1]:
        starts = list(accumulate((token.start for token in last.span.tokens), max))
        for reading in readings[:-1]:
            uses = [
                (bisect_left(starts, reading.span[index].start), index)
                for _, index in _uses(reading)
            ]
            own[id(reading.span)] |= _known(last, sorted(uses), reading.span)
    return OwnNames(own)


def _read(span: Span) -> _Reading | None:
    """The vendor-like names of a span; None if it has none."""
    uses = [
        index
        for index, token in enumerate(span.tokens)
        if token.kind == "identifier"
        and (library_of_name(token.text) or library_of_namespace(token.text))
    ]
    if not uses:
        return None
    reading = _Reading(span, read_scopes(span.tokens), uses)
    for index in uses:
        if _defines(reading, index):
            reading.defined[reading.scopes.keys[index]].add(span[index].text)
    return reading


def _defines(reading: _Reading, index: int) -> bool:
    """Whether the name at `index` is being defined there."""
    span, scopes = reading.span, reading.scopes
    before, after = span[index - 1].text, span[index + 1].text
    if library_of_namespace(span[index].text):
        return before == "namespace" and after == "{" and scopes.keys[index] != GLOBAL
    if _is_value(span, index):
        inside = scopes.keys[index] in scopes.round
        return inside or after in ("=", "{") or not scopes.external[index]
    if before in _INTRODUCERS and after in ("{", ":"):
        return True
    # A call is followed by a brace only inside another bracket, as in `if (f()) {`.
    follows = span[scopes.closing.get(index + 1, -2) + 1].text
    returns = span[index - 1].kind == "identifier" or before in _DECLARATORS
    return after == "(" and returns and follows == "{"


def _is_value(span: Span, index: int) -> bool:
    """Whether the name at `index` is declared as a value, behind its type."""
    after = span[index + 1].text
    begin = index - 1
    while span[begin].text in _DECLARATORS and begin > index - 4:
        begin -= 1
    kind = span[begin]
    if kind.text in _PLAIN_TYPES and after in _AFTER_VALUE:
        return True
    assigned = after == "=" and span[index + 2].text != "="
    return assigned and kind.kind == "identifier" and kind.text not in KEYWORDS


def _uses(reading: _Reading) -> Iterator[tuple[int, int]]:
    """Each name that its definition may excuse, as (place, index), which here are the same."""
    span, scopes = reading.span, reading.scopes
    for index in reading.uses:
        before = span[index - 1]
        declares = before.kind == "identifier" or before.text in _BEFORE_PROTOTYPE
        if not (scopes.linkage[index] and declares) or _defines(reading, index):
            yield index, index


def _known(
    reading: _Reading, uses: Iterable[tuple[int, int]], span: Span | None = None
) -> set[int]:
    """Which names of `span` are known at their places in what was read. Places ascend."""
    span = span or reading.span
    known: Counter[str] = Counter()
    for space in {GLOBAL, *reading.scopes.used} & reading.defined.keys():
        known.update(reading.defined[space])
    changes = iter(_changes(reading))
    change = next(changes, None)
    found: set[int] = set()
    for place, index in uses:
        while change is not None and change.place <= place:
            for name in reading.defined[change.key]:
                known[name] += change.step
            change = next(changes, None)
        if _is_own(reading, known, span, index):
            found.add(index)
    return found


def _changes(reading: _Reading) -> list[_Change]:
    """Where scopes that define something begin and end, in order."""
    reaches = [reach for reach in reading.scopes.reaches if reach.key in reading.defined]
    begins = [_Change(reach.begin, 1, reach.key) for reach in reaches]
    ends = [_Change(reach.end + 1, -1, reach.key) for reach in reaches]
    return sorted(begins + ends, key=lambda change: change.place)


def _is_own(reading: _Reading, known: Counter[str], span: Span, index: int) -> bool:
    """Whether a name, as it is written, leads to a definition, given those known there."""
    name, before, scope = span[index].text, span[index - 1].text, span[index - 2]
    if before in _MEMBER or (before == "::" and scope.text == ">"):
        return any(name in names for names in reading.defined.values())
    if before != "::":
        return known[name] > 0
    is_global = scope.kind != "identifier" or scope.text in KEYWORDS
    return name in reading.defined.get(GLOBAL if is_global else scope.text, ())
