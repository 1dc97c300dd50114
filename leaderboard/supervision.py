"""Supervisor's listener: ends everything, with a reason, when a process cannot be started.

Supervisor writes each event to standard input and waits for an answer on standard
output (its event listener protocol, version 3.0).
"""

import os
import signal
import sys
from pathlib import Path

from supervisor import childutils

GAVE_UP = "gave_up"
"""File in the state folder that says which process could not be started."""


NOT_NEEDED = frozenset({"static_worker"})
"""Processes without which the site is of use: kernels then wait for another runner."""


def main() -> None:
    """Wait for a process that supervisor gave up on, then stop supervisor."""
    while True:
        _headers, payload = childutils.listener.wait(sys.stdin, sys.stdout)
        process = childutils.get_headers(payload)["processname"]
        if process in NOT_NEEDED:
            childutils.listener.ok(sys.stdout)
            continue
        Path(os.environ["STATE_DIR"], GAVE_UP).write_text(process)
        childutils.listener.ok(sys.stdout)
        os.kill(os.getppid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
