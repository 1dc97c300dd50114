"""What every endpoint does with a request: names, formats, pages, errors, caching."""

import json

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db

LISTS = ["models/", "tasks/", "runs/", "turns/", "standings/"]
DETAILS = ["models/open-one/", "tasks/mha_bwd_d128/", "runs/run-0/"]
ENDPOINTS = [*LISTS, *DETAILS, "schema/"]


@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("banana=1", "banana"),
        ("ARCH=hopper", "ARCH"),
        ("format=json&format=json", "format"),
        ("format=xyz", "format"),
        ("format=", "format"),
        ("%00=1", "\0"),
        ("b%ED%A0%80=1", "b" + 3 * "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_unknown_names_and_values_are_refused(small, ask, path: str, query: str, name: str) -> None:
    assert list(ask(path, query, status=400)["errors"]) == [name]


@pytest.mark.parametrize(
    ("path", "query", "name"),
    [
        ("models/", "kind=robot", "kind"),
        ("models/", "open=maybe", "open"),
        ("models/", "since=yesterday", "since"),
        ("models/", "since=2026-03-01&until=2026-02-01", "since"),
        ("tasks/", "family=softmax", "family"),
        ("runs/", "arch=turing", "arch"),
        ("runs/", "model=nobody", "model"),
        ("runs/", "prompt=nothing", "prompt"),
        ("runs/", "model=%00", "model"),
        ("runs/", f"model={'x' * 300}", "model"),
        ("turns/", "run=%00", "run"),
        ("turns/", "run=%ED%A0%80", "run"),
        ("turns/", "run=100%25s", "run"),
        ("runs/", "prompt=%25(a)s", "prompt"),
        ("runs/", "arch=%25s", "arch"),
        ("runs/", "model=", "model"),
        ("turns/", "trajectory=%00", "trajectory"),
        ("turns/", "trajectory=%2Fetc", "trajectory"),
        ("turns/", "number=-1", "number"),
        ("turns/", "number=99999999999999999999999", "number"),
        ("turns/", f"number={'9' * 5000}", "number"),
        ("turns/", "number=1.5", "number"),
        ("turns/", "outcome=won", "outcome"),
        ("turns/", "stage=%00", "stage"),
        ("turns/", "hw=h300", "hw"),
        ("turns/", "arch=hopper&arch=blackwell", "arch"),
    ],
)
def test_values_that_no_row_can_have_are_refused(small, ask, path, query, name) -> None:
    errors = ask(path, query, status=400)["errors"]
    assert list(errors) == [name]
    assert all(isinstance(message, str) and message for message in errors[name])


def test_a_refused_value_is_told_what_is_known(small, ask) -> None:
    (message,) = ask("runs/", "prompt=nothing", status=400)["errors"]["prompt"]
    assert message == "Unknown value “nothing”. Known: other, standard."
    (message,) = ask("runs/", "arch=turing", status=400)["errors"]["arch"]
    assert message == "Unknown value “turing”. Known: hopper, blackwell."


@pytest.mark.parametrize("path", LISTS)
def test_pages_are_numbers_within_bounds(small, ask, path: str) -> None:
    for query, name in (
        ("page=abc", "page"),
        ("page=0", "page"),
        ("page=-1", "page"),
        (f"page={'9' * 5000}", "page"),
        ("page_size=0", "page_size"),
        ("page_size=201", "page_size"),
        ("page=%00", "page"),
    ):
        assert list(ask(path, query, status=400)["errors"]) == [name]
    for number in ("2000", "99999999999999999999999"):
        assert list(ask(path, f"page={number}", status=404)["errors"]) == ["page"]


def test_pages_lead_through_the_whole_list(small, ask) -> None:
    seen, address = [], "page_size=20&arch=hopper"
    while address:
        answer = ask("turns/", address)
        seen += [(t["run"], t["trajectory"], t["number"]) for t in answer["results"]]
        address = (answer["next"] or "").partition("?")[2]
    assert len(seen) == len(set(seen)) == answer["count"] == 44
    assert seen == sorted(seen)


@pytest.mark.parametrize("path", LISTS)
def test_csv_takes_no_page(small, client: Client, path: str) -> None:
    for query in ("format=csv&page=1", "format=csv&page_size=5"):
        response = client.get(f"/api/v1/{path}", QUERY_STRING=query)
        assert response.status_code == 400
        assert response["Content-Type"] == "application/json"
    response = client.get(f"/api/v1/{path}?page=1", headers={"accept": "text/csv"})
    assert response.status_code == 400


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "application/json"),
        ("text/csv", "text/csv; charset=utf-8"),
        ("application/json;q=0.1, text/csv", "text/csv; charset=utf-8"),
        ("text/*", "text/csv; charset=utf-8"),
    ],
)
def test_the_accept_header_chooses_the_format(small, client, accept: str, expected: str) -> None:
    response = client.get("/api/v1/models/", headers={"accept": accept})
    assert (response.status_code, response["Content-Type"]) == (200, expected)


