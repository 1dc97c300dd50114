"""What a person is told to fix first."""

from pathlib import Path

import pytest

from evaluation.architectures import ARCHITECTURES
from gpu_runner.advice import after_compile, after_disassembly, compile_reason
from gpu_runner.builds import Build, Builder
from gpu_runner.compile_log import Diagnostic, Resources
from gpu_runner.disassembly import Disassembly

KERNELS = Path(__file__).with_name("kernels")
HOPPER = ARCHITECTURES["hopper"]


def failed(status: str = "compile_error", *diagnostics: Diagnostic) -> Build:
    return Build(
        status=status,  # type: ignore[arg-type]
        log="",
        seconds=1.0,
        command="nvcc",
        diagnostics=diagnostics,
    )


@pytest.mark.parametrize(
    ("name", "architecture", "plain"),
    [("wgmma_gemm.cu", "hopper", "sm_90"), ("tcgen05_gemm.cu", "blackwell", "sm_100")],
)
def test_a_target_without_its_a_is_named(
    builder: Builder, name: str, architecture: str, plain: str
) -> None:
    gencode = f"arch={plain.replace('sm_', 'compute_')},code={plain}"
    build = builder.compile_static((KERNELS / name).read_text(), gencode)
    assert build.status == "compile_error"
    (tip,) = after_compile(build, ARCHITECTURES[architecture])
    assert f"needs {plain}a, with the a" in tip


def test_the_first_error_comes_with_its_line() -> None:
    build = failed(
        "compile_error",
        Diagnostic("kernel.cu", 7, "warning", "unused"),
        Diagnostic("kernel.cu", 9, "error", 'identifier "x" is undefined'),
        Diagnostic("kernel.cu", 12, "error", "expected a ;"),
    )
    assert compile_reason(build) == 'line 9: identifier "x" is undefined'
    assert after_compile(build, HOPPER) == [
        'Start with the first of 2 errors: line 9: identifier "x" is undefined'
    ]


@pytest.mark.parametrize(
    ("status", "reason", "tip"),
    [
        ("compile_timeout", "compile_timeout", "unrolling"),
        ("memory", "compile_memory", "ran out of memory"),
        ("compile_error", "without saying why", "Read the compiler's messages"),
    ],
)
def test_builds_that_end_otherwise(status: str, reason: str, tip: str) -> None:
    build = failed(status)
    assert reason in compile_reason(build)
    assert tip in after_compile(build, HOPPER)[0]


def test_spills_are_worth_a_word_when_they_are_large() -> None:
    small = {"k": Resources(registers=255, spill_stores=4, spill_loads=4)}
    large = {"k": Resources(registers=255, spill_stores=400, spill_loads=600)}
    empty = Disassembly(HOPPER, ())
    for resources, words in ((small, 1), (large, 2)):
        tips = after_disassembly(empty, Build("ok", "", 1.0, "nvcc", resources=resources))
        assert len(tips) == words
    assert "1000 bytes" in tips[-1]
