"""What a handle may be: the part of a user's name that addresses and model names carry."""

import re

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

LONGEST = 30

RESERVED = frozenset(
    {
        *("about", "account", "accounts", "admin", "administrator", "anonymous", "api", "audit"),
        *(
            "compare",
            "cublas",
            "cudnn",
            "failures",
            "flashattention",
            "hardware",
            "help",
            "kernels",
        ),
        *("leaderboard", "login", "logout", "me", "methodology", "moderator", "models", "none"),
        *(
            "null",
            "nvidia",
            "official",
            "operator",
            "owner",
            "ptxbench",
            "reference",
            "root",
            "runs",
        ),
        *("security", "settings", "signup", "site", "staff", "static", "submissions", "submit"),
        *("support", "system", "tasks", "tokens", "undefined", "user", "users", "you"),
    }
)
"""Names that a reader could take for the site's own, or for nobody's."""

_HANDLE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def check_handle(handle: str) -> None:
    """Raise ValidationError, with what to do, for text that cannot be a handle.

    Handles are compared without case, and stored in lower case.
    """
    lower = handle.lower()
    if not 2 <= len(handle) <= LONGEST or not handle.isascii() or not _HANDLE.fullmatch(lower):
        message = gettext(
            "A handle has 2 to %(longest)s characters: ASCII letters and digits, "
            "with single hyphens between them."
        )
        raise ValidationError(message % {"longest": LONGEST})
    if lower in RESERVED:
        raise ValidationError(
            gettext("“%(handle)s” is reserved. Choose another.") % {"handle": lower}
        )
