"""Figures with their intervals, and the counts that they follow from."""

import math
from typing import Any

from rest_framework import serializers

from evaluation.metrics import P_LEVELS


class Figure(serializers.FloatField):
    """A number. What JSON has no word for, such as NaN, becomes null."""

    def to_representation(self, value: Any) -> Any:
        """Return the number, or None if it is not finite."""
        number = float(value)
        return number if math.isfinite(number) else None


class FastCount(serializers.IntegerField):
    """Trajectories with a stage-2 turn at speedup ≥ p."""

    def __init__(self, level: int) -> None:
        self.level = level
        text = f"Trajectories with a stage-2 turn at speedup ≥ {P_LEVELS[level]:g}."
        super().__init__(source="*", min_value=0, help_text=text)

    def to_representation(self, value: Any) -> int:
        """Return the count of a `Summary`."""
        return int(value.fast[self.level])


class EstimateSerializer(serializers.Serializer):
    """A share in [0, 1] with the ends of its 95% interval."""

    mean = Figure(min_value=0, max_value=1)
    low = Figure(min_value=0, max_value=1)
    high = Figure(min_value=0, max_value=1)


def estimate(text: str, **options: Any) -> EstimateSerializer:
    """Return a field for a figure that may be missing."""
    return EstimateSerializer(allow_null=True, help_text=text, **options)


class FiguresSerializer(serializers.Serializer):
    """What a number of trajectories add up to over their first k turns."""

    k = serializers.IntegerField(min_value=1, help_text="Turn limit: turns 0 to k - 1 count.")
    trajectories = serializers.IntegerField(min_value=0, help_text="Number of trajectories, n.")
    turns = serializers.IntegerField(min_value=0, help_text="Turns that they have among these.")
    correct = serializers.IntegerField(
        min_value=0, help_text="Trajectories with a turn that passed stage 1."
    )
    target = serializers.IntegerField(
        min_value=0, help_text="Trajectories with a turn that passed stage 2 as well."
    )
    fast_25 = FastCount(0)
    fast_50 = FastCount(1)
    fast_80 = FastCount(2)
    fast_100 = FastCount(3)
    sum_s = Figure(
        min_value=0,
        help_text="Σs over trajectories, s = min(1, best stage-2 speedup), 0 without one.",
    )
    sum_s2 = Figure(min_value=0, help_text="Σs² over trajectories.")
    best_speedup = Figure(
        allow_null=True, help_text="Largest speedup of a correct turn; null without one."
    )
    undecided = serializers.IntegerField(
        min_value=0, help_text="Turns that wait, are quarantined or met a fault of the judge."
    )
