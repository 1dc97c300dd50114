"""Sources that never end, take everything, or read what is not theirs."""

from dataclasses import replace
from pathlib import Path

import pytest

from gpu_runner.builds import Builder
from gpu_runner.sandbox import Limits
from tests.gpu_runner.sources import GOOD, HOPPER

SHORT = Limits(seconds=3)
ENDLESS = """\
template <unsigned long N, int D> struct T {
  static constexpr int v = T<2 * N, D - 1>::v + T<2 * N + 1, D - 1>::v;
};
template <unsigned long N> struct T<N, 0> { static constexpr int v = N % 7; };
__global__ void k(int* x) { *x = T<1, 40>::v; }
"""
UNROLLED = """\
__global__ void k(float* x) {
#pragma unroll
  for (int a = 0; a < 300; a++)
#pragma unroll
    for (int b = 0; b < 300; b++)
#pragma unroll
      for (int c = 0; c < 300; c++) x[a * b + c] = __sinf(x[c ^ b]) + x[a];
}
"""
FLOOD = '#warning "' + "x" * 20_000 + '"\n#include "kernel.cu"\n#include "kernel.cu"\n'
HOST_ASSEMBLY = GOOD + 'asm(".incbin \\"/etc/passwd\\"");\n'
DEVICE_ASSEMBLY = GOOD.replace("x[i] *= 2.f", 'asm(".incbin \\"/etc/passwd\\";")')


def left_behind(builder: Builder) -> list[str]:
    """Files of unfinished builds, and processes that still run one of its programs."""
    files = [str(path) for path in builder.cache.folder.glob("building/*")]
    running = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if str(builder.cache.folder) in str(link.readlink()):
                running.append(str(link))
        except OSError:
            continue
    return files + running


@pytest.mark.parametrize(
    ("source", "status"),
    [
        (ENDLESS, "compile_timeout"),
        (UNROLLED, "compile_timeout"),
        (FLOOD, "compile_error"),
    ],
    ids=["templates", "unrolling", "errors without end"],
)
def test_a_compile_without_end_is_ended(fresh, source, status):
    limits = Limits(seconds=30) if source is FLOOD else SHORT

    build = replace(fresh, limits=limits).compile_static(source, HOPPER)

    assert build.status == status
    assert build.seconds < 20
    assert len(build.log) < 64 * 1024
    assert left_behind(fresh) == []
    if source is FLOOD:
        assert "bytes left out …]" in build.log
        assert "[stopped after 64 MiB of output]" in build.log
    else:
        assert not list(fresh.cache.folder.glob("??/*"))


def test_a_compile_that_takes_all_memory_is_ended(fresh):
    small = replace(fresh, limits=Limits(seconds=30, memory_bytes=320 << 20))

    build = small.compile_static(ENDLESS, HOPPER)

    assert build.status == "memory"
    assert left_behind(fresh) == []


@pytest.mark.parametrize("name", ["/etc/passwd", "/dev/zero", "/proc/self/environ", "/dev/stdin"])
def test_a_source_cannot_include_the_hosts_files(builder, name):
    build = builder.compile_static(f'#include "{name}"\n{GOOD}', HOPPER)

    assert build.status == "compile_error"
    assert build.diagnostics[0].message == f"{name}: No such file or directory"
    assert "root:" not in build.log


def test_assembly_cannot_take_in_the_hosts_files(builder):
    host = builder.compile_static(HOST_ASSEMBLY, HOPPER)
    device = builder.compile_static(DEVICE_ASSEMBLY, HOPPER)

    assert "file not found: /etc/passwd" in host.log
    assert ".incbin" in device.log
    assert {host.status, device.status} == {"compile_error"}


def test_the_folder_of_the_source_is_out_of_reach(builder, tmp_path):
    (tmp_path / "secret.h").write_text("#define SECRET 1\n")
    for name in (f"{tmp_path}/secret.h", "../secret.h", "../../secret.h"):
        build = builder.compile_static(f'#include "{name}"\n{GOOD}', HOPPER)
        assert build.status == "compile_error"
