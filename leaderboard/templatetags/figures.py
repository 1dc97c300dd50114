"""How figures, outcomes and links to other choices are written on pages.

A missing figure is "–", never 0. Numbers for people follow the language; numbers
for style sheets (`css`) never do.
"""

import json
import math
from typing import Any

from django import template
from django.urls import reverse
from django.utils.formats import get_format, number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from plotly.io.json import to_json_plotly

from evaluation.architectures import ARCHITECTURES, HARDWARE
from evaluation.intervals import Estimate
from evaluation.outcomes import Outcome
from leaderboard import words
from leaderboard.filters import Filters
from leaderboard.models import ModelEntry
from leaderboard.models.choices import Provenance
from leaderboard.rows import Cell, Entry

register = template.Library()

MISSING = "–"
_SMALLEST_FIRST = ("rank", "name")
_SCRIPT_ESCAPES = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026"}


def _number(value: Any) -> float | None:
    """Return the number in a figure: the mean of an estimate; None where there is none."""
    figure = value.mean if hasattr(value, "mean") else value
    if figure in (None, "") or not math.isfinite(figure):
        return None
    return float(figure)


def _written(value: float, digits: int) -> str:
    # Adding 0.0 turns the -0.0 that rounding can give into 0.0.
    return str(number_format(round(value, digits) + 0.0, decimal_pos=digits))


@register.filter
def percent(value: Any, digits: int = 1) -> str:
    """Write a share in [0, 1], or an estimate's mean, as a percentage: `55.4%`."""
    figure = _number(value)
    return MISSING if figure is None else f"{_written(figure * 100, digits)}%"


@register.filter
def points(value: Any, digits: int = 1) -> str:
    """Write a difference of shares in percentage points with its sign: `+4.2`."""
    figure = _number(value)
    if figure is None:
        return MISSING
    sign = "+" if round(figure * 100, digits) > 0 else ""
    return f"{sign}{_written(figure * 100, digits)}".replace("-", "−")


@register.filter
def speedup(value: Any) -> str:
    """Write a speedup: `1.01×`."""
    figure = _number(value)
    return MISSING if figure is None else f"{_written(figure, 2)}×"


@register.filter
def interval(value: Estimate | None) -> str:
    """Write an estimate's bounds in words: `95% interval 52.1% to 58.2%`."""
    if value is None:
        return MISSING
    bounds = {"low": percent(value.low), "high": percent(value.high)}
    return gettext("95%% interval %(low)s to %(high)s") % bounds


@register.filter
def css(value: Any) -> str:
    """Write a share as a number from 0 to 100 for a style sheet; 0 where there is none."""
    return f"{(_number(value) or 0.0) * 100:.1f}".removesuffix(".0")


@register.filter
def dash(value: Any) -> Any:
    """Return the value, or "–" in place of None and the empty text (but not of 0)."""
    return MISSING if value is None or value == "" else value


@register.filter
def outcome_label(outcome: str) -> str:
    """Name an outcome in the active language."""
    return words.outcome_label(Outcome(outcome))


@register.filter
def outcome_meaning(outcome: str) -> str:
    """Explain an outcome in one sentence."""
    return words.outcome_meaning(Outcome(outcome))


@register.filter
def outcome_letter(outcome: str) -> str:
    """Return the letter that stands beside the outcome's colour."""
    return words.outcome_letter(Outcome(outcome))


@register.filter
def outcome_class(outcome: str) -> str:
    """Return the CSS class with the outcome's colour, such as `end-e`."""
    return "end-" + words.outcome_letter(Outcome(outcome)).lower().replace("?", "u")


@register.filter
def stage_label(stage: str) -> str:
    """Name a stage in the active language."""
    return str(words.STAGE_LABELS[stage])  # type: ignore[index]  # a StrEnum equals its text


@register.filter
def architecture_name(slug: str) -> str:
    """Name an architecture: `Hopper`."""
    return ARCHITECTURES[slug].name if slug in ARCHITECTURES else slug


@register.filter
def kind_label(kind: str) -> str:
    """Name what an entry is, in the active language."""
    return str(ModelEntry.Kind(kind).label)


