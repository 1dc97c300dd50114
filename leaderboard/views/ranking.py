"""The leaderboard: the ranking as a table, and over time."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext

from evaluation.architectures import ARCHITECTURES, HARDWARE
from evaluation.intervals import Estimate
from leaderboard.charts.timeline import Mark, Point, timeline
from leaderboard.filters import BadFilters, Filters, parse_filters
from leaderboard.models import ModelEntry, ReferenceDate, RunSummary
from leaderboard.sentences import reading
from leaderboard.standings import Row, Standings, standings
from leaderboard.views.page import page
from leaderboard.views.table import CHOICES, FIRST_ROWS, Layout, parse_layout, table_rows

_COMPARED = ("arch", "hw", "k", "p", "prompt", "provenance", "tasks")
"""Filters that the comparison of the picked models takes over."""


@page
def leaderboard(request: HttpRequest) -> HttpResponse:
    """Show the ranking that the address asks for; the default one with messages if it can't."""
    errors: Mapping[str, list[str]] | None = None
    try:
        filters = parse_filters(request.GET, also=frozenset(CHOICES))
        layout = parse_layout(request.GET)
    except BadFilters as problem:
        errors = problem.errors
        filters, layout = parse_filters(QueryDict()), Layout()
    # A form sends its empty fields too; the address that stays is the short one.
    if errors is None and "" in request.GET.values():
        return HttpResponseRedirect(f"{request.path}{_address(filters, layout)}")
    context = {"errors": errors, **_context(filters, layout)}
    return render(request, "leaderboard.html", context, status=400 if errors else 200)


def _address(filters: Filters, layout: Layout) -> str:
    query = "&".join(part for part in (filters.query(), layout.query()) if part)
    return f"?{query}" if query else ""


def _context(filters: Filters, layout: Layout) -> dict[str, Any]:
    result = standings(filters)
    rows = table_rows(result, layout)
    return {
        "filters": filters,
        "layout": layout,
        "keep": layout.query(),
        "kept": {name: CHOICES[name] for name in QueryDict(layout.query())},
        "every": layout.query(every=True),
        "switches": _switches(layout),
        "tabs": _tabs(filters),
        "standings": result,
        "reading": reading(result),
        "rows": rows if layout.every else rows[:FIRST_ROWS],
        "total": len(rows),
        "noted": [row.entry for row in result.rows if row.entry.released_note],
        "compared": [
            (name, value) for name, value in QueryDict(filters.query()).items() if name in _COMPARED
        ],
        **_over_time(result),
    }


def _switches(layout: Layout) -> list[dict[str, Any]]:
    """The layout's links: each turns one choice on or off and keeps the others."""
    titles = {
        "fold": (gettext("Fold variants under their base"), gettext("Show variants as rows")),
        "speedups": (gettext("Show best speedups"), gettext("Hide best speedups")),
    }
    return [
        {
            "title": titles[name][getattr(layout, name)],
            "keep": layout.query(**{name: not getattr(layout, name)}),
        }
        for name in titles
    ]


def _tabs(filters: Filters) -> list[dict[str, Any]]:
    """One tab per architecture, hardware and provenance that has figures, and the current one."""
    stored = RunSummary.objects.filter(k=1).order_by()
    fields = ("run__architecture", "hardware", "provenance")
    found = set(stored.values_list(*fields).distinct())
    current = (filters.arch, filters.hw, filters.provenance)
    order = {slug: place for place, slug in enumerate([*ARCHITECTURES, *HARDWARE])}
    return [
        {"arch": arch, "hw": hw, "provenance": provenance, "current": tab == current}
        for tab in sorted(found | {current}, key=lambda t: (order[t[0]], order.get(t[1], 0), t[2]))
        for arch, hw, provenance in [tab]
    ]


def _over_time(result: Standings) -> dict[str, Any]:
    """The timeline with its numbers: every row of the table that has a figure and a date."""
    column = result.filters.sort.removeprefix("-")
    column = column if column in _metrics() else "frontier_share"
    dated = [(row, _value(row, column)) for row in result.rows if row.entry.released]
    known = [(row, value) for row, value in dated if value]
    references = ReferenceDate.objects.filter(architecture=result.filters.arch)
    marks = [Mark(_reference_name(one), one.released) for one in references if one.released]
    return {
        "metric": _metrics()[column],
        "dated": known,
        "references": [(_reference_name(one), one) for one in references],
        "figure": timeline(_points(known), marks, _metrics()[column]) if known else None,
    }


def _metrics() -> dict[str, str]:
    return {
        "frontier_share": gettext("Frontier share"),
        "correct": gettext("Share of correct trajectories"),
        "target": gettext("Share with target instructions"),
        "fast": gettext("Share of fast trajectories"),
    }


def _value(row: Row, column: str) -> Estimate | None:
    return row.frontier if column == "frontier_share" else getattr(row, column)


def _points(rows: Sequence[tuple[Row, Estimate]]) -> list[Point]:
    """Language models carry their names in the chart; those of variants would overlap."""
    return [
        Point(
            name=row.entry.name,
            kind=row.entry.kind,
            released=row.entry.released,
            value=value,
            doubtful=bool(row.entry.released_note),
            labelled=row.entry.kind == ModelEntry.Kind.LLM,
        )
        for row, value in rows
        if row.entry.released
    ]


def _reference_name(reference: ReferenceDate) -> str:
    if reference.kind == "ptx":
        name = ARCHITECTURES[reference.architecture].name
        return gettext("PTX ISA for %(arch)s") % {"arch": name}
    return reference.name.replace("fa", "FlashAttention ", 1)
