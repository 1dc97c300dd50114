"""Single kernels that people published: a list of their own, never part of a model's ranking."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.models import Submission, SubmittedKernel
from leaderboard.page_cache import unsettled
from leaderboard.submission_sheet import kernel_lines_of
from leaderboard.views.page import page

PER_PAGE = 100
STANDING = (Submission.State.JUDGING, Submission.State.COMPLETE, Submission.State.CANCELLED)


@page
def kernels(request: HttpRequest) -> HttpResponse:
    """List published single kernels, the latest first, with how far each is."""
    unsettled(request)  # a verdict about a kernel of no run leaves the data version alone
    rows = SubmittedKernel.objects.filter(
        submission__kind="kernel", submission__public=True, submission__state__in=STANDING
    )
    shown = Paginator(rows.order_by("-submission__created", "pk"), PER_PAGE)
    return render(
        request,
        "kernels.html",
        {"page": kernel_lines_of(shown.get_page(request.GET.get("page")))},
    )
