"""Row 36 of the attacks: archives that are no folder of plain files."""

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from evaluation.artifacts.bundle import Limits
from tests.evaluation.artifacts.uploads import (
    MEMBER,
    answer,
    archive,
    conversation,
    feedback,
    read,
    refusal,
    tarred,
    zipped,
)

GOOD = conversation(answer(), feedback())
FORMS = ("zip", "tar.gz", "tar.zst")


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def zip_entry(name: str, change: Callable[[zipfile.ZipInfo], None] = lambda info: None) -> bytes:
    """A zip with a good conversation and one entry that `change` alters."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr(MEMBER, GOOD)
        info = zipfile.ZipInfo(name)
        change(info)
        made.writestr(info, b"x")
    return buffer.getvalue()


def test_each_form_is_understood(tmp_path: Path, form: str) -> None:
    bundle = read(tmp_path, archive(form, {MEMBER: GOOD}), f"run.{form}")
    assert bundle.kind == "ptxbench"
    assert bundle.counts() == {"runs": 1, "trajectories": 1, "turns": 1, "kernels": 1}


def test_name_of_the_file_does_not_decide_its_form(tmp_path: Path, form: str) -> None:
    assert read(tmp_path, archive(form, {MEMBER: GOOD}), "run.json").counts()["turns"] == 1


def test_folder_above_and_dot_are_accepted(tmp_path: Path, form: str) -> None:
    files = {"./a/b/trajectories/exp_1.json": GOOD, "trajectories/exp_2.json": GOOD}
    assert read(tmp_path, archive(form, files), "run").counts()["runs"] == 2


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("../exp.json", "leads out"),
        ("run/../../exp.json", "leads out"),
        ("/etc/exp.json", "absolute path"),
        ("C:/exp.json", "absolute path"),
        ("run\\exp.json", "backslash"),
        ("run/exp\x1b.json", "control characters"),
        ("run/more.zip", "archive inside"),
        ("run/MORE.TAR.GZ", "archive inside"),
        ("run/" + "n" * 1_000, "characters"),
    ],
)
def test_bad_path_is_refused_with_its_name(
    tmp_path: Path, form: str, name: str, fault: str
) -> None:
    said = refusal(tmp_path, archive(form, {MEMBER: GOOD, name: b"x"}), "run")
    assert fault in said
    assert name.replace("\x1b", "\\x1b").replace("\\exp", "\\\\exp")[:12] in said


def test_nothing_is_written(tmp_path: Path, form: str) -> None:
    refusal(tmp_path, archive(form, {"../outside": b"x", MEMBER: GOOD}), "run")
    assert [path.name for path in tmp_path.rglob("*")] == ["upload"]
    assert not (tmp_path.parent / "outside").exists()


def test_names_that_differ_in_case_are_refused(tmp_path: Path, form: str) -> None:
    said = refusal(tmp_path, archive(form, {MEMBER: GOOD, MEMBER.upper(): GOOD}), "run")
    assert "only in case" in said
    assert MEMBER.upper() in said


def test_name_given_twice_is_refused(tmp_path: Path) -> None:
    assert "stands twice" in refusal(tmp_path, gzip.compress(tarred([(MEMBER, GOOD)] * 2)), "run")
    with pytest.warns(UserWarning, match="Duplicate name"):
        made = zip_entry(MEMBER)
    assert "stands twice" in refusal(tmp_path, made, "run")


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        (tarfile.SYMTYPE, "symbolic link"),
        (tarfile.LNKTYPE, "hard link"),
        (tarfile.CHRTYPE, "device file"),
        (tarfile.BLKTYPE, "device file"),
        (tarfile.FIFOTYPE, "named pipe"),
        (tarfile.GNUTYPE_SPARSE, "sparse file"),
        (b"Z", "no plain file"),
    ],
)
def test_special_file_in_a_tar_is_refused(tmp_path: Path, kind: bytes, fault: str) -> None:
    def change(member: tarfile.TarInfo) -> None:
        member.type, member.linkname, member.size = kind, "/etc/passwd", 0

    said = refusal(tmp_path, gzip.compress(tarred([("run/odd", b"")], change)), "run.tar.gz")
    assert fault in said
    assert "run/odd" in said


@pytest.mark.parametrize(("mode", "fault"), [(0o120777, "symbolic"), (0o020666, "device")])
def test_special_file_in_a_zip_is_refused(tmp_path: Path, mode: int, fault: str) -> None:
    def change(info: zipfile.ZipInfo) -> None:
        info.create_system, info.external_attr = 3, mode << 16

    said = refusal(tmp_path, zip_entry("run/odd", change), "run.zip")
    assert fault in said
    assert "run/odd" in said


def test_encrypted_zip_is_refused(tmp_path: Path) -> None:
    made = bytearray(zip_entry("run/secret"))
    made[made.rfind(b"PK\1\2") + 8] |= 1
    said = refusal(tmp_path, bytes(made), "run.zip")
    assert "run/secret is encrypted" in said


def test_unusual_compression_is_refused(tmp_path: Path) -> None:
    def change(info: zipfile.ZipInfo) -> None:
        info.compress_type = zipfile.ZIP_LZMA

    assert "use deflate" in refusal(tmp_path, zip_entry("run/x", change), "run.zip")


@pytest.mark.parametrize("form", ["tar.gz", "tar.zst"])
@pytest.mark.parametrize("part", [0.2, 0.5, 0.9])
def test_truncated_tar_is_refused(tmp_path: Path, form: str, part: float) -> None:
    made = archive(form, {f"run/trajectories/{n}.json": GOOD + b" " * n * 99 for n in range(20)})
    said = refusal(tmp_path, made[: int(len(made) * part)], f"run.{form}")
    assert "its end is missing" in said or "damaged" in said


def test_truncated_gzip_trailer_is_refused(tmp_path: Path) -> None:
    made = archive("tar.gz", {MEMBER: GOOD})
    assert "its end is missing" in refusal(tmp_path, made[:-3], "run.tar.gz")


def test_truncated_zip_is_refused(tmp_path: Path) -> None:
    made = zipped({MEMBER: GOOD})
    assert "directory is missing" in refusal(tmp_path, made[:-30], "run.zip")


@pytest.mark.parametrize("form", ["zip", "tar.gz"])  # zstd has checksums only if asked for
def test_changed_byte_never_changes_what_is_understood(tmp_path: Path, form: str) -> None:
    made = archive(form, {MEMBER: GOOD})
    whole = read(tmp_path, made, "run").report()
    for at in range(0, len(made), 7):
        changed = bytes([*made[:at], made[at] ^ 0x41, *made[at + 1 :]])
        try:
            report = read(tmp_path, changed, "run").report()
        except ValueError:  # refused
            continue
        assert report["kernels"] == whole["kernels"]


def test_second_gzip_member_and_second_archive_are_refused(tmp_path: Path) -> None:
    made = tarred([(MEMBER, GOOD)])
    twice = gzip.compress(made) * 2
    assert "behind its end" in refusal(tmp_path, twice, "run.tar.gz")
    assert "behind the archive's end" in refusal(tmp_path, gzip.compress(made * 2), "run.tar.gz")


def test_too_many_files_are_refused_with_a_name(tmp_path: Path, form: str) -> None:
    files = {f"run/logs/{number}.log": b"" for number in range(200)}
    said = refusal(tmp_path, archive(form, files), "run", limits=Limits(files=100))
    assert "100 files" in said or "limit is 100" in said


def test_hundred_thousand_entries_are_refused(tmp_path: Path) -> None:
    made = zipped({f"{number}": b"" for number in range(60_000)})
    assert "limit is 20,000" in refusal(tmp_path, made, "run.zip")
    block = tarred([("x", b"")])[:512]
    with_many = b"".join([block] * 100_000) + bytes(1024)
    assert "stands twice" in refusal(tmp_path, zstandard.compress(with_many), "run.tar.zst")


def test_directory_that_hides_entries_is_refused(tmp_path: Path) -> None:
    made = bytearray(zipped({f"{number}": b"" for number in range(300)}))
    end = made.rfind(b"PK\5\6")
    made[end + 8 : end + 12] = struct.pack("<2H", 1, 1)
    said = refusal(tmp_path, bytes(made), "run.zip", limits=Limits(files=100))
    assert "holds 300 files" in said


def test_zip64_is_refused(tmp_path: Path) -> None:
    made = bytearray(zipped({MEMBER: GOOD}))
    end = made.rfind(b"PK\5\6")
    made[end:end] = b"PK\6\7" + bytes(16)
    assert "zip64" in refusal(tmp_path, bytes(made), "run.zip")


def test_large_window_is_refused(tmp_path: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    writer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    made = writer.compress(tarred([(MEMBER, GOOD)])) + writer.flush()
    assert "without --long" in refusal(tmp_path, made, "run.tar.zst")


def test_other_files_are_passed_over_and_counted(tmp_path: Path, form: str) -> None:
    files = {MEMBER: GOOD, "run/plan.json": b"{", "run/a.log": b"\0", "__MACOSX/._a": b""}
    bundle = read(tmp_path, archive(form, files), "run")
    (note,) = bundle.problems
    assert note.message == "run/plan.json is not needed, and was not read (2 times, the first here)"


def test_archive_without_a_known_folder_is_refused(tmp_path: Path, form: str) -> None:
    assert "trajectories/*.json" in refusal(tmp_path, archive(form, {"a.json": b"{}"}), "run")


def test_file_of_the_archive_that_is_too_large_is_refused(tmp_path: Path, form: str) -> None:
    limits = Limits(member_bytes=1024)
    files = {"run/big.log": bytes(5_000), MEMBER: GOOD}
    assert "run/big.log has 5,000 bytes" in refusal(
        tmp_path, archive(form, files), "run", limits=limits
    )


def test_larger_file_than_the_limit_is_refused(tmp_path: Path) -> None:
    limits = Limits(compressed_bytes=100)
    assert "is larger than" in refusal(tmp_path, bytes(101), "run.zip", limits=limits)
