"""`python -m leaderboard.start`: prepare everything and run the site in the foreground.

Prepares the database, the catalog, the bundled figures and the static files, then
becomes `leaderboard.foreground`, which runs the processes and stops them on Ctrl-C.
"""

import os
import socket
import sys
from contextlib import closing
from typing import NoReturn

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import Error as DatabaseError

from leaderboard import broker

UNUSED_STATIC = ["widgetbundle.js", "datasets", "templates", "rest_framework", "redoc"]
"""What packages bring beside the scripts that pages load; compressing it takes a minute."""

INTERRUPTED = 130


def main() -> int:
    """Prepare the site, run it, and return the exit status; one line says why it can't start."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.config.settings")
    try:
        _refuse_taken_port()
        django.setup()
        _refuse_second_site()
        prepare()
    except (CommandError, ImproperlyConfigured) as error:
        return _refused(str(error))
    except DatabaseError as error:
        return _refused(f"The database cannot be used: {_first_line(error)} Check DATABASE_URL.")
    except OSError as error:
        return _refused(f"{error.filename}: {error.strerror}. Check STATE_DIR.")
    except KeyboardInterrupt:
        return INTERRUPTED
    return _supervise()


def prepare() -> None:
    """Bring the database, the catalog, the bundled figures and the static files up to date."""
    from django.conf import settings  # noqa: PLC0415 (after setup)

    settings.STATE_DIR.mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0, interactive=False)
    call_command("createcachetable", verbosity=0)
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
        clear=stamp.exists(),  # never a folder that this did not fill
        verbosity=0,
        ignore_patterns=UNUSED_STATIC,
    )
    stamp.write_text(digest)


def _refused(message: str) -> int:
    print(message, file=sys.stderr)
    return 1


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") + "."


def _refuse_taken_port() -> None:
    from leaderboard.config import gunicorn  # noqa: PLC0415 (reads the environment)

    family = socket.AF_INET6 if ":" in gunicorn.host else socket.AF_INET
    with closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((gunicorn.host, gunicorn.port))
        except OSError as error:
            raise CommandError(
                f"Cannot listen on {gunicorn.bind} ({error.strerror}). Try: PORT=8001 make run"
            ) from error


def _refuse_second_site() -> None:
    from django.conf import settings  # noqa: PLC0415 (after setup)

    if process := broker.holder(settings.STATE_DIR):
        raise CommandError(
            f"A site already runs with {settings.STATE_DIR} (its broker is process {process})."
            " Stop it, or choose another STATE_DIR."
        )


def _supervise() -> NoReturn:
    """Become the process that runs supervisor: all that was loaded to prepare is let go."""
    from django.conf import settings  # noqa: PLC0415 (after setup)

    sys.stdout.flush()
    environment = os.environ | {"STATE_DIR": str(settings.STATE_DIR)}
    command = [sys.executable, "-m", "leaderboard.foreground"]
    os.execve(command[0], command, environment)  # noqa: S606 (no shell is meant)


if __name__ == "__main__":
    sys.exit(main())
