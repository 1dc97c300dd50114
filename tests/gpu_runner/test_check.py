"""The static verdict on real kernels, compiled and disassembled for both architectures."""

from pathlib import Path

import pytest

from evaluation.messages import Verdict, decode_verdict, encode
from evaluation.outcomes import Outcome
from gpu_runner.builds import Builder
from gpu_runner.check import STEPS, check_source

KERNELS = Path(__file__).with_name("kernels")
TASK = "gemm_n7168_k5120"


def verdict(builder: Builder, name: str, architecture: str) -> Verdict:
    return check_source((KERNELS / name).read_bytes(), name, TASK, architecture, builder)


def checked_text(builder: Builder, text: str, name: str = "kernel.cu") -> Verdict:
    return check_source(text.encode(), name, TASK, "hopper", builder)


def ended(found: Verdict) -> dict[str, str]:
    return {step.name: step.status for step in found.stages.syntax.steps}


@pytest.mark.parametrize(
    ("name", "architecture", "outcome", "families"),
    [
        ("scalar_gemm.cu", "hopper", Outcome.TARGET_ABSENT, set()),
        ("scalar_gemm.cu", "blackwell", Outcome.TARGET_ABSENT, set()),
        ("mma_sync_gemm.cu", "hopper", Outcome.TARGET_ABSENT, {"mma_sync"}),
        ("mma_sync_gemm.cu", "blackwell", Outcome.TARGET_ABSENT, {"mma_sync"}),
        ("tma_copy.cu", "hopper", Outcome.TARGET_ABSENT, {"tma"}),
        ("tma_copy.cu", "blackwell", Outcome.TARGET_ABSENT, {"tma"}),
        ("wgmma_gemm.cu", "hopper", None, {"wgmma"}),
        ("tcgen05_gemm.cu", "blackwell", None, {"tcgen05", "tmem"}),
        ("wgmma_in_comment.cu", "hopper", Outcome.TARGET_ABSENT, set()),
        ("prefetch_only.cu", "hopper", Outcome.TARGET_ABSENT, set()),
        ("tmem_without_mma.cu", "blackwell", Outcome.TARGET_ABSENT, {"tmem"}),
        ("stray_wgmma.cu", "hopper", None, {"wgmma"}),
        ("predicated_off.cu", "hopper", None, {"wgmma"}),
    ],
)
def test_families_and_outcome(
    builder: Builder, name: str, architecture: str, outcome: Outcome | None, families: set[str]
) -> None:
    found = verdict(builder, name, architecture)
    assert found.outcome == outcome
    assert {f for f, count in found.stages.target.in_binary.items() if count} == families
    assert ended(found) == {
        **dict.fromkeys(STEPS[:3], "pass"),
        **dict.fromkeys(STEPS[3:], "not_reached"),
    }
    assert found.stages.syntax.status == "unknown"
    assert found.stages.strategy.status == "not_reached"
    assert found.stages.target.status == ("unknown" if outcome is None else "fail")
    assert decode_verdict(encode(found)) == found


@pytest.mark.parametrize("instruction", ["fence", "commit_group", "wait_group"])
def test_synchronisation_alone_is_no_matrix_work(builder: Builder, instruction: str) -> None:
    operand = " 0" if instruction == "wait_group" else ""
    line = f'asm volatile("wgmma.{instruction}.sync.aligned{operand};" ::: "memory");'
    found = checked_text(builder, f"__global__ void k(float* a) {{ {line} a[0] = 1; }}\n")
    assert found.outcome is Outcome.TARGET_ABSENT
    assert found.stages.target.in_binary["wgmma"] == 0


def test_the_function_that_counts_comes_first_among_many(builder: Builder) -> None:
    work = (KERNELS / "stray_wgmma.cu").read_text()
    many = "".join(f"__global__ void f{n}(float* a) {{ a[{n}] = {n}; }}\n" for n in range(80))
    target = checked_text(builder, many + work).stages.target
    assert target.functions[0].families["wgmma"] == 1
    assert len(target.functions) == 64
    assert target.functions_left_out >= 17


