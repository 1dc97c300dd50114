"""The figures that pages, rankings, API and exports read.

Every row is derived: from a run's turns, or, where those are not loaded, from the
bundled figures. Both have the same columns, so nothing that reads them can tell.
"""

from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import F

from evaluation.metrics import P_LEVELS, Summary
from leaderboard.models.choices import (
    HARDWARE_CHOICES,
    LARGEST_FLOAT,
    OUTCOME_CHOICES,
    Provenance,
    finite_positive,
    one_of,
)
from leaderboard.models.runs import Run
from leaderboard.models.visibility import PublicRunManager

FAST_FIELDS = tuple(f"fast_{round(p * 100)}" for p in P_LEVELS)
"""Columns that count trajectories with a stage-2 turn at speedup ≥ p, in the order of P_LEVELS."""

SUMMARY_FIELDS = (
    "trajectories",
    "turns",
    "correct",
    "target",
    *FAST_FIELDS,
    "sum_s",
    "sum_s2",
    "best_speedup",
    "undecided",
)


class Figures(models.Model):
    """What a figure is about: its run, and who took it on which hardware by which protocol."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="%(class)s_rows")
    provenance = models.CharField(max_length=16, choices=Provenance)
    hardware = models.CharField(max_length=16, choices=HARDWARE_CHOICES)
    protocol = models.CharField(max_length=16)

    objects = PublicRunManager()
    everything = models.Manager()

    class Meta:
        abstract = True
        base_manager_name = "everything"


class RunSummary(Figures):
    """Sufficient statistics of a run's trajectories over their first `k` turns.

    Counts are of trajectories, but for `turns` and `undecided`, which count turns.
    `sum_s` and `sum_s2` sum s = min(1, best stage-2 speedup) and its square.
    """

    k = models.PositiveSmallIntegerField()
    trajectories = models.PositiveIntegerField()
    turns = models.PositiveIntegerField()
    correct = models.PositiveIntegerField()
    target = models.PositiveIntegerField()
    fast_25 = models.PositiveIntegerField()
    fast_50 = models.PositiveIntegerField()
    fast_80 = models.PositiveIntegerField()
    fast_100 = models.PositiveIntegerField()
    sum_s = models.FloatField()
    sum_s2 = models.FloatField()
    best_speedup = models.FloatField(null=True, blank=True)
    undecided = models.PositiveIntegerField()

    class Meta(Figures.Meta):
        abstract = False
        ordering: ClassVar = ["run__slug", "k"]
        verbose_name_plural = "run summaries"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["run", "provenance", "hardware", "protocol", "k"], name="one_summary_per_k"
            ),
            models.CheckConstraint(
                condition=finite_positive("best_speedup"), name="summary_speedup_finite"
            ),
            models.CheckConstraint(
                condition=models.Q(sum_s__gte=0, sum_s__lte=LARGEST_FLOAT, sum_s2__gte=0)
                & models.Q(sum_s2__lte=F("sum_s")),
                name="summary_sums_finite",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["k", "provenance", "hardware", "protocol"], name="summary_cell")
        ]

    def __str__(self) -> str:
        return f"{self.run} @ {self.k}"

    @property
    def figures(self) -> Summary:
        """The row as a value that the metrics understand."""
        return summary_from({name: getattr(self, name) for name in SUMMARY_FIELDS}, self.k)


def summary_from(columns: dict, k: int) -> Summary:
    """Return the metrics' summary from a row's columns."""
    values = {name: columns[name] for name in SUMMARY_FIELDS if name not in FAST_FIELDS}
    return Summary(k=k, fast=tuple(columns[name] for name in FAST_FIELDS), **values)


def columns_from(figures: Summary) -> dict[str, Any]:
    """Return the columns that store a summary of the metrics, `k` included."""
    values = {name: getattr(figures, name) for name in SUMMARY_FIELDS if name not in FAST_FIELDS}
    return {"k": figures.k, **values, **dict(zip(FAST_FIELDS, figures.fast, strict=True))}


class OutcomeCount(Figures):
    """How many trajectories of a run ended their turn number `turn` with `outcome`."""

    turn = models.PositiveSmallIntegerField()
    outcome = models.CharField(max_length=24, choices=OUTCOME_CHOICES)
    count = models.PositiveIntegerField()

    class Meta(Figures.Meta):
        abstract = False
        ordering: ClassVar = ["run__slug", "turn", "outcome"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["run", "provenance", "hardware", "protocol", "turn", "outcome"],
                name="one_count_per_outcome",
            ),
            models.CheckConstraint(
                condition=one_of("outcome", OUTCOME_CHOICES), name="count_outcome_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.count} × {self.outcome}"


class DataVersion(models.Model):
    """One row, raised in every transaction that changes what public pages show."""

    version = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return str(self.version)

    @classmethod
    def current(cls) -> int:
        """Return the version of the stored data; 0 before anything was published."""
        return cls.objects.filter(pk=1).values_list("version", flat=True).first() or 0

    @classmethod
    def bump(cls: type[Self]) -> None:
        """Raise the version. Call it inside the transaction that changes the data."""
        cls.objects.get_or_create(pk=1, defaults={"version": 0})
        cls.objects.filter(pk=1).update(version=F("version") + 1)
