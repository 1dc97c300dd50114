"""`python -m leaderboard.foreground`: run supervisor until it ends, and say why it gave up.

`leaderboard.start` becomes this once all is prepared: it stays small, because it lives as
long as the site. It needs STATE_DIR and says the rest to supervisor's configuration.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

from leaderboard import broker
from leaderboard.config.environment import broker_url, state_dir
from leaderboard.supervision import GAVE_UP

BASE_DIR = Path(__file__).resolve().parents[1]
PATIENCE_SECONDS = 5


def main() -> int:
    """Run supervisor and return its status, or 1 if a process could not be started."""
    state = state_dir(BASE_DIR)
    gave_up = state / GAVE_UP
    gave_up.unlink(missing_ok=True)
    command = [sys.executable, "-m", "supervisor.supervisord", "-c", "supervisord.conf"]
    with subprocess.Popen(  # noqa: S603 (fixed command)
        command, cwd=BASE_DIR, env=_environment(state)
    ) as supervisor:
        _pass_on_signals(supervisor)
        status = supervisor.wait()
    if gave_up.exists():
        print(_reason(gave_up.read_text(), state), file=sys.stderr)
        return 1
    return status


def _environment(state: Path) -> dict[str, str]:
    """Return what `supervisord.conf` and the processes in it take from the environment."""
    url = broker_url(state)
    return os.environ | {
        "STATE_DIR": str(state),
        "PYTHON": sys.executable,
        "CELERY_BROKER_URL": url,
        "EMBEDDED_BROKER": str(broker.is_embedded(url, state)).lower(),
        # They load all pages into every worker; the start has made them.
        "CELERY_SKIP_CHECKS": "true",
    }


def _pass_on_signals(supervisor: subprocess.Popen[bytes]) -> None:
    """Have signals that end this process go to supervisor; say what it waits for, if it does."""

    def stop(number: int, _frame: object) -> None:
        supervisor.send_signal(number)
        signal.alarm(PATIENCE_SECONDS)

    def tell(_number: int, _frame: object) -> None:
        print("Finishing the kernels and uploads that are being worked on ...", flush=True)

    signal.signal(signal.SIGALRM, tell)
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, stop)


def _reason(process: str, state: Path) -> str:
    where = f"above, or in {state / 'broker' / broker.LOG}" if process == "broker" else "above"
    return f"“{process}” could not be started. Its messages are {where}."


if __name__ == "__main__":
    sys.exit(main())
