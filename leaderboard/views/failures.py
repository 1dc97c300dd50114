"""The three-stage dashboard: where turns end and why, by task, model and architecture."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from evaluation.architectures import ARCHITECTURES
from evaluation.outcomes import Outcome, Stage
from leaderboard.charts.failures import chart_height, failures_chart
from leaderboard.exports import write_csv
from leaderboard.failures import (
    Cell,
    Endings,
    ModelRow,
    RunEndings,
    across_architectures,
    added,
    by_model,
    by_task,
    run_endings,
)
from leaderboard.filters import BadFilters, Filters, parse_filters
from leaderboard.models import ModelEntry
from leaderboard.templatetags.filter_form import filter_form
from leaderboard.views.page import page
from leaderboard.words import STAGE_LABELS, outcome_label

CSV_COLUMNS = (
    "model",
    "origin",
    "task",
    "architecture",
    "hardware",
    "provenance",
    "prompt_set",
    "k",
    "run",
    "stage",
    "outcome",
    "turns",
)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What this page can narrow its figures to, beside the filters that all pages share."""

    model: str = ""
    stage: str = ""
    outcome: str = ""
    download: str = ""

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The endings in question; all of them where nothing was chosen."""
        if self.outcome:
            return (Outcome(self.outcome),)
        return tuple(o for o in Outcome if self.stage in ("", o.stage))

    @property
    def title(self) -> str:
        """The chosen ending in words; empty without one."""
        if self.outcome:
            return outcome_label(Outcome(self.outcome))
        return str(STAGE_LABELS[Stage(self.stage)]) if self.stage else ""


@page
def failures(request: HttpRequest) -> HttpResponse:
    """Show where turns end; with `download=csv`, give the same figures as a table."""
    models = dict(ModelEntry.objects.order_by("name").values_list("slug", "name"))
    errors: Mapping[str, list[str]] | None = None
    try:
        filters, chosen = _parse(request.GET, models)
    except BadFilters as problem:
        errors = problem.errors
        filters, chosen = parse_filters(QueryDict()), Narrowing()
    if errors is None and "" in request.GET.values():
        return HttpResponseRedirect(f"{request.path}{address(filters, chosen)}")
    runs = run_endings(filters, chosen.model)
    if chosen.download:
        return _csv([run for run in runs if run.architecture == filters.arch], filters, chosen)
    context = {"errors": errors, **_context(filters, chosen, models, runs)}
    return render(request, "failures.html", context, status=400 if errors else 200)


def address(filters: Filters, chosen: Narrowing, **changes: str) -> str:
    """Return the query string of the page with some of its narrowing changed."""
    query = QueryDict(filters.query(), mutable=True)
    query.update({n: v for n, v in asdict(replace(chosen, **changes)).items() if v})
    return f"?{query.urlencode()}"


def _parse(query: QueryDict, models: Mapping[str, str]) -> tuple[Filters, Narrowing]:
    names = tuple(asdict(Narrowing()))
    filters = parse_filters(query, also=frozenset(names))
    known = {"model": models, "stage": set(Stage), "outcome": set(Outcome), "download": {"csv"}}
    given = {name: query.get(name, "") for name in names}
    wrong = {
        name: [gettext("“%(value)s” is not known here.") % {"value": value[:80]}]
        for name, value in given.items()
        if value and value not in known[name]
    }
    if given["stage"] and given["outcome"] and not wrong:
        wrong = {"stage": [gettext("Choose a stage or an outcome, not both.")]}
    if wrong:
        raise BadFilters(wrong)
    return filters, Narrowing(**given)


def _csv(runs: Sequence[RunEndings], filters: Filters, chosen: Narrowing) -> HttpResponse:
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="failures.csv"'
    rows = (
        (
            *(run.model_name, run.origin, run.task, run.architecture, run.hardware),
            *(filters.provenance, filters.prompt, filters.k, run.run),
            *(part.stage.value, part.outcome.value, part.count),
        )
        for run in runs
        for part in run.endings.reasons
        if part.outcome in chosen.outcomes
    )
    write_csv(response, CSV_COLUMNS, rows)
    return response


def _context(
    filters: Filters, chosen: Narrowing, models: Mapping[str, str], runs: Sequence[RunEndings]
) -> dict[str, Any]:
    here = [run for run in runs if run.architecture == filters.arch]
    tasks, rows = by_task(here, filters.task_slugs), by_model(here, filters.task_slugs)
    total = added(tasks.values())
    return {
        "filters": filters,
        "chosen": chosen,
        "model_name": models.get(chosen.model, ""),
        "tabs": _tabs(filters, chosen),
        "form": _form(filters, chosen, models),
        "total": total,
        "leading": max(total.reasons, key=lambda part: part.count, default=None),
        "stages": _stages(total, filters, chosen),
        "columns": total.reasons,
        "by_task": [(task, endings, _row(endings, total)) for task, endings in tasks.items()],
        "figure": failures_chart(tasks) if tasks else None,
        "height": chart_height(tasks),
        "tasks": filters.task_slugs,
        "heatmap": rows,
        "narrowed": _narrowed(rows, chosen) if chosen.title else None,
        "links": _links(filters, chosen),
        "both": across_architectures(runs, filters.task_slugs),
    }


def _links(filters: Filters, chosen: Narrowing) -> dict[str, str]:
    return {
        "csv": address(filters, chosen, download="csv"),
        "every_model": address(filters, chosen, model=""),
        "every_ending": address(filters, chosen, stage="", outcome=""),
    }


def _row(endings: Endings, columns: Endings) -> list[int]:
    """The counts of one task in the order of the table's columns."""
    return [endings.counts.get(part.outcome, 0) for part in columns.reasons]


