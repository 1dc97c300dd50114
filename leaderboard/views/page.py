"""What every public page is: read only, the same for everybody, and kept once made."""

from collections.abc import Callable

from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from leaderboard.page_cache import public_page


def page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Turn a view into a public page: other methods than GET and HEAD get 405.

    It changes nothing, so a forged request has nothing to gain, and a wrong method is told
    that it is wrong instead of being asked for a token.
    """
    return csrf_exempt(require_safe(public_page(view)))
