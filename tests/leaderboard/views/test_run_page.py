"""The page of one run."""

import re

import pytest

from evaluation.outcomes import Outcome
from leaderboard.models import Run
from leaderboard.page_cache import STORE

TURNS = [
    [(Outcome.COMPILE_ERROR, None), (Outcome.SLOWER, 0.42)],
    [(Outcome.NUMERICAL_ERROR, None)],
    [(Outcome.FASTER, 1.5)] * 4,
]


def _text(response, status=200):
    assert response.status_code == status
    return response.content.decode()


@pytest.fixture
def run(make_entry, make_run) -> Run:
    return make_run(make_entry(), TURNS, turn_limit=4, source_key="/home/someone/runs/last-part")


def test_the_header_shows_the_last_part_of_the_source_only(run, client):
    text = _text(client.get(run.get_absolute_url()))
    assert "last-part" in text
    assert "/home" not in text
    for part in ("H100 (reported)", "M=8192", "sm_90a", "standard", "published"):
        assert part in text


def test_each_turn_is_a_link_with_a_name(run, client):
    text = _text(client.get(run.get_absolute_url()))
    assert f'href="/runs/{run.slug}/exp_000/1/"' in text
    assert 'aria-label="exp_001, turn 0: numerical error"' in text
    assert 'aria-label="exp_000, turn 1: slower, 0.42×"' in text
    assert re.findall(r'class="over" colspan="(\d)">ended', text) == ["2", "3"]


def test_figures_by_turn_limit_have_intervals(run, client):
    text = _text(client.get(run.get_absolute_url()))
    assert "66.7%" in text  # two of three trajectories are correct
    assert "Fast ≥ 0.25×" in text
    assert "Fast ≥ 1×" in text
    assert "1.50×" in text


def test_a_limit_beyond_the_run_says_so(run, client):
    assert "stops at turn 4" in _text(client.get(run.get_absolute_url() + "?k=64"))


def test_it_links_to_its_data(run, client):
    text = _text(client.get(run.get_absolute_url()))
    assert f'href="/api/v1/runs/{run.slug}/"' in text
    assert f"/api/v1/turns/?run={run.slug}&amp;format=csv" in text


def test_without_turns_the_page_says_how_to_load_them(bundled, client):
    text = _text(client.get("/runs/opus48-gemm/"))
    assert "make published" in text
    assert "/api/v1/turns/" not in text
    assert "92.8%" in text
    assert "Outcomes by turn" in text
    assert '<table class="table grid">' not in text


def test_the_earlier_prompt_set_is_marked_as_inferred(bundled, client):
    assert "inferred from the names" in _text(client.get("/runs/2026-0609-2240/"))


def test_every_bundled_run_has_a_page(bundled, client):
    for run in Run.objects.all():
        text = _text(client.get(run.get_absolute_url()))
        assert "NaN" not in text


def test_a_run_without_results_says_so(make_entry, make_run, client):
    run = make_run(make_entry(), [])
    assert "No turn of this run has been judged." in _text(client.get(run.get_absolute_url()))


@pytest.mark.parametrize("query", ["k=0", "p=9", "arch=hopper", "foo=bar", "k=1&k=2"])
def test_filters_not_understood_are_400_above_the_default(run, client, query):
    text = _text(client.get(f"{run.get_absolute_url()}?{query}"), 400)
    assert 'role="alert"' in text
    assert "exp_000" in text


@pytest.mark.parametrize("slug", ["none", "x" * 3000, "%C3%B1", "a%00b"])
def test_unknown_runs_are_404(run, client, slug):
    _text(client.get(f"/runs/{slug}/"), 404)


def test_trajectory_keys_cannot_hold_markup(run, client):
    run.trajectories.filter(key="exp_000").update(key='"><script>x</script>')
    text = _text(client.get(run.get_absolute_url()))
    assert "<script>x" not in text


def test_queries_do_not_grow_with_the_turns(run, client, django_assert_max_num_queries):
    with django_assert_max_num_queries(8):
        client.get(run.get_absolute_url())
    STORE.clear()
    with django_assert_max_num_queries(8):
        client.get(run.get_absolute_url() + "?k=1")


def test_what_it_links_to_is_there(run, client):
    text = _text(client.get(run.get_absolute_url()))
    for address in set(re.findall(r'href="(/(?!static/)[^"#]*)', text)):
        assert client.get(address.replace("&amp;", "&")).status_code == 200, address
