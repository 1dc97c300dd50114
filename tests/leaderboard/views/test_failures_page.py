"""The failures page: figures, narrowing, CSV, and addresses that make no sense."""

import csv
import io
from html.parser import HTMLParser

import pytest

from evaluation.outcomes import Outcome
from leaderboard.models import ModelEntry, Result

PAGE = "/failures/"
BAD = [(Outcome.COMPILE_ERROR, None)]


class Tables(HTMLParser):
    """Collects what tables and regions of a page lack."""

    def __init__(self) -> None:
        super().__init__()
        self.without_caption = 0
        self.headers_without_scope = 0
        self._open = False

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        if tag == "table":
            self._open = True
        elif tag == "caption":
            self._open = False
        elif tag == "th" and "scope" not in names:
            self.headers_without_scope += 1

    def handle_endtag(self, tag):
        if tag == "table":
            self.without_caption += self._open
            self._open = False


@pytest.fixture
def rows(client):
    def fetch(query: str = "") -> list[dict[str, str]]:
        response = client.get(f"{PAGE}?download=csv&{query}")
        assert response.status_code == 200, response.content
        assert response["Content-Type"].startswith("text/csv")
        return list(csv.DictReader(io.StringIO(response.content.decode())))

    return fetch


def test_the_page_shows_the_published_figures(bundled, client):
    response = client.get(PAGE)
    page = response.content.decode()
    assert response.status_code == 200
    assert "compile error" in page
    assert "1568" in page
    assert "Claude Opus 4.8" in page
    assert "NaN" not in page
    assert response.has_header("ETag")


def test_every_table_has_a_caption_and_every_header_a_scope(bundled, client):
    tables = Tables()
    tables.feed(client.get(f"{PAGE}?outcome=slower").content.decode())
    assert (tables.without_caption, tables.headers_without_scope) == (0, 0)


def test_the_number_of_queries_is_small_and_fixed(bundled, client, django_assert_max_num_queries):
    with django_assert_max_num_queries(6):
        client.get(f"{PAGE}?stage=syntax")


def test_turns_are_not_needed(make_entry, make_run, client):
    make_run(make_entry("Solo"), [BAD])
    Result.objects.all().delete()
    assert "Solo" in client.get(PAGE).content.decode()


def test_an_ending_narrows_to_models_and_tasks_with_links_to_runs(bundled, client):
    page = client.get(f"{PAGE}?outcome=faster&arch=blackwell&tasks=gemm").content.decode()
    start = page.index('id="where"')
    table = page[start : page.index("</table>", start)]
    assert table.count("/runs/") == 1
    assert "Gemini" not in table or "Claude" not in table


def test_a_stage_narrows_too_and_keeps_the_other_choices(bundled, client):
    page = client.get(f"{PAGE}?stage=target&k=4&model=claude-opus-4-8").content.decode()
    assert 'id="where"' in page
    assert "?k=4&amp;model=claude-opus-4-8&amp;outcome=slower#where" in page
    assert "?k=4&amp;model=claude-opus-4-8&amp;stage=syntax#where" in page


def test_one_model_alone(bundled, client):
    page = client.get(f"{PAGE}?model=glm-5-2").content.decode()
    assert page.count("/models/") == page.count("/models/glm-5-2/")


def test_csv_has_the_same_figures(bundled, rows):
    table = rows("tasks=gemm")
    assert sum(int(row["turns"]) for row in table) == 1568
    assert {row["stage"] for row in table} == {"syntax", "target", "strategy"}
    assert {row["architecture"] for row in table} == {"hopper"}
    only = rows("tasks=gemm&stage=strategy&model=claude-opus-4-8")
    assert [(row["model"], row["turns"]) for row in only] == [("Claude Opus 4.8", "91")]


def test_csv_cells_are_inert(make_entry, make_run, rows):
    make_run(make_entry("=1+1", slug="formula"), [BAD])
    assert rows()[0]["model"] == "'=1+1"


def test_names_are_escaped(make_entry, make_run, client):
    make_run(make_entry("<script>alert(1)</script>", slug="script"), [BAD])
    page = client.get(f"{PAGE}?model=script&stage=syntax").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_choice_without_turns_says_so(bundled, client):
    response = client.get(f"{PAGE}?provenance=measured")
    assert response.status_code == 200
    assert "No turns here yet" in response.content.decode()


def test_nothing_stored_at_all(catalog, client):
    assert client.get(PAGE).status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        "nonsense=1",
        "model=nobody",
        "stage=four",
        "outcome=sad",
        "download=exe",
        "stage=syntax&outcome=slower",
        "stage=syntax&stage=target",
        "model=a&model=b",
        "k=0",
        "arch=volta",
        "model=%00",
        "stage=%00",
        "prompt=%00",
        "tasks=%00",
        "%00=1",
        "model=%ED%A0%80",
        "outcome=%FF%FE",
        f"model={'x' * 5000}",
        f"outcome={'x' * 5000}",
        f"tasks={'x' * 5000}",
    ],
)
def test_what_cannot_be_understood_is_said_above_the_default_page(bundled, client, query):
    response = client.get(f"{PAGE}?{query}")
    assert response.status_code == 400
    page = response.content.decode()
    assert 'role="alert"' in page
    assert "1568" in page


def test_empty_fields_of_the_form_lead_to_the_short_address(bundled, client):
    response = client.get(f"{PAGE}?model=&k=4&prompt=")
    assert (response.status_code, response["Location"]) == (302, "/failures/?k=4")


def test_in_spanish_style_values_keep_their_points(bundled, client):
    page = client.get(PAGE, headers={"accept-language": "es"}).content.decode()
    styles = [part.split('"', 1)[0] for part in page.split('style="--')[1:]]
    assert styles
    assert not any("," in style for style in styles)


def test_models_without_runs_are_no_rows(bundled, client):
    ModelEntry.objects.create(slug="idle", name="Idle model", kind="llm")
    page = client.get(PAGE).content.decode()
    assert "/models/idle/" not in page
    assert '<option value="idle"' in page
