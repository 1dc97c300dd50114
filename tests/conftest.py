"""What every test starts from."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from leaderboard.page_cache import STORE

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _no_pages_of_another_test() -> Iterator[None]:
    STORE.clear()
    yield
    STORE.clear()


@pytest.fixture(autouse=True)
def _no_language_of_another_test() -> Iterator[None]:
    yield
    # A request in Spanish leaves its language behind in the thread that answered it.
    translation.deactivate()


@pytest.fixture(autouse=True)
def _plain_static_files(settings) -> None:
    # The hashed names exist only after collectstatic; the browser tests use those.
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture(scope="session")
def published_directory() -> Path:
    """PTXBench's tables, where this machine has them: `PTXBENCH_PUBLISHED`, or beside us."""
    default = ROOT.parent / "shared" / "ptxbench-published"
    directory = Path(os.environ.get("PTXBENCH_PUBLISHED", default))
    if not directory.is_dir():
        message = f"PTXBench's tables are not at {directory}; name them in PTXBENCH_PUBLISHED"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return directory
