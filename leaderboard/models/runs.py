"""Runs and what they are made of, down to a turn's result."""

from typing import ClassVar

from django.db import models
from django.urls import reverse

from evaluation.outcomes import Outcome
from leaderboard.models.catalog import Workload
from leaderboard.models.choices import (
    ARCHITECTURE_CHOICES,
    HARDWARE_CHOICES,
    OUTCOME_CHOICES,
    Origin,
    Provenance,
    finite_positive,
    one_of,
)
from leaderboard.models.entries import ModelEntry
from leaderboard.models.evaluations import Evaluation, Kernel
from leaderboard.models.submissions import Submission
from leaderboard.models.visibility import PublicManager, PublicTurnManager


class Run(models.Model):
    """A model entry at work on one workload: n trajectories of up to `turn_limit` turns."""

    slug = models.SlugField(max_length=160, unique=True)
    source_key = models.CharField(max_length=500, unique=True)
    entry = models.ForeignKey(ModelEntry, on_delete=models.PROTECT, related_name="runs")
    workload = models.ForeignKey(Workload, on_delete=models.PROTECT, related_name="runs")
    architecture = models.CharField(max_length=16, choices=ARCHITECTURE_CHOICES)
    prompt_set = models.CharField(max_length=60)
    origin = models.CharField(max_length=16, choices=Origin)
    turn_limit = models.PositiveSmallIntegerField()
    submission = models.ForeignKey(
        Submission, null=True, blank=True, on_delete=models.CASCADE, related_name="runs"
    )
    public = models.BooleanField(default=True)

    objects = PublicManager()
    everything = models.Manager()

    class Meta:
        ordering: ClassVar = ["entry__name", "slug"]
        base_manager_name = "everything"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=one_of("architecture", ARCHITECTURE_CHOICES),
                name="run_architecture_known",
            ),
            models.CheckConstraint(condition=models.Q(turn_limit__gte=1), name="run_turn_limit"),
        ]

    def __str__(self) -> str:
        return self.slug

    def get_absolute_url(self) -> str:
        """Return the address of the run's page."""
        return reverse("run", args=[self.slug])

    @property
    def short_key(self) -> str:
        """The last part of the source key, which is all that pages show of it."""
        return self.source_key.rstrip("/").rsplit("/", 1)[-1]


class Trajectory(models.Model):
    """One conversation of a run."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="trajectories")
    key = models.CharField(max_length=80)

    class Meta:
        ordering: ClassVar = ["key"]
        verbose_name_plural = "trajectories"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "key"], name="one_trajectory_per_key")
        ]

    def __str__(self) -> str:
        return self.key


class Turn(models.Model):
    """One kernel proposed in a conversation; `number` is 0-based."""

    trajectory = models.ForeignKey(Trajectory, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveSmallIntegerField()
    kernel = models.ForeignKey(
        Kernel, null=True, blank=True, on_delete=models.PROTECT, related_name="turns"
    )
    reasoning_tokens = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["trajectory", "number"], name="one_turn_per_number")
        ]

    def __str__(self) -> str:
        return f"turn {self.number}"


class Result(models.Model):
    """How a turn ended, as one source says: reported by its publisher or measured here."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="results")
    provenance = models.CharField(max_length=16, choices=Provenance)
    hardware = models.CharField(max_length=16, choices=HARDWARE_CHOICES)
    protocol = models.CharField(max_length=16)
    outcome = models.CharField(max_length=24, choices=OUTCOME_CHOICES)
    reason = models.CharField(max_length=200, blank=True)
    target_passed = models.BooleanField()
    speedup = models.FloatField(null=True, blank=True)
    evaluation = models.ForeignKey(
        Evaluation, null=True, blank=True, on_delete=models.PROTECT, related_name="results"
    )

    objects = PublicTurnManager()
    everything = models.Manager()

    class Meta:
        base_manager_name = "everything"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["turn", "provenance", "hardware", "protocol"], name="one_result_per_source"
            ),
            models.CheckConstraint(
                condition=one_of("outcome", OUTCOME_CHOICES), name="result_outcome_known"
            ),
            models.CheckConstraint(
                condition=finite_positive("speedup"), name="result_speedup_finite"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} ({self.provenance})"

    @property
    def ending(self) -> Outcome:
        """The outcome as a word of the protocol."""
        return Outcome(self.outcome)
