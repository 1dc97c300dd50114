"""Who may see a row. What nobody said to publish is never found by accident."""

from typing import Any, ClassVar

from django.db import models


class PublicManager(models.Manager):
    """The default way to a table: only rows that everybody may see.

    `path` leads from the table to the `public` column that decides; it is an attribute of
    the class, because Django makes managers of related rows without arguments. Code that
    owners or the judge need asks for `everything`, and has to say so.
    """

    path: ClassVar = "public"

    def get_queryset(self) -> models.QuerySet[Any]:
        """Return the public rows."""
        return super().get_queryset().filter(**{self.path: True})


class PublicRunManager(PublicManager):
    """For rows of a run."""

    path: ClassVar = "run__public"


class PublicTurnManager(PublicManager):
    """For rows of a turn."""

    path: ClassVar = "turn__trajectory__run__public"
