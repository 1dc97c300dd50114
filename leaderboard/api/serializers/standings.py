"""A ranking: the choice it answers, and its rows."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluation.architectures import ARCHITECTURES, HARDWARE
from evaluation.metrics import P_LEVELS
from evaluation.ranking import LackReason
from leaderboard.api.serializers.catalog import NamedSerializer
from leaderboard.api.serializers.figures import (
    EstimateSerializer,
    Figure,
    FiguresSerializer,
    estimate,
)
from leaderboard.filter_form import LARGEST_LIMIT, FilterForm
from leaderboard.filters import Filters
from leaderboard.models import ModelEntry
from leaderboard.models.choices import (
    HARDWARE_CHOICES,
    Origin,
    Provenance,
)
from leaderboard.rows import Cell, Entry


def _any_of(names: Iterable[str]) -> str:
    return f"^({'|'.join(names)})$"


class FiltersSerializer(serializers.Serializer):
    """The filters as they were understood, defaults included; null means no restriction."""

    # Patterns, since the same choices under other names would be other types to clients.
    arch = serializers.RegexField(_any_of(ARCHITECTURES))
    hw = serializers.RegexField(_any_of(HARDWARE))
    tasks = serializers.CharField()
    k = serializers.IntegerField(min_value=1, max_value=LARGEST_LIMIT)
    p = Figure(min_value=min(P_LEVELS), max_value=max(P_LEVELS))
    provenance = serializers.ChoiceField(Provenance.choices)
    prompt = serializers.CharField()
    kind = serializers.ChoiceField(ModelEntry.Kind.choices, allow_null=True)
    open = serializers.BooleanField(allow_null=True)
    since = serializers.DateField(allow_null=True)
    until = serializers.DateField(allow_null=True)
    sort = serializers.CharField()

    def to_representation(self, filters: Filters) -> dict[str, Any]:
        """Return the filters; the empty kind means any, which is null."""
        values = {name: getattr(filters, name) for name in FilterForm.base_fields}
        return super().to_representation({**values, "kind": filters.kind or None})


class EntrySerializer(serializers.Serializer):
    """The model entry of a row. Runs of another origin are a row of their own."""

    slug = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(ModelEntry.Kind.choices)
    base = serializers.SerializerMethodField(help_text="The model that a variant builds on.")
    organisation = serializers.CharField(allow_blank=True)
    open_weights = serializers.BooleanField(allow_null=True)
    released = serializers.DateField(allow_null=True)
    released_note = serializers.CharField(allow_blank=True)
    origin = serializers.ChoiceField(Origin.choices)

    @extend_schema_field(NamedSerializer(allow_null=True))
    def get_base(self, entry: Entry) -> dict[str, str | None] | None:
        """Slug and name of the base."""
        if entry.base_slug is None:
            return None
        return {"slug": entry.base_slug, "name": entry.base_name}


class CellSerializer(serializers.Serializer):
    """One model on one task. Figures are null where no run reaches the turn limit."""

    task = serializers.CharField()
    runs = serializers.ListField(child=serializers.CharField(), help_text="Slugs of its runs.")
    figures = FiguresSerializer(allow_null=True)
    frontier_share = estimate("Mean of min(1, best stage-2 speedup).", source="frontier")
    correct_share = estimate("correct@k.", source="correct")
    target_share = estimate("target@k.", source="target")
    fast_share = serializers.SerializerMethodField(help_text="fast_p@k at the chosen p.")
    beats_library = serializers.BooleanField(
        help_text="Whether some turn that passed stage 2 has a speedup of at least 1."
    )

    @extend_schema_field(EstimateSerializer(allow_null=True))
    def get_fast_share(self, cell: Cell) -> dict[str, Any] | None:
        """Share of trajectories with a stage-2 turn at speedup ≥ p."""
        found = cell.fast(self.context["p"])
        return None if found is None else EstimateSerializer(found).data


class LackSerializer(serializers.Serializer):
    """What keeps the model from being ranked, in one task."""

    task = serializers.CharField()
    reason = serializers.ChoiceField([(one.value, one.value) for one in LackReason])
    have = Figure(help_text="Trajectories; share of undecided turns if the reason is provisional.")
    need = Figure(help_text="Fewest trajectories, or largest share of undecided turns.")


class RankRangeSerializer(serializers.Serializer):
    """The best and the worst rank that the intervals allow."""

    best = serializers.IntegerField(min_value=1)
    worst = serializers.IntegerField(min_value=1)

    def to_representation(self, span: tuple[int, int]) -> dict[str, int]:
        """Return both ends by name."""
        return dict(zip(("best", "worst"), span, strict=True))


class RowSerializer(serializers.Serializer):
    """One model entry in a ranking. Means over tasks are null unless every task has figures."""

    rank = serializers.IntegerField(min_value=1, allow_null=True)
    rank_range = RankRangeSerializer(allow_null=True)
    entry = EntrySerializer()
    frontier_share = estimate("Mean over the tasks; what ranks.", source="frontier")
    correct = estimate("correct@k, mean over the tasks.")
    target = estimate("target@k, mean over the tasks.")
    fast = estimate("fast_p@k at the chosen p, mean over the tasks.")
    trajectories = serializers.IntegerField(min_value=0, help_text="Over all tasks.")
    beats_library = serializers.BooleanField()
    cells = CellSerializer(many=True)
    lacks = LackSerializer(many=True, help_text="Empty for a ranked model.")


class StandingsContextSerializer(serializers.Serializer):
    """What a ranking is about."""

    filters = FiltersSerializer()
    tasks = serializers.ListField(child=serializers.CharField(), help_text="Slugs, in order.")
    provenance = serializers.ChoiceField(Provenance.choices, help_text="Who took the figures.")
    hardware = serializers.ChoiceField(HARDWARE_CHOICES)
    protocol = serializers.CharField(help_text="Version of the evaluation protocol.")
    data_version = serializers.IntegerField(
        min_value=0, help_text="Rises whenever stored figures change."
    )


class StandingsSerializer(StandingsContextSerializer):
    """A page of a ranking."""

    count = serializers.IntegerField(min_value=0, help_text="Rows on all pages together.")
    page = serializers.IntegerField(min_value=1)
    pages = serializers.IntegerField(min_value=1)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = RowSerializer(many=True)
