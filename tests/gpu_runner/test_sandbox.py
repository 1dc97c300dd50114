"""What a command in the sandbox can reach, and what is left of it afterwards."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpu_runner import isolation as isolating
from gpu_runner import sandbox as sandboxing
from gpu_runner.bounded_output import LINE, HeadAndTail
from gpu_runner.isolation import Isolation, MissingSandbox, find_isolation
from gpu_runner.sandbox import Limits, Sandbox, SandboxFailure, fetch, unsafe_by_environment
from gpu_runner.system_files import compiler_files, program_files

TOOLS = ("sh", "cat", "ls", "id", "env", "sleep", "yes", "mkfifo", "ln", "head")
ROOT = os.geteuid() == 0


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    found = tuple(str(path) for path in (Path("/usr/bin") / name for name in TOOLS))
    return Sandbox((*compiler_files("/usr/bin/g++"), *program_files(found)))


@pytest.fixture(params=["as this user", "in a user namespace"])
def way(request, monkeypatch) -> Isolation:
    """The way that root takes, and the one of everybody else."""
    found = find_isolation()
    if request.param == "in a user namespace":
        found = Isolation(found.bwrap, None, found.sized_tmp)
    elif not ROOT:
        pytest.skip("only root can give up its user")
    monkeypatch.setattr(sandboxing, "find_isolation", lambda search: found)
    return found


def shell(sandbox: Sandbox, script: str, workdir: Path, **limits) -> sandboxing.Finished:
    return sandbox.run(["sh", "-c", script], workdir, Limits(**{"seconds": 5.0, **limits}))


def processes_with(token: str, whole: bool = False) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes()
        except OSError:
            continue
        named = words == token.encode() if whole else token.encode() in words
        if named and int(entry.parent.name) != os.getpid():
            found.append(entry.parent.name)
    return found


def test_nothing_of_the_host_is_there(sandbox, way, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "tell nobody")
    (tmp_path / "outside").write_text("secret")
    work = tmp_path / "work"
    work.mkdir()

    places = f"/etc/passwd /etc /home /root /proc /sys /dev/zero /dev/random {tmp_path}/outside"
    finished = shell(sandbox, f"for f in {places}; do ls -d $f; done; ls /dev /; env", work)

    assert finished.ended == "exited"
    assert finished.log.count("No such file or directory") == len(places.split())
    assert "null\n" in finished.log
    assert "tell nobody" not in finished.log
    names = {line.partition("=")[0] for line in finished.log.splitlines() if "=" in line}
    assert names <= {"PATH", "LC_ALL", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"}


def test_the_command_is_another_user_with_no_capabilities(sandbox, way, tmp_path):
    finished = shell(sandbox, "id -u; id -g; cat /kernel/mine > /usr/x; echo done > out", tmp_path)

    uid = int(finished.log.splitlines()[0])
    assert uid != os.getuid()
    assert (tmp_path / "out").read_text() == "done\n"
    if way.own_uid == "each":
        assert (tmp_path / "out").stat().st_uid == uid
        assert int(shell(sandbox, "id -u", tmp_path).log) != uid


def test_only_the_work_folder_and_tmp_can_be_written(sandbox, way, tmp_path):
    mine = f"/tmp/{tmp_path.name}"  # noqa: S108 (of the sandbox)
    script = f"for f in /x /usr/x /dev/x /usr/include/x; do echo > $f; done; echo > {mine}"

    finished = shell(sandbox, f"{script}; ls /tmp", tmp_path)

    assert finished.log.count("Read-only file system") == 4
    assert finished.log.endswith(f"{tmp_path.name}\n")
    assert not Path(mine).exists()


def test_there_is_no_network(sandbox, way, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        (tmp_path / "dial.cc").write_text(
            "#include <arpa/inet.h>\n#include <cstdio>\n#include <cstring>\n#include <cerrno>\n"
            "int main() { sockaddr_in a{}; a.sin_family = AF_INET;"
            f' a.sin_port = htons({port}); inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);'
            " int s = socket(AF_INET, SOCK_STREAM, 0);"
            ' puts(connect(s, (sockaddr*)&a, sizeof a) ? strerror(errno) : "connected"); }\n'
        )
        # Built outside: the sandbox has no start-up code, so nothing in it can be run.
        subprocess.run(["g++", "dial.cc", "-o", "dial"], cwd=tmp_path, check=True)
        finished = shell(sandbox, "./dial", tmp_path)

    assert finished.log.strip() in {"Connection refused", "Network is unreachable"}


def test_time_runs_out_for_everything_that_was_started(sandbox, way, tmp_path):
    token = f"31{os.getpid()}"
    mounts = Path("/proc/self/mounts").read_text()

    finished = shell(sandbox, f"sleep {token} & sleep {token} & wait", tmp_path, seconds=0.5)

    assert (finished.ended, finished.status) == ("timeout", None)
    assert finished.seconds < 3
    assert not processes_with(token)
    assert Path("/proc/self/mounts").read_text() == mounts


def test_what_the_command_leaves_running_ends_with_it(sandbox, way, tmp_path):
    token = f"32{os.getpid()}"

    finished = shell(sandbox, f"(sleep {token} > /dev/null 2>&1 &) ; echo over", tmp_path)

    assert (finished.status, finished.log) == (0, "over\n")
    time.sleep(0.2)
    assert not processes_with(token)


@pytest.mark.parametrize("unsafe", [False, True])
def test_output_without_end_is_stopped_and_kept_head_and_tail(sandbox, tmp_path, unsafe):
    endless = Sandbox(sandbox.readable, unsafe)

    finished = shell(endless, "echo first; yes 'error: no' ", tmp_path, seconds=20)

    assert finished.ended == "killed"
    assert finished.log.startswith("first\nerror: no\n")
    assert "bytes left out …]" in finished.log
    assert finished.log.endswith("[stopped after 64 MiB of output]\n")
    assert len(finished.log) < 64 * 1024


def test_memory_disk_and_files_are_limited(sandbox, way, tmp_path):
    fills = "yes > /tmp/big; yes > big; ls -s --block-size=1024 big"

    disk = shell(sandbox, fills, tmp_path, file_bytes=1 << 20)
    (tmp_path / "eat.cc").write_text(
        "template <unsigned long N, int D> struct T { static constexpr int v ="
        " T<2 * N, D - 1>::v + T<2 * N + 1, D - 1>::v; };\n"
        "template <unsigned long N> struct T<N, 0> { static constexpr int v = N % 7; };\n"
        "int x = T<1, 40>::v;\n"
    )
    memory = shell(sandbox, "g++ -c eat.cc", tmp_path, seconds=20, memory_bytes=256 << 20)

    assert disk.log.endswith("1024 big\n")
    assert disk.log.count("File size limit exceeded") == 2
    assert memory.ended == "memory"


def test_the_output_is_text_whatever_it_was(sandbox, tmp_path):
    finished = shell(sandbox, r"printf 'a\000b\377c\n'", tmp_path)

    assert finished.log == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c\n"


def test_long_lines_are_cut():
    output = HeadAndTail(100_000)
    output.feed(b"x" * 20_000 + b"\nshort\n")

    assert output.text() == "x" * LINE + " [… 18,000 characters left out …]\nshort\n"


def test_a_stream_is_kept_within_its_limit():
    output = HeadAndTail(1000)
    for number in range(100_000):
        output.feed(f"{number}\n".encode())

    lines = output.text().splitlines()
    assert (lines[0], lines[-1]) == ("0", "99999")
    assert any("bytes left out" in line for line in lines)
    assert sum(map(len, lines)) < 1100


def test_links_and_pipes_that_a_command_leaves_are_not_followed(sandbox, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    shell(sandbox, "ln -s /etc/passwd link; mkfifo pipe; echo fine > file", work)

    target = tmp_path / "copy"
    assert fetch(work, "link", target, 1000) is None
    assert fetch(work, "pipe", target, 1000) is None
    assert fetch(work, "none", target, 1000) is None
    assert fetch(work, "file", target, 2) is None
    assert fetch(work, "file", target, 1000) == target
    assert target.read_text() == "fine\n"


def test_without_bubblewrap_it_refuses_and_says_what_to_install(sandbox, tmp_path):
    (tmp_path / "bin").mkdir()
    bare = Sandbox(sandbox.readable, search=str(tmp_path / "bin"))

    with pytest.raises(MissingSandbox, match="apt-get install bubblewrap") as refused:
        bare.check()
    assert "\n" not in str(refused.value)


def test_a_bubblewrap_that_may_not_start_is_explained(tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)

    with pytest.raises(MissingSandbox, match=r"No permissions to create new namespace.*sysctl"):
        find_isolation(str(tmp_path))


def test_a_file_that_is_gone_is_the_sandboxs_failure(sandbox, tmp_path):
    broken = Sandbox((*sandbox.readable, tmp_path / "gone"))

    with pytest.raises(SandboxFailure, match="gone"):
        broken.run(["true"], tmp_path, Limits(seconds=5))


def test_unsafe_runs_on_the_host_and_keeps_the_limits(sandbox, tmp_path):
    token = f"33{os.getpid()}"
    unsafe = Sandbox(sandbox.readable, unsafe=True)

    assert "root" in shell(unsafe, "cat /etc/passwd", tmp_path).log
    finished = shell(unsafe, f"sleep {token} & sleep {token}", tmp_path, seconds=0.5)

    assert finished.ended == "timeout"
    assert not processes_with(token)


def test_the_unsafe_switch_is_a_plain_yes_or_no(monkeypatch):
    assert unsafe_by_environment() is False
    monkeypatch.setenv("PTXBENCH_UNSAFE_NO_SANDBOX", "1")
    assert unsafe_by_environment() is True
    monkeypatch.setenv("PTXBENCH_UNSAFE_NO_SANDBOX", "maybe")
    with pytest.raises(ValueError, match="set it to 1"):
        unsafe_by_environment()


def test_nothing_outlives_a_killed_runner(way, tmp_path):
    token = f"34{os.getpid()}"
    script = (
        "from pathlib import Path\n"
        "from gpu_runner import sandbox\n"
        "from gpu_runner.isolation import Isolation\n"
        "from gpu_runner.system_files import program_files\n"
        f"sandbox.find_isolation = lambda search: {way!r}\n"
        "tools = program_files(('/usr/bin/sleep',))\n"
        f"sandbox.Sandbox(tools).run(['sleep', '{token}'], Path({str(tmp_path)!r}))\n"
    )
    runner = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2])
    try:
        # Not what only names the command: it is Bubblewrap, which is not ready yet.
        wait_for(lambda: processes_with(f"sleep\0{token}\0", whole=True))
    finally:
        runner.send_signal(signal.SIGKILL)
        runner.wait()

    wait_for(lambda: not processes_with(token))


def wait_for(happened, seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def test_the_search_for_a_way_is_made_once():
    assert find_isolation() is find_isolation()
    assert isolating.find_isolation.cache_info().hits
