"""Lines over the turn limit, drawn by the server as SVG so that they need no script."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from evaluation.intervals import Estimate
from evaluation.metrics import LIMITS
from leaderboard.profiles import Step

SIZE = 100
"""Both sides of the drawing; the style sheet stretches it to its frame."""

_LINES: tuple[tuple[str, Promise], ...] = (
    ("correct", _("correct")),
    ("target", _("target instructions")),
    ("fast", _("fast")),
    ("frontier", _("frontier share")),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One metric: `points` as SVG wants them, and `band` around its interval."""

    name: str
    label: Promise
    points: str
    band: str


@dataclass(frozen=True, slots=True)
class Progress:
    """A drawing: its lines, and the turn limits to name below it with their places in %."""

    lines: tuple[Line, ...]
    ticks: tuple[tuple[int, str], ...]


def progress_chart(steps: Sequence[Step]) -> Progress | None:
    """Return the drawing of the steps that have figures; None with fewer than two of them."""
    known = [step for step in steps if step.frontier]
    if len(known) < 2:
        return None
    first, last = known[0].k, known[-1].k
    places = {step.k: (step.k - first) / (last - first) for step in known}
    named = sorted(k for k in {*LIMITS, first, last} if k in places)
    return Progress(
        tuple(_line(name, label, list(places.values()), known) for name, label in _LINES),
        tuple((k, f"{places[k] * SIZE:.1f}") for k in named),
    )


def _line(name: str, label: Promise, places: list[float], steps: list[Step]) -> Line:
    figures: list[Estimate] = [getattr(step, name) for step in steps]
    low = [_point(x, e.low) for x, e in zip(places, figures, strict=True)]
    high = [_point(x, e.high) for x, e in zip(places, figures, strict=True)]
    means = [_point(x, e.mean) for x, e in zip(places, figures, strict=True)]
    return Line(name, label, " ".join(means), " ".join(low + high[::-1]))


def _point(x: float, y: float) -> str:
    """Return a point in the drawing, whose y axis runs down; never in the language's format."""
    return f"{x * SIZE:.2f},{(1 - y) * SIZE:.2f}"
