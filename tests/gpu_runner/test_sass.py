"""The parser of disassembled code, on recorded excerpts and on hostile text."""

import io
import random
import time

import pytest

from evaluation.architectures import ARCHITECTURES
from gpu_runner.sass import (
    MAX_LINE_BYTES,
    MAX_TARGET_ROWS,
    SassError,
    bounded_lines,
    read_functions,
    read_row,
)

HOPPER, BLACKWELL = ARCHITECTURES["hopper"], ARCHITECTURES["blackwell"]

# Excerpts of what cuobjdump 13.2 printed; rows left out where they say nothing more.
WGMMA = """
\tcode for sm_90a
\t.target\tsm_90a

\t\tFunction : _ZN46_GLOBAL__N__f0eef1a2_13_wgmma_gemm_cu_6557d00e10wgmma_gemmEPK13__nv_bfloat16S2_PS0_iii
\t.headerflags\t@"EF_CUDA_ACCELERATORS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                                /* 0x00000a00ff017b82 */
                                                                                         /* 0x000fe20000000800 */
        /*0040*/               @P0 BRA 0x160 ;                                           /* 0x0000000000440947 */
                                                                                         /* 0x000fea0003800000 */
        /*1a10*/                   HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], R24 ;        /* 0x00e00000041879f0 */
                                                                                         /* 0x000fe20000000818 */
        /*1c20*/                   HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], R24, gsb0 ;  /* 0x00e00000041879f0 */
                                                                                         /* 0x000fe60008000818 */
        /*1c30*/                   HFMA2.MMA R8, -RZ, RZ, 0, 0 ;                         /* 0x00000000ff087435 */
                                                                                         /* 0x000fe200000001ff */
        /*1c40*/                   EXIT ;                                                /* 0x000000000000794d */
                                                                                         /* 0x000fea0003800000 */
        /*1c50*/                   BRA 0x1c50;                                           /* 0xfffffffc00fc7947 */
                                                                                         /* 0x000fc0000383ffff */
        /*1c60*/                   NOP;                                                  /* 0x0000000000007918 */
                                                                                         /* 0x000fc00000000000 */
\t\t..........


"""  # noqa: E501
TCGEN05 = """
Fatbin elf code:
================
arch = sm_100a
code version = [1,8]
host = linux
compile_size = 64bit
identifier = kernel.cu\x20

\tcode for sm_100a
\t.target\tsm_100a

\t\tFunction : tcgen05_gemm
\t.headerflags\t@"EF_CUDA_ACCELERATORS EF_CUDA_SM100 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM100)"
        /*0390*/                   @!UP0 UIADD3 UR4, UPT, UPT, -UR4, 0x100000, URZ ;                           /* 0x0010000004048890 */
                                                                                                               /* 0x001fc6000fffe1ff */
        /*1400*/                   UTCHMMA gdesc[UR6], gdesc[UR10], tmem[UR9], tmem[UR24], idesc[UR25], UP0 ;  /* 0x00ff180a060075ea */
                                                                                                               /* 0x0001e20008000009 */
        /*1680*/                   UTCBAR [UR5], URZ ;                                                         /* 0x000000ff050073e9 */
                                                                                                               /* 0x0001e200080000ff */
        /*18c0*/                   LDTM.x8 R4, tmem[UR4] ;                                                     /* 0x00000004000479ee */
                                                                                                               /* 0x000e6200081c0000 */
\t\t..........
"""  # noqa: E501


def function_of(*instructions: str, name: str = "f", sm: str = "sm_90a") -> str:
    rows = "".join(f"        /*{16 * i:04x}*/  {text} ;\n" for i, text in enumerate(instructions))
    return f"\t.target\t{sm}\n\t\tFunction : {name}\n{rows}\t\t..........\n"


def only(text: str, architecture=HOPPER):
    (function,) = read_functions(text.splitlines(keepends=True), architecture)
    return function