def _tabs(filters: Filters, chosen: Narrowing) -> list[dict[str, Any]]:
    tabs = []
    for arch in ARCHITECTURES.values():
        query = QueryDict(filters.query(arch=arch.slug), mutable=True)
        query.update({n: v for n, v in asdict(chosen).items() if v})
        tab = {"name": arch.name, "url": f"?{query.urlencode()}"}
        tabs.append({**tab, "current": arch.slug == filters.arch})
    return tabs


def _form(filters: Filters, chosen: Narrowing, models: Mapping[str, str]) -> dict[str, Any]:
    """The form of all pages, with a choice of the model in front."""
    keep = {name: value for name in ("stage", "outcome") if (value := getattr(chosen, name))}
    form = filter_form(filters, first="tasks k", more="provenance hw prompt", keep=keep)
    choice = {
        "name": "model",
        "label": gettext("Model"),
        "value": chosen.model,
        "options": [("", [("", gettext("all models")), *models.items()])],
    }
    changed = form["changed"] or any(asdict(chosen).values())
    action = reverse("failures")
    return {**form, "fields": [choice, *form["fields"]], "changed": changed, "action": action}


def _stages(total: Endings, filters: Filters, chosen: Narrowing) -> list[dict[str, Any]]:
    """Each stage with its reasons, every one a link that narrows the page to it."""
    found = []
    for stage in Stage:
        reasons = [part for part in total.reasons if part.stage is stage]
        if reasons:
            count = sum(part.count for part in reasons)
            one = {
                "stage": stage,
                "count": count,
                "share": count / total.total,
                "outcome": reasons[0].outcome,
                "url": address(filters, chosen, stage=stage.value, outcome=""),
                "current": chosen.stage == stage,
                "reasons": [
                    {
                        "part": part,
                        "url": address(filters, chosen, stage="", outcome=part.outcome.value),
                        "current": chosen.outcome == part.outcome,
                    }
                    for part in reasons
                ],
            }
            found.append(one)
    return found


def _narrowed(rows: Sequence[ModelRow], chosen: Narrowing) -> list[dict[str, Any]]:
    """Count the chosen endings by model and task; models with none of them are left out."""
    table = []
    for row in rows:
        total = row.endings.count(chosen.outcomes)
        if total:
            cells = [_narrowed_cell(cell, chosen) for cell in row.cells]
            table.append({"row": row, "cells": cells, "total": total})
    return sorted(table, key=lambda line: -line["total"])


def _narrowed_cell(cell: Cell, chosen: Narrowing) -> dict[str, Any]:
    count, total = cell.endings.count(chosen.outcomes), cell.endings.total
    return {
        "count": count,
        "total": total,
        "share": count / total if total else None,
        "runs": [run for run in cell.runs if run.endings.count(chosen.outcomes)],
    }
