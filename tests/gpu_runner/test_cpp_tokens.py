"""The tokenizer against the standard's corners, any text at all, and texts made to be slow."""

import gc
import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpu_runner.cpp_directives import Directive, live_parts
from gpu_runner.cpp_literals import literal_value
from gpu_runner.cpp_macros import Expander, parse_macro
from gpu_runner.cpp_tokens import Token, tokenize

SIZE = 512 * 1024


def significant(source: str) -> list[tuple[str, str]]:
    tokens = tokenize(source).tokens
    return [(t.kind, t.text) for t in tokens if t.kind not in ("space", "newline")]


@pytest.mark.parametrize(
    ("source", "kind", "text"),
    [
        ("// a \\\n b\nint", "comment", "// a  b"),
        ("// a \\  \n b\nint", "comment", "// a  b"),
        ("/* a // \" ' */ b", "comment", "/* a // \" ' */"),
        ("/*/ a */ b", "comment", "/*/ a */"),
        ("/* open", "comment", "/* open"),
        ('"a // b" c', "string", '"a // b"'),
        (r'"a \" b" c', "string", r'"a \" b"'),
        ('u8"a" c', "string", 'u8"a"'),
        ('"open\nb"', "string", '"open'),
        ("'\"' b", "character", "'\"'"),
        ("L'\\'' b", "character", "L'\\''"),
        ('R"(a)" b', "raw", 'R"(a)"'),
        ('u8R"x(a)" )x" b', "raw", 'u8R"x(a)" )x"'),
        ('R"(a \\\n b)" c', "raw", 'R"(a \\\n b)"'),
        ('R"(open', "raw", 'R"(open'),
        ("1'000'000ull b", "number", "1'000'000ull"),
        ("0x1.8p-3f+b", "number", "0x1.8p-3f"),
        (".5e+3 b", "number", ".5e+3"),
        ("1'a'", "number", "1'a"),
        ("cub\\\nlas b", "identifier", "cublas"),
        ("straße_$1 b", "identifier", "straße_$1"),
        ("@ b", "punctuator", "@"),
    ],
)
def test_the_first_token(source, kind, text):
    assert significant(source)[0] == (kind, text)


def test_neighbours_that_look_like_prefixes():
    assert significant('FOOR"(a)"')[0] == ("identifier", "FOOR")
    assert significant('x"a"')[:2] == [("identifier", "x"), ("string", '"a"')]
    assert significant('R "(a"') == [("identifier", "R"), ("string", '"(a"')]
    assert significant('R"a b(c)"')[0] == ("identifier", "R")


@pytest.mark.parametrize(
    "source",
    ["#include <a//b.h>", " # /* */ include <a//b.h>", "%:include <a//b.h>",
     "#inc\\\nlude <a//b.h>", "x\n#include_next <a//b.h>"],
)  # fmt: skip
def test_header_names(source):
    assert ("header", "<a//b.h>") in significant(source)


def test_headers_stand_only_in_includes():
    assert ("header", "<b>") not in significant("x #include <b>")
    assert ("header", "<b>") not in significant("#define include <b>")


def test_positions_are_those_of_the_text_as_handed_in():
    source = tokenize('a\\\nb "x" R"(\\\n)" c\r\nd\re')
    places = {t.text: source.position(t.start) for t in source.tokens if t.kind != "space"}
    assert places["ab"] == (1, 1)
    assert places['"x"'] == (2, 3)
    assert places["c"] == (3, 4)
    assert places["d"] == (4, 1)
    assert places["e"] == (5, 1)
    assert [source.line(number) for number in (1, 4, 5)] == ["a\\", "d", "e"]


PIECES = st.sampled_from(
    ['"', "'", "\\", "\n", "\r", "\\\n", "\\ \n", "/*", "*/", "//", 'R"(', ')"', 'R"x(', ')x"',
     "#", "include", "<a>", " ", "cublas", "u8", "0x1'0", "##", "if 0", "endif", "é", "\0"]
)  # fmt: skip
SOURCES = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join))


@given(SOURCES)
@example('R"(\\\n')
@example("\\\n" * 3)
def test_any_text_is_cut_and_joins_again(source):
    read = tokenize(source)
    joined = "".join(token.text for token in read.tokens)
    assert without_splices(joined) == without_splices(source)
    if not any(token.kind == "raw" for token in read.tokens):
        assert joined == without_splices(source)
    for token in read.tokens:
        line, column = read.position(token.start)
        assert 1 <= column <= len(read.line(line)) + 2


def without_splices(text: str) -> str:
    return re.sub(r"\\[ \t\v\f]*(\r\n|\n|\r)", "", text)


