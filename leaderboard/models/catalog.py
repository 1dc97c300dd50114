"""Tasks and workloads, mirrored from `evaluation.tasks` so that rows can refer to them."""

from typing import ClassVar

from django.db import models
from django.urls import reverse


class Task(models.Model):
    """A FlashInfer-Trace definition; `order` is its place in every list of tasks."""

    slug = models.CharField(max_length=80, unique=True)
    title = models.CharField(max_length=120)
    family = models.CharField(max_length=16)
    core = models.BooleanField()
    defined = models.BooleanField(help_text="Whether the full definition is in the catalog.")
    order = models.PositiveSmallIntegerField()

    class Meta:
        ordering: ClassVar = ["order"]

    def __str__(self) -> str:
        return self.slug

    def get_absolute_url(self) -> str:
        """Return the address of the task's page."""
        return reverse("task", args=[self.slug])


class Workload(models.Model):
    """Concrete axes for a task. The published one decides rankings."""

    uuid = models.UUIDField(primary_key=True)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="workloads")
    axes = models.JSONField()
    published = models.BooleanField()

    class Meta:
        ordering: ClassVar = ["task__order", "uuid"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["task"],
                condition=models.Q(published=True),
                name="one_published_workload_per_task",
            )
        ]

    def __str__(self) -> str:
        return f"{self.task.slug} {self.label}"

    @property
    def label(self) -> str:
        """The axes in one line, such as `S=4096`."""
        return ", ".join(f"{name}={size}" for name, size in self.axes.items())


class ReferenceDate(models.Model):
    """A release that the timeline marks: a PTX ISA or a FlashAttention version.

    `released` is empty where the published date is no date; `as_published` keeps the text.
    """

    kind = models.CharField(max_length=16, choices=[("ptx", "PTX ISA"), ("flash_attention", "FA")])
    name = models.CharField(max_length=40)
    architecture = models.CharField(max_length=16)
    released = models.DateField(null=True, blank=True)
    as_published = models.CharField(max_length=40)

    class Meta:
        ordering: ClassVar = ["released", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["kind", "name", "architecture"], name="one_date_per_release"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.as_published})"
