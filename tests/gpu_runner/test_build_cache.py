"""Entries that appear whole, locks that die with their holders."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from gpu_runner.build_cache import STALE, BuildCache, default_folder

KEY = "ab" + "0" * 62
ROOT = Path(__file__).parents[2]

BUILDER = """
import sys, time
from pathlib import Path
from gpu_runner.build_cache import BuildCache
cache, key, count = BuildCache(Path(sys.argv[1])), sys.argv[2], Path(sys.argv[3])
with cache.locked(key):
    if cache.find(key) is None:
        with cache.workspace() as folder:
            with count.open("a") as builds: builds.write("built\\n")
            (folder / "half").write_text("half")
            time.sleep(float(sys.argv[4]))
            cache.store(key, folder)
"""


def builder(folder: Path, seconds: float) -> subprocess.Popen:
    arguments = [str(folder / "cache"), KEY, str(folder / "count"), str(seconds)]
    return subprocess.Popen([sys.executable, "-c", BUILDER, *arguments], cwd=ROOT)


def wait_for(happened, seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)


def test_an_entry_is_found_after_it_was_stored(tmp_path):
    cache = BuildCache(tmp_path / "cache")
    assert cache.find(KEY) is None
    with cache.locked(KEY), cache.workspace() as folder:
        (folder / "kernel.cubin").write_bytes(b"code")
        entry = cache.store(KEY, folder)

    assert cache.find(KEY) == entry
    assert (entry / "kernel.cubin").read_bytes() == b"code"
    assert (tmp_path / "cache").stat().st_mode & 0o077 == 0
    assert not list((tmp_path / "cache" / "building").iterdir())
    assert not list((tmp_path / "cache" / "locks").iterdir())


def test_a_workspace_is_gone_after_a_failure(tmp_path):
    cache = BuildCache(tmp_path)
    try:
        with cache.locked(KEY), cache.workspace() as folder:
            (folder / "half").touch()
            raise RuntimeError
    except RuntimeError:
        pass

    assert cache.find(KEY) is None
    assert not list((tmp_path / "building").iterdir())


def test_processes_that_want_the_same_build_it_once(tmp_path):
    builders = [builder(tmp_path, 0.5) for _ in range(4)]
    assert [one.wait(20) for one in builders] == [0, 0, 0, 0]

    assert (tmp_path / "count").read_text() == "built\n"


def test_a_killed_builder_holds_nobody_up(tmp_path):
    victim = builder(tmp_path, 60)
    wait_for((tmp_path / "count").exists)
    waiting = builder(tmp_path, 0)
    victim.send_signal(signal.SIGKILL)
    victim.wait()

    assert waiting.wait(10) == 0
    assert BuildCache(tmp_path / "cache").find(KEY) is not None


def test_what_a_killed_builder_left_is_swept_later(tmp_path):
    cache = BuildCache(tmp_path)
    old, new = tmp_path / "building" / "old", tmp_path / "building" / "new"
    for folder in (old, new):
        folder.mkdir(parents=True)
    os.utime(old, (time.time() - 2 * STALE,) * 2)

    with cache.workspace():
        pass

    assert not old.exists()
    assert new.exists()


def test_threads_take_turns_too(tmp_path):
    cache, inside, most = BuildCache(tmp_path), [], []

    def work() -> None:
        for _ in range(50):
            with cache.locked(KEY):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(most), max(most)) == (200, 1)


def test_the_entries_used_longest_ago_go_first(tmp_path):
    cache = BuildCache(tmp_path)
    keys = [f"{number:064x}" for number in range(3)]
    for age, key in enumerate(keys):
        with cache.workspace() as folder:
            (folder / "kernel.so").write_bytes(b"x" * 1000)
            entry = cache.store(key, folder)
        os.utime(entry, (1000 + age,) * 2)
    cache.find(keys[0])

    assert cache.prune(2500) == 1
    assert [cache.find(key) is None for key in keys] == [False, True, False]
    assert cache.prune(2500) == 0


def test_the_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("STATE_DIR", str(tmp_path))
    assert default_folder() == tmp_path / "builds"
    monkeypatch.delenv("STATE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "ptxbench" / "builds"
