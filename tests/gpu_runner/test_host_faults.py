"""What is this host's fault or its user's wish, and never the author's."""

import os
import shutil
import threading
import time
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import pytest

from gpu_runner import build_cache
from gpu_runner.build_cache import BuildCache, CacheFailure
from gpu_runner.builds import Builder
from gpu_runner.sandbox import Limits, Sandbox, SandboxFailure
from gpu_runner.supervision import Interrupted, end_all, no_more_runs
from gpu_runner.system_files import program_files
from tests.gpu_runner.sources import GOOD, HOPPER
from tests.gpu_runner.test_hostile_sources import ENDLESS, left_behind

KEY = "cd" + "0" * 62
Usage = namedtuple("Usage", "total used free")


def replace_by_a_file(entry: Path) -> None:
    shutil.rmtree(entry)
    entry.touch()


def cut_short(entry: Path) -> None:
    cubin = entry / "kernel.cubin"
    cubin.write_bytes(cubin.read_bytes()[:100])


def change_a_byte(entry: Path) -> None:
    cubin = entry / "kernel.cubin"
    data = cubin.read_bytes()
    cubin.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))


@pytest.mark.parametrize(
    "damage",
    [
        lambda entry: (entry / "kernel.cubin").unlink(),
        lambda entry: (entry / "build.json").write_bytes(b'{"build":'),
        replace_by_a_file,
        cut_short,
        change_a_byte,
    ],
    ids=["no cubin", "half a record", "a file in its place", "cut short", "changed"],
)
def test_a_damaged_entry_is_built_again(fresh, damage):
    assert fresh.compile_static(GOOD, HOPPER).status == "ok"
    (entry,) = fresh.cache.folder.glob("??/*")
    damage(entry)

    build = fresh.compile_static(GOOD, HOPPER)

    assert (build.status, build.cached) == ("ok", False)
    assert len(build.cubin.read_bytes()) > 1000
    assert fresh.compile_static(GOOD, HOPPER).cached


@pytest.mark.parametrize("state", ["/proc/zz", "/dev/null/x"])
def test_a_folder_that_cannot_hold_builds_is_named(builder, state):
    folder = Path(state) / "builds"
    with pytest.raises(CacheFailure, match="STATE_DIR") as refused:
        replace(builder, cache=BuildCache(folder)).compile_static(GOOD, HOPPER)

    assert str(folder) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_entry_that_cannot_be_put_in_place_is_a_failure(tmp_path, monkeypatch):
    def refuse(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    cache = BuildCache(tmp_path)
    monkeypatch.setattr(Path, "rename", refuse)
    with cache.workspace() as folder, pytest.raises(CacheFailure, match="No space left"):
        cache.store(KEY, folder)


def test_a_full_disk_is_no_compile_error(fresh, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(1 << 40, 1 << 40, 1 << 20))

    with pytest.raises(CacheFailure, match="only 1 MiB are free"):
        fresh.compile_static("#error mine\n", HOPPER)
    assert not list(fresh.cache.folder.glob("??/*"))


def test_what_was_used_longest_ago_goes_when_a_process_first_stores(tmp_path, monkeypatch):
    monkeypatch.setattr(BuildCache.prune, "__defaults__", (1500,))
    assert build_cache.KEPT_BYTES == 2 << 30
    cache = BuildCache(tmp_path)
    old = tmp_path / "00" / ("0" * 64)
    old.mkdir(parents=True)
    (old / "kernel.so").write_bytes(b"x" * 1000)
    os.utime(old, (1000, 1000))

    with cache.workspace() as folder:
        (folder / "kernel.so").write_bytes(b"x" * 1000)
        entry = cache.store(KEY, folder)

    assert entry.is_dir()
    assert not old.exists()


def test_only_bubblewrap_can_say_that_it_did_not_start(tmp_path):
    shown = Sandbox(program_files(("/usr/bin/sh",)))
    script = "echo 'bwrap: no'; for n in 3 4 5 6 7 8 9; do eval \"echo '{}' >&$n\"; done; exit 1"

    finished = shown.run(["sh", "-c", script], tmp_path, Limits(seconds=5))

    assert (finished.ended, finished.status) == ("exited", 1)
    assert finished.log.startswith("bwrap: no\n")
    with pytest.raises(SandboxFailure):
        Sandbox((*shown.readable, tmp_path / "gone")).run(["sh"], tmp_path)


@pytest.mark.parametrize(
    "source",
    [
        '#line 1 "bwrap: "\n#error x\n',
        "#error std::bad_alloc was thrown\n",
        "#error No space left on device\n",
        "#error nvcc error   : 'cicc' died due to signal 9\n",
        '#line 1 "cc1plus"\n#error out of memory\n',
        '#line 1 "cc1plus: "\n#error out of memory\n',
        '#line 1 "ptxas fatal : "\nint x = y;  // out of memory\n',
        'static_assert(false, "out of memory");\n',
    ],
)
def test_a_source_cannot_blame_the_host(builder, source):
    assert builder.compile_static(source, HOPPER).status == "compile_error"


def interrupted_build(builder: Builder, interrupt) -> list[BaseException]:
    raised: list[BaseException] = []

    def build() -> None:
        try:
            builder.compile_static(ENDLESS, HOPPER)
        except Interrupted as error:
            raised.append(error)

    thread = threading.Thread(target=build)
    thread.start()
    until = time.monotonic() + 10
    while not list(builder.cache.folder.glob("building/*/*/work/*.ii")):
        assert time.monotonic() < until, "the build did not start"
        time.sleep(0.02)
    interrupt()
    thread.join(10)
    assert not thread.is_alive()
    return raised


@pytest.mark.parametrize("unsafe", [False, True])
def test_a_build_is_ended_from_another_thread_and_leaves_nothing(fresh, unsafe):
    started = time.monotonic()

    raised = interrupted_build(replace(fresh, unsafe=unsafe), end_all)

    assert len(raised) == 1
    assert time.monotonic() - started < 15
    assert left_behind(fresh) == []
    assert not list(fresh.cache.folder.glob("locks/*"))
    assert not list(fresh.cache.folder.glob("??/*"))


def test_nothing_starts_while_runs_are_refused(fresh):
    with no_more_runs(), pytest.raises(Interrupted):
        fresh.compile_static(GOOD, HOPPER)

    assert fresh.compile_static(GOOD, HOPPER).status == "ok"
    assert end_all() == 0
