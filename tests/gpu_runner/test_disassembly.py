"""What the disassembly says of real kernels, compiled here for both architectures."""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from evaluation.architectures import ARCHITECTURES
from gpu_runner import disassembly
from gpu_runner.disassembly import Disassembly, DisassemblyError, disassemble
from gpu_runner.sandbox import Limits, MissingSandbox, Sandbox
from gpu_runner.toolchain import MissingToolchain, Toolchain, find_toolchain
from tests.gpu_runner.compiling import CUDA, KERNELS, PACKAGES, built, nvcc

# The families of each kernel that are there, by architecture; all others must be zero.
FAMILIES = {
    ("scalar_gemm", "hopper"): set(),
    ("scalar_gemm", "blackwell"): set(),
    ("mma_sync_gemm", "hopper"): {"mma_sync"},
    ("mma_sync_gemm", "blackwell"): {"mma_sync"},
    ("wgmma_gemm", "hopper"): {"wgmma"},
    ("tcgen05_gemm", "blackwell"): {"tcgen05", "tmem"},
    ("tma_copy", "hopper"): {"tma"},
    ("tma_copy", "blackwell"): {"tma"},
    ("wgmma_in_comment", "hopper"): set(),
    ("wgmma_in_comment", "blackwell"): set(),
    ("prefetch_only", "hopper"): set(),
    ("prefetch_only", "blackwell"): set(),
    ("stray_wgmma", "hopper"): {"wgmma"},
    ("tmem_without_mma", "blackwell"): {"tmem"},
    ("predicated_off", "hopper"): {"wgmma"},
    ("predicated_off", "blackwell"): {"tcgen05"},
}
# What the assembler says of a kernel built for an architecture that lacks its instructions.
REFUSED = {
    ("wgmma_gemm", "sm_100a"): "Instruction 'wgmma.fence' not supported on .target 'sm_100a'",
    ("wgmma_gemm", "sm_90"): "Instruction 'wgmma.fence' not supported on .target 'sm_90'",
    ("tcgen05_gemm", "sm_90a"): "Instruction 'tcgen05.mma' not supported on .target 'sm_90a'",
    ("tcgen05_gemm", "sm_100"): "Instruction 'tcgen05.mma' not supported on .target 'sm_100'",
}


@pytest.fixture(scope="module", autouse=True)
def toolchain() -> Toolchain:
    try:
        return find_toolchain()
    except MissingToolchain as missing:
        if os.environ.get("CI"):
            pytest.fail(str(missing))
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def take_apart(toolchain) -> Callable[[Path, str], Disassembly]:
    sandbox = Sandbox(toolchain.readable)
    try:
        sandbox.check()
    except MissingSandbox:
        sandbox = Sandbox((), unsafe=True)
    return lambda binary, slug: disassemble(binary, ARCHITECTURES[slug], toolchain, sandbox)


@pytest.fixture(scope="module")
def cubins(tmp_path_factory) -> dict[tuple[str, str], Future[Path]]:
    folder = tmp_path_factory.mktemp("cubins")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return {
            (kernel, slug): pool.submit(
                built,
                KERNELS / f"{kernel}.cu",
                ARCHITECTURES[slug].sm,
                folder / f"{kernel}-{slug}.cubin",
            )
            for kernel, slug in FAMILIES
        }


@pytest.fixture
def taken_apart(cubins, take_apart) -> Callable[[str, str], Disassembly]:
    return lambda kernel, slug: take_apart(cubins[kernel, slug].result(), slug)


def test_every_kernel_has_an_expectation():
    assert {path.stem for path in KERNELS.glob("*.cu")} == {kernel for kernel, _ in FAMILIES}


@pytest.mark.parametrize(("kernel", "slug"), FAMILIES)
def test_the_families_in_the_binary(kernel, slug, cubins, taken_apart):
    found = taken_apart(kernel, slug)
    assert {name for name, count in found.families.items() if count} == FAMILIES[kernel, slug]
    assert found.has_target == (ARCHITECTURES[slug].mma_family.slug in FAMILIES[kernel, slug])
    assert not any(found.switched_off.values())
    assert found.foreign == ()
    # The same in another format, where a compiler's own functions are listed apart.
    (function,) = found.functions
    assert function.opcodes == opcodes_in_json(cubins[kernel, slug].result())


