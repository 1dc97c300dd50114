"""The timeline as a Plotly figure."""

from dataclasses import replace
from datetime import date
from typing import Any

from evaluation.intervals import Estimate
from leaderboard.charts.timeline import Mark, Point, timeline

DAY = date(2026, 1, 31)


POINT = Point("Model", "llm", DAY, Estimate(0.5, 0.4, 0.7), doubtful=False, labelled=True)


def _point(name: str = "Model", **fields: Any) -> Point:
    return replace(POINT, name=name, **fields)


def test_one_trace_per_kind_with_asymmetric_intervals_in_percent() -> None:
    figure = timeline([_point(), _point("Other", kind="variant")], [], "Frontier share")
    assert len(figure.data) == 2
    trace = figure.data[0]
    assert list(trace.y) == [50]
    assert list(trace.error_y.array) == [20]
    assert list(trace.error_y.arrayminus) == [10]


def test_doubtful_dates_are_hollow() -> None:
    figure = timeline([_point(doubtful=True), _point()], [], "Frontier share")
    assert list(figure.data[0].marker.symbol) == ["circle-open", "circle"]


def test_names_cannot_bring_markup() -> None:
    evil = '<a href="javascript:alert(1)">x</a>'
    figure = timeline([_point(evil)], [Mark(evil, DAY)], evil)
    texts = [*figure.data[0].text, figure.data[0].customdata[0][0]]
    texts += [figure.layout.annotations[0].text, figure.layout.yaxis.title.text]
    assert all("<" not in text for text in texts)


def test_every_mark_is_a_line_with_a_name_inside_the_range() -> None:
    marks = [Mark("FlashAttention 3", date(2024, 7, 11)), Mark("PTX ISA", date(2022, 10, 5))]
    figure = timeline([_point()], marks, "Frontier share")
    assert [shape.x0 for shape in figure.layout.shapes] == [mark.released for mark in marks]
    first, last = figure.layout.xaxis.range
    assert first < date(2022, 10, 5)
    assert last > DAY
