"""The page of one turn."""

import pytest

from evaluation.outcomes import Outcome
from leaderboard.models import Result, Run, Turn

TURNS = [
    [(Outcome.COMPILE_ERROR, None), (Outcome.TARGET_NOT_EXECUTED, 0.9), (Outcome.SLOWER, 0.42)],
    [(Outcome.FASTER, 1.5), (Outcome.REWARD_HACK, None)],
]


def _text(response, status=200):
    assert response.status_code == status
    return response.content.decode()


@pytest.fixture
def run(make_entry, make_run) -> Run:
    run = make_run(make_entry(), TURNS)
    Result.objects.filter(outcome="compile_error").update(reason="Compilation <error>")
    return run


@pytest.fixture
def page(run, client):
    return lambda path, status=200: _text(client.get(f"/runs/{run.slug}/{path}"), status)


def test_a_failed_turn_is_read_stage_by_stage(page):
    text = page("exp_000/0/")
    assert "Compilation &lt;error&gt;" in text
    assert text.count("not reached") == 2
    assert "stage-fail" in text
    assert "The compiler refuses the source." in text


def test_a_slower_turn_passed_two_stages(page):
    text = page("exp_000/2/")
    assert text.count("stage-pass") == 2
    assert "0.42×" in text
    assert "not how much they did" in text


def test_a_reward_hack_leaves_the_stages_unknown(page):
    assert page("exp_001/1/").count("stage-unknown") == 3


def test_neighbours_and_strip(page, run):
    text = page("exp_000/1/")
    assert f'rel="prev" href="/runs/{run.slug}/exp_000/0/"' in text
    assert f'rel="next" href="/runs/{run.slug}/exp_000/2/"' in text
    assert text.count('aria-label="exp_000, turn') == 3
    assert 'aria-current="page" aria-label="exp_000, turn 1: target not executed' in text
    assert 'rel="prev"' not in page("exp_000/0/")


def test_it_says_that_the_source_was_not_published(page):
    text = page("exp_000/0/")
    assert "source was not published" in text
    assert "100" in text  # reasoning tokens


def test_every_source_has_its_verdict(page):
    turn = Turn.objects.get(trajectory__key="exp_000", number=0)
    turn.results.create(
        provenance="measured", hardware="h200", protocol="1", outcome="timeout", target_passed=False
    )
    text = page("exp_000/0/")
    assert "H200 (measured)" in text
    assert "H100 (reported)" in text


def test_a_turn_without_result_is_designed(page):
    Result.objects.filter(turn__trajectory__key="exp_001", turn__number=0).delete()
    assert "nobody has said how it ended" in page("exp_001/0/")


@pytest.mark.parametrize(
    "path",
    [
        "exp_000/3/",
        "exp_9/0/",
        f"exp_000/{10**40}/",
        "a%00b/0/",
        "%C3%B1/0/",
        "%FF%FE/0/",
        f"{'x' * 5000}/0/",
        "exp_000/-1/",
    ],
)
def test_turns_that_are_not_there_are_404(page, path):
    assert "no such page" in page(path, 404)


def test_where_turns_are_not_loaded_the_page_says_how(bundled, client):
    text = _text(client.get("/runs/opus48-gemm/exp_000/0/"), 404)
    assert "This turn is not loaded" in text
    assert "make published" in text
    assert "/runs/opus48-gemm/" in text
    assert _text(client.get("/runs/opus48-gemm/a%00b/0/"), 404)


def test_filters_travel_back_to_the_run(page, run):
    assert f'href="/runs/{run.slug}/?k=4"' in page("exp_000/0/?k=4")
    assert 'role="alert"' in page("exp_000/0/?k=0", 400)
    assert 'role="alert"' in page("exp_000/0/?foo=1", 400)


def test_the_number_of_queries_is_bounded(page, django_assert_max_num_queries):
    with django_assert_max_num_queries(8):
        page("exp_000/0/")
