"""The page of one task: what it asks, who does it best, and how turns on it end."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from evaluation.architectures import ARCHITECTURES
from evaluation.outcomes import Outcome
from evaluation.tasks import load_catalog
from leaderboard.detail_filters import TaskFilters, read_task_filters
from leaderboard.models import OutcomeCount
from leaderboard.outcomes_table import outcomes_present, tally
from leaderboard.roofline import SOURCE_NAME, SOURCE_URL
from leaderboard.rows import Row
from leaderboard.sentences import lacking
from leaderboard.standings import standings
from leaderboard.task_sheet import task_sheet
from leaderboard.views.page import page
from leaderboard.words import family_title


@page
def task(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a task and its ranking; 400 with the default ranking for filters not understood."""
    known = load_catalog().get(slug)
    if known is None:
        raise Http404
    filters, errors = read_task_filters(request.GET, slug)
    table = standings(filters)
    outcomes, lines = _lines(table.rows, filters)
    context = {
        "task": known,
        "family": family_title(known.family),
        "sheet": task_sheet(known),
        "filters": filters,
        "errors": errors,
        "architectures": list(ARCHITECTURES.values()),
        "lines": lines,
        "outcomes": outcomes,
        "one": 1 / _scale(table.rows),
        "roofline_name": SOURCE_NAME,
        "roofline_url": SOURCE_URL,
    }
    return render(request, "task.html", context, status=400 if errors else 200)


def _lines(
    rows: Sequence[Row], filters: TaskFilters
) -> tuple[tuple[Outcome, ...], list[dict[str, Any]]]:
    """Return the outcomes that occur, and what the tables show of each model."""
    endings = _endings([run for row in rows for run in row.cells[0].runs], filters)
    tallies = [tally(pair for run in row.cells[0].runs for pair in endings[run]) for row in rows]
    outcomes = outcomes_present(tallies)
    scale = _scale(rows)
    lines = [
        {
            "row": row,
            "cell": row.cells[0],
            "lacks": lacking(row.lacks, filters.k),
            "best": _best(row),
            "reach": (_best(row) or 0.0) / scale,
            "tally": counts,
            "counts": [counts.counts.get(outcome, 0) for outcome in outcomes],
        }
        for row, counts in zip(rows, tallies, strict=True)
    ]
    return outcomes, lines


def _best(row: Row) -> float | None:
    figures = row.cells[0].figures
    return figures.best_speedup if figures else None


def _scale(rows: Sequence[Row]) -> float:
    """Return the speedup at the right end of the bars: the largest, but at least 1."""
    return max([1.0, *(best for row in rows if (best := _best(row)))])


def _endings(runs: list[str], filters: TaskFilters) -> dict[str, list[tuple[str, int]]]:
    """Return the outcomes of the first k turns of `runs`, as the chosen source has them."""
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    counts = OutcomeCount.objects.filter(
        run__slug__in=runs,
        provenance=filters.provenance,
        hardware=filters.hw,
        protocol=filters.protocol,
        turn__lt=filters.k,
    )
    for run, outcome, count in counts.values_list("run__slug", "outcome", "count"):
        found[run].append((outcome, count))
    return found