def test_the_address_wins_over_the_accept_header(small, client, ask) -> None:
    response = client.get("/api/v1/models/?format=csv", headers={"accept": "application/json"})
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert ask("models/", "format=json", accept="text/csv")["count"] == 3


@pytest.mark.parametrize("path", ENDPOINTS)
def test_what_cannot_be_served_is_406(small, ask, path: str) -> None:
    assert list(ask(path, status=406, accept="image/png")["errors"]) == ["accept"]


@pytest.mark.parametrize("path", ["models/x/", "tasks/x/", "runs/x/", f"runs/{'x' * 2000}/"])
def test_an_unknown_slug_is_404(small, ask, path: str) -> None:
    assert list(ask(path, status=404)["errors"]) == ["slug"]
    assert list(ask(path, "format=csv", status=404)["errors"]) == ["slug"]


@pytest.mark.parametrize(
    "path", ["nope/", "models/%00/", "models/a%20b/", "runs/%0A/", "runs/%FF/"]
)
def test_an_address_that_means_nothing_is_404(ask, path: str) -> None:
    assert list(ask(path, status=404)["errors"]) == ["path"]


@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_only_reading_is_allowed(small, client: Client, path: str, method: str) -> None:
    response = getattr(client, method)(f"/api/v1/{path}")
    assert response.status_code == 405
    assert list(response.json()["errors"]) == ["method"]
    assert response["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", ENDPOINTS)
def test_head_and_options(small, client: Client, path: str) -> None:
    response = client.head(f"/api/v1/{path}")
    assert (response.status_code, response.content) == (200, b"")
    response = client.options(
        f"/api/v1/{path}?format=yaml" if path == "schema/" else f"/api/v1/{path}"
    )
    assert (response.status_code, response.content) == (204, b"")
    assert response["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", [*ENDPOINTS, "models/?format=csv", "turns/?format=csv"])
def test_an_unchanged_answer_is_304(small, client: Client, path: str) -> None:
    first = client.get(f"/api/v1/{path}")
    again = client.get(f"/api/v1/{path}", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_errors_are_never_kept(small, client: Client) -> None:
    for path in ("models/?banana=1", "models/x/", "nope/"):
        assert "ETag" not in client.get(f"/api/v1/{path}")


def test_more_parameters_than_can_be_read_are_refused(ask) -> None:
    query = "&".join(f"a{number}=1" for number in range(1100))
    assert list(ask("models/", query, status=400)["errors"]) == ["query"]


def test_an_address_without_its_slash_leads_to_the_right_one(small, client: Client) -> None:
    response = client.get("/api/v1/models")
    assert (response.status_code, response["Location"]) == (301, "/api/v1/models/")
    assert client.get("/api/v1/")["Location"] == "/api/"


@pytest.mark.parametrize("path", ENDPOINTS)
def test_json_has_no_word_for_nan(small, client: Client, path: str) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    json.loads(client.get(f"/api/v1/{path}").content, parse_constant=refuse)
