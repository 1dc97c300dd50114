"""The page of one kernel: its source, and what was found about it stage by stage."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.access import requested_kernel, viewer, visible_evaluations
from leaderboard.accounts.models import User
from leaderboard.evidence import EvaluationEvidence, kernel_evidence
from leaderboard.models import Evaluation, Kernel
from leaderboard.page_cache import unsettled
from leaderboard.queue_sheet import Wait, evaluation_wait
from leaderboard.views.page import page

PLACES = 10
"""Most turns named at the top; the strips show those around."""


@page
def kernel(request: HttpRequest, sha256: str) -> HttpResponse:
    """Show a kernel to whoever may see it; 404 to everybody else."""
    found = requested_kernel(request, sha256)
    shown = kernel_evidence(found, viewer(request))
    if not shown.settled:
        unsettled(request)
    waits = {} if shown.settled else _waits(found, viewer(request))
    same = shown.neighbours.same
    context = {
        "kernel": shown,
        "judged": [_judged(one, waits.get(_place(one))) for one in shown.evaluations],
        "places": same[:PLACES],
        "places_left_out": max(0, len(same) - PLACES) + shown.neighbours.same_left_out,
    }
    return render(request, "kernel.html", context)


@page
def source(request: HttpRequest, sha256: str) -> HttpResponse:
    """Give a kernel's source as a file; never as something that a browser would run."""
    found = requested_kernel(request, sha256)
    response = HttpResponse(found.source, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{found.sha256[:12]}.cu"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _judged(one: EvaluationEvidence, wait: Wait | None) -> dict[str, Any]:
    """An evaluation with what it waits for; what the static step found stands until it ends."""
    said = one.verdicts[-1] if one.verdicts else None
    return {
        "evaluation": one,
        "said": said,
        "outcome": one.outcome or (said.outcome if said else None),
        "reason": one.reason or (said.reason if said else ""),
        "wait": wait,
    }


def _place(one: EvaluationEvidence) -> tuple[str, str, str]:
    return (one.task, one.workload, one.architecture.slug)


def _waits(kernel: Kernel, user: User | None) -> dict[tuple[str, str, str], Wait | None]:
    waiting = visible_evaluations(user, kernel).filter(state__in=Evaluation.WAITING)
    return {
        (row.workload.task.slug, row.workload.label, row.architecture): evaluation_wait(row)
        for row in waiting.select_related("workload__task")
    }
