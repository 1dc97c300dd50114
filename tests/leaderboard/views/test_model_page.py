"""The page of one model."""

import re

import pytest

from evaluation.outcomes import Outcome
from leaderboard.models import ModelEntry
from leaderboard.page_cache import STORE

PAGE = "/models/{}/"


@pytest.fixture
def page(bundled, client):
    return lambda path, status=200: _text(client.get(path), status)


def _text(response, status):
    assert response.status_code == status
    return response.content.decode()


def test_it_says_what_the_model_is(page):
    text = page(PAGE.format("claude-opus-4-8"))
    for part in (
        "Anthropic",
        "closed",
        "2026-0131",
        "doubtful",
        "released on 2026-05-28",
        "Rank 1",
    ):
        assert part in text


def test_bases_and_variants_are_linked(page):
    assert "/models/qwen3-6-27b/" in page(PAGE.format("qwen3-6-27b-s1"))
    base = page(PAGE.format("qwen3-6-27b"))
    assert all(f"/models/qwen3-6-27b-s{n}/" in base for n in range(7))


def test_prompt_sets_have_sections_of_their_own(page):
    text = page(PAGE.format("gemini-3-1-pro"))
    assert text.count('<section class="detail">') == 3
    assert "inferred from the names" in text
    assert "gemini-31-pro-prompt-ablation-mha-bwd-d128" in text


def test_architectures_are_tabs(page):
    hopper, blackwell = (
        page(f"{PAGE.format('glm-5-2')}?arch={arch}") for arch in ("hopper", "blackwell")
    )
    assert "H100 (reported)" in hopper
    assert "B200 (reported)" in blackwell
    assert "H100 (reported)" not in blackwell


def test_a_model_of_one_architecture_opens_there(make_entry, make_run, client):
    make_run(make_entry(), [[(Outcome.SLOWER, 0.5)]], architecture="blackwell")
    text = _text(client.get(PAGE.format("model")), 200)
    assert "B200 (reported)" in text
    assert "No run of this model was judged" in _text(
        client.get(PAGE.format("model") + "?arch=hopper"), 200
    )


def test_a_model_without_runs_says_so(make_entry, client):
    make_entry("Bare")
    assert "No run of this model has been judged." in _text(client.get(PAGE.format("bare")), 200)


@pytest.mark.parametrize(
    "query", ["k=0", "k=x", "p=0.3", "arch=ampere", "foo=1", "sort=name", "k=%00"]
)
def test_filters_not_understood_are_400_above_the_default(page, query):
    text = page(f"{PAGE.format('glm-5-2')}?{query}", 400)
    assert 'role="alert"' in text
    assert "first 8 turns" in text


def test_a_limit_beyond_the_runs_shows_dashes(page):
    text = page(f"{PAGE.format('glm-5-2')}?k=64")
    assert "nan" not in text.lower().replace("tenant", "")
    assert '<td class="n">–</td>' in text


@pytest.mark.parametrize("slug", ["nobody", "x" * 3000, "-", "%C3%B1", "a%00b", "%FF"])
def test_unknown_models_are_404(page, slug):
    page(PAGE.format(slug), 404)


def test_names_cannot_hold_markup(make_entry, make_run, client):
    entry = make_entry("<script>x</script>", slug="x", organisation="<b>", released_note="<i>")
    make_run(entry, [[(Outcome.SLOWER, 0.5)]], prompt_set="<u>")
    text = _text(client.get(PAGE.format("x")), 200)
    for markup in ("<script>x", "<b></", "<i></", "<u>"):
        assert markup not in text


def test_the_number_of_queries_is_bounded(bundled, client, django_assert_max_num_queries):
    for slug in ModelEntry.objects.values_list("slug", flat=True):
        STORE.clear()
        with django_assert_max_num_queries(8):
            client.get(PAGE.format(slug))


def test_it_is_a_public_page(page, client):
    page(PAGE.format("glm-5-2"))
    assert client.get(PAGE.format("glm-5-2"))["ETag"]


def test_what_it_links_to_is_there(page, client):
    text = page(PAGE.format("qwen3-6-27b-s1"))
    for address in set(re.findall(r'href="(/(?!static/)[^"#]*)', text)):
        assert client.get(address.replace("&amp;", "&")).status_code == 200, address
