"""The leaderboard: what it shows, what it refuses, what it costs."""

import re

import pytest
from django.test import Client

from evaluation.outcomes import Outcome
from evaluation.tasks import CORE_TASKS
from leaderboard.models import ModelEntry
from leaderboard.views.table import FIRST_ROWS, Layout

WIN = [(Outcome.FASTER, 1.5)]
SLOW = [(Outcome.COMPILE_ERROR, None), (Outcome.SLOWER, 0.4)]


def _rows(html: str) -> list[str]:
    body = html[html.index("<tbody>") : html.index("</tbody>")]
    return re.findall(r"<tr.*?</tr>", body, re.DOTALL)


@pytest.fixture
def get(client: Client):
    def fetch(address: str = "/", status: int = 200) -> str:
        response = client.get(address)
        assert response.status_code == status
        return response.content.decode()

    return fetch


@pytest.mark.usefixtures("bundled")
class TestBundledFigures:
    def test_reads_the_table_in_a_sentence(self, get) -> None:
        assert (
            "No model beats the libraries; Claude Opus 4.8 reaches 55% of them on Hopper." in get()
        )

    def test_says_precisely_who_beats_the_library_where(self, get) -> None:
        html = get("/?arch=blackwell")
        assert "On Blackwell Claude Opus 4.8 beats the library on GEMM only." in html
        assert "Over all 5 tasks it reaches 24% of the libraries." in html
        assert html.count("badge-win") == 1

    def test_first_row_has_rank_share_and_interval(self, get) -> None:
        first = _rows(get())[0]
        assert "Claude Opus 4.8" in first
        assert "<b>1</b>" in first
        assert "<b>55.4%</b>" in first
        assert "95% interval 5" in first

    def test_unranked_models_come_last_and_say_what_they_lack(self, get) -> None:
        last = _rows(get())[-1]
        assert "Not ranked:" in last
        assert "no figures for GEMM at k = 8" in last
        assert "0.0%</b>" not in last

    def test_doubtful_dates_lead_to_their_notes(self, get) -> None:
        html = get()
        assert 'href="#date-claude-opus-4-8"' in html
        assert 'id="date-claude-opus-4-8"' in html

    def test_folded_variants_are_counted_at_their_base(self, get) -> None:
        rows = _rows(get("/?fold=1"))
        assert len(rows) == 4
        base = next(row for row in rows if ">Qwen3.6-27B<" in row)
        assert "9 entries built on it are folded" in base
        assert "best: Qwen3.6-27B-s1, 13.1%" in base

    def test_best_speedups_are_shown_on_request(self, get) -> None:
        assert "<small>0.98×</small>" in get("/?columns=speedup")

    @pytest.mark.parametrize("sort", ["name", "-correct", "gemm_n7168_k5120"])
    def test_sorted_column_is_announced_once(self, get, sort: str) -> None:
        html = get(f"/?sort={sort}")
        assert html.count("aria-sort=") == 1
        order = "descending" if sort.startswith("-") else "ascending"
        assert f'aria-sort="{order}"' in html

    def test_layout_survives_sorting_and_filtering(self, get) -> None:
        html = get("/?fold=1")
        assert "sort=-correct&amp;fold=1" in html
        assert '<input type="hidden" name="fold" value="1">' in html

    def test_csv_link_has_the_same_filters(self, get) -> None:
        assert "/api/v1/standings/?format=csv&amp;arch=blackwell" in get("/?arch=blackwell")

    def test_chart_has_its_numbers_below(self, get) -> None:
        html = get("/?arch=blackwell")
        assert 'class="chart-data"' in html
        assert "2025-0631" in html

    def test_a_limit_nobody_reaches_shows_dashes_and_no_chart(self, get) -> None:
        html = get("/?k=128")
        assert "No model can be ranked for this choice" in html
        assert "chart-data" not in html
        assert not re.search(r"\bnan\b", html, re.IGNORECASE)

    def test_costs_at_most_six_queries(self, client, django_assert_max_num_queries) -> None:
        with django_assert_max_num_queries(6):
            client.get("/?arch=blackwell")

    def test_spanish_numbers_stay_out_of_style_sheets(self, client) -> None:
        html = client.get("/", HTTP_ACCEPT_LANGUAGE="es").content.decode()
        assert "--m:55.4" in html
        assert not re.search(r"--\w:\d+,", html)


