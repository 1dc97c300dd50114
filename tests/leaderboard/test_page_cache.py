"""Public pages come from the store, and never from an old one."""

import gzip

import brotli
import pytest
from django.test import Client

from leaderboard import page_cache
from leaderboard.models import DataVersion, ModelEntry
from leaderboard.page_cache import STORE, StoredPage

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _version_read_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_cache, "VERSION_SECONDS", 0)


def test_a_page_is_made_once(client: Client, bundled: None, django_assert_num_queries) -> None:
    first = client.get("/")
    with django_assert_num_queries(1):  # the data version
        second = client.get("/")
    assert first.content == second.content
    assert first["ETag"] == second["ETag"]


def test_the_version_is_read_at_most_once_a_second(
    client: Client, bundled: None, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries
) -> None:
    monkeypatch.setattr(page_cache, "VERSION_SECONDS", 60)
    client.get("/")
    with django_assert_num_queries(0):
        client.get("/")


def test_new_data_make_a_new_page_with_a_new_etag(client: Client, bundled: None) -> None:
    first = client.get("/")
    ModelEntry.objects.filter(slug="glm-5-2").update(name="Renamed model")
    DataVersion.bump()
    second = client.get("/")
    assert b"Renamed model" in second.content
    assert b"Renamed model" not in first.content
    assert first["ETag"] != second["ETag"]


def test_a_browser_that_has_the_page_gets_no_body(client: Client, bundled: None) -> None:
    etag = client.get("/")["ETag"]
    again = client.get("/", headers={"if-none-match": etag})
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == etag
    STORE.clear()
    assert client.get("/", headers={"if-none-match": etag}).status_code == 304
    assert client.get("/", headers={"if-none-match": '"other"'}).status_code == 200
    assert client.get("/", headers={"if-none-match": f'"other", W/{etag}'}).status_code == 304


def test_each_language_has_a_page_of_its_own(client: Client, bundled: None) -> None:
    english = client.get("/")
    spanish = client.get("/", headers={"accept-language": "es"})
    assert b'lang="en"' in english.content
    assert b'lang="es"' in spanish.content
    assert english["ETag"] != spanish["ETag"]
    assert client.get("/").content == english.content


def test_bodies_are_compressed_as_the_browser_asks(client: Client, bundled: None) -> None:
    plain = client.get("/")
    zipped = client.get("/", headers={"accept-encoding": "gzip, deflate"})
    best = client.get("/", headers={"accept-encoding": "gzip, br"})
    assert "Content-Encoding" not in plain
    assert gzip.decompress(zipped.content) == plain.content
    assert brotli.decompress(best.content) == plain.content
    assert (zipped["Content-Encoding"], best["Content-Encoding"]) == ("gzip", "br")
    assert client.get("/", headers={"accept-encoding": "br;q=0"}).content == plain.content


def test_kept_pages_have_the_security_headers(client: Client, bundled: None) -> None:
    first, kept = client.get("/"), client.get("/")
    unchanged = client.get("/", headers={"if-none-match": first["ETag"]})
    assert unchanged.status_code == 304
    for name in (
        "Content-Security-Policy",
        "X-Frame-Options",
        "X-Content-Type-Options",
        "Referrer-Policy",
        "Cross-Origin-Opener-Policy",
    ):
        assert first[name]
        assert kept[name] == unchanged[name] == first[name]
    assert "script-src 'self'" in kept["Content-Security-Policy"]


def test_head_has_the_headers_and_no_body(client: Client, bundled: None) -> None:
    page, head = client.get("/"), client.head("/")
    assert head.content == b""
    assert head["Content-Length"] == str(len(page.content))


@pytest.mark.parametrize("address", ["/?arch=ampere", "/nowhere/", "/models/nobody/"])
def test_errors_are_not_kept(client: Client, bundled: None, address: str) -> None:
    assert client.get(address).status_code in (400, 404)
    assert not STORE.pages


def test_the_order_of_filters_does_not_matter(client: Client, bundled: None) -> None:
    client.get("/?arch=blackwell&k=4")
    client.get("/?k=4&arch=blackwell")
    assert len(STORE.pages) == 1


def test_the_store_stays_within_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_cache, "CAPACITY", 250)
    for number in range(5):
        page = StoredPage(etag=f'"{number}"', headers={}, bodies={"": b"x" * 100})
        STORE.put(("/", str(number), "en", ""), page)
    assert [key[1] for key in STORE.pages] == ["3", "4"]
    assert STORE.size == 200
