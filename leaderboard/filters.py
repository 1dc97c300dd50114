"""The filters of the ranking: the same names and rules on page, API, CSV and command line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Count
from django.http import QueryDict
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from evaluation import PROTOCOL, REPORTED_PROTOCOL
from evaluation.architectures import ARCHITECTURES, HARDWARE, REPORTED_HARDWARE
from evaluation.metrics import P_LEVELS
from evaluation.tasks import CORE_TASKS, FAMILIES, UnknownTask, load_catalog, select_tasks
from leaderboard.models import ModelEntry, RunSummary
from leaderboard.models.choices import Provenance

LARGEST_LIMIT = 128
MODELS_BEFORE_MEASURED_LEADS = 3
MEASURED_HARDWARE = {"hopper": "h200", "blackwell": "b200"}
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


class BadFilters(ValueError):
    """Filters that cannot be understood; `errors` maps each name to its messages."""

    def __init__(self, errors: Mapping[str, list[str]]) -> None:
        self.errors = {name: [str(message) for message in texts] for name, texts in errors.items()}
        super().__init__("; ".join(m for texts in self.errors.values() for m in texts))


@dataclass(frozen=True, slots=True)
class Filters:
    """One choice of ranking. `p` is the level of the `fast` column; dates are inclusive."""

    arch: str = "hopper"
    hw: str = "h100"
    tasks: str = "core"
    k: int = 8
    p: float = 0.5
    provenance: str = Provenance.REPORTED.value
    prompt: str = "standard"
    kind: str = ""
    open: bool | None = None
    since: date | None = None
    until: date | None = None
    sort: str = "rank"

    @property
    def protocol(self) -> str:
        """The protocol whose figures these filters select."""
        return REPORTED_PROTOCOL if self.provenance == Provenance.REPORTED else PROTOCOL

    @property
    def task_slugs(self) -> tuple[str, ...]:
        """The selected tasks, in catalog order."""
        return select_tasks(self.tasks)

    def query(self, **changes: Any) -> str:
        """Return the canonical query string: sorted names, defaults left out.

        What follows from another choice (the hardware from the architecture) is dropped
        when that choice changes, so a link never asks for the impossible.
        """
        chosen = replace(self, **changes)
        if {"arch", "provenance"} & set(changes) and "hw" not in changes:
            chosen = replace(chosen, hw=default_hardware(chosen.arch, chosen.provenance))
        query = QueryDict(mutable=True)
        for name in sorted(self.__dataclass_fields__):
            value = getattr(chosen, name)
            if value != getattr(_DEFAULTS, name) and not _implied(chosen, name):
                query[name] = _text(value)
        return query.urlencode()


_DEFAULTS = Filters()


def _implied(filters: Filters, name: str) -> bool:
    return name == "hw" and filters.hw == default_hardware(filters.arch, filters.provenance)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def default_hardware(arch: str, provenance: str) -> str:
    """Return the hardware that figures of this architecture and provenance are on."""
    reported = provenance == Provenance.REPORTED
    return (REPORTED_HARDWARE if reported else MEASURED_HARDWARE)[arch]


def _one_of(choices: Iterable[tuple[str, Any]], **options: Any) -> forms.TypedChoiceField:
    """Return a field that takes one of `choices`, and names them when it gets another value."""
    choices = list(choices)
    known = ", ".join(value for value, _label in choices)
    message = format_lazy("{start} {known}.", start=_UNKNOWN, known=known)
    messages = {"invalid_choice": message}
    return forms.TypedChoiceField(
        required=False, choices=choices, error_messages=messages, **options
    )


_UNKNOWN = _("Unknown value “%(value)s”. Known:")


class FilterForm(forms.Form):
    """Validates the filters and renders them. Empty values mean the default."""

    arch = _one_of((a.slug, a.name) for a in ARCHITECTURES.values())
    hw = _one_of((h.slug, h.name) for h in HARDWARE.values())
    tasks = forms.CharField(required=False)
    k = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_LIMIT)
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
        chosen = self.cleaned_data["tasks"] or _DEFAULTS.tasks
        try:
            select_tasks(chosen)
        except UnknownTask as error:
            raise ValidationError(str(error)) from error
        return chosen

    def clean(self) -> dict[str, Any]:
        """Check the filters against each other, and the sort column against the tasks."""
        data = super().clean() or {}
        arch = data.get("arch") or _DEFAULTS.arch
        hw = data.get("hw")
        if hw and HARDWARE[hw].architecture != arch:
            self.add_error("hw", gettext("%(hw)s is not %(arch)s hardware.") % _names(hw, arch))
        since, until = data.get("since"), data.get("until")
        if since and until and since > until:
            self.add_error("since", gettext("The first day lies after the last."))
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


def parse_filters(query: QueryDict, *, also: frozenset[str] = frozenset()) -> Filters:
    """Return the filters in a query string.

    `also` names parameters that the caller reads itself. Raises `BadFilters` for an
    unknown name or value, or a name given twice.
    """
    strange = _strange_names(query, also)
    form = FilterForm(query)
    if strange or not form.is_valid():
        raise BadFilters({**strange, **form.errors})
    given = {name: value for name, value in form.cleaned_data.items() if value not in ("", None)}
    arch = given.get("arch", _DEFAULTS.arch)
    if "provenance" not in given:
        given["provenance"] = default_provenance(arch)
    given.setdefault("hw", default_hardware(arch, given["provenance"]))
    return Filters(**given)


def _strange_names(query: QueryDict, also: frozenset[str]) -> dict[str, list[str]]:
    known = set(FilterForm.base_fields) | also
    problems: dict[str, list[str]] = {}
    for name, values in query.lists():
        if name not in known:
            message = gettext("Unknown filter “%(name)s”. Known: %(known)s.")
            problems[name] = [message % {"name": name, "known": ", ".join(sorted(known))}]
        elif len(values) > 1:
            problems[name] = [gettext("“%(name)s” is given twice.") % {"name": name}]
    return problems


def default_provenance(arch: str) -> str:
    """Return which figures are shown first: measured ones once three models have them."""
    measured = (
        RunSummary.objects.filter(
            provenance=Provenance.MEASURED,
            protocol=PROTOCOL,
            k=1,
            run__architecture=arch,
            run__workload__task__slug__in=CORE_TASKS,
        )
        .values("run__entry")
        .annotate(tasks=Count("run__workload__task", distinct=True))
        .filter(tasks=len(CORE_TASKS))
        .count()
    )
    enough = measured >= MODELS_BEFORE_MEASURED_LEADS
    return Provenance.MEASURED.value if enough else Provenance.REPORTED.value


def task_choices() -> list[tuple[str, str]]:
    """Return the choices of the `tasks` filter with their titles."""
    families = [(name, str(title)) for name, title in FAMILIES.items()]
    return [("core", gettext("Five core tasks")), *families] + [
        (task.name, task.title) for task in load_catalog().values()
    ]
