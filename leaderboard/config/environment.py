"""Values the site takes from its environment, checked before anything starts."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

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
