"""What people upload, and what became of it."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from leaderboard.models.choices import ARCHITECTURE_CHOICES
from leaderboard.models.evaluations import Evaluation


class Submission(models.Model):
    """One uploaded file. It moves forward only; what ends it early is told apart.

    `revision` counts changes of state, so that a page which shows an older one cannot
    change a newer one. `fingerprint` is of the file and of what the form said about it.
    `report` is what the readers understood, as `evaluation.artifacts.bundle` gives it.
    """

    class State(models.TextChoices):
        """How far it is."""

        RECEIVED = "received", _("received")
        UNPACKING = "unpacking", _("being read")
        REJECTED = "rejected", _("rejected")
        JUDGING = "judging", _("being judged")
        COMPLETE = "complete", _("complete")
        CANCELLED = "cancelled", _("cancelled")
        WITHDRAWN = "withdrawn", _("withdrawn")

    key = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="submissions"
    )
    state = models.CharField(max_length=16, choices=State, default=State.RECEIVED)
    revision = models.PositiveIntegerField(default=1)
    public = models.BooleanField(default=False)
    filename = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    storage_key = models.CharField(max_length=80, unique=True)
    fingerprint = models.CharField(max_length=64)
    # NULL where none was given, because only NULLs are not compared with each other.
    idempotency_key = models.CharField(max_length=100, null=True, blank=True)  # noqa: DJ001
    model_name = models.CharField(max_length=120, blank=True)
    task = models.CharField(max_length=80, blank=True)
    architecture = models.CharField(max_length=16, blank=True, choices=ARCHITECTURE_CHOICES)
    kind = models.CharField(max_length=16, blank=True)
    report = models.JSONField(default=dict, blank=True)
    attempt = models.PositiveSmallIntegerField(default=1)
    lease = models.CharField(max_length=64, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    created = models.DateTimeField(auto_now_add=True)
    changed = models.DateTimeField(auto_now=True)
    evaluations = models.ManyToManyField(
        Evaluation, through="SubmittedKernel", related_name="submissions"
    )

    OPEN: ClassVar = (State.RECEIVED, State.UNPACKING, State.JUDGING)
    """States in which something is still to come."""

    class Meta:
        ordering: ClassVar = ["-created"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["owner", "fingerprint"],
                condition=models.Q(state__in=("received", "unpacking", "judging", "complete")),
                name="one_submission_per_file",
            ),
            models.UniqueConstraint(
                fields=["owner", "idempotency_key"], name="one_submission_per_idempotency_key"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.filename} ({self.state})"

    def get_absolute_url(self) -> str:
        """Return the address of the submission's page."""
        return reverse("submission", args=[self.key])

    @property
    def is_open(self) -> bool:
        """Whether something is still to come."""
        return self.state in self.OPEN


class SubmittedKernel(models.Model):
    """A kernel that a submission wants judged, and the place in the file where it first stands."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="submitted_kernels"
    )
    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="submitted_kernels"
    )
    place = models.CharField(max_length=300)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["submission", "evaluation"], name="one_evaluation_per_submission"
            )
        ]

    def __str__(self) -> str:
        return self.place


class SubmissionEvent(models.Model):
    """Something that happened to a submission; `seq` counts from 1 and only grows."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    at = models.DateTimeField(auto_now_add=True)
    kind = models.CharField(max_length=32)
    facts = models.JSONField(default=dict)

    class Meta:
        ordering: ClassVar = ["seq"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["submission", "seq"], name="one_event_per_seq")
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"
