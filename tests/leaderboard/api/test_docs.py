"""The API's description of itself, and whether the API keeps to it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import CHECKS
from schemathesis.generation import GenerationMode

from leaderboard.api.serializers.figures import Figure

pytestmark = pytest.mark.django_db


def test_the_schema_is_valid_and_without_warnings(tmp_path) -> None:
    call_command("spectacular", validate=True, fail_on_warn=True, file=str(tmp_path / "schema.yml"))


def test_the_schema_is_served_as_json_and_yaml_in_english(client: Client) -> None:
    schema = client.get("/api/v1/schema/", headers={"accept-language": "es"})
    assert schema["Content-Type"] == "application/json"
    assert schema.content == client.get("/api/v1/schema/").content
    answer = client.get("/api/v1/schema/?format=yaml")
    assert answer["Content-Type"].startswith("application/yaml")
    assert answer.content.startswith(b"openapi: 3.")


def test_every_parameter_and_error_is_described(client: Client) -> None:
    schema = client.get("/api/v1/schema/").json()
    assert len(schema["paths"]) == 8
    for path, methods in schema["paths"].items():
        assert list(methods) == ["get"], path
        operation = methods["get"]
        assert operation["summary"]
        assert all(one["description"] for one in operation["parameters"]), path
        assert {"200", "400", "404", "406"} == set(operation["responses"])
        assert set(operation["responses"]["200"]["content"]) == {"application/json", "text/csv"}


def test_the_page_lists_every_endpoint_without_scripts(small, client: Client) -> None:
    response = client.get("/api/")
    text = response.content.decode()
    schema = client.get("/api/v1/schema/").json()
    for path in schema["paths"]:
        assert f"GET {path}" in text
    assert "<script>" not in text
    assert not re.search(r"\son\w+=", text)
    assert "script-src 'self'" in response["Content-Security-Policy"]
    assert client.post("/api/").status_code == 405


def test_the_pages_examples_work(small, client: Client) -> None:
    text = client.get("/api/").content.decode()
    examples = re.findall(r'href="(/api/v1/[^"]*\?[^"]*)"', text)
    assert len(examples) >= 8
    for address in examples:
        path, _mark, query = address.replace("&amp;", "&").partition("?")
        # The small site knows no prompt set of this name.
        response = client.get(path, QUERY_STRING=query.replace("ablation", "other"))
        assert response.status_code == 200, address


def test_a_figure_that_is_not_finite_is_null() -> None:
    field = Figure()
    assert [field.to_representation(x) for x in (0.5, float("nan"), float("inf"))] == [
        0.5,
        None,
        None,
    ]


PATHS = [
    "/api/v1/models/",
    "/api/v1/models/{slug}/",
    "/api/v1/runs/",
    "/api/v1/runs/{slug}/",
    "/api/v1/standings/",
    "/api/v1/tasks/",
    "/api/v1/tasks/{slug}/",
    "/api/v1/turns/",
]
PLAIN = {"Accept-Encoding": "identity"}
"""The test client reads no compressed answers."""

UNDERSTOOD_ALONE = {"/api/v1/tasks/"}
"""Lists whose filters are closed lists of values that cannot contradict each other."""


@pytest.fixture
def application(small: Any) -> Iterator[Any]:
    """The site as a server calls it, with the test's own database connection."""
    # Between requests a server gives up the connection, and with it the test's transaction.
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield get_wsgi_application()
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_the_api_keeps_to_its_schema(application: Any, path: str, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_wsgi("/api/v1/schema/", application)
    strategy = schema[path]["GET"].as_strategy(generation_mode=mode)

    @settings(
        max_examples=40,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def ask(case: Any) -> None:
        case.call_and_validate(headers=PLAIN, excluded_checks=_excluded(path, case))

    ask()


def _excluded(path: str, case: Any) -> list[Any]:
    """Return the check that well-formed values are accepted, where they can be refused.

    A name can be unknown here, two filters can contradict each other, and CSV takes no page.
    """
    pages = {"page", "page_size"} & set(case.query or ())
    refusable = path not in UNDERSTOOD_ALONE or (pages and (case.query or {}).get("format"))
    return CHECKS.get_by_names(["positive_data_acceptance"]) if refusable else []
