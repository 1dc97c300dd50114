"""How figures are written: missing ones as a dash, numbers for people in their language."""

import json
import re

import plotly.graph_objects as go
import pytest
from django.http import QueryDict
from django.template import Context, Template
from django.utils import translation

from evaluation.intervals import Estimate
from evaluation.outcomes import Outcome
from leaderboard.filters import Filters, parse_filters
from leaderboard.templatetags import figures

ESTIMATE = Estimate(0.554, 0.521, 0.582)


def _render(text: str, **context: object) -> str:
    return Template("{% load figures filter_form %}" + text).render(Context(context))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.554, "55.4%"), (0, "0.0%"), (1, "100.0%"), (None, "–"), ("", "–"), (float("nan"), "–"),
     (float("inf"), "–"), (-0.0001, "0.0%"), (ESTIMATE, "55.4%")],
)  # fmt: skip
def test_percent(value: object, text: str) -> None:
    assert figures.percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.042, "+4.2"), (-0.042, "−4.2"), (0.0001, "0.0"), (-0.0001, "0.0"), (None, "–")],
)
def test_points(value: object, text: str) -> None:
    assert figures.points(value) == text


def test_speedup() -> None:
    assert figures.speedup(1.006) == "1.01×"
    assert figures.speedup(None) == "–"


def test_interval_is_in_words() -> None:
    assert figures.interval(ESTIMATE) == "95% interval 52.1% to 58.2%"
    assert figures.interval(None) == "–"


def test_spanish_has_decimal_commas_for_people_only() -> None:
    with translation.override("es"):
        assert figures.percent(0.554) == "55,4%"
        assert figures.css(0.554) == "55.4"


def test_css_is_zero_where_there_is_nothing() -> None:
    assert figures.css(None) == "0"
    assert figures.css(1) == "100"


def test_dash_keeps_zero() -> None:
    assert (figures.dash(0), figures.dash(None), figures.dash("")) == (0, "–", "–")


@pytest.mark.parametrize(
    ("outcome", "name"),
    [("compile_error", "end-e"), ("target_absent", "end-t"), ("slower", "end-s"),
     ("faster", "end-f"), ("reward_hack", "end-x"), ("waiting", "end-u")],
)  # fmt: skip
def test_outcome_class(outcome: str, name: str) -> None:
    assert figures.outcome_class(outcome) == name
    assert figures.outcome_class(Outcome(outcome)) == name


def test_missing_estimate_and_funnel_have_no_zero() -> None:
    for part in ("estimate", "funnel"):
        html = _render("{% include 'parts/" + part + ".html' %}", estimate=None, correct=None)
        assert "–" in html
        assert "0" not in html


def test_query_keeps_what_it_is_given() -> None:
    html = _render("{% query filters keep='fold=1' k=4 %}", filters=Filters())
    assert html == "?k=4&amp;fold=1"
    assert _render("{% query filters %}", filters=Filters(k=4)) == "?k=4"


def test_sorting_turns_around_at_the_second_click() -> None:
    header = "{% sort_header filters 'correct' 'Correct' %}"
    assert 'href="?sort=-correct"' in _render(header, filters=Filters())
    again = _render(header, filters=Filters(sort="-correct"))
    assert 'aria-sort="descending"' in again
    assert 'href="?sort=correct"' in again
    name = _render("{% sort_header filters 'name' 'Name' %}", filters=Filters())
    assert 'href="?sort=name"' in name


def test_chart_data_cannot_end_its_script_and_carries_no_template() -> None:
    figure = go.Figure(go.Bar(x=["</script><script>alert(1)"], y=[float("nan")]))
    html = figures.chart_data(figure)
    assert html.count("</script>") == 1
    content = json.loads(re.sub(r"^<script[^>]*>|</script>$", "", html))
    assert content["data"][0]["x"] == ["</script><script>alert(1)"]
    assert content["data"][0]["y"] == [None]
    assert "template" not in content["layout"]


@pytest.mark.django_db
def test_what_the_form_sends_is_the_choice_it_shows() -> None:
    filters = Filters(arch="blackwell", hw="b200", k=4, tasks="forward", open=False, sort="-fast")
    html = _render("{% filter_form filters %}", filters=filters)
    sent = QueryDict(mutable=True)
    for name, value in re.findall(r'<input[^>]* name="(\w+)"[^>]* value="([^"]*)"', html):
        sent[name] = value
    for name, options in re.findall(r'<select[^>]* name="(\w+)"[^>]*>(.*?)</select>', html):
        chosen = re.findall(r'value="([^"]*)" selected', options)
        sent[name] = chosen[0] if chosen else re.findall(r'value="([^"]*)"', options)[0]
    assert parse_filters(sent) == filters


@pytest.mark.django_db
def test_every_field_has_its_label() -> None:
    html = _render("{% filter_form filters %}", filters=Filters())
    fields = re.findall(r'<(?:select|input) id="([^"]+)"', html)
    assert fields
    assert re.findall(r'<label for="([^"]+)"', html) == fields


@pytest.mark.django_db
def test_every_offered_task_can_be_chosen() -> None:
    html = _render("{% filter_form filters first='tasks' more='' %}", filters=Filters())
    for value in re.findall(r'<option value="([^"]+)"', html):
        assert parse_filters(QueryDict(f"tasks={value}")).tasks == value
