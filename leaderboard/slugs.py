"""Addresses made from names: lower case, every run of other characters one hyphen."""

import re
import unicodedata
from collections.abc import Container
from hashlib import sha256

_OTHER = re.compile(r"[^a-z0-9]+")


def slug_for(name: str, taken: Container[str] = (), longest: int = 100) -> str:
    """Return the ASCII slug of `name`: `Qwen3.6-27B-s1` → `qwen3-6-27b-s1`.

    A name without a usable character, or whose slug is taken, gets a short digest of the
    name instead of a counter, so that its address doesn't depend on what came before.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = _OTHER.sub("-", plain).strip("-")[:longest].rstrip("-")
    if slug and slug not in taken:
        return slug
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug}-{digest}".strip("-")