def test_a_wgmma_kernel_is_counted_row_by_row():
    function = only(WGMMA)
    assert (function.sm, function.title, function.instructions) == ("sm_90a", "wgmma_gemm", 8)
    assert function.families == {"wgmma": 2, "tma": 0, "mma_sync": 0}
    assert function.opcodes["HGMMA.64x64x16.F32.BF16"] == 2
    assert function.opcodes["NOP"] == 1
    assert function.target_rows == (
        (0x1A10, "HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], R24"),
        (0x1C20, "HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], R24, gsb0"),
    )


def test_a_tcgen05_kernel_inside_a_library_is_counted():
    function = only(TCGEN05, BLACKWELL)
    assert (function.name, function.title, function.sm) == ("tcgen05_gemm",) * 2 + ("sm_100a",)
    assert function.families == {"tcgen05": 1, "tmem": 1, "tma": 0, "mma_sync": 0}


def test_a_constant_false_predicate_is_counted_apart():
    function = only(
        function_of(
            "@!PT HGMMA.64x8x16.F32.BF16 R24, gdesc[UR4], R24",
            "@!UPT UTMALDG.2D [UR8], [UR4]",
            "@P0 HGMMA.64x8x16.F32.BF16 R24, gdesc[UR4], R24",
            "HGMMA.64x8x16.F32.BF16 R24, gdesc[UR4], RZ, !UPT, gsb0",
        )
    )
    assert function.families == {"wgmma": 2, "tma": 0, "mma_sync": 0}
    assert function.switched_off == {"wgmma": 1, "tma": 1, "mma_sync": 0}
    assert function.instructions == 4


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("        /*0040*/               @!P0 BRA 0x160 ;", (0x40, "@!P0 BRA 0x160")),
        ("        /*27f0*/                   NOP;    /* 0x0000000000007918 */", (0x27F0, "NOP")),
        ("        /*00f0*/  @!UP0 UTMACCTL.PF [UR8] ;", (0xF0, "@!UP0 UTMACCTL.PF [UR8]")),
        ("        /*12340*/  LDTM.x8 R4, tmem[UR4+0x8] ;", (0x12340, "LDTM.x8 R4, tmem[UR4+0x8]")),
    ],
)
def test_rows_of_code(line, expected):
    row = read_row(line)
    assert row is not None
    assert (row.offset, row.text) == expected


@pytest.mark.parametrize(
    "line",
    [
        "",
        "                              /* 0x000fe20000000800 */",
        '\t.headerflags\t@"HGMMA.64x8x16 R0 ;"',
        "// /*0000*/ HGMMA.64x8x16 R0 ;",
        "/* HGMMA.64x8x16.F32.BF16 R24 ; */",
        "        /*0000*/  HGMMA.64x8x16.F32.BF16 R24, gdesc[UR4]",
        "        /*0000*/  .word 0x48474d4d ;",
        "        /*zzzz*/  HGMMA ;",
        "identifier = HGMMA ;",
        "        /*0000*/  /* HGMMA */ ;",
    ],
)
def test_anything_else_is_no_row(line):
    assert read_row(line) is None


def test_rows_outside_a_function_are_not_code():
    row = "        /*0000*/  HGMMA.64x8x16.F32.BF16 R24, gdesc[UR4], R24 ;\n"
    function = only(row + function_of("EXIT") + row)
    assert function.families["wgmma"] == 0
    assert read_functions([row, row], HOPPER) == ()


def test_a_text_that_breaks_off_is_refused():
    text = function_of("HGMMA.64x8x16 R0, gdesc[UR4], R0", "EXIT", name="_Z4gemmv")
    for cut in (text.index("\t\t..."), text.index("        /*0010*/")):
        with pytest.raises(SassError, match="breaks off inside _Z4gemmv"):
            read_functions(text[:cut].splitlines(keepends=True), HOPPER)
    with pytest.raises(SassError, match="breaks off"):
        read_functions((text[: text.index("\t\t...")] + text).splitlines(keepends=True), HOPPER)


