"""The form that changes filters. It is a plain GET form and needs no JavaScript."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.utils.translation import gettext

from evaluation.architectures import HARDWARE
from evaluation.metrics import P_LEVELS
from evaluation.tasks import load_catalog
from leaderboard.filter_form import PROMPT_SETS
from leaderboard.filters import Filters, default_hardware, task_choices
from leaderboard.models import ModelEntry
from leaderboard.models.choices import Provenance
from leaderboard.quantities import short_number

register = template.Library()

Options = list[tuple[str, list[tuple[str, str]]]]

FIRST = ("tasks", "k", "p")
MORE = ("provenance", "hw", "prompt", "kind", "open", "since", "until")


@register.inclusion_tag("parts/filters.html")
def filter_form(
    filters: Filters,
    *,
    first: str = " ".join(FIRST),
    more: str = " ".join(MORE),
    errors: Mapping[str, Any] | None = None,
    keep: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Show the fields named in `first`, and those in `more` folded away.

    Every other filter that is not at its default travels along unseen, and so does
    what `keep` holds.
    """
    shown, folded = first.split(), more.split()
    changed = _changed(filters)
    kept = [(n, v) for n, v in changed.items() if n not in (*shown, *folded)]
    return {
        "fields": [_field(name, filters, errors or {}) for name in shown],
        "more": [_field(name, filters, errors or {}) for name in folded],
        "more_open": bool(set(changed) & set(folded)),
        "kept": [*kept, *(keep or {}).items()],
        "changed": bool(changed) or bool(errors),
    }


def _changed(filters: Filters) -> dict[str, str]:
    """Return the filters that are not at their default, as the address has them."""
    pairs = (part.split("=", 1) for part in filters.query().split("&") if part)
    return {name: getattr(filters, name) for name, _value in pairs}


def _field(name: str, filters: Filters, errors: Mapping[str, Any]) -> dict[str, Any]:
    value = getattr(filters, name)
    if name == "hw" and value == default_hardware(filters.arch, filters.provenance):
        value = ""
    return {
        "name": name,
        "label": _LABELS[name](),
        "type": {"k": "number", "since": "date", "until": "date"}.get(name, "text"),
        "value": _text(value),
        "options": _OPTIONS[name](filters) if name in _OPTIONS else None,
        "bad": name in errors,
    }


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _flat(choices: Iterable[tuple[str, Any]]) -> Options:
    return [("", [(value, str(label)) for value, label in choices])]


def _tasks(_filters: Filters) -> Options:
    single = load_catalog().keys()
    groups = [choice for choice in task_choices() if choice[0] not in single]
    tasks = [choice for choice in task_choices() if choice[0] in single]
    return [("", groups), (gettext("One task"), tasks)]


def _hardware(filters: Filters) -> Options:
    # Empty stands for what goes with the provenance, so that choosing another provenance
    # doesn't ask for figures that nobody took on this GPU.
    usual = ("", gettext("the usual one"))
    gpus = [h for h in HARDWARE.values() if h.architecture == filters.arch]
    return _flat([usual, *((gpu.slug, gpu.name) for gpu in gpus)])


def _prompts(filters: Filters) -> Options:
    return _flat((name, name) for name in dict.fromkeys((*PROMPT_SETS, filters.prompt)))


_OPTIONS = {
    "tasks": _tasks,
    "p": lambda _f: _flat((f"{p:g}", f"{short_number(p)}×") for p in P_LEVELS),
    "provenance": lambda _f: _flat(Provenance.choices),
    "hw": _hardware,
    "prompt": _prompts,
    "kind": lambda _f: _flat([("", gettext("all")), *ModelEntry.Kind.choices]),
    "open": lambda _f: _flat(
        [("", gettext("all")), ("yes", gettext("open")), ("no", gettext("closed"))]
    ),
}

_LABELS = {
    "tasks": lambda: gettext("Tasks"),
    "k": lambda: gettext("Turn limit k"),
    "p": lambda: gettext("Fast means at least"),
    "provenance": lambda: gettext("Provenance"),
    "hw": lambda: gettext("Hardware"),
    "prompt": lambda: gettext("Prompt set"),
    "kind": lambda: gettext("Kind"),
    "open": lambda: gettext("Weights"),
    "since": lambda: gettext("Released since"),
    "until": lambda: gettext("Released until"),
}
