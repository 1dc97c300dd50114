"""The tar reader gives what Python's own writer put in, in each of its formats."""

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.artifacts.bundle import Limits
from evaluation.artifacts.compressed import Counted, Damaged
from evaluation.artifacts.tar_members import tar_members
from tests.evaluation.artifacts.uploads import tarred

SEGMENT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=60)
PATHS = st.lists(
    SEGMENT.filter(lambda name: name.strip() and not set(name) & set("/\\:")).filter(
        lambda name: name.isascii() or len(name) < 20
    ),
    min_size=1,
    max_size=5,
).map("/".join)


def content_of(tar: bytes) -> dict[str, bytes]:
    stream = Counted(io.BytesIO(tar), "run.tar.gz", lambda: len(tar), Limits())
    return {member.path: member.read() for member in tar_members(stream, "run", Limits())}


@given(path=PATHS, content=st.binary(max_size=2_000))
@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_any_name_and_content_comes_back(form: int, path: str, content: bytes) -> None:
    path = "a/" + path.replace("..", "__").rstrip(".") + "_"
    tar = tarred([(path, content), ("b/second", b"2")], form=form)
    wanted = "/".join(part for part in path.split("/") if part not in ("", "."))
    assert content_of(tar) == {wanted: content, "b/second": b"2"}


def test_ustar_prefix_is_joined() -> None:
    path = "/".join(["folder" * 5] * 5 + ["file.json"])
    assert content_of(tarred([(path, b"x")], form=tarfile.USTAR_FORMAT)) == {path: b"x"}


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_name_may_be_cut_within_a_character(form: int) -> None:
    path = "a" * 99 + "é" + "b" * 50
    assert content_of(tarred([(path, b"x")], form=form)) == {path: b"x"}


def test_unread_members_are_passed_over() -> None:
    tar = tarred([("a", b"x" * 700), ("b", b"y" * 512), ("c", b"")])
    stream = Counted(io.BytesIO(tar), "run.tar.gz", lambda: len(tar), Limits())
    assert [member.path for member in tar_members(stream, "run", Limits())] == ["a", "b", "c"]


@given(st.binary(min_size=512, max_size=4_000))
def test_what_is_no_tar_is_damaged(data: bytes) -> None:
    if data[:512].strip(b"\0"):
        with pytest.raises(Damaged):
            content_of(data)


def test_broken_pax_header_is_damaged() -> None:
    header = tarfile.TarInfo("PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, 12
    for content in (b"12 path=run\n", b"99 path=run\n", b"x path=run\n\n", b"5 a\n5 =\n\n\n\n"):
        tar = header.tobuf(tarfile.USTAR_FORMAT) + content.ljust(512, b"\0") + tarred([("a", b"")])
        if content.startswith(b"12"):
            assert content_of(tar) == {"run": b""}
        else:
            with pytest.raises(Damaged):
                content_of(tar)
