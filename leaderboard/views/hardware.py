"""What judges kernels: the queues, how long they are, and the runners that serve them."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from evaluation.architectures import ARCHITECTURES, HARDWARE, JUDGED_HARDWARE
from evaluation.delivery import LIVE_SECONDS
from leaderboard.models import Runner
from leaderboard.queue_sheet import queue_lines

FRESH_SECONDS = 5
"""How old the page may be. It changes without the data version, so it is not kept as others are."""

FORGOTTEN = timedelta(days=30)
"""A runner that was silent for longer is not listed any more."""


@csrf_exempt
@require_safe
def hardware(request: HttpRequest) -> HttpResponse:
    """Show queues and runners, the same for everybody."""
    now = timezone.now()
    runners = Runner.objects.filter(last_seen__gt=now - FORGOTTEN)
    alive = now - timedelta(seconds=LIVE_SECONDS)
    context = {
        "queues": queue_lines(),
        "runners": [{"runner": one, "live": one.last_seen > alive} for one in runners],
        "judged_on": [
            (arch, HARDWARE[JUDGED_HARDWARE[arch.slug]]) for arch in ARCHITECTURES.values()
        ],
        "live_minutes": LIVE_SECONDS // 60,
    }
    response = render(request, "hardware.html", context)
    patch_cache_control(response, public=True, max_age=FRESH_SECONDS)
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return response
