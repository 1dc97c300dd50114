"""The filters of the ranking: the same names and rules on page, API, CSV and command line."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from django.db.models import Count
from django.http import QueryDict
from django.utils.translation import gettext

from evaluation import PROTOCOL, REPORTED_PROTOCOL
from evaluation.architectures import REPORTED_HARDWARE
from evaluation.tasks import CORE_TASKS, FAMILIES, load_catalog, select_tasks
from leaderboard.filter_form import DEFAULT_ARCHITECTURE, DEFAULT_TASKS, FilterForm
from leaderboard.models import RunSummary
from leaderboard.models.choices import Provenance
from leaderboard.words import family_title, task_title

MODELS_BEFORE_MEASURED_LEADS = 3
MEASURED_HARDWARE = {"hopper": "h200", "blackwell": "b200"}


class BadFilters(ValueError):
    """Filters that cannot be understood; `errors` maps each name to its messages."""

    def __init__(self, errors: Mapping[str, list[str]]) -> None:
        self.errors = {name: [str(message) for message in texts] for name, texts in errors.items()}
        super().__init__("; ".join(m for texts in self.errors.values() for m in texts))


@dataclass(frozen=True, slots=True)
class Filters:
    """One choice of ranking. `p` is the level of the `fast` column; dates are inclusive.

    `measured_leads` holds the architectures whose measured figures are shown when an
    address names no provenance; it is no filter, but decides what a link must spell out.
    """

    arch: str = DEFAULT_ARCHITECTURE
    hw: str = "h100"
    tasks: str = DEFAULT_TASKS
    k: int = 8
    p: float = 0.5
    provenance: str = Provenance.REPORTED.value
    prompt: str = "standard"
    kind: str = ""
    open: bool | None = None
    since: date | None = None
    until: date | None = None
    sort: str = "rank"
    measured_leads: frozenset[str] = field(default=frozenset(), compare=False)

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
        for name in sorted(FilterForm.base_fields):
            if getattr(chosen, name) != chosen._default(name):
                query[name] = _text(getattr(chosen, name))
        return query.urlencode()

    def _default(self, name: str) -> Any:
        """What an address means that leaves `name` out and says the rest."""
        if name == "hw":
            return default_hardware(self.arch, self.provenance)
        if name == "provenance":
            return default_provenance(self.arch, self.measured_leads)
        return getattr(_DEFAULTS, name)


_DEFAULTS = Filters()


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def default_hardware(arch: str, provenance: str) -> str:
    """Return the hardware that figures of this architecture and provenance are on."""
    reported = provenance == Provenance.REPORTED
    return (REPORTED_HARDWARE if reported else MEASURED_HARDWARE)[arch]


def parse_filters(
    query: QueryDict,
    *,
    also: frozenset[str] = frozenset(),
    repeated: frozenset[str] = frozenset(),
) -> Filters:
    """Return the filters in a query string.

    `also` names parameters that the caller reads itself, `repeated` those of them that
    may be given more than once. Raises `BadFilters` for an unknown name or value, or
    another name given twice.
    """
    known = frozenset(FilterForm.base_fields) | also | repeated
    strange = strange_names(query, known, repeated)
    form = FilterForm(query)
    if strange or not form.is_valid():
        raise BadFilters(
            {
                **strange,
                **{name: [str(text) for text in texts] for name, texts in form.errors.items()},
            }
        )
    given = {name: value for name, value in form.cleaned_data.items() if value not in ("", None)}
    arch = given.get("arch", _DEFAULTS.arch)
    leads = measured_leads()
    given.setdefault("provenance", default_provenance(arch, leads))
    given.setdefault("hw", default_hardware(arch, given["provenance"]))
    return Filters(**given, measured_leads=leads)


def strange_names(
    query: QueryDict, known: Collection[str], repeated: Collection[str] = ()
) -> dict[str, list[str]]:
    """Return a message for each name that is not `known`, or that is given twice."""
    problems: dict[str, list[str]] = {}
    for name, values in query.lists():
        if name not in known:
            message = gettext("Unknown filter “%(name)s”. Known: %(known)s.")
            problems[name] = [message % {"name": name, "known": ", ".join(sorted(known))}]
        elif len(values) > 1 and name not in repeated:
            problems[name] = [gettext("“%(name)s” is given twice.") % {"name": name}]
    return problems


def default_provenance(arch: str, measured_leads: frozenset[str]) -> str:
    """Return which figures are shown where an address doesn't say."""
    leads = Provenance.MEASURED if arch in measured_leads else Provenance.REPORTED
    return leads.value


def measured_leads() -> frozenset[str]:
    """Return the architectures with enough models measured on all core tasks."""
    measured = (
        RunSummary.objects.filter(
            provenance=Provenance.MEASURED,
            protocol=PROTOCOL,
            k=1,
            run__workload__task__slug__in=CORE_TASKS,
        )
        .values("run__architecture", "run__entry")
        .annotate(tasks=Count("run__workload__task", distinct=True))
        .filter(tasks=len(CORE_TASKS))
        .values_list("run__architecture", flat=True)
    )
    models = Counter(measured)
    return frozenset(a for a, count in models.items() if count >= MODELS_BEFORE_MEASURED_LEADS)


def task_choices() -> list[tuple[str, str]]:
    """Return the choices of the `tasks` filter with their titles; families that have core tasks."""
    catalog = load_catalog()
    core = {catalog[name].family for name in CORE_TASKS}
    families = [(name, family_title(name)) for name in FAMILIES if name in core]
    tasks = [(name, task_title(name)) for name in catalog]
    return [("core", gettext("Five core tasks")), *families, *tasks]