@pytest.mark.parametrize(
    "unit",
    ["(", '"\n', "'", "\\", "\\\n", "\\ ", "/*", "/*/", 'R"(', 'R"', 'R"aaaaaaaaaaaaaaa', "a ",
     "1'", "1e+", "#include <a\n", "\\\na", '"\\', "/", "é", "\0"],
)  # fmt: skip
def test_half_a_megabyte_of_anything_is_read_at_once(unit):
    source = unit * (SIZE // len(unit))
    assert any(_seconds(source) < 1 for _ in range(3))


def _seconds(source: str) -> float:
    gc.disable()  # its share depends on what other tests left in memory
    try:
        begin = time.process_time()
        tokenize(source)
        return time.process_time() - begin
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        (r'"a\x62\143\u0064\n"', "abcd\n"),
        (r'"\x7f" ', "\x7f"),
        ('R"x(a\\n)x"', "a\\n"),
        ("'\\''", "'"),
        ('"open', "open"),
        (r'"\U00110000"', "\ufffd"),
        (r'"\\"', "\\"),
    ],
)
def test_what_literals_say(literal, value):
    assert literal_value(tokenize(literal).tokens[0]) == value


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("#if 0\nx\n#endif\ny", "y"),
        ("#if 0 // off\nx\n#else\ny\n#endif", "y"),
        ("#if 1\nx\n#else\ny\n#endif\nz", "x z"),
        ("#if 0\nx\n#elif A\ny\n#else\nz\n#endif", "y z"),
        ("#if 1\nx\n#elif 1\ny\n#else\nz\n#endif", "x"),
        ("#if 0\n#if A\nx\n#else\ny\n#endif\n#endif\nz", "z"),
        ("#ifdef A\nx\n#else\ny\n#endif", "x y"),
        ("#if !1\nx\n#endif", "x"),
        ("#if 0\n#define x\nx", ""),
        ("#endif\n#else\nx", "x"),
        ('#if 0\nR"(\n#endif\nx\n)"\n#endif\ny', "y"),  # as g++ does
        ("#if 0\ndon't\n#endif\nx", "x"),
        ("/*\n#if 0\n*/ x", "x"),
    ],
)
def test_what_is_switched_off(source, left):
    parts = live_parts(tokenize(source).tokens)
    assert " ".join(part.text for part in parts if isinstance(part, Token)) == left


@pytest.mark.parametrize(
    ("source", "expanded"),
    [
        ("#define A b\nA", "b"),
        ("#define C(a,b) a##b\n#define X(a,b) C(a,b)\n#define P cub\nX(P,las) C(P,las)",
         "cublas Plas"),
        ("#define T(a,b,c) a##b##c\nT(cub,,las) T(,x,) T(,,)", "cublas x"),
        ("#define S(x) #x\nS(a \"q\\n\")", '"a\\"q\\\\n\\""'),
        ("#define f(x) g(x)\n#define g(x) f(x)+1\nf(2) f", "f ( 2 ) + 1 f"),
        ("#define W(n...) h(n)\nW(1,2) W()", "h ( 1 , 2 ) h ( )"),
        ("#define V(f, ...) f(__VA_ARGS__)\nV(g,(1,2),3)", "g ( ( 1 , 2 ) , 3 )"),
        ("#define A (x)\nA", "( x )"),
        ("#define F(x) [x]\nF F(1)(2)\n(3)", "F [ 1 ] ( 2 ) ( 3 )"),
        ("#define G() a\nG ( ) G", "a G"),
        ("#define D(a) a %:%: s\nD(x)", "xs"),
        ("#define P(a) +##a\nP(b)", "+ b"),
        ("#define C(a) cub##a\n#undef C\n#define C(a) a\nC(las)", "cublas"),
        ("#define B(\nB", "B"),
    ],
)  # fmt: skip
def test_macros_stand_for(source, expanded):
    assert " ".join(token.text for token in expand(source)) == expanded


def test_macros_that_explode_are_given_up():
    doubling = "".join(f"#define A{n} A{n + 1} A{n + 1}\n" for n in range(64))
    begin = time.process_time()
    assert len(expand(doubling + "A0 " * 1000)) < 1_000_000
    assert time.process_time() - begin < 3


@given(st.lists(st.sampled_from(
    ["#define ", "A", "B", "(", ")", ",", "x", "##", "#", "\n", " ", "...", "__VA_ARGS__", "A(x)"]
), max_size=60).map("".join))  # fmt: skip
def test_any_macros_come_to_an_end(source):
    expand(source)


def expand(source: str) -> list[Token]:
    expander = Expander()
    done: list[Token] = []
    waiting: list[Token] = []
    for part in live_parts(tokenize(source).tokens):
        if isinstance(part, Directive):
            done += expander.expand(waiting)
            waiting = []
            if part.name == "define" and (macro := parse_macro(part)):
                expander.define(macro)
        else:
            waiting.append(part)
    return done + expander.expand(waiting)
