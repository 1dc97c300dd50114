"""Public pages, kept compressed in the process and answered before anything else runs.

A public page depends on its address, the language and the stored data only. Its
ETag is made of those, and of the release, so a browser's copy and the copy kept
here go stale together the moment an import or a verdict changes the figures.

While it works, a view says if its answer is another: `for_owner_only` makes one that
nobody keeps, `unsettled` one that is made anew each time, and `differs_by_user` one that
is kept, but made anew for whoever is signed in.
"""

import gzip
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from hashlib import sha256

import brotli
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import get_language_from_request

from leaderboard.models import DataVersion
from leaderboard.release import release

CAPACITY = 32 * 1024 * 1024
"""Bytes of page bodies kept in one process."""

VERSION_SECONDS = 1.0
"""How long a process trusts the data version it read."""

Key = tuple[str, str, str, str]


@dataclass(slots=True)
class StoredPage:
    """A finished page: headers as sent, and one body per content encoding.

    `for_signed_in` says whether it also answers requests with a session or a token.
    """

    etag: str
    headers: dict[str, str]
    bodies: dict[str, bytes]
    for_signed_in: bool = True

    @property
    def size(self) -> int:
        """Bytes that the page takes."""
        return sum(map(len, self.bodies.values()))


@dataclass(slots=True)
class PageStore:
    """Finished pages of one data version, the least recently used dropped first."""

    pages: OrderedDict[Key, StoredPage] = field(default_factory=OrderedDict)
    size: int = 0
    version: int = -1
    checked: float = float("-inf")
    lock: threading.Lock = field(default_factory=threading.Lock)

    def current_version(self) -> int:
        """Return the data version, read from the database at most once a second."""
        now = time.monotonic()
        if now - self.checked >= VERSION_SECONDS:
            version = DataVersion.current()
            with self.lock:
                if version != self.version:
                    self.pages.clear()
                    self.size = 0
                self.version, self.checked = version, now
        return self.version

    def get(self, key: Key) -> StoredPage | None:
        """Return a stored page and mark it as used."""
        with self.lock:
            page = self.pages.get(key)
            if page is not None:
                self.pages.move_to_end(key)
            return page

    def put(self, key: Key, page: StoredPage) -> None:
        """Keep a page, dropping old ones until it fits."""
        with self.lock:
            replaced = self.pages.pop(key, None)
            self.size += page.size - (replaced.size if replaced else 0)
            self.pages[key] = page
            while self.size > CAPACITY and self.pages:
                _key, dropped = self.pages.popitem(last=False)
                self.size -= dropped.size

    def clear(self) -> None:
        """Forget everything, the data version included."""
        with self.lock:
            self.pages.clear()
            self.size, self.version, self.checked = 0, -1, float("-inf")


STORE = PageStore()


def for_owner_only(request: HttpRequest) -> None:
    """Say that the answer to `request` holds what only the asker may see."""
    _plain(request).page_for_owner_only = True  # type: ignore[attr-defined]


def unsettled(request: HttpRequest) -> None:
    """Say that the answer changes without the data version, such as a place in a queue."""
    _plain(request).page_unsettled = True  # type: ignore[attr-defined]


def differs_by_user(request: HttpRequest) -> None:
    """Say that somebody who is signed in may get to see more at this address."""
    _plain(request).page_differs_by_user = True  # type: ignore[attr-defined]


def _plain(request: HttpRequest) -> HttpRequest:
    """Return Django's own request, also where the API has wrapped it."""
    return getattr(request, "_request", request)


def public_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Mark a view whose good answers may be kept, unless it says otherwise meanwhile."""

    @wraps(view)
    def marked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if getattr(request, "page_for_owner_only", False):
            patch_cache_control(response, private=True, no_store=True)
        elif getattr(request, "page_unsettled", False):
            patch_cache_control(response, no_cache=True)
        else:
            response.is_public_page = True  # type: ignore[attr-defined]
        return response

    return marked


class PageCacheMiddleware:
    """Answers from the store where it can; stands outside every other middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method not in ("GET", "HEAD"):
            return self.get_response(request)
        version = STORE.current_version()
        key = _key(request)
        page = STORE.get(key)
        if page is None or not (page.for_signed_in or _anonymous(request)):
            response = self.get_response(request)
            if not _may_keep(response):
                return response
            page = _finished(response, _etag(key, version))
            page.for_signed_in = not getattr(request, "page_differs_by_user", False)
            if version == STORE.version:
                STORE.put(key, page)
        return _answer(request, page)


def _may_keep(response: HttpResponse) -> bool:
    """Whether a response is a finished public page; what is streamed is too large to keep."""
    marked = getattr(response, "is_public_page", False)
    return marked and response.status_code == 200 and not response.streaming


def _anonymous(request: HttpRequest) -> bool:
    """Whether nothing in the request says who asks."""
    signed_in = settings.SESSION_COOKIE_NAME in request.COOKIES
    return not signed_in and "HTTP_AUTHORIZATION" not in request.META


def _key(request: HttpRequest) -> Key:
    query = "&".join(sorted(request.META.get("QUERY_STRING", "").split("&")))
    host = f"{request.scheme}://{request.META.get('HTTP_HOST', '')}"
    accept = request.META.get("HTTP_ACCEPT", "") if request.path.startswith("/api/") else ""
    return (request.path, query, get_language_from_request(request), f"{host} {accept}")


def _etag(key: Key, version: int) -> str:
    text = "\n".join((release(), str(version), *key))
    return f'"{sha256(text.encode(errors="surrogateescape")).hexdigest()[:24]}"'


def _finished(response: HttpResponse, etag: str) -> StoredPage:
    """Return the page as it will be sent: validators, caching rules, compressed bodies."""
    response["ETag"] = etag
    patch_cache_control(response, public=True, max_age=0, must_revalidate=True)
    patch_vary_headers(response, ["Accept", "Accept-Encoding", "Accept-Language", "Cookie"])
    body = response.content
    bodies = {
        "": body,
        "gzip": gzip.compress(body, compresslevel=6, mtime=0),
        "br": brotli.compress(body, quality=5),
    }
    return StoredPage(etag, dict(response.items()), bodies)


_ETAG = re.compile(r'"[^"]*"')
_REFUSED = re.compile(r"q=0(\.0*)?$")


def _accepts(header: str, encoding: str) -> bool:
    """Whether an Accept-Encoding header names `encoding` without refusing it."""
    for part in header.split(","):
        name, _semicolon, quality = part.replace(" ", "").partition(";")
        if name == encoding:
            return not _REFUSED.match(quality)
    return False


def _answer(request: HttpRequest, page: StoredPage) -> HttpResponse:
    asked = request.META.get("HTTP_IF_NONE_MATCH", "")
    response: HttpResponse
    if asked.strip() == "*" or page.etag in _ETAG.findall(asked):
        response = HttpResponseNotModified()
        for name, value in page.headers.items():
            if not name.startswith("Content-") or name == "Content-Security-Policy":
                response[name] = value
        return response
    accepted = request.META.get("HTTP_ACCEPT_ENCODING", "")
    encoding = next((name for name in ("br", "gzip") if _accepts(accepted, name)), "")
    body = page.bodies[encoding]
    response = HttpResponse(b"" if request.method == "HEAD" else body, headers=page.headers)
    if encoding:
        response["Content-Encoding"] = encoding
    response["Content-Length"] = str(len(body))
    return response
