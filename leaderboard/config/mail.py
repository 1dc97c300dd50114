"""The server that sends the site's mail, from the environment."""

from dataclasses import dataclass
from email.utils import parseaddr
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

from leaderboard.config.environment import env

CONSOLE = "django.core.mail.backends.console.EmailBackend"
SMTP = "django.core.mail.backends.smtp.EmailBackend"
NOBODY = "PTXBench Leaderboard <noreply@localhost>"

_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mail is handed in; without a host it is printed where the site was started."""

    host: str = ""
    port: int = 25
    user: str = ""
    password: str = ""
    starttls: bool = False
    tls: bool = False

    @property
    def backend(self) -> str:
        """Django's class that hands mail to it."""
        return SMTP if self.host else CONSOLE


def mail_server() -> MailServer:
    """Return the server that EMAIL_URL names; what cannot be one stops the start."""
    given = env.str("EMAIL_URL", "")
    if not given:
        return MailServer()
    try:
        parts = urlsplit(given)
        port = parts.port
    except ValueError:
        raise _not_understood() from None
    if parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/"):
        raise _not_understood()
    return MailServer(
        host=parts.hostname,
        port=port or _PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        starttls=parts.scheme == "smtp+tls",
        tls=parts.scheme == "smtps",
    )


def sender() -> str:
    """Return DEFAULT_FROM_EMAIL: an address, with or without a name before it."""
    given = env.str("DEFAULT_FROM_EMAIL", "") or NOBODY
    _name, address = parseaddr(given)
    try:
        if not given.isprintable():
            raise ValidationError("more than a line")
        validate_email(address)
    except ValidationError as error:
        raise ImproperlyConfigured(
            f"DEFAULT_FROM_EMAIL must be an address such as {NOBODY!r}, not {given!r}."
        ) from error
    return given


def _not_understood() -> ImproperlyConfigured:
    # Without the value, which holds a password.
    return ImproperlyConfigured(
        "EMAIL_URL is not understood. It looks like smtp+tls://user:password@host:587; "
        "smtps:// starts with TLS, and smtp:// has none."
    )
