"""How findings are shown, and that no text is too odd or too large to be inspected."""

import gc
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_runner.policy import MAX_FINDINGS, Finding, inspect


def test_a_finding_says_where_and_why():
    (finding,) = inspect("int a;\r\n\tauto s = cublasCreate(&h);\n cublasCreate(&g);\n")
    assert finding == Finding(
        kind="banned",
        rule="vendor_call",
        line=2,
        column=11,
        excerpt="auto s = cublasCreate(&h);",
        message="uses cuBLAS (cublasCreate): write the kernel itself, without a library of "
        "finished kernels (2 places, the first here)",
    )


def test_a_pasted_name_stands_where_its_first_part_does():
    source = "#define C(a,b) a##b\nint x;\n  C(cub,\\\nlasCreate)(h);"
    (finding,) = inspect(source)
    assert (finding.line, finding.column) == (3, 5)
    assert "places" not in finding.message


def test_findings_come_by_place_and_are_not_too_many():
    calls = "".join(f"system{' ' * n}(x); cublasX{n}();\n" for n in range(1000))
    found = inspect("fork();\n" + calls)
    assert len(found) == MAX_FINDINGS
    assert {finding.kind for finding in found} == {"banned"}
    assert [f.line for f in found] == sorted(f.line for f in found)


@pytest.mark.parametrize("column", [1, 10_000, 19_990])
def test_a_line_of_20000_characters_is_cut_around_the_finding(column):
    line = " " * (column - 1) + "cublasCreate(&h);" + "x" * (20_000 - column)
    (finding,) = inspect(line)
    assert finding.column == column
    assert "cublasCreate" in finding.excerpt
    assert len(finding.excerpt) <= 122


def test_nothing_unprintable_or_endless_is_shown():
    name = "cublasX" + "y" * 100_000
    for finding in inspect(f'\x1b[31m\u202e{name}(); // \x07\n#include "/{"a" * 100_000}\x1b"'):
        assert finding.excerpt.isprintable()
        assert finding.message.isprintable()
        assert len(finding.excerpt) + len(finding.message) < 500


BANNED_WORDS = st.sampled_from(["cublasGemmEx(h)", "cutlass::gemm", "#include <cudnn.h>", "fork()"])
INNER = st.text(st.characters(blacklist_characters='\r\n\\"*/()\u200e\u200f', max_codepoint=0x1FFF))


@given(INNER, BANNED_WORDS, INNER)
def test_comments_and_strings_never_matter(before, word, after):
    text = before + word + after
    block = f"/*{text}\n{text}*/"
    for hidden in (f"//{text}\n", block, f'f("{text}");', f'f(R"x({text}\n{text})x");'):
        assert inspect(f"int a;\n{hidden} int b;\n") == ()


@given(st.text(max_size=100), INNER)
def test_any_text_is_inspected(text, inner):
    inspect(text)
    inspect(f"#define A(x) {inner}x##{text}\nA({text})\n#include {inner}\nasm({text}")


@pytest.mark.parametrize(
    "unit",
    ["(", "1,", "cublasX(", "dlopen(", 'asm("x', '"a" ', "#define A\n", "#if 0\n", "at::",
     "x::system(", "#include X\n", "\\\na ", "cute::"],
)  # fmt: skip
def test_half_a_megabyte_of_anything_is_inspected_at_once(unit):
    source = unit * (512 * 1024 // len(unit))
    assert any(_seconds(source) < 2 for _ in range(3))


@pytest.mark.parametrize(
    "source",
    [
        "#define F(x) x x x\n" + "F(" * 200_000,
        "#define S(x) #x\n" + "S(" * 200_000,
        "#define P(x) x##x##x##x\n" + "P(P(a)) " * 60_000,
        "#define A A##A\n" + "A " * 200_000,
        "#define M(" + ",".join(f"a{n}" for n in range(40_000)) + ") a0\n" + "M(1)" * 40_000,
        "#define B " + "x " * 100_000 + "\n" + "B " * 100_000,
    ],
    ids=["open calls", "stringify", "paste", "itself", "parameters", "long body"],
)
def test_macros_do_not_make_it_slow(source):
    assert any(_seconds(source) < 3 for _ in range(3))


def _seconds(source: str) -> float:
    gc.disable()  # its share depends on what other tests left in memory
    try:
        begin = time.process_time()
        inspect(source)
        return time.process_time() - begin
    finally:
        gc.enable()
