"""The pages of one run, and of one turn of it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from evaluation.architectures import ARCHITECTURES
from evaluation.metrics import P_LEVELS
from leaderboard.detail_filters import read_filters
from leaderboard.models import Run, Trajectory
from leaderboard.quantities import short_number, whole
from leaderboard.run_sheet import run_sheets
from leaderboard.turn_sheet import turn_sheet
from leaderboard.views.page import page

FILTER_NAMES = frozenset({"k", "p"})


def _run(slug: str) -> Run:
    return get_object_or_404(Run.objects.select_related("entry", "workload__task"), slug=slug)


@page
def run(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a run with its turns; 400 with the default figures for filters not understood."""
    found = _run(slug)
    filters, errors = read_filters(request.GET, FILTER_NAMES)
    sheets = run_sheets(found, filters.k)
    context = {
        "run": found,
        "architecture": ARCHITECTURES[found.architecture],
        "filters": filters,
        "errors": errors,
        "sheets": sheets,
        "levels": [(p, short_number(p)) for p in P_LEVELS],
        "numbers": range(found.turn_limit),
        "has_turns": any(sheet.grid for sheet in sheets),
    }
    return render(request, "run.html", context, status=400 if errors else 200)


@page
def turn(request: HttpRequest, slug: str, trajectory: str, number: int) -> HttpResponse:
    """Show one turn; a page that says how to load it where no turns of the run are stored."""
    found = _run(slug)
    filters, errors = read_filters(request.GET, FILTER_NAMES)
    sheet = turn_sheet(found, trajectory, number)
    if sheet is None:
        if Trajectory.objects.filter(run=found).exists():
            raise Http404
        return render(request, "turn.html", {"run": found, "filters": filters}, status=404)
    tokens = sheet.turn.reasoning_tokens
    context = {
        "run": found,
        "architecture": ARCHITECTURES[found.architecture],
        "trajectory": trajectory,
        "sheet": sheet,
        "tokens": None if tokens is None else whole(tokens),
        "filters": filters,
        "errors": errors,
    }
    return render(request, "turn.html", context, status=400 if errors else 200)
