"""What is found of the compilers, and what they make of a kernel."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gpu_runner import sandbox as sandboxing
from gpu_runner.build_cache import BuildCache
from gpu_runner.builds import Builder
from gpu_runner.compile_log import missing_instruction
from gpu_runner.isolation import MissingSandbox
from gpu_runner.toolchain import CUDA, MissingToolchain, find_toolchain
from tests.gpu_runner.sources import BLACKWELL, GOOD, HOPPER, KERNELS


def test_the_pinned_wheels_come_first(toolchain):
    assert toolchain.version.startswith("CUDA 13.0.")
    assert toolchain.nvcc.is_relative_to(Path(sys.prefix))
    for program in (toolchain.nvcc, toolchain.cuobjdump, toolchain.nvdisasm):
        assert program.is_file()
    assert not any("passwd" in one.inside or one.inside == "/usr" for one in toolchain.readable)


def test_the_same_toolchain_has_the_same_identity(toolchain):
    script = "from gpu_runner.toolchain import find_toolchain; print(find_toolchain().identity)"
    again = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert again.stdout.strip() == toolchain.identity


def test_what_is_missing_is_named_with_the_next_step(tmp_path, toolchain):
    packages = toolchain.cuda.parents[1]
    (tmp_path / "g++").symlink_to(shutil.which("g++"))
    for folders, search, message in (
        ((packages,), str(tmp_path / "none"), "apt-get install g\\+\\+"),
        ((tmp_path,), str(tmp_path), "nvcc is missing: pip install -r requirements.txt"),
    ):
        with pytest.raises(MissingToolchain, match=message) as refused:
            find_toolchain(folders, search)
        assert "\n" not in str(refused.value)


def test_a_toolkit_on_the_path_is_taken_where_the_wheels_are_not(tmp_path, toolchain):
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "tvm_ffi").symlink_to(toolchain.tvm_ffi)
    search = f"{toolchain.cuda / 'bin'}{os.pathsep}{os.environ['PATH']}"

    assert find_toolchain((packages,), search).cuda == toolchain.cuda.resolve()


def test_without_a_sandbox_nothing_is_built(fresh, monkeypatch):
    def refuse(search: str | None) -> None:
        raise MissingSandbox("apt-get install bubblewrap")

    monkeypatch.setattr(sandboxing, "find_isolation", refuse)
    with pytest.raises(MissingSandbox):
        fresh.compile_static(GOOD, HOPPER)


def test_the_unsafe_switch_builds_and_says_so(toolchain, tmp_path):
    builder = Builder(toolchain, unsafe=True, cache=BuildCache(tmp_path / "builds"))

    build = builder.compile_static(GOOD, HOPPER)

    assert (build.status, build.unsafe) == ("ok", True)
    assert str(toolchain.cuda) in build.command


def test_a_static_build_gives_the_cubin_and_what_it_takes(fresh):
    build = fresh.compile_static(GOOD, HOPPER)

    assert (build.status, build.thin, build.cached, build.unsafe) == ("ok", True, False, False)
    assert build.cubin is not None
    assert build.cubin.read_bytes().startswith(b"\x7fELF")
    assert build.library is None
    (taken,) = build.resources.values()
    assert taken.registers > 0
    assert build.command.startswith(f"{CUDA}/bin/nvcc")

    again = fresh.compile_static(GOOD, HOPPER)
    assert again == replace(build, cached=True)


def test_a_library_is_built_by_the_protocols_line(builder):
    build = builder.compile_library(GOOD, HOPPER)

    assert build.command == (
        "/opt/cuda/bin/nvcc -shared -O3 -gencode arch=compute_90a,code=sm_90a -lineinfo"
        " -std=c++17 -Xcompiler -fPIC,-fvisibility=hidden -I/opt/tvm_ffi/include"
        " -L/opt/tvm_ffi/lib -ltvm_ffi -L/opt/cuda/lib kernel.cu -o kernel.so"
    )
    assert (build.status, build.thin, build.cubin) == ("ok", False, None)
    assert build.library is not None
    symbols = subprocess.run(["nm", "-D", build.library], capture_output=True, text=True).stdout
    assert "T __tvm_ffi_run" in symbols


@pytest.mark.parametrize(
    ("kernel", "gencode", "instruction", "target"),
    [
        ("wgmma_gemm.cu", BLACKWELL, "wgmma.fence", "sm_100a"),
        ("wgmma_gemm.cu", "arch=compute_90,code=sm_90", "wgmma.fence", "sm_90"),
        ("tcgen05_gemm.cu", HOPPER, "tcgen05.alloc", "sm_90a"),
        ("tcgen05_gemm.cu", "arch=compute_100,code=sm_100", "tcgen05.alloc", "sm_100"),
    ],
)
def test_an_instruction_of_another_architecture(builder, kernel, gencode, instruction, target):
    build = builder.compile_static((KERNELS / kernel).read_text(), gencode)

    lacking = missing_instruction(build.diagnostics)
    assert build.status == "compile_error"
    assert lacking is not None
    assert (lacking.instruction, lacking.target) == (instruction, target)


def test_a_damaged_entry_is_built_again(fresh):
    fresh.compile_static(GOOD, HOPPER)
    (record,) = fresh.cache.folder.glob("??/*/build.json")
    record.write_bytes(b'{"status":')

    build = fresh.compile_static(GOOD, HOPPER)

    assert (build.status, build.cached) == ("ok", False)


def test_errors_are_kept_and_differ_by_target(fresh):
    source = (KERNELS / "wgmma_gemm.cu").read_text()

    first = fresh.compile_static(source, BLACKWELL)
    again = fresh.compile_static(source, BLACKWELL)

    assert (first.cached, again.cached) == (False, True)
    assert again.diagnostics == first.diagnostics
    assert fresh.compile_static(source, HOPPER).status == "ok"