def opcodes_in_json(cubin: Path) -> Counter[str]:
    command = [str(CUDA / "bin" / "nvdisasm"), "-json", str(cubin)]
    printed = subprocess.run(command, capture_output=True, check=True).stdout
    _, functions = json.loads(printed)
    return Counter(row["opcode"] for part in functions for row in part["sass-instructions"])


@pytest.mark.parametrize(
    ("kernel", "slug", "opcode", "count"),
    [
        ("wgmma_gemm", "hopper", "HGMMA.64x64x16.F32.BF16", 4),
        ("stray_wgmma", "hopper", "HGMMA.64x8x16.F32.BF16", 1),
        ("predicated_off", "hopper", "HGMMA.64x8x16.F32.BF16", 1),
        ("predicated_off", "blackwell", "UTCHMMA", 1),
        ("tcgen05_gemm", "blackwell", "UTCHMMA", 4),
        ("tcgen05_gemm", "blackwell", "LDTM.x8", 8),
        ("tma_copy", "hopper", "UTMALDG.2D", 1),
        ("tma_copy", "blackwell", "UTMASTG.2D", 1),
        ("prefetch_only", "hopper", "UTMAPF.L2.2D", 1),
        ("prefetch_only", "blackwell", "UTMACCTL.PF", 1),
        ("tmem_without_mma", "blackwell", "UTCBAR", 1),
    ],
)
def test_the_instructions_that_the_source_asks_for(kernel, slug, opcode, count, taken_apart):
    (function,) = taken_apart(kernel, slug).functions
    assert function.opcodes[opcode] == count


def test_names_and_evidence(taken_apart):
    (function,) = taken_apart("wgmma_gemm", "hopper").functions
    assert (function.title, function.sm) == ("wgmma_gemm", "sm_90a")
    assert len(function.target_rows) == 4
    offset, text = function.target_rows[0]
    assert offset % 16 == 0
    assert text.startswith("HGMMA.64x64x16.F32.BF16 R")
    (function,) = taken_apart("mma_sync_gemm", "hopper").functions
    assert function.families["mma_sync"] > 0
    assert function.target_rows == ()


def test_text_in_the_binary_is_not_an_instruction(cubins, taken_apart):
    assert b"UTCHMMA gdesc" in cubins["wgmma_in_comment", "hopper"].result().read_bytes()
    (function,) = taken_apart("wgmma_in_comment", "hopper").functions
    assert function.title == "wgmma_tcgen05"
    assert not any("MMA" in opcode.partition(".")[0] for opcode in function.opcodes)


@pytest.mark.parametrize(("kernel", "sm"), REFUSED)
def test_an_architecture_without_the_instructions_refuses(kernel, sm, tmp_path):
    done = nvcc(KERNELS / f"{kernel}.cu", sm, tmp_path / "kernel.cubin")
    assert done.returncode != 0
    assert REFUSED[kernel, sm] in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("kernel", "slug"), [("wgmma_gemm", "hopper"), ("tcgen05_gemm", "blackwell")]
)
def test_a_library_holds_the_same_code_as_the_cubin(
    kernel, slug, tmp_path, take_apart, taken_apart
):
    links = (f"-L{CUDA / 'lib'}", f"-L{PACKAGES / 'tvm_ffi' / 'lib'}", "-ltvm_ffi")
    source = KERNELS / f"{kernel}.cu"
    library = built(source, ARCHITECTURES[slug].sm, tmp_path / "kernel.so", "-shared", *links)
    found = take_apart(library, slug)
    assert hashes(found) == hashes(taken_apart(kernel, slug))


def hashes(found: Disassembly) -> dict[str, str]:
    return {function.title: function.sha256 for function in found.functions}


