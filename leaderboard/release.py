"""A short name for the code that is running, so that caches end with a release."""

from collections.abc import Iterable
from functools import cache
from hashlib import sha256

from django.conf import settings

_SOURCES = ("evaluation", "leaderboard", "frontend_templates", "static", "requirements.txt")


@cache
def release() -> str:
    """Return a digest of everything that decides what a page looks like.

    Every process of the same checkout gets the same answer, without git and without
    a version number that someone must remember to raise.
    """
    return digest_of(_SOURCES)


def digest_of(names: Iterable[str]) -> str:
    """Return a digest of these files and folders of the project, by name and content."""
    digest = sha256()
    for name in names:
        root = settings.BASE_DIR / name
        files = sorted(root.rglob("*")) if root.is_dir() else [root]
        for path in files:
            if path.is_file() and path.suffix != ".pyc":
                digest.update(str(path.relative_to(settings.BASE_DIR)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
