"""Users, and the tokens by which their programs speak for them."""

from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _
from knox.models import AbstractAuthToken

from leaderboard.accounts.handles import LONGEST, check_handle


class User(AbstractUser):  # type: ignore[django-manager-missing]
    """Somebody with an account; `username` is the handle, in lower case."""

    username = models.CharField(
        _("handle"), max_length=LONGEST, unique=True, validators=[check_handle]
    )
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(Lower("username"), name="handle_unique_without_case")
        ]

    def clean(self) -> None:
        """Bring the handle into the form in which it is stored and compared."""
        super().clean()
        self.username = self.username.lower()


class Scope(models.TextChoices):
    """What a token may do; `submit` includes reading."""

    READ = "read", _("read your submissions")
    SUBMIT = "submit", _("read and submit")


class ApiToken(AbstractAuthToken):
    """A program's token: only its hash is stored, and it says what it may do and until when."""

    name = models.CharField(_("name"), max_length=60)
    scope = models.CharField(_("scope"), max_length=16, choices=Scope)
    last_used = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "name"], name="one_token_per_name")
        ]

    def __str__(self) -> str:
        return self.name
