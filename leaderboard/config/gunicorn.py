"""How gunicorn serves the site. `PORT`, `HOST` and `WEB_WORKERS` come from the environment."""

import os

from leaderboard.config.environment import whole_number

host = os.environ.get("HOST", "127.0.0.1")
port = whole_number("PORT", 8000, 65535)
_netloc = f"[{host}]" if ":" in host else host
bind = f"{_netloc}:{port}"
workers = whole_number("WEB_WORKERS", 2, 64)
worker_class = "gthread"
threads = 4
timeout = 60
graceful_timeout = 20
preload_app = True
accesslog = None
loglevel = "warning"
control_socket_disable = True


def when_ready(server: object) -> None:
    """Tell the person who started the site where it is."""
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else _netloc  # noqa: S104 (display only)
    print(f"\n  PTXBench Leaderboard: http://{shown}:{port}/   (Ctrl-C stops it)\n", flush=True)
