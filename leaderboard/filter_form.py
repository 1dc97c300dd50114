"""The rules of the filters: a form that validates each value and names what it would take."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from evaluation.architectures import ARCHITECTURES, HARDWARE
from evaluation.metrics import P_LEVELS
from evaluation.tasks import UnknownTask, select_tasks
from leaderboard.models import ModelEntry, Run
from leaderboard.models.choices import Provenance

PROMPT_SETS = ("standard", "unpatched", "ablation", "earlier")
"""Prompt sets of the published runs; uploaded runs may have others."""

DEFAULT_ARCHITECTURE = "hopper"
DEFAULT_TASKS = "core"
LARGEST_LIMIT = 128
SORT_COLUMNS = (
    "rank",
    "name",
    "frontier_share",
    "correct",
    "target",
    "fast",
    "trajectories",
    "released",
)
"""Columns every table can be sorted by, beside the slugs of the selected tasks."""


def _one_of(choices: Iterable[tuple[str, Any]], **options: Any) -> forms.TypedChoiceField:
    """Return a field that takes one of `choices`, and names them when it gets another value."""
    choices = list(choices)
    messages = invalid_choice(choices)
    return forms.TypedChoiceField(
        required=False, choices=choices, error_messages=messages, **options
    )


def unknown_value(value: str, known: Iterable[str]) -> str:
    """Return the message for a value that is none of `known`."""
    return f"{str(_UNKNOWN) % {'value': value}} {', '.join(known)}."


def invalid_choice(choices: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the error messages of a field that names its `choices` when it gets another value."""
    known = ", ".join(value for value, _label in choices)
    return {"invalid_choice": format_lazy("{start} {known}.", start=_UNKNOWN, known=known)}


_UNKNOWN = _("Unknown value “%(value)s”. Known:")


def _whole_number(smallest: int, largest: int) -> forms.IntegerField:
    """Return a field that takes a number of this range, and says so when it gets another."""
    message = format_lazy(
        _("Not a whole number from {smallest} to {largest}."), smallest=smallest, largest=largest
    )
    messages = dict.fromkeys(("invalid", "min_value", "max_value"), message)
    return forms.IntegerField(
        required=False, min_value=smallest, max_value=largest, error_messages=messages
    )


class FilterForm(forms.Form):
    """Validates the filters and renders them. Empty values mean the default."""

    arch = _one_of((a.slug, a.name) for a in ARCHITECTURES.values())
    hw = _one_of((h.slug, h.name) for h in HARDWARE.values())
    tasks = forms.CharField(required=False)
    k = _whole_number(1, LARGEST_LIMIT)
    p = _one_of(((f"{p:g}", f"{p:g}") for p in P_LEVELS), coerce=float)
    provenance = _one_of(Provenance.choices)
    prompt = forms.SlugField(required=False, max_length=60)
    kind = _one_of(ModelEntry.Kind.choices)
    open = _one_of(
        [("yes", _("open weights")), ("no", _("closed weights"))],
        coerce=lambda value: value == "yes",
        empty_value=None,
    )
    since = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    until = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    sort = forms.CharField(required=False, max_length=100)

    def clean_tasks(self) -> str:
        """Accept a family, `core` or a task's name."""
        chosen = self.cleaned_data["tasks"] or DEFAULT_TASKS
        try:
            select_tasks(chosen)
        except UnknownTask as error:
            message = unknown_value(chosen, error.known)
            raise ValidationError("%(text)s", params={"text": message}) from error
        return chosen

    def clean_prompt(self) -> str:
        """Accept a prompt set of the published runs, or one that some run here has."""
        chosen: str = self.cleaned_data["prompt"]
        if chosen and chosen not in PROMPT_SETS:
            stored = set(Run.objects.values_list("prompt_set", flat=True).distinct())
            if chosen not in stored:
                message = unknown_value(chosen, sorted(stored | set(PROMPT_SETS)))
                raise ValidationError("%(text)s", params={"text": message})
        return chosen

    def clean(self) -> dict[str, Any]:
        """Check the filters against each other, and the sort column against the tasks."""
        data = super().clean() or {}
        arch = data.get("arch") or DEFAULT_ARCHITECTURE
        hw = data.get("hw")
        if hw and HARDWARE[hw].architecture != arch:
            self.add_error("hw", gettext("%(hw)s is not %(arch)s hardware.") % _names(hw, arch))
        check_days(self)
        if "tasks" in data and data.get("sort"):
            self._check_sort(data["sort"].removeprefix("-"), select_tasks(data["tasks"]))
        return data

    def _check_sort(self, column: str, tasks: tuple[str, ...]) -> None:
        known = (*SORT_COLUMNS, *tasks)
        if column not in known:
            message = gettext("Unknown column “%(column)s”. Known: %(known)s.")
            self.add_error("sort", message % {"column": column, "known": ", ".join(known)})


def _names(hw: str, arch: str) -> dict[str, str]:
    return {"hw": HARDWARE[hw].name, "arch": ARCHITECTURES[arch].name}


def check_days(form: forms.Form) -> None:
    """Add an error to a form whose `since` lies after its `until`."""
    since, until = form.cleaned_data.get("since"), form.cleaned_data.get("until")
    if since and until and since > until:
        form.add_error("since", gettext("The first day lies after the last."))
