"""Values the site takes from its environment, checked before anything starts."""

import os
import secrets
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir, mkstemp
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from environs import Env, EnvError, EnvValidationError

env = Env()


def boolean(name: str, default: bool) -> bool:
    """Return a true/false variable; anything else stops the start with a message."""
    try:
        return env.bool(name, default)
    except (EnvError, EnvValidationError) as error:
        raise ImproperlyConfigured(
            f"{name} must be true or false, not {env.str(name)!r}. Correct it or unset it."
        ) from error


def state_dir(base: Path) -> Path:
    """Return STATE_DIR, where the site keeps what it stores: `var` in `base` by default.

    What lies there is the site's to write and to clear, so it must hold none of the project.
    """
    chosen = (base / (Path(env.str("STATE_DIR", "") or "var").expanduser())).resolve()
    if base.is_relative_to(chosen) or (
        chosen.is_relative_to(base) and chosen.relative_to(base).parts[0] in _own_folders(base)
    ):
        raise ImproperlyConfigured(
            f"STATE_DIR is {chosen}, which holds the project itself. Name a folder of its own."
        )
    if not chosen.is_dir() and chosen.exists():
        raise ImproperlyConfigured(f"STATE_DIR is {chosen}, which is not a folder. Name one.")
    return chosen


def _own_folders(base: Path) -> set[str]:
    return {path.name for path in base.iterdir() if path.is_dir()} - {"var"} | {".git", ".venv"}


def whole_number(name: str, default: int, largest: int) -> int:
    """Return a whole number from 1 to `largest`; anything else stops the start."""
    text = env.str(name, "") or str(default)
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= largest):
        raise ImproperlyConfigured(
            f"{name} must be a number from 1 to {largest}, not {text!r}. Correct it or unset it."
        )
    return int(text)


def log_level() -> str:
    """Return LOG_LEVEL, one of Python's names."""
    levels = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
    level = (env.str("LOG_LEVEL", "") or "WARNING").upper()
    if level not in levels:
        raise ImproperlyConfigured(f"LOG_LEVEL must be one of {', '.join(levels)}, not {level!r}.")
    return level


def database(default: str) -> dict[str, Any]:
    """Return the database that DATABASE_URL names."""
    url = env.str("DATABASE_URL", "") or default
    try:
        return dict(dj_database_url.parse(url, conn_max_age=600, conn_health_checks=True))
    except (ValueError, KeyError) as error:
        raise ImproperlyConfigured(
            "DATABASE_URL is not understood. It looks like postgres://user@host/name."
        ) from error


def media_root(state_dir: Path) -> Path:
    """Return MEDIA_ROOT, where uploads are kept: `uploads` in the state folder by default."""
    return Path(env.str("MEDIA_ROOT", "") or state_dir / "uploads").expanduser().resolve()


def broker_url(state_dir: Path) -> str:
    """Return CELERY_BROKER_URL; by default the embedded broker's socket for this state folder.

    The socket lies in a folder for this user alone with a short name, because the operating
    system takes no more than 107 bytes.
    """
    given = env.str("CELERY_BROKER_URL", "")
    if not given:
        return f"redis+socket://{broker_socket(state_dir)}"
    if not given.startswith(("amqp://", "amqps://", "redis://", "rediss://", "redis+socket://")):
        raise ImproperlyConfigured(
            "CELERY_BROKER_URL must start with amqp://, amqps://, redis://, rediss:// or "
            "redis+socket://. Correct it or unset it."
        )
    return given


def broker_socket(state_dir: Path) -> Path:
    """Return where the embedded broker of a state folder listens."""
    runtime = Path(env.str("XDG_RUNTIME_DIR", "") or gettempdir())
    name = sha256(os.fsencode(state_dir)).hexdigest()[:12]
    return runtime / f"ptxbench-{os.getuid()}-{name}" / "broker.sock"


def secret_key(production: bool, state_dir: Path) -> str:
    """Return SECRET_KEY; outside production one is made on first use and kept in `state_dir`."""
    given = env.str("SECRET_KEY", "")
    if given:
        return given
    if production:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. In production give the site a long random value, "
            "for example from: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    return _kept_secret(state_dir / "secret_key")


def _kept_secret(path: Path) -> str:
    """Return the kept secret; of several processes that make one, the first wins."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, draft = mkstemp(dir=path.parent)  # readable by this user only
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
        with suppress(FileExistsError):
            os.link(draft, path)
        Path(draft).unlink()
    return path.read_text()


def allowed_hosts(production: bool) -> list[str]:
    """Return ALLOWED_HOSTS; outside production this machine's own names suffice."""
    hosts: list[str] = env.list("ALLOWED_HOSTS", [])
    if production and not hosts:
        raise ImproperlyConfigured(
            "ALLOWED_HOSTS is not set. In production name the site's hosts, separated by commas."
        )
    return hosts or ["localhost", "127.0.0.1", "[::1]", "testserver"]
