"""`python -m tests`: every check that needs no GPU, on SQLite and on PostgreSQL.

`REQUIRE_SERVICES=1` makes a missing database server or browser a failure; without
it what needs them is left out, and said so.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

POSTGRES_URL = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
STATIC_CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy", "."),
    ("lint-imports",),
)


def main() -> int:
    """Run the checks in order, cheapest first, and return the first failing exit status."""
    required = os.environ.get("REQUIRE_SERVICES") == "1"
    for check in STATIC_CHECKS:
        if status := _run(check):
            return status
    if not _postgres_answers():
        message = "PostgreSQL does not answer. Start one, or name it in TEST_POSTGRES_URL."
        if required:
            print(message, file=sys.stderr)
            return 1
        print(f"Left out: the suite on PostgreSQL. {message}")
    # All that uses a database; nothing else depends on which one it is.
    elif status := _pytest(["tests/leaderboard"], DATABASE_URL=POSTGRES_URL):
        return status
    return _pytest([])


def _postgres_answers() -> bool:
    import psycopg  # noqa: PLC0415 (only this check needs it)

    try:
        psycopg.connect(POSTGRES_URL, connect_timeout=5).close()
    except psycopg.Error:
        return False
    return True


def _pytest(arguments: Sequence[str], **environment: str) -> int:
    return _run([sys.executable, "-m", "pytest", *arguments], **environment)


def _run(command: Sequence[str], **environment: str) -> int:
    shown = " ".join(command).replace(sys.executable, "python")
    print(f"\n== {shown} {'(PostgreSQL)' if environment else ''}", flush=True)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    complete = os.environ | {"PATH": path} | environment
    return subprocess.run(command, check=False, env=complete).returncode


if __name__ == "__main__":
    sys.exit(main())
