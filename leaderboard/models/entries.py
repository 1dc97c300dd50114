"""What is ranked: a language model, or a language model with a method."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from leaderboard.models.visibility import PublicManager


class ModelEntry(models.Model):
    """One line of the ranking. `base` links a variant or a method to the model it builds on."""

    class Kind(models.TextChoices):
        """What an entry is."""

        LLM = "llm", _("language model")
        VARIANT = "variant", _("fine-tuned variant")
        METHOD = "method", _("method on a model")
        REFERENCE = "reference", _("reference kernels")

    slug = models.SlugField(max_length=120, unique=True)
    name = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=16, choices=Kind)
    base = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="variants"
    )
    organisation = models.CharField(max_length=120, blank=True)
    open_weights = models.BooleanField(null=True)
    released = models.DateField(null=True, blank=True)
    released_as_published = models.CharField(max_length=40, blank=True)
    released_note = models.TextField(blank=True)
    released_source = models.TextField(blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="entries",
    )
    public = models.BooleanField(default=True)

    objects = PublicManager()
    everything = models.Manager()

    class Meta:
        base_manager_name = "everything"
        ordering: ClassVar = ["name"]
        verbose_name_plural = "model entries"

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """Return the address of the model's page."""
        return reverse("model", args=[self.slug])
