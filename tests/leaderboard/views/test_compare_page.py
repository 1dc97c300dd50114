"""The comparison page and its picker."""

import pytest

from evaluation.outcomes import Outcome

OPUS, GEMINI, NOTES = "claude-opus-4-8", "gemini-3-1-pro", "qwen3-6-27b-retrieved-repair-notes"
PAGE = "/compare/"
PAIR = f"{PAGE}?m={OPUS}&m={GEMINI}"
GOOD = [(Outcome.SLOWER, 0.6)]


def test_the_picker_lists_models_with_what_they_have(bundled, client):
    response = client.get(PAGE)
    page = response.content.decode()
    assert response.status_code == 200
    assert page.count('type="checkbox"') == 13
    assert "4 of 5" in page
    assert 'role="alert"' not in page


def test_the_picker_keeps_the_filters(bundled, client):
    page = client.get(f"{PAGE}?arch=blackwell&k=4").content.decode()
    assert page.count('type="checkbox"') == 4
    assert '<input type="hidden" name="arch" value="blackwell">' in page
    assert "Qwen3.6-27B-s1</a>" in page


def test_two_models_side_by_side(bundled, client):
    response = client.get(PAIR)
    page = response.content.decode()
    assert response.status_code == 200
    assert response.has_header("ETag")
    for text in ("correct@8", "target@8", "fast_0.5@8", "frontier share@8", "Best speedup@8"):
        assert text in page
    assert "55.4%" in page
    assert "46.1%" in page
    assert "Gemini 3.1 Pro is behind Claude Opus 4.8" in page
    assert "no clear difference" in page
    assert "NaN" not in page


def test_the_first_model_is_the_one_measured_against(bundled, client):
    page = client.get(f"{PAGE}?m={GEMINI}&m={OPUS}").content.decode()
    assert "Claude Opus 4.8 is ahead of Gemini 3.1 Pro" in page


def test_tasks_left_out_are_listed_with_the_reason(bundled, client):
    page = client.get(f"{PAIR}&m={NOTES}").content.decode()
    assert "The 4 tasks that all of them share" in page
    left = page[page.index('id="left-out"') :]
    assert "GEMM 7168×5120" in left
    assert "has no figures for this choice" in left


def test_no_shared_task_is_no_error(bundled, client):
    response = client.get(f"{PAIR}&k=64")
    page = response.content.decode()
    assert response.status_code == 200
    assert "share no task here" in page
    assert "has no run of 64 turns" in page


def test_filters_apply(bundled, client):
    page = client.get(f"{PAIR}&tasks=gemm&k=4&p=0.8&arch=blackwell").content.decode()
    assert "The one task that all of them share" in page
    assert "fast_0.8@4" in page
    assert "mean over the tasks" not in page
    assert f'<input type="hidden" name="m" value="{GEMINI}">' in page


def test_the_number_of_queries_is_small_and_fixed(bundled, client, django_assert_max_num_queries):
    with django_assert_max_num_queries(6):
        client.get(f"{PAIR}&m={NOTES}&m=glm-5-2&m=qwen3-6-27b-s1&m=qwen3-6-27b-s2")
    with django_assert_max_num_queries(6):
        client.get(PAGE)


SEVEN = "&".join(f"m=qwen3-6-27b-s{n}" for n in range(7))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (f"m={OPUS}", "this is 1"),
        (SEVEN, "these are 7"),
        (f"m={OPUS}&m={OPUS}", "named twice"),
        (f"m={OPUS}&m={GEMINI}&m={OPUS}", "named twice"),
        (f"m={OPUS}&m=nobody", "There is no model “nobody”"),
        (f"m={OPUS}&m=%00", "There is no model"),
        (f"m={OPUS}&m=%ED%A0%80", "There is no model"),
        (f"m={OPUS}&m={'x' * 5000}", "There is no model"),
        (f"m={OPUS}&m={GEMINI}&k=zero", "<code>k</code>"),
        (f"m={OPUS}&m={GEMINI}&k=4&k=8", "given twice"),
        (f"m={OPUS}&m={GEMINI}&colour=blue", "Unknown filter"),
        (f"m={OPUS}&m={GEMINI}&prompt=%00", "<code>prompt</code>"),
        ("%00=1", "Unknown filter"),
    ],
)
def test_what_cannot_be_compared_is_said_above_the_picker(bundled, client, query, said):
    response = client.get(f"{PAGE}?{query}")
    page = response.content.decode()
    assert response.status_code == 400
    assert said in page
    assert 'role="alert"' in page
    assert 'type="checkbox"' in page


def test_a_wrong_pick_stays_checked(bundled, client):
    page = client.get(f"{PAGE}?m={OPUS}").content.decode()
    assert page.count("checked") == 1


def test_empty_fields_of_the_form_lead_to_the_short_address(bundled, client):
    response = client.get(f"{PAIR}&hw=&k=4")
    assert response.status_code == 302
    assert response["Location"] == f"{PAIR}&k=4"


def test_names_are_escaped(make_entry, make_run, client):
    for slug in ("one", "two"):
        make_run(make_entry(f"<b>{slug}</b>", slug=slug), [GOOD])
    for address in (PAGE, f"{PAGE}?m=one&m=two"):
        page = client.get(address).content.decode()
        assert "<b>one" not in page
        assert "&lt;b&gt;one&lt;/b&gt;" in page


def test_uploaded_and_published_figures_are_not_matched(make_entry, make_run, client):
    make_run(make_entry("One"), [GOOD])
    make_run(make_entry("Two"), [GOOD], origin="uploaded")
    page = client.get(f"{PAGE}?m=one&m=two&tasks=gemm").content.decode()
    assert "Two has figures of another origin only" in page


def test_headers_have_scopes_and_tables_captions(bundled, client):
    for address in (PAGE, PAIR):
        page = client.get(address).content.decode()
        assert page.count("<th ") == page.count('scope="')
        assert page.count("<table") == page.count("<caption>")
