"""How Bubblewrap is started on this host, found by trying.

A runner that is root lets Bubblewrap build the root folder and then gives up its own
user: every run gets a user id that nothing else on the host has. A runner that is not
root needs user namespaces. A host that allows neither cannot build kernels safely.
"""

import functools
import os
import secrets
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gpu_runner.system_files import Readable, host_links, program_files

NOBODY = 65534
FIRST_UID, UIDS = 1_900_000_000, 1 << 24
"""User ids that no host hands out: above systemd's containers, below 2^31."""

INSTALL = "apt-get install bubblewrap"


class MissingSandbox(RuntimeError):
    """Kernels cannot be built safely here; the message is one line with the next step."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """Arguments that start Bubblewrap here, and how its command becomes another user.

    `own_uid`: "each" run has a uid of its own, "nobody" is shared, None: a namespace's.
    """

    bwrap: str
    own_uid: str | None
    sized_tmp: bool

    def new_uid(self) -> int | None:
        """Return the user id of the next run, None where a user namespace gives it."""
        if self.own_uid is None:
            return None
        return FIRST_UID + secrets.randbelow(UIDS) if self.own_uid == "each" else NOBODY

    def prefix(self, uid: int | None, tmp_bytes: int) -> list[str]:
        """Return the command line up to the folders to mount."""
        user = (
            ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY)]
            if uid is None
            else ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        )
        size = ["--size", str(tmp_bytes)] if self.sized_tmp else []
        return [
            *(self.bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
            *("--unshare-cgroup-try", "--die-with-parent", "--new-session", "--clearenv"),
            *("--hostname", "sandbox", "--cap-drop", "ALL", *user),
            *("--perms", "1777", *size, "--tmpfs", "/tmp"),  # noqa: S108 (the sandbox's own)
            # Not --dev: its /dev/zero would be a source file without an end.
            *("--dir", "/dev", "--dev-bind", "/dev/null", "/dev/null"),
            *(word for link in host_links() for word in link),
        ]

    def change_user(self, uid: int | None) -> list[str]:
        """Return the words that go before the command inside."""
        if uid is None:
            return []
        ids = f"--reuid={uid}", f"--regid={uid}"
        return [_setpriv(), *ids, "--clear-groups", "--inh-caps=-all"]


@functools.cache
def find_isolation(search: str | None = None) -> Isolation:
    """Return the strictest way that works here; `search` replaces PATH in tests.

    Raises MissingSandbox with what to install or to allow.
    """
    bwrap = shutil.which("bwrap", path=search)
    if bwrap is None:
        raise MissingSandbox(
            f"Bubblewrap is missing: no kernel is built without it. {_how_to_install()}"
        )
    sized = "--size" in _run([bwrap, "--help"]).stdout
    ways = ("each", "nobody", None) if os.geteuid() == 0 and shutil.which("setpriv") else (None,)
    for way in ways:
        isolation = Isolation(bwrap, way, sized)
        problem = _problem(isolation)
        if not problem:
            return isolation
    raise MissingSandbox(
        f"Bubblewrap cannot start here ({problem}): allow unprivileged user namespaces"
        " (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap)"
    )


def _how_to_install() -> str:
    return f"On Debian and Ubuntu: {INSTALL} (for trusted sources also: --unsafe-no-sandbox)"


def _problem(isolation: Isolation) -> str:
    """Try it with `true`; return the last line of the complaint, or nothing."""
    uid = isolation.new_uid()
    program = shutil.which("true") or "/bin/true"
    command = [
        *isolation.prefix(uid, 1 << 20),
        *mounts((*program_files((program,)), *isolation_files(uid))),
        *("--", *isolation.change_user(uid), program),
    ]
    finished = _run(command)
    complaint = finished.stderr.strip().splitlines()
    return "" if finished.returncode == 0 else (complaint or ["no reason given"])[-1]


def isolation_files(uid: int | None) -> tuple[Readable, ...]:
    """Return what changing the user inside needs."""
    return () if uid is None else program_files((_setpriv(),))


def mounts(readable: tuple[Readable, ...]) -> list[str]:
    """Return the arguments that mount these files and folders read-only.

    Bubblewrap makes missing parents for root alone, so they are made here, for all.
    """
    wanted = {one.inside: str(one.source) for one in readable}
    folders = {str(parent) for inside in wanted for parent in Path(inside).parents}
    made = [word for folder in sorted(folders - {"/"}) for word in ("--dir", folder)]
    bound = [word for inside in sorted(wanted) for word in ("--ro-bind", wanted[inside], inside)]
    return [*made, *bound]


def _setpriv() -> str:
    return str(Path(shutil.which("setpriv") or "/usr/bin/setpriv"))


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, errors="replace", check=False, timeout=20
    )
