"""Two to six models side by side, and the list to pick them from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from evaluation.architectures import ARCHITECTURES
from leaderboard.comparison import (
    FEWEST,
    MOST,
    Comparison,
    Contender,
    Metric,
    Why,
    compare_models,
)
from leaderboard.filters import BadFilters, Filters, parse_filters
from leaderboard.models import ModelEntry
from leaderboard.quantities import short_number
from leaderboard.standings import standings
from leaderboard.templatetags.filter_form import filter_form
from leaderboard.views.page import page

_ENTRY_FILTERS = "kind open since until"


@page
def compare(request: HttpRequest) -> HttpResponse:
    """Compare the models named by `m`; without any, or if that can't be, show the picker."""
    entries = {entry.slug: entry for entry in ModelEntry.objects.all()}
    errors: Mapping[str, list[str]] | None = None
    try:
        filters = parse_filters(request.GET, repeated=frozenset({"m"}))
    except BadFilters as problem:
        errors, filters = problem.errors, parse_filters(QueryDict())
    # A form sends its empty fields too; the address that stays is the short one.
    slugs = [slug for slug in request.GET.getlist("m") if slug]
    if errors is None and "" in (value for values in request.GET.lists() for value in values[1]):
        return HttpResponseRedirect(request.path + _address(filters, slugs))
    problems = _problems(slugs, entries)
    if slugs and not (errors or problems):
        result = compare_models(filters, [entries[slug] for slug in slugs])
        return render(request, "compare.html", _compared(result))
    context = {"errors": errors, "problems": problems, **_picker(filters, slugs, entries)}
    bad = bool(errors or problems)
    return render(request, "compare_picker.html", context, status=400 if bad else 200)


def _address(filters: Filters, slugs: Sequence[str], **changes: Any) -> str:
    """Return the query string for these models, in this order, with some filters changed."""
    query = QueryDict(mutable=True)
    query.setlist("m", list(slugs))
    parts = [part for part in (query.urlencode(), filters.query(**changes)) if part]
    return f"?{'&'.join(parts)}"


def _problems(slugs: Sequence[str], entries: Mapping[str, ModelEntry]) -> list[str]:
    """Say why these models can't be compared; nothing where they can, or none was named."""
    problems = [
        gettext("There is no model “%(slug)s”.") % {"slug": slug[:80]}
        for slug in dict.fromkeys(slugs)
        if slug not in entries
    ][:MOST]
    problems += [
        gettext("%(name)s is named twice.") % {"name": entries[slug].name}
        for slug, times in Counter(slugs).items()
        if times > 1 and slug in entries
    ]
    count = len(set(slugs))
    if slugs and not FEWEST <= count <= MOST:
        message = ngettext(
            "Pick %(fewest)d to %(most)d models; this is %(count)d.",
            "Pick %(fewest)d to %(most)d models; these are %(count)d.",
            count,
        )
        problems.append(message % {"fewest": FEWEST, "most": MOST, "count": count})
    return problems


def _picker(
    filters: Filters, slugs: Sequence[str], entries: Mapping[str, ModelEntry]
) -> dict[str, Any]:
    found = standings(filters)
    # Two origins of one model make two rows; it is picked once.
    rows = {row.entry.slug: row for row in reversed(found.rows)}
    table = [
        {
            "row": row,
            "cells": sum(1 for cell in row.cells if cell.figures),
            "checked": row.entry.slug in slugs,
        }
        for row in found.rows
        if rows[row.entry.slug] is row
    ]
    form = filter_form(filters, first="tasks k", more=f"provenance hw prompt {_ENTRY_FILTERS}")
    return {
        "filters": filters,
        "tasks": found.tasks,
        "table": table,
        "absent": [entry for slug, entry in entries.items() if slug not in rows],
        "tabs": _tabs(filters, []),
        "form": form,
        "kept": list(QueryDict(filters.query()).items()),
        "fewest": FEWEST,
        "most": MOST,
    }


