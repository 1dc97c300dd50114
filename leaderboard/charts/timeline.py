"""The chosen metric over the models' release dates, beside the releases that made it possible."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import plotly.graph_objects as go
from django.utils.formats import number_format
from django.utils.translation import gettext

from evaluation.intervals import Estimate
from leaderboard.charts import plain
from leaderboard.models import ModelEntry

MARGIN_DAYS = 75
_LOOKS = {
    ModelEntry.Kind.LLM: ("circle", "var(--accent)"),
    ModelEntry.Kind.VARIANT: ("diamond", "var(--ink-soft)"),
    ModelEntry.Kind.METHOD: ("square", "var(--ink-soft)"),
    ModelEntry.Kind.REFERENCE: ("star", "var(--ink)"),
}
"""Marker and colour by kind of entry; the colours of outcomes mean outcomes only."""


_HOVER = "%{customdata[0]}<br>%{x|%Y-%m-%d}: %{y:.1f}%<br>%{customdata[1]}<extra></extra>"


@dataclass(frozen=True, slots=True)
class Point:
    """One model on the timeline. `labelled` ones carry their name in the chart."""

    name: str
    kind: str
    released: date
    value: Estimate
    doubtful: bool
    labelled: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """A release shown as a vertical line."""

    name: str
    released: date


def timeline(points: Sequence[Point], marks: Sequence[Mark], metric: str) -> go.Figure:
    """Return the chart; values and their 95% intervals are drawn in percent."""
    traces = [
        _trace(kind, [point for point in points if point.kind == kind])
        for kind in ModelEntry.Kind
        if any(point.kind == kind for point in points)
    ]
    layout = go.Layout(
        xaxis={"type": "date", "tickformat": "%Y-%m", "range": _range(points, marks)},
        yaxis={
            "title": {"text": plain(metric)},
            "range": _height(points),
            "ticksuffix": "%",
        },
        shapes=[_line(mark) for mark in marks],
        annotations=[_label(mark) for mark in marks],
        legend={"orientation": "h", "y": -0.14, "x": 0},
        margin={"l": 56, "r": 16, "t": 36, "b": 40},
        hovermode="closest",
    )
    return go.Figure(traces, layout)


def _trace(kind: ModelEntry.Kind, points: Sequence[Point]) -> go.Scatter:
    symbol, colour = _LOOKS[kind]
    return go.Scatter(
        name=plain(str(kind.label)),
        x=[point.released for point in points],
        y=_percent(point.value.mean for point in points),
        error_y={
            "type": "data",
            "symmetric": False,
            "array": _percent(point.value.high - point.value.mean for point in points),
            "arrayminus": _percent(point.value.mean - point.value.low for point in points),
            "thickness": 1,
            "width": 3,
        },
        mode="markers+text",
        # A hollow marker: the date is doubtful.
        marker={
            "symbol": [symbol + ("-open" if point.doubtful else "") for point in points],
            "size": 10,
            "color": colour,
            "line": {"width": 2, "color": colour},
        },
        text=[plain(point.name) if point.labelled else "" for point in points],
        textposition="middle left",
        customdata=[[plain(point.name), _interval(point.value)] for point in points],
        hovertemplate=_HOVER,
        cliponaxis=False,
    )


def _percent(shares: Iterable[float]) -> list[float]:
    return [round(share * 100, 2) for share in shares]


def _interval(value: Estimate) -> str:
    low, high = (number_format(share * 100, decimal_pos=1) for share in (value.low, value.high))
    bounds = {"low": low, "high": high}
    return gettext("95%% interval %(low)s%% to %(high)s%%") % bounds


def _height(points: Sequence[Point]) -> list[float]:
    """Room below zero too, so that a marker at zero is not cut."""
    top = max((point.value.high for point in points), default=1.0) * 100
    return [-0.06 * top, 1.08 * top]


def _range(points: Sequence[Point], marks: Sequence[Mark]) -> list[date] | None:
    days = [point.released for point in points] + [mark.released for mark in marks]
    margin = timedelta(days=MARGIN_DAYS)
    return [min(days) - margin, max(days) + margin] if days else None


def _line(mark: Mark) -> dict:
    return {
        "type": "line",
        "x0": mark.released,
        "x1": mark.released,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": "var(--line-strong)", "width": 1, "dash": "dot"},
    }


def _label(mark: Mark) -> dict:
    return {
        "x": mark.released,
        "yref": "paper",
        "y": 1,
        "yanchor": "bottom",
        "text": plain(mark.name),
        "showarrow": False,
        "font": {"color": "var(--ink-soft)", "size": 11},
    }
