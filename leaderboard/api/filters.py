"""Filters of the lists of models, tasks, runs and turns, under the names that the pages use."""

from collections.abc import Iterable
from typing import Any

import django_filters
from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema_field

from evaluation.outcomes import Outcome, Stage
from evaluation.tasks import FAMILIES, load_catalog
from leaderboard.filter_form import check_days, invalid_choice, unknown_value
from leaderboard.models import ModelEntry, Result, Run, Trajectory
from leaderboard.models.choices import (
    ARCHITECTURE_CHOICES,
    HARDWARE_CHOICES,
    OUTCOME_CHOICES,
    Origin,
    Provenance,
)

LARGEST_TURN = 32_767
"""What the column of turn numbers holds."""

YES_NO = [("yes", "yes"), ("no", "no")]
TASK_CHOICES = [(task.name, task.title) for task in load_catalog().values()]


def one_of(
    choices: Iterable[tuple[str, Any]], field: str, **options: Any
) -> django_filters.TypedChoiceFilter:
    """Return a filter that takes one of `choices`, and names them when it gets another value."""
    choices = list(choices)
    return django_filters.TypedChoiceFilter(
        field_name=field, choices=choices, error_messages=invalid_choice(choices), **options
    )


def yes_or_no(field: str, text: str) -> django_filters.TypedChoiceFilter:
    """Return a filter on a boolean column."""
    # Spelt out, because the column's own type would make it a boolean.
    schema = {"type": "string", "enum": [value for value, _label in YES_NO], "description": text}
    found = one_of(YES_NO, field, coerce=lambda value: value == "yes", help_text=text)
    return extend_schema_field(schema)(found)


class StoredField(forms.CharField):
    """A name that must be stored: a misspelt one is an error, and not an empty list."""

    def __init__(self, *, stored: tuple[type[Model], str], listed: bool = False, **options: Any):
        self.model, self.column = stored
        self.listed = listed
        super().__init__(**{"strip": False, "max_length": 160, **options})

    def clean(self, value: Any) -> str:
        """Return the name. Raises ValidationError for one that no row has."""
        name: str = super().clean(value)
        rows = self.model._default_manager.all()
        # Where nothing is stored yet, nothing can be misspelt either.
        if name and not rows.filter(**{self.column: name}).exists() and rows.exists():
            # As a parameter, because django-filter formats every message: a name can hold a `%`.
            raise ValidationError("%(text)s", params={"text": self._unknown(name, rows)})
        return name

    def _unknown(self, name: str, rows: QuerySet) -> str:
        if not self.listed:
            return gettext("Unknown value “%(value)s”.") % {"value": name}
        names = rows.order_by(self.column).values_list(self.column, flat=True).distinct()
        return unknown_value(name, list(names))


class StoredFilter(django_filters.CharFilter):
    """Filters by a name that must be stored."""

    field_class = StoredField


_NUMBER_TEXT = "Number of the turn in its trajectory, from 0."


@extend_schema_field(
    {"type": "integer", "minimum": 0, "maximum": LARGEST_TURN, "description": _NUMBER_TEXT}
)
class NumberFilter(django_filters.Filter):
    """Filters by the number of a turn."""

    field_class = forms.IntegerField


class _DaysForm(forms.Form):
    """Refuses a first day after the last, as the ranking does."""

    def clean(self) -> dict[str, Any]:
        """Check the days against each other."""
        check_days(self)
        return self.cleaned_data


class ModelFilter(django_filters.FilterSet):
    """Filters of the list of models; dates are inclusive, an unknown date passes neither bound."""

    kind = one_of(ModelEntry.Kind.choices, "kind", help_text="What the entry is.")
    open = yes_or_no("open_weights", "Whether its weights are open.")
    since = django_filters.DateFilter(
        "released", "gte", input_formats=["%Y-%m-%d"], help_text="First day of release."
    )
    until = django_filters.DateFilter(
        "released", "lte", input_formats=["%Y-%m-%d"], help_text="Last day of release."
    )

    class Meta:
        form = _DaysForm


class TaskFilter(django_filters.FilterSet):
    """Filters of the list of tasks."""

    family = one_of(FAMILIES.items(), "family", help_text="Family of the task.")
    core = yes_or_no("core", "Whether it is one of the five core tasks.")


def run_filters(path: str) -> Any:
    """Return a set of filters on runs, for rows that reach their run by `path`."""

    class RunFilters(django_filters.FilterSet):
        arch = one_of(ARCHITECTURE_CHOICES, f"{path}architecture", help_text="Architecture.")
        model = StoredFilter(
            field_name=f"{path}entry__slug",
            stored=(ModelEntry, "slug"),
            help_text="Slug of a model.",
        )
        task = one_of(TASK_CHOICES, f"{path}workload__task__slug", help_text="Slug of a task.")
        prompt = StoredFilter(
            field_name=f"{path}prompt_set",
            stored=(Run, "prompt_set"),
            listed=True,
            help_text="Prompt set, such as `standard`.",
        )
        origin = one_of(Origin.choices, f"{path}origin", help_text="How the run came here.")

    return RunFilters


_ON_RUNS: Any = run_filters("")
_ON_RESULTS: Any = run_filters("turn__trajectory__run__")


class RunFilter(_ON_RUNS):
    """Filters of the list of runs."""


class TurnFilter(_ON_RESULTS):
    """Filters of the list of turns."""

    run = StoredFilter(
        field_name="turn__trajectory__run__slug",
        stored=(Run, "slug"),
        help_text="Slug of a run.",
    )
    trajectory = StoredFilter(
        field_name="turn__trajectory__key",
        stored=(Trajectory, "key"),
        max_length=80,
        help_text="Key of a trajectory within its run, such as `exp_000`.",
    )
    number = NumberFilter(
        field_name="turn__number",
        min_value=0,
        max_value=LARGEST_TURN,
        help_text=_NUMBER_TEXT,
    )
    provenance = one_of(Provenance.choices, "provenance", help_text="Who took the figure.")
    hw = one_of(HARDWARE_CHOICES, "hardware", help_text="Hardware that it was taken on.")
    outcome = one_of(OUTCOME_CHOICES, "outcome", help_text="How the turn ended.")
    stage = one_of(
        [(stage.value, stage.value) for stage in Stage],
        "outcome",
        method="ending_at",
        help_text="The stage at which the turn ended; `passed` means that it passed all three.",
    )

    def ending_at(self, rows: QuerySet[Result], _name: str, stage: str) -> QuerySet[Result]:
        """Keep the turns that ended at `stage`."""
        return rows.filter(outcome__in=[one.value for one in Outcome if one.stage == stage])


RUN_LEVEL = frozenset({"run", *RunFilter.base_filters})
"""Filters of the list of turns that choose runs, whatever their turns are."""
