"""Judgements: one per kernel and place it is judged for, whoever asked and however often."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.models.catalog import Workload
from leaderboard.models.choices import (
    ARCHITECTURE_CHOICES,
    HARDWARE_CHOICES,
    OUTCOME_CHOICES,
    one_of,
)


class Kernel(models.Model):
    """A kernel's source, stored once however often it was proposed."""

    sha256 = models.CharField(max_length=64, unique=True)
    language = models.CharField(max_length=16)
    source = models.TextField()

    def __str__(self) -> str:
        return self.sha256[:12]


class Evaluation(models.Model):
    """One kernel to judge on one workload, architecture and hardware, by one protocol.

    The row is the queue. A lease, a random token with an end by the database's clock, says
    that a request is out; `started` that a runner has said it works on it. `attempt` counts
    the tries that were started, and only the reaper raises it.
    """

    class State(models.TextChoices):
        """How far it is: it waits for or is out with a runner, once for each step."""

        STATIC_WAITING = "static_waiting", _("waiting for the static check")
        STATIC_LEASED = "static_leased", _("being checked")
        DYNAMIC_WAITING = "dynamic_waiting", _("waiting for a GPU")
        DYNAMIC_LEASED = "dynamic_leased", _("being judged on a GPU")
        DECIDED = "decided", _("decided")
        INFRA_ERROR = "infra_error", _("given up after infrastructure errors")
        CANCELLED = "cancelled", _("cancelled")

    WAITING: ClassVar = (State.STATIC_WAITING, State.DYNAMIC_WAITING)
    LEASED: ClassVar = (State.STATIC_LEASED, State.DYNAMIC_LEASED)
    ENDED: ClassVar = (State.DECIDED, State.INFRA_ERROR, State.CANCELLED)

    kernel = models.ForeignKey(Kernel, on_delete=models.PROTECT, related_name="evaluations")
    workload = models.ForeignKey(Workload, on_delete=models.PROTECT, related_name="evaluations")
    architecture = models.CharField(max_length=16, choices=ARCHITECTURE_CHOICES)
    hardware = models.CharField(max_length=16, choices=HARDWARE_CHOICES)
    protocol = models.CharField(max_length=16)
    state = models.CharField(max_length=16, choices=State, default=State.STATIC_WAITING)
    attempt = models.PositiveSmallIntegerField(default=1)
    lease = models.CharField(max_length=64, blank=True)
    owner = models.CharField(max_length=120, blank=True)
    started = models.BooleanField(default=False)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=24, choices=OUTCOME_CHOICES, blank=True)
    reason = models.CharField(max_length=400, blank=True)
    charged_to = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="charges"
    )
    created = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["kernel", "workload", "architecture", "hardware", "protocol"],
                name="one_evaluation_per_kernel",
            ),
            models.CheckConstraint(
                condition=one_of("outcome", [*OUTCOME_CHOICES, ("", "")]),
                name="evaluation_outcome_known",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["state", "hardware", "id"], name="evaluation_queue"),
            models.Index(fields=["charged_to", "created"], name="evaluation_quota"),
        ]

    def __str__(self) -> str:
        return f"{self.kernel_id} on {self.architecture} ({self.state})"

    @property
    def ended(self) -> bool:
        """Whether nothing more is to come."""
        return self.state in self.ENDED


class Verdict(models.Model):
    """What a runner said about one step, as the message it sent (`evaluation.messages`).

    The message is text: PostgreSQL's JSON refuses characters that a compiler's log may hold.
    """

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="verdicts")
    step = models.CharField(max_length=8, choices=[("static", "static"), ("dynamic", "dynamic")])
    attempt = models.PositiveSmallIntegerField()
    outcome = models.CharField(max_length=24, choices=OUTCOME_CHOICES, blank=True)
    runner = models.CharField(max_length=120, blank=True)
    message = models.TextField()
    recorded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["recorded_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["evaluation", "step"], name="one_verdict_per_step")
        ]

    def __str__(self) -> str:
        return f"{self.step}: {self.outcome or 'nothing failed'}"


class Runner(models.Model):
    """A process that judges, as it last described itself."""

    name = models.CharField(max_length=120, unique=True)
    queue = models.CharField(max_length=40)
    hardware = models.CharField(max_length=200, blank=True)
    toolchain = models.CharField(max_length=200, blank=True)
    host = models.CharField(max_length=200, blank=True)
    lacks = models.TextField(blank=True)
    first_seen = models.DateTimeField(auto_now_add=True)
    last_seen = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["queue", "name"]

    def __str__(self) -> str:
        return self.name