class TestBadChoices:
    @pytest.mark.parametrize(
        "query", ["k=abc", "arch=volta", "nope=1", "fold=2", "rows=all&rows=all", "sort=nothing"]
    )
    @pytest.mark.usefixtures("bundled")
    def test_shows_the_problem_above_the_default_table(self, get, query: str) -> None:
        html = get(f"/?{query}", status=400)
        assert 'role="alert"' in html
        assert f"<code>{query.split('=', maxsplit=1)[0]}</code>" in html
        assert "Claude Opus 4.8" in html

    @pytest.mark.django_db
    def test_the_value_is_escaped(self, get) -> None:
        html = get("/?fold=<script>alert(1)</script>", status=400)
        assert "<script>alert" not in html

    @pytest.mark.django_db
    def test_empty_fields_of_the_form_lead_to_the_short_address(self, client) -> None:
        response = client.get("/?k=8&open=&since=&tasks=gemm&fold=1")
        assert response.status_code == 302
        assert response["Location"] == "/?tasks=gemm&fold=1"

    @pytest.mark.django_db
    def test_no_figures_at_all_is_a_designed_state(self, get) -> None:
        html = get()
        assert "Nothing to rank here yet" in html
        assert "There are no figures for this choice." in html


class TestManyRows:
    @pytest.fixture
    def crowd(self, make_entry, make_run) -> None:
        for number in range(FIRST_ROWS + 2):
            make_run(make_entry(f"Model {number:03}"), [SLOW] * 10)

    @pytest.mark.usefixtures("crowd")
    def test_first_hundred_then_all(self, get) -> None:
        html = get("/?tasks=gemm")
        assert len(_rows(html)) == FIRST_ROWS
        assert "Show all 102 rows" in html
        everything = get("/?tasks=gemm&rows=all")
        assert len(_rows(everything)) == FIRST_ROWS + 2
        assert "Show all" not in everything

    @pytest.mark.usefixtures("bundled")
    def test_a_row_of_five_tasks_is_lean(self, get) -> None:
        assert len(CORE_TASKS) == 5
        assert all(len(row.encode()) < 1900 for row in _rows(get()))


class TestSmallTables:
    def test_names_are_escaped_everywhere(self, get, make_entry, make_run) -> None:
        entry = make_entry("Evil </script><b>x", slug="evil", released="2026-01-01")
        make_run(entry, [SLOW] * 10)
        html = get("/?tasks=gemm")
        assert "</script><b>" not in html
        assert "<b>x" not in html

    def test_an_unranked_winner_is_not_overlooked(self, get, make_entry, make_run) -> None:
        make_run(make_entry("Few"), [WIN] * 3)
        make_run(make_entry("Many"), [SLOW] * 10)
        html = get("/?tasks=gemm")
        assert "No model beats" not in html
        assert "On Hopper only Few beats the library on GEMM." in html
        assert "3 of 10 trajectories on GEMM" in html

    def test_a_variant_without_its_base_in_the_table_stays(self, get, make_entry, make_run) -> None:
        base = make_entry("Base")
        make_run(make_entry("Tuned", base=base, kind=ModelEntry.Kind.VARIANT), [SLOW] * 10)
        assert "Tuned" in _rows(get("/?tasks=gemm&fold=1"))[0]

    def test_measured_figures_get_a_tab(self, get, make_entry, make_run) -> None:
        make_run(make_entry(), [SLOW] * 10)
        html = get("/?arch=hopper&hw=h200&provenance=measured")
        assert "H100 (reported)" in html
        assert "H200 (measured)" in html


def test_layout_writes_only_what_was_chosen() -> None:
    assert Layout().query() == ""
    assert Layout(fold=True).query(every=True) == "fold=1&rows=all"
    assert Layout(fold=True).query(fold=False) == ""
