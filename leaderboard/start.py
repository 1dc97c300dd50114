"""`python -m leaderboard.start`: prepare everything and run the site in the foreground.

Prepares the database, the catalog, the bundled figures and the static files, then
becomes supervisor, which runs the processes and stops them on Ctrl-C.
"""

import os
import socket
import sys
from contextlib import closing
from pathlib import Path

import django
from django.core.management import call_command
from django.core.management.base import CommandError

UNUSED_STATIC = ["widgetbundle.js", "datasets", "templates", "rest_framework", "redoc"]
"""What packages bring beside the scripts that pages load; compressing it takes a minute."""


def main() -> None:
    """Prepare the site and hand over to supervisor; exit with one line where it cannot start."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.config.settings")
    host, port = os.environ.get("HOST", "127.0.0.1"), os.environ.get("PORT", "8000")
    problem = _port_problem(host, port)
    if problem:
        sys.exit(problem)
    django.setup()
    from django.conf import settings  # noqa: PLC0415 (after setup)

    settings.STATE_DIR.mkdir(parents=True, exist_ok=True)
    try:
        prepare()
    except CommandError as error:
        sys.exit(str(error))
    _become_supervisor(settings.BASE_DIR, settings.STATE_DIR)


def prepare() -> None:
    """Bring the database, the catalog, the bundled figures and the static files up to date."""
    call_command("migrate", verbosity=0, interactive=False)
    call_command("load_catalog")
    call_command("load_figures")
    collect_static()


def collect_static() -> None:
    """Gather and compress CSS and scripts, where they changed since the last start."""
    from django.conf import settings  # noqa: PLC0415 (after setup)

    from leaderboard.release import digest_of  # noqa: PLC0415 (after setup)

    digest = digest_of(["static", "requirements.txt", "leaderboard/start.py"])
    stamp = settings.STATIC_ROOT / ".digest"
    if stamp.exists() and stamp.read_text() == digest:
        return
    print("Compressing static files ...", flush=True)
    call_command(
        "collectstatic",
        interactive=False,
        clear=True,
        verbosity=0,
        ignore_patterns=UNUSED_STATIC,
    )
    stamp.write_text(digest)


def _port_problem(host: str, port: str) -> str | None:
    if not port.isdigit() or not 0 < int(port) < 65536:
        return f"PORT must be a number from 1 to 65535, not {port!r}. Try: PORT=8001 make run"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, int(port)))
        except OSError as error:
            return f"Cannot listen on {host}:{port} ({error.strerror}). Try: PORT=8001 make run"
    return None


def _become_supervisor(base: Path, state: Path) -> None:
    environment = os.environ | {"STATE_DIR": str(state), "PYTHON": sys.executable}
    config = str(base / "supervisord.conf")
    supervisor = [sys.executable, "-m", "supervisor.supervisord", "-c", config]
    os.chdir(base)
    os.execve(sys.executable, supervisor, environment)  # noqa: S606 (fixed command)


if __name__ == "__main__":
    main()
