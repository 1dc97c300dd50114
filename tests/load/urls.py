"""The site's addresses, and `/empty/`: what a request costs when the view does nothing."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def empty(_request: HttpRequest) -> HttpResponse:
    """Answer with nothing, behind the same middleware as every page."""
    return HttpResponse()


urlpatterns = [
    path("empty/", empty),
    path("", include("leaderboard.config.urls")),
]
