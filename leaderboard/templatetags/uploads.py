"""How files, kernels and times of waiting are written on pages."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from leaderboard import quantities
from leaderboard.models import Turn
from leaderboard.shown_text import written_out
from leaderboard.turn_kernel import turn_kernel

register = template.Library()

MISSING = "–"
_UNITS = ("B", "KiB", "MiB", "GiB")


@register.filter(name="bytes")
def as_bytes(size: int) -> str:
    """Write a number of bytes: `512 KiB`, `1.4 MiB`."""
    value, unit = float(size), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    digits = 1 if value < 10 and round(value, 1) != round(value) else 0
    return f"{number_format(round(value, digits), decimal_pos=digits)} {_UNITS[unit]}"


@register.filter
def whole(value: int) -> str:
    """Write a count with its thousands apart."""
    return quantities.whole(value)


@register.filter
def count_of(families: Iterable[tuple[str, int]], family: str) -> str:
    """Write how many instructions of `family` a function has: `1,204`, or `–` for none."""
    count = dict(families).get(family, 0)
    return quantities.whole(count) if count else MISSING


@register.filter
def visible(text: str) -> str:
    """Write out characters that would be unseen or turn a line around. The rest is unchanged."""
    return written_out(str(text))


@register.filter
def seconds(value: float | None) -> str:
    """Write a duration in seconds: `0.8 s`."""
    return MISSING if value is None else f"{number_format(round(value, 1), decimal_pos=1)} s"


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    """Write when something was, as seen from now; the exact time is in the title."""
    if moment is None:
        return MISSING
    passed = max(0, int((timezone.now() - moment).total_seconds()))
    exact = moment.strftime("%Y-%m-%d %H:%M:%S UTC")
    html = '<time datetime="{}" title="{}">{}</time>'
    return format_html(html, moment.isoformat(), exact, _passed(passed, moment))


def _passed(seconds_ago: int, moment: datetime) -> str:
    minutes, hours = seconds_ago // 60, seconds_ago // 3600
    if seconds_ago < 60:
        return gettext("just now")
    if minutes < 60:
        return ngettext("%(n)d minute ago", "%(n)d minutes ago", minutes) % {"n": minutes}
    if hours < 48:
        return ngettext("%(n)d hour ago", "%(n)d hours ago", hours) % {"n": hours}
    return moment.strftime("%Y-%m-%d")


_STEPS: dict[str, Promise] = {
    "extract": _("a kernel in the answer"),
    "policy": _("no vendor library"),
    "compile": _("compiles"),
    "load": _("loads"),
    "run": _("runs"),
    "numerics": _("right numbers"),
    "memcheck": _("no stray memory access"),
}


@register.filter
def step_label(name: str) -> str:
    """Name a check of the syntax stage by what it asks for; its own name where it is new."""
    return str(_STEPS.get(name, name))


@register.inclusion_tag("parts/turn_kernel.html")
def kernel_of(turn: Turn, published: bool) -> dict[str, Any]:
    """Show the kernel of a turn; say why where none is stored."""
    return {"found": turn_kernel(turn), "published": published}
