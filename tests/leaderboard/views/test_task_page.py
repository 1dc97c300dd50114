"""The page of one task."""

import re

import pytest

from evaluation.tasks import load_catalog
from leaderboard.page_cache import STORE

GEMM = "/tasks/gemm_n7168_k5120/"


@pytest.fixture
def page(bundled, client):
    def get(path, status=200):
        response = client.get(path)
        assert response.status_code == status
        return response.content.decode()

    return get


def test_the_definition_is_complete(page):
    text = page(GEMM)
    for part in ("2·M·N·K", "601 GFLOP", "8192 × 5120", "bfloat16", "cuBLAS", "PTXBench", "A.to("):
        assert part in text
    assert text.count("core task") == 1
    assert (
        text.index("<code>A</code>") < text.index("<code>B</code>") < text.index("<code>C</code>")
    )


def test_the_roofline_names_its_source(page):
    text = page(GEMM)
    assert "https://github.com/stas00/ml-engineering" in text
    assert "0.608 ms" in text


def test_the_ranking_is_that_of_the_task(page):
    text = page(GEMM)
    assert text.index("Claude Opus 4.8") < text.index("Gemini 3.1 Pro")
    assert "92.8%" in text
    assert "B200 (reported)" in page(f"{GEMM}?arch=blackwell")


def test_links_on_the_page_do_not_repeat_the_task(page):
    text = page(f"{GEMM}?k=4")
    assert 'href="?arch=blackwell&amp;k=4"' in text
    assert "api/v1/standings/?format=csv&amp;tasks=gemm_n7168_k5120&amp;k=4" in text


def test_a_task_without_definition_says_so(page):
    text = page("/tasks/gqa_paged_decode_h24_kv8_d128_ps1/")
    assert "no definition here yet" in text
    assert "4 of 10" in text
    assert "Reference source" not in text


@pytest.mark.parametrize("task", load_catalog())
@pytest.mark.parametrize("arch", ["hopper", "blackwell"])
def test_every_task_has_a_page(page, task, arch):
    text = page(f"/tasks/{task}/?arch={arch}")
    assert "NaN" not in text
    assert "None<" not in text


@pytest.mark.parametrize(
    "query",
    ["k=0", "p=2", "tasks=core", "sort=mha_bwd_d128", "hw=b200", "zz=1", "prompt=%00", "k=4&k=8"],
)
def test_filters_not_understood_are_400_above_the_default(page, query):
    text = page(f"{GEMM}?{query}", 400)
    assert 'role="alert"' in text
    assert "92.8%" in text


def test_a_choice_without_figures_says_so(page):
    assert "Nothing to rank here yet" in page(f"{GEMM}?prompt=ablation")
    text = page(f"{GEMM}?k=64")
    assert "–" in text


def test_sorting_keeps_missing_values_last(page):
    text = page("/tasks/mha_bwd_d128/?sort=-correct")
    assert 'aria-sort="descending"' in text


@pytest.mark.parametrize("slug", ["none", "x" * 3000, "%C3%B1", "a%00b", "core"])
def test_unknown_tasks_are_404(page, slug):
    page(f"/tasks/{slug}/", 404)


def test_the_number_of_queries_is_bounded(page, django_assert_max_num_queries):
    for task in load_catalog():
        STORE.clear()
        with django_assert_max_num_queries(8):
            page(f"/tasks/{task}/")


def test_what_it_links_to_is_there(page, client):
    text = page(GEMM)
    for address in set(re.findall(r'href="(/(?!static/)[^"#]*)', text)):
        assert client.get(address.replace("&amp;", "&")).status_code == 200, address
