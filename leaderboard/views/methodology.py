"""The protocol in plain words."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from evaluation import PROTOCOL
from evaluation.architectures import ARCHITECTURES
from evaluation.metrics import LIMITS, P_LEVELS
from evaluation.outcomes import Outcome, Stage
from evaluation.ranking import MAX_UNDECIDED_SHARE, MIN_TRAJECTORIES
from evaluation.tasks import CORE_TASKS, load_catalog
from leaderboard.quantities import short_number
from leaderboard.views.page import page


@page
def methodology(request: HttpRequest) -> HttpResponse:
    """Explain terms, stages, metrics and what is not built yet."""
    catalog = load_catalog()
    context = {
        "protocol": PROTOCOL,
        "architectures": ARCHITECTURES.values(),
        "core_tasks": [catalog[name] for name in CORE_TASKS],
        "stages": [(stage, [o for o in Outcome if o.stage is stage]) for stage in Stage],
        "limits": LIMITS,
        "p_levels": [short_number(p) for p in P_LEVELS],
        "min_trajectories": MIN_TRAJECTORIES,
        "max_undecided": MAX_UNDECIDED_SHARE,
    }
    return render(request, "methodology.html", context)