def test_evidence_shows_functions_with_their_rows_and_resources(builder: Builder) -> None:
    (function,) = verdict(builder, "wgmma_gemm.cu", "hopper").stages.target.functions
    assert "gemm" in function.title
    assert function.registers
    assert function.registers > 8
    assert function.shared_bytes
    assert any("HGMMA" in row for row in function.rows)


@pytest.mark.parametrize(
    ("name", "architecture", "words"),
    [
        ("wgmma_gemm.cu", "blackwell", ("Hopper", "sm_90a", "--arch hopper", "tcgen05")),
        ("tcgen05_gemm.cu", "hopper", ("Blackwell", "sm_100a", "--arch blackwell", "wgmma")),
    ],
)
def test_the_other_architectures_instructions_are_named_as_such(
    builder: Builder, name: str, architecture: str, words: tuple[str, ...]
) -> None:
    found = verdict(builder, name, architecture)
    assert found.outcome is Outcome.COMPILE_ERROR
    assert ended(found)["compile"] == "fail"
    for word in words:
        assert word in found.advice[0]


def test_a_notice_where_an_answer_has_two_blocks(builder: Builder) -> None:
    source = (KERNELS / "scalar_gemm.cu").read_text()
    answer = f"First try:\n```cpp\nint wrong(\n```\nBetter:\n```cpp\n{source}\n```\n"
    found = checked_text(builder, answer, "answer.md")
    assert found.outcome is Outcome.TARGET_ABSENT
    assert any("the last one counts" in notice.message for notice in found.notices)


@pytest.mark.parametrize(
    "answer", ["I cannot do this.", "```cpp\nint unfinished(", "```python\nx = 1\n```"]
)
def test_an_answer_without_a_kernel(builder: Builder, answer: str) -> None:
    found = checked_text(builder, answer, "answer.md")
    assert found.outcome is Outcome.EXTRACTION_ERROR
    assert ended(found) == {"extract": "fail", **dict.fromkeys(STEPS[1:], "not_reached")}
    assert "```cpp" in found.advice[0]


@pytest.mark.parametrize(
    "line",
    [
        "#include <cublas_v2.h>",
        "void f() { cublasGemmEx(); }",
        "#define CALL(a, b) a##b\nvoid f() { CALL(cublas, GemmEx)(); }",
        'void f() { dlopen("libcublas.so.13", 1); }',
    ],
)
def test_vendor_libraries_are_banned_before_anything_is_compiled(
    builder: Builder, line: str
) -> None:
    found = checked_text(builder, f"{line}\n")
    assert found.outcome is Outcome.BANNED_LIBRARY
    assert ended(found)["compile"] == "not_reached"
    assert "line 1" in found.reason or "line 2" in found.reason


def test_compile_errors_start_with_the_first(builder: Builder) -> None:
    found = checked_text(builder, "__global__ void k() {\n  undeclared = 1;\n}\n")
    assert found.outcome is Outcome.COMPILE_ERROR
    assert found.reason.startswith("line 2: ")
    assert "undeclared" in found.reason
    assert "first of" in found.advice[0]


@pytest.mark.parametrize(
    "line",
    ['#include "/etc/passwd"', '#include "/dev/zero"', 'asm(".incbin \\"/etc/passwd\\"");'],
)
def test_nothing_of_the_host_can_be_read(builder: Builder, line: str) -> None:
    found = checked_text(builder, f"{line}\n__global__ void k() {{}}\n")
    assert found.outcome is Outcome.COMPILE_ERROR
    assert "root:" not in encode(found).decode()


def test_a_source_without_kernels(builder: Builder) -> None:
    found = checked_text(builder, "int host_only() { return 1; }\n")
    assert found.outcome is Outcome.TARGET_ABSENT
    assert "__global__" in found.advice[0]
