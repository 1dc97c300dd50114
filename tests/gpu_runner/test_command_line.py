"""`python -m gpu_runner` as a person calls it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluation.messages import decode_verdict
from gpu_runner.builds import Builder

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "tests" / "gpu_runner" / "kernels"
CHOICE = ("--task", "gemm_n7168_k5120", "--arch", "hopper")


@pytest.fixture
def call(builder: Builder):
    """Return a function that runs the command with the tests' cache."""

    def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gpu_runner", *map(str, arguments)],
            cwd=ROOT,
            env=os.environ | {"STATE_DIR": str(builder.cache.folder.parent)} | environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def test_one_kernel_gets_a_report_and_a_verdict(call, tmp_path: Path) -> None:
    out = tmp_path / "verdict.json"
    done = call("check", KERNELS / "wgmma_gemm.cu", *CHOICE, "--json", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert "✓ compile" in done.stdout
    assert "wgmma" in done.stdout
    assert "Nothing wrong that can be seen without a GPU" in done.stdout
    assert decode_verdict(out.read_bytes()).outcome is None


def test_a_failing_kernel_is_a_verdict_too(call) -> None:
    done = call("check", KERNELS / "scalar_gemm.cu", *CHOICE)
    assert done.returncode == 0
    assert "target absent (stage: target)" in done.stdout
    assert "  1. " in done.stdout


def test_many_kernels_get_a_table_and_a_line_each(call, tmp_path: Path) -> None:
    out = tmp_path / "verdicts.jsonl"
    files = [KERNELS / "scalar_gemm.cu", KERNELS / "wgmma_gemm.cu", KERNELS / "tma_copy.cu"]
    done = call("check", *files, *CHOICE, "--json", out)
    assert done.returncode == 0
    assert [Path(line.split()[0]).name for line in done.stdout.splitlines()] == [
        file.name for file in files
    ]
    assert [json.loads(line)["outcome"] for line in out.read_text().splitlines()] == [
        "target_absent",
        None,
        "target_absent",
    ]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.cu", b"", "is empty"),
        ("binary.cu", b"\x7fELF\0\0\1", "is binary"),
        ("large.cu", b"// x\n" * 2_000_000, "10,000,000 bytes; the limit is 524,288"),
        ("latin.cu", b"// caf\xe9\nint x;\n", "is not UTF-8: byte 0xe9 at byte 6, line 1"),
    ],
)
def test_what_cannot_be_a_kernel_is_refused_in_one_line(
    call, tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(data)
    done = call("check", tmp_path / name, *CHOICE)
    assert done.returncode == 2
    assert words in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_other_files_are_checked_when_one_cannot_be(call, tmp_path: Path) -> None:
    (tmp_path / "empty.cu").write_bytes(b"")
    done = call("check", tmp_path / "empty.cu", KERNELS / "scalar_gemm.cu", *CHOICE)
    assert done.returncode == 2
    assert "not checked" in done.stdout
    assert "target absent" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check", "x.cu", "--task", "gemm", "--arch", "hopper"), "known: gemm_n7168_k5120"),
        (("check", "x.cu", "--task", "mha_bwd_d64", "--arch", "sm_90"), "known: hopper, blackwell"),
        (("check", "--task", "mha_bwd_d64", "--arch", "hopper"), "FILE"),
        (("check", "x.cu", *CHOICE, "--jobs", "0"), "from 1 to 256"),
        (("judge",), "judge"),
        ((), "COMMAND"),
    ],
)
def test_a_wrong_call_gets_one_line(call, arguments: tuple[str, ...], words: str) -> None:
    done = call(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("path", "words"),
    [(".", "is a directory"), ("nowhere.cu", "No such file"), ("/dev/zero", "regular")],
)
def test_a_path_that_is_no_file(call, path: str, words: str) -> None:
    done = call("check", path, *CHOICE)
    assert done.returncode == 2
    assert words in done.stdout


def test_a_report_that_cannot_be_written_is_known_before_the_work(call, tmp_path: Path) -> None:
    done = call("check", KERNELS / "scalar_gemm.cu", *CHOICE, "--json", tmp_path / "no" / "o.json")
    assert done.returncode == 2
    assert "is not a folder. Name another file after --json" in done.stderr


@pytest.mark.parametrize("state", ["/proc/none", "/dev/null/x"])
def test_an_unusable_state_folder_is_named_in_one_line(call, state: str) -> None:
    done = call("check", KERNELS / "scalar_gemm.cu", *CHOICE, STATE_DIR=state)
    assert done.returncode == 3
    assert "STATE_DIR" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_an_interrupt_ends_the_compilers_at_once(builder: Builder, tmp_path: Path) -> None:
    (tmp_path / "endless.cu").write_text(
        "template <unsigned long N, int D> struct T {\n  static constexpr int v ="
        " T<2 * N, D - 1>::v + T<2 * N + 1, D - 1>::v;\n};\n"
        "template <unsigned long N> struct T<N, 0> { static constexpr int v = N % 7; };\n"
        "__global__ void k(int* x) { *x = T<1, 40>::v; }\n"
    )
    with subprocess.Popen(
        [sys.executable, "-m", "gpu_runner", "check", str(tmp_path / "endless.cu"), *CHOICE],
        cwd=ROOT,
        env=os.environ | {"STATE_DIR": str(builder.cache.folder.parent)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Interrupted" in err
    assert "Traceback" not in err


def test_a_terminal_without_the_marks_still_gets_the_words(call) -> None:
    done = call("check", KERNELS / "scalar_gemm.cu", *CHOICE, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "target absent" in done.stdout


def test_control_characters_in_a_wrong_call_are_harmless(call) -> None:
    done = call("check", "x.cu", *CHOICE, "--\x1b[31mred")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr


def test_a_missing_sandbox_is_refused_with_the_install_line(call, tmp_path: Path) -> None:
    for program in Path("/usr/bin").iterdir():
        if program.name != "bwrap":
            (tmp_path / program.name).symlink_to(program)
    done = call("check", KERNELS / "scalar_gemm.cu", *CHOICE, PATH=str(tmp_path))
    assert done.returncode == 3
    assert "apt-get install bubblewrap" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_compiler_is_refused_with_the_install_line(call, tmp_path: Path) -> None:
    done = call("check", KERNELS / "scalar_gemm.cu", *CHOICE, PATH=str(tmp_path))
    assert done.returncode == 3
    assert "apt-get install g++" in done.stderr


def test_identify_says_what_the_host_can_do(call) -> None:
    done = call("identify")
    assert done.returncode == 0
    assert "CUDA 13.0" in done.stdout
    assert "can check kernels for Hopper, Blackwell" in done.stdout
    assert "judged elsewhere" in done.stdout
    host = json.loads(call("identify", "--json").stdout)
    assert host["toolchain"].startswith("CUDA 13.0")
    assert host["sandbox"]
