"""Closed lists of words that several tables store."""

import sys

from django.db import models
from django.utils.translation import gettext_lazy as _

from evaluation.architectures import ARCHITECTURES, HARDWARE
from evaluation.outcomes import Outcome

ARCHITECTURE_CHOICES = [(a.slug, a.name) for a in ARCHITECTURES.values()]
HARDWARE_CHOICES = [(h.slug, h.name) for h in HARDWARE.values()]
OUTCOME_CHOICES = [(o.value, o.label) for o in Outcome]

LARGEST_FLOAT = sys.float_info.max


class Provenance(models.TextChoices):
    """Who took a figure: its publisher, or this project's judge."""

    REPORTED = "reported", _("reported")
    MEASURED = "measured", _("measured")


class Origin(models.TextChoices):
    """How a run came here."""

    PUBLISHED = "published", _("published")
    UPLOADED = "uploaded", _("uploaded")
    RUN_HERE = "run_here", _("run here")


def finite_positive(field: str) -> models.Q:
    """Return the constraint that `field` is empty or a finite number above zero.

    PostgreSQL stores NaN and Infinity and sorts NaN above everything, so the upper
    bound excludes both; SQLite stores NaN as NULL.
    """
    return models.Q(**{f"{field}__isnull": True}) | models.Q(
        **{f"{field}__gt": 0, f"{field}__lte": LARGEST_FLOAT}
    )


def one_of(field: str, choices: list[tuple[str, str]]) -> models.Q:
    """Return the constraint that `field` holds one of `choices`."""
    return models.Q(**{f"{field}__in": [value for value, _label in choices]})
