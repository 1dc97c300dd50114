"""The language switch: a cookie, and never a way out of the site."""

import pytest
from django.conf import settings
from django.test import Client

pytestmark = pytest.mark.django_db


def test_remembers_the_language_and_goes_back(client: Client) -> None:
    response = client.post("/language/", {"language": "es", "next": "/?k=4"})
    assert response.status_code == 302
    assert response["Location"] == "/?k=4"
    assert response.cookies[settings.LANGUAGE_COOKIE_NAME].value == "es"


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "///evil.example",
        "javascript:alert(1)",
        "evil",
        "",
        "/\n/evil.example",
    ],
)
def test_never_leads_elsewhere(client: Client, address: str) -> None:
    response = client.post("/language/", {"language": "en", "next": address})
    assert response["Location"] == "/"


def test_refuses_unknown_languages(client: Client) -> None:
    response = client.post("/language/", {"language": "xx", "next": "/"})
    assert response.status_code == 400
    assert not response.cookies


def test_is_not_changed_by_a_link(client: Client) -> None:
    assert client.get("/language/?language=es").status_code == 405


def test_needs_no_token() -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post("/language/", {"language": "es", "next": "/"}).status_code == 302