SCALE = 'extern "C" __global__ void scale(float* x, int i) { x[i] = x[i] * FACTOR + table[i]; }\n'
OTHER = """__device__ double other_table[77];
extern "C" __global__ void other(double* x, int i) { x[i] = other_table[i]; }
"""
TABLE = "__device__ float table[9];\n"


@pytest.fixture(scope="module")
def scale_hash(tmp_path_factory, take_apart):
    def compile_and_hash(source: str) -> str:
        path = tmp_path_factory.mktemp("hash") / "kernel.cu"
        path.write_text(source)
        cubin = built(path, "sm_90a", path.with_suffix(".cubin"))
        return hashes(take_apart(cubin, "hopper"))["scale"]

    return compile_and_hash


def test_the_hash_is_that_of_the_functions_body(scale_hash):
    three = SCALE.replace("FACTOR", "3.0f")
    first = scale_hash(TABLE + three)
    assert scale_hash(TABLE + three) == first
    assert scale_hash("\n// moved\n" + OTHER + TABLE + three) == first
    assert scale_hash(TABLE + three + OTHER) == first
    assert scale_hash(TABLE + SCALE.replace("FACTOR", "4.0f")) != first


def test_another_architectures_code_does_not_count(cubins, take_apart):
    cubin = cubins["wgmma_gemm", "hopper"].result()
    found = take_apart(cubin, "blackwell")
    assert found.functions == ()
    assert [function.sm for function in found.foreign] == ["sm_90a"]
    assert set(found.families.values()) == {0}
    assert not found.has_target


def test_a_library_whose_images_hide_one_another_is_refused(cubins, take_apart, tmp_path):
    path, image = tmp_path / "kernel.cu", tmp_path / "image.fatbin"
    path.write_text(TABLE + SCALE.replace("FACTOR", "3.0f"))
    built(path, "sm_90a", image, "-fatbin")
    array = ",".join(map(str, image.read_bytes()))
    where = '__attribute__((section(".nv_fatbin"), aligned(8), used))'
    hiding = f"{where} const unsigned char image[] = {{{array}}};"
    path.write_text(path.read_text() + hiding)
    library = built(path, "sm_90a", tmp_path / "kernel.so", "-shared", f"-L{CUDA / 'lib'}")
    with pytest.raises(DisassemblyError, match="the library holds 3 images, 2 of them hidden"):
        take_apart(library, "hopper")


def test_a_library_without_device_code_has_no_functions(tmp_path, take_apart):
    (path := tmp_path / "host.cu").write_text("int host() { return 1; }\n")
    library = built(path, "sm_90a", tmp_path / "host.so", "-shared", f"-L{CUDA / 'lib'}")
    assert take_apart(library, "hopper").functions == ()


@pytest.mark.parametrize("kept", [0, 19, 64, 5000])
def test_a_damaged_cubin_is_an_error_and_no_zero_count(kept, cubins, take_apart, tmp_path):
    damaged = tmp_path / "kernel.cubin"
    damaged.write_bytes(cubins["wgmma_gemm", "hopper"].result().read_bytes()[:kept])
    with pytest.raises(DisassemblyError, match=r"the disassembler failed|neither a cubin"):
        take_apart(damaged, "hopper")


def test_no_binary_at_all_is_an_error(take_apart, tmp_path):
    text = tmp_path / "kernel.so"
    text.write_text("\tcode for sm_90a\n\t\tFunction : f\n        /*0000*/  HGMMA ;\n\t\t....\n")
    with pytest.raises(DisassemblyError, match="neither a cubin nor a shared library"):
        take_apart(text, "hopper")


@pytest.mark.parametrize("limits", [Limits(file_bytes=20_000), Limits(seconds=0.01)])
def test_more_text_or_time_than_allowed_is_an_error(limits, cubins, take_apart, monkeypatch):
    monkeypatch.setattr(disassembly, "LIMITS", limits)
    cubin = cubins["wgmma_gemm", "hopper"].result()
    with pytest.raises(DisassemblyError):
        take_apart(cubin, "hopper")