def _tabs(filters: Filters, slugs: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "name": arch.name,
            "url": _address(filters, slugs, arch=arch.slug),
            "current": arch.slug == filters.arch,
        }
        for arch in ARCHITECTURES.values()
    ]


def _compared(result: Comparison) -> dict[str, Any]:
    filters, models = result.filters, result.models
    slugs = [model.slug for model in models]
    form = filter_form(filters, first="tasks k p", more="provenance hw prompt")
    form["kept"] += [("m", slug) for slug in slugs]
    sections = [_section(result, metric) for metric in Metric] if result.tasks else []
    return {
        "filters": filters,
        "result": result,
        "first": models[0],
        "models": [_with_links(model, filters, slugs) for model in models],
        "tabs": _tabs(filters, slugs),
        "form": form,
        "sections": sections,
        "overall": _overall(result, sections),
        "speedups": _by_task(result, "best_speedup"),
        "counts": _by_task(result, "trajectories"),
        "splits": [(other, result.splits(other)) for other in models[1:]],
        "left_out": [
            (left.task, [(name, _whys(filters)[why]) for name, why in left.lacking])
            for left in result.left_out
        ],
        "picker": f"{reverse('compare')}{_address(filters, [])}",
    }


def _with_links(model: Contender, filters: Filters, slugs: Sequence[str]) -> dict[str, Any]:
    """A model with links that put it first, take it out, and show its failures."""
    others = [slug for slug in slugs if slug != model.slug]
    query = QueryDict(filters.query(kind="", open=None, since=None, until=None), mutable=True)
    query["model"] = model.slug
    return {
        "model": model,
        "first": _address(filters, [model.slug, *others]),
        "without": _address(filters, others) if len(others) >= FEWEST else "",
        "failures": f"{reverse('failures')}?{query.urlencode()}",
    }


def _section(result: Comparison, metric: Metric) -> dict[str, Any]:
    title, note, anchor = _words(result.filters)[metric]
    return {"title": title, "note": note, "anchor": anchor, "lines": result.lines(metric)}


def _words(filters: Filters) -> dict[Metric, tuple[str, str, str]]:
    """Title, explanation and place in the methodology of each metric."""
    names = {"k": filters.k, "p": short_number(filters.p)}
    return {
        Metric.CORRECT: (
            gettext("Stage 1: correct@%(k)d") % names,
            gettext("trajectories with a kernel that computes the right thing"),
            "correct-k",
        ),
        Metric.TARGET: (
            gettext("Stage 2: target@%(k)d") % names,
            gettext("with one that also uses the architecture's own instructions"),
            "target-k",
        ),
        Metric.FAST: (
            gettext("Stage 3: fast_%(p)s@%(k)d") % names,
            gettext("with one that also reaches %(p)s× the library's speed") % names,
            "fast-p",
        ),
        Metric.FRONTIER: (
            gettext("All stages: frontier share@%(k)d") % names,
            gettext("how much of the library's speed is reached, on average"),
            "frontier-share",
        ),
    }


def _overall(result: Comparison, sections: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each other model with the difference of its mean frontier share from the first's."""
    if not sections:
        return []
    values = sections[-1]["lines"][0].values
    return [
        {"name": model.name, "value": value, "ahead": value.difference.mean > 0}
        for model, value in zip(result.models[1:], values[1:], strict=True)
    ]


def _by_task(result: Comparison, field: str) -> list[tuple[str, list[Any]]]:
    """One figure of every model, by shared task; None where a model has none."""
    return [
        (task, [getattr(model.figures[place], field) for model in result.models])
        for place, task in enumerate(result.tasks)
    ]


def _whys(filters: Filters) -> dict[Why, str]:
    return {
        Why.NO_FIGURES: gettext("has no figures for this choice"),
        Why.FEW_TURNS: gettext("has no run of %(k)d turns") % {"k": filters.k},
        Why.OTHER_ORIGIN: gettext("has figures of another origin only"),
    }
