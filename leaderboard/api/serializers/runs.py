"""Runs, their figures by turn limit, and their turns."""

from typing import Any

from rest_framework import serializers

from evaluation.outcomes import Outcome, Stage
from leaderboard.api.serializers.catalog import NamedSerializer, PageAddress
from leaderboard.api.serializers.figures import Figure, FiguresSerializer, estimate
from leaderboard.models import RunSummary
from leaderboard.models.choices import (
    ARCHITECTURE_CHOICES,
    HARDWARE_CHOICES,
    OUTCOME_CHOICES,
    Origin,
    Provenance,
)
from leaderboard.rows import Cell

STAGE_CHOICES = [(stage.value, stage.value) for stage in Stage]


class StageOf(serializers.ChoiceField):
    """The stage that an outcome belongs to."""

    def __init__(self) -> None:
        super().__init__(STAGE_CHOICES, source="outcome", help_text="The stage it ended at.")

    def to_representation(self, outcome: Any) -> str:
        """Return the stage of the outcome."""
        return Outcome(outcome).stage.value


class SourceSerializer(serializers.Serializer):
    """Who took a figure, on which hardware, by which protocol; never mixed."""

    provenance = serializers.ChoiceField(Provenance.choices)
    hardware = serializers.ChoiceField(HARDWARE_CHOICES)
    protocol = serializers.CharField(help_text="Version of the evaluation protocol.")


class RunSerializer(serializers.Serializer):
    """A model entry at work on one workload: n trajectories of up to `turn_limit` turns."""

    slug = serializers.CharField()
    source_key = serializers.CharField(source="short_key", help_text="Its publisher's name for it.")
    model = NamedSerializer(source="entry")
    task = serializers.CharField(source="workload.task.slug")
    workload = serializers.UUIDField(source="workload_id")
    architecture = serializers.ChoiceField(ARCHITECTURE_CHOICES)
    prompt_set = serializers.CharField()
    origin = serializers.ChoiceField(Origin.choices)
    turn_limit = serializers.IntegerField(min_value=1)
    html_url = PageAddress()


class RunSummarySerializer(SourceSerializer):
    """What one source says about a run's first k turns."""

    figures = FiguresSerializer()
    frontier_share = estimate("Mean of min(1, best stage-2 speedup).", source="cell.frontier")
    correct_share = estimate("correct@k.", source="cell.correct")
    target_share = estimate("target@k.", source="cell.target")

    def to_representation(self, row: RunSummary) -> dict[str, Any]:
        """Return the figures of a stored row."""
        source = {name: getattr(row, name) for name in ("provenance", "hardware", "protocol")}
        cell = Cell("", row.figures, ())
        return super().to_representation({**source, "figures": cell.figures, "cell": cell})


class OutcomeCountSerializer(SourceSerializer):
    """How many trajectories ended this turn in this way."""

    turn = serializers.IntegerField(min_value=0, help_text="Number of the turn, from 0.")
    outcome = serializers.ChoiceField(OUTCOME_CHOICES)
    stage = StageOf()
    count = serializers.IntegerField(min_value=0)


class RunDetailSerializer(RunSerializer):
    """A run with its figures at every turn limit and its endings by turn."""

    summaries = RunSummarySerializer(many=True, source="runsummary_rows")
    outcomes = OutcomeCountSerializer(many=True, source="outcomecount_rows")


class TurnSerializer(SourceSerializer):
    """One turn as one source judged it."""

    run = serializers.CharField(source="turn.trajectory.run.slug")
    model = serializers.CharField(source="turn.trajectory.run.entry.slug")
    task = serializers.CharField(source="turn.trajectory.run.workload.task.slug")
    architecture = serializers.ChoiceField(
        ARCHITECTURE_CHOICES, source="turn.trajectory.run.architecture"
    )
    trajectory = serializers.CharField(source="turn.trajectory.key")
    number = serializers.IntegerField(source="turn.number", min_value=0, help_text="From 0.")
    kernel = serializers.SerializerMethodField(
        help_text="SHA-256 of the source; null where it isn't stored."
    )
    reasoning_tokens = serializers.IntegerField(
        source="turn.reasoning_tokens", min_value=0, allow_null=True
    )
    outcome = serializers.ChoiceField(OUTCOME_CHOICES)
    stage = StageOf()
    reason = serializers.CharField(allow_blank=True, help_text="The source's own words.")
    target_passed = serializers.BooleanField(help_text="Whether stage 2 was passed.")
    speedup = Figure(allow_null=True, help_text="Baseline time ÷ kernel time.")

    def get_kernel(self, result: Any) -> str | None:
        """Content address of the kernel."""
        kernel = result.turn.kernel
        return kernel.sha256 if kernel else None