@register.filter
def hardware_name(slug: str) -> str:
    """Name a GPU model: `H100`."""
    return HARDWARE[slug].name if slug in HARDWARE else slug


@register.filter
def task_short(slug: str) -> str:
    """Name a task for a narrow column."""
    return words.task_short(slug)


@register.filter
def task_title(slug: str) -> str:
    """Return a task's full title."""
    return words.task_title(slug)


@register.filter
def provenance_label(provenance: str) -> str:
    """Name a provenance in the active language."""
    return str(Provenance(provenance).label)


@register.simple_tag
def query(filters: Filters, keep: str = "", **changes: Any) -> str:
    """Return the link to the same page with some filters changed: `?k=4`.

    `keep` is what else the address holds, already encoded.
    """
    return "?" + "&".join(part for part in (filters.query(**changes), keep) if part)


def _sort_state(filters: Filters, column: str) -> str:
    if filters.sort.removeprefix("-") != column:
        return ""
    return "descending" if filters.sort.startswith("-") else "ascending"


@register.simple_tag
def sort_link(filters: Filters, column: str, label: str, keep: str = "") -> SafeString:
    """Return a link that sorts by `column`, or turns the order around.

    The first click puts the largest value first, but for ranks and names.
    """
    state = _sort_state(filters, column)
    ascending = state == "descending" if state else column in _SMALLEST_FIRST
    target = query(filters, keep, sort=column if ascending else f"-{column}")
    current = mark_safe(' aria-current="true"') if state else ""
    return format_html('<a href="{}"{}>{}</a>', target, current, label)


@register.simple_tag
def sort_header(  # noqa: PLR0913 (a tag's parameters are its interface)
    filters: Filters, column: str, label: str, *, extra: str = "", title: str = "", keep: str = ""
) -> SafeString:
    """Return a `<th>` whose link sorts by `column`; `extra` is a class, `title` a longer name."""
    state = _sort_state(filters, column)
    attributes = {"class": extra, "title": title, "aria-sort": state}
    written = format_html_join(
        "", ' {}="{}"', ((name, value) for name, value in attributes.items() if value)
    )
    return format_html(
        '<th scope="col"{}>{}</th>', written, sort_link(filters, column, label, keep)
    )


@register.simple_tag
def sort_group(filters: Filters, *columns: str) -> SafeString:
    """Return the `aria-sort` attribute of a header that holds several sort links."""
    state = next((s for s in (_sort_state(filters, column) for column in columns) if s), "")
    return format_html(' aria-sort="{}"', state) if state else mark_safe("")


@register.simple_tag
def cell_title(cell: Cell) -> str:
    """Say what stands behind a task's cell: the best speedup and the number of trajectories."""
    if cell.figures is None:
        return ""
    values = {"speedup": speedup(cell.figures.best_speedup), "n": cell.figures.trajectories}
    return gettext("best speedup %(speedup)s, n = %(n)d") % values


@register.simple_tag
def cell_address(cell: Cell, entry: Entry) -> str:
    """Return where a task's cell leads: to the run behind it, or to the model if it has several."""
    if len(cell.runs) == 1:
        return reverse("run", args=cell.runs)
    return reverse("model", args=[entry.slug])


@register.filter
def chart_data(figure: Any) -> SafeString:
    """Write a Plotly figure as the JSON that `charts.js` reads.

    Takes a `Figure`, or a dict of `data` and `layout`. Plotly's own template is left
    out, because the page's style sheet decides the colours; numbers follow the language.
    """
    content = json.loads(to_json_plotly(figure))
    layout = content.setdefault("layout", {})
    layout.pop("template", None)
    layout["separators"] = get_format("DECIMAL_SEPARATOR") + get_format("THOUSAND_SEPARATOR")
    text = json.dumps(content, separators=(",", ":")).translate(_SCRIPT_ESCAPES)
    script = f'<script type="application/json" class="chart-data">{text}</script>'
    return mark_safe(script)  # noqa: S308 (what could end the script is escaped)
