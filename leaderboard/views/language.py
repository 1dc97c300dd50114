"""Choosing the language of the site."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

ONE_YEAR = 365 * 24 * 3600


@csrf_exempt
@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Remember the language in a cookie and go back to the page it was chosen on.

    Exempt from CSRF protection: all that a forged request can do is change the
    language, and a token would make every public page personal.
    """
    language = request.POST.get("language", "")
    if language not in dict(settings.LANGUAGES):
        return HttpResponseBadRequest(gettext("This language is not available."))
    response = HttpResponseRedirect(_way_back(request.POST.get("next", "")))
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=ONE_YEAR,
        samesite="Lax",
        secure=request.is_secure(),
    )
    return response


def _way_back(address: str) -> str:
    """Return `address` if it is a path of this site, else the front page."""
    # No host is allowed at all: only relative addresses get through.
    is_path = address.startswith("/") and url_has_allowed_host_and_scheme(address, None)
    return address if is_path else reverse("leaderboard")