def test_too_many_functions_are_refused(monkeypatch):
    monkeypatch.setattr("gpu_runner.sass.MAX_FUNCTIONS", 2)
    text = function_of("EXIT") * 3
    with pytest.raises(SassError, match="more than 2 functions"):
        read_functions(text.splitlines(keepends=True), HOPPER)


def test_the_rows_kept_as_evidence_are_bounded():
    function = only(function_of(*["UTMALDG.2D [UR8], [UR4]" + " " * 9 + "R1, " * 999] * 99))
    assert function.families["tma"] == 99
    assert len(function.target_rows) == MAX_TARGET_ROWS
    assert max(len(text) for _, text in function.target_rows) <= 300


def test_the_hash_is_of_the_code_alone():
    body = ("LDC.64 R2, c[0x4][0x8]", "FADD R0, R0, R1", "EXIT")
    function = only(function_of(*body))
    assert only(function_of(*body, name="_Z1gv")).sha256 == function.sha256
    for slot in ("0x10", "RZ", "URZ"):  # what it is depends on the globals declared before
        moved = (f"LDC.64 R2, c[0x4][{slot}]", *body[1:])
        assert only(function_of(*moved)).sha256 == function.sha256
    for changed in (
        (body[0], "FADD R0, R0, R2", body[2]),
        (body[0], "@P0 FADD R0, R0, R1", body[2]),
        (body[0], "FMUL R0, R0, R1", body[2]),
        ("LDC.64 R2, c[0x0][0x8]", *body[1:]),
        body[:2],
    ):
        assert only(function_of(*changed)).sha256 != function.sha256


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("gemm", "gemm"),
        ("_Z4gemmPKfi", "gemm"),
        ("_ZN3foo3barILi64EEEvPKf", "bar"),
        ("_Z6kernelI13__nv_bfloat16EvPT_", "kernel"),
        ("_ZN", "_ZN"),
        ("_Z99999x", "_Z99999x"),
        ("_ZN9999", "_ZN9999"),
    ],
)
def test_titles(name, title):
    assert only(function_of("EXIT", name=name)).title == title


SIZE = 10 << 20
HEAD = b"\t.target\tsm_90a\n\t\tFunction : f\n"
HOSTILE = {
    "one line": lambda: b"x" * SIZE,
    "white space": lambda: b" " * SIZE,
    "a row without an end": lambda: HEAD + b"        /*0000*/  HGMMA" + b".A1" * (SIZE // 3),
    "a row without a semicolon": lambda: HEAD + b"        /*0000*/  HGMMA" + b" R1," * (SIZE // 4),
    "a name of 10 MB": lambda: b"\t\tFunction : " + b"f" * SIZE,
    "empty lines": lambda: b"\n" * (SIZE // 4),
    "many rows": lambda: HEAD + b"  /*0000*/  HGMMA R0 ;\n" * (SIZE // 24) + b"\t\t..........\n",
    "half rows": lambda: HEAD + b"        /*0000*/  @!P0 \n" * (SIZE // 24),
    "binary": lambda: random.Random(7).randbytes(SIZE),  # noqa: S311
    "NUL": lambda: bytes(SIZE),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_takes_time_in_proportion(kind):
    file = io.BytesIO(HOSTILE[kind]())
    started = time.process_time()
    try:
        functions = read_functions(bounded_lines(file), HOPPER)
    except SassError:
        functions = ()
    assert time.process_time() - started < 15  # a second; hours if it grew with the square
    wgmma = [function.families["wgmma"] for function in functions]
    assert wgmma == ([SIZE // 24] if kind == "many rows" else [])


def test_long_lines_are_cut_and_the_next_line_is_whole():
    data = b"a" * (3 * MAX_LINE_BYTES) + b"\nnext\n" + b"\xff\xfe\nlast"
    lines = list(bounded_lines(io.BytesIO(data)))
    assert lines == ["a" * MAX_LINE_BYTES, "next\n", "��\n", "last"]
