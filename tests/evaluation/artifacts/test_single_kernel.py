"""Row 37 of the attacks, for single kernels, and how a file's form is told."""

from hashlib import sha256
from pathlib import Path

import pytest

from evaluation.artifacts.bundle import Hints, Limits
from tests.evaluation.artifacts.uploads import (
    HINTS,
    SOURCE,
    TASK,
    answer,
    conversation,
    feedback,
    line,
    messages,
    read,
    refusal,
)

HASH = sha256(SOURCE.encode()).hexdigest()


def test_kernel_is_taken_for_task_and_architecture_of_the_form(tmp_path: Path) -> None:
    bundle = read(tmp_path, SOURCE, "kernel.cu")
    assert bundle.kind == "kernel"
    (loose,) = bundle.kernels
    assert (loose.kernel, loose.task, loose.architecture) == (HASH, TASK, "hopper")
    assert loose.place == "kernel.cu:1"
    assert bundle.report()["parts"] == [
        {
            "model": "",
            "task": TASK,
            "architecture": "hopper",
            "trajectories": 0,
            "turns": 0,
            "kernels": 1,
        }
    ]


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (b"\xef\xbb\xbf" + SOURCE.encode(), ""),
        (SOURCE.replace("\n", "\r\n").encode(), "line ends"),
        (f"Here:\n```cpp\n{SOURCE}```\n".encode(), "lines 3–3"),
    ],
)
def test_byte_order_mark_line_ends_and_answers_give_the_same_kernel(
    tmp_path: Path, content: bytes, note: str
) -> None:
    bundle = read(tmp_path, content, "answer.txt")
    assert bundle.kernels[0].kernel == HASH
    assert note in " ".join(messages(bundle, "note"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty. Accepted are"),
        (b" \r\n\t\n", "is empty. Accepted are"),
        (b"\xef\xbb\xbf", "is empty. Accepted are"),
        (b"// \xe9\n", "not UTF-8: byte 0xe9"),
        (b"int a;\0", "NUL at byte 6, line 1"),
        ("int a;".encode("utf-16"), "UTF-16"),
        (b"/" * (512 * 1024 + 1), "the limit is 524,288"),
    ],
)
def test_what_cannot_be_a_kernel_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    assert said in refusal(tmp_path, content, "kernel.cu")


def test_smaller_limit_holds(tmp_path: Path) -> None:
    said = refusal(tmp_path, SOURCE, "kernel.cu", limits=Limits(kernel_bytes=10))
    assert "the limit is 10." in said


@pytest.mark.parametrize(
    ("hints", "said"),
    [
        (Hints(), "the task is not named"),
        (Hints(task=TASK), "the architecture is not named"),
        (Hints(task="no", architecture="hopper"), "unknown task 'no'"),
        (Hints(task=TASK, architecture="ampere"), "unknown architecture 'ampere'"),
    ],
)
def test_task_and_architecture_are_needed(tmp_path: Path, hints: Hints, said: str) -> None:
    assert said in refusal(tmp_path, SOURCE, "kernel.cu", hints)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("🚀 kernel.cu", "🚀 kernel.cu:1"),
        ("n" * 300 + ".cu", "…"),
        ("C:\\work\\kernel.cu", "kernel.cu:1"),
        ("../../kernel.cu", "kernel.cu:1"),
        ("a\u202eb\x1b.cu", "a\\u202eb\\x1b.cu:1"),
        ("", "upload:1"),
    ],
)
def test_any_name_is_shown_short_and_on_one_line(tmp_path: Path, name: str, place: str) -> None:
    shown = read(tmp_path, SOURCE, name).kernels[0].place
    assert place in shown
    assert shown.isprintable()
    assert len(shown) < 130


@pytest.mark.parametrize(
    ("content", "name", "kind"),
    [
        (line(), "kernel.cu", "turns"),
        (line(), "turns.zip", "turns"),
        (line(), "", "turns"),
        (SOURCE, "kernel", "kernel"),
        (SOURCE, "archive.zip", "kernel"),
        (SOURCE.replace("__global__ ", ""), "kernel.cuh", "kernel"),
        ("[[nodiscard]] int x;", "kernel.cu", "kernel"),
        (conversation(answer(), feedback()), "exp_000.json", "ptxbench"),
        (conversation(answer(), feedback()).replace(b"\n", b""), "exp_000.txt", "ptxbench"),
    ],
)
def test_content_decides_the_form_before_the_name(
    tmp_path: Path, content: bytes | str, name: str, kind: str
) -> None:
    assert read(tmp_path, content, name, HINTS).kind == kind


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"\x89PNG\r\n\x1a\n", "x.png", "is of no known form"),
        (b"7z\xbc\xaf\x27\x1c.", "x.7z", "is a 7z archive"),
        (b"BZh9", "x.tar.bz2", "is a bzip2 archive"),
        (b"\0" * 257 + b"ustar", "x.tar", "is a uncompressed tar archive"),
        ("hello", "x.txt", "is of no known form"),
        ("[[1]]", "x.json", "$[0] is not an object"),
        ("[" * 10_000, "x.json", "x.json:1: is nested deeper than 64 levels"),
        ("{}", "x.json", "$.name is missing"),
        ("7", "x.json", "$ is not an object"),
    ],
)
def test_unknown_form_is_refused_and_says_what_is_accepted(
    tmp_path: Path, content: bytes | str, name: str, said: str
) -> None:
    found = refusal(tmp_path, content, name)
    assert said in found
    if "is of" in said or "is a " in said:
        assert ".tar.zst" in found
        assert "a kernel (.cu)" in found
