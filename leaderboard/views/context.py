"""What every page's frame needs."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language_info
from django.utils.translation import gettext_lazy as _

from leaderboard.page_cache import STORE
from leaderboard.release import release

_PAGES = (
    ("leaderboard", _("Leaderboard")),
    ("failures", _("Failures")),
    ("compare", _("Compare")),
    ("methodology", _("Methodology")),
)


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the navigation, the languages, and the versions of data and code."""
    match = getattr(request, "resolver_match", None)
    here = match.url_name if match else None
    pages = [
        {"url": reverse(name), "title": title, "current": name == here} for name, title in _PAGES
    ]
    api = reverse("leaderboard") + "api/"
    pages.append({"url": api, "title": _("API"), "current": request.path == api})
    return {
        "navigation": pages,
        "languages": [get_language_info(code) for code, _name in settings.LANGUAGES],
        "data_version": STORE.current_version(),
        "release": release(),
    }
