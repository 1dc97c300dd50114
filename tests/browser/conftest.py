"""A real site in processes of its own, and a real browser that reports every complaint."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.serving import ROOT, served, without_database_url

CHROMIUM = shutil.which("chromium")
# Without these Chromium looks up its maker's hosts at every start.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything here, so that it can be left out by name."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Debian's chromium. Required where `REQUIRE_SERVICES=1`."""
    if CHROMIUM is None:
        message = "chromium is not installed. On Debian: apt-get install chromium"
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return CHROMIUM


@pytest.fixture(scope="session")
def site(
    tmp_path_factory: pytest.TempPathFactory, published_directory: Path, chromium_path: str
) -> Iterator[str]:
    """The address of a site with the published turns imported."""
    environment = without_database_url() | {
        "STATE_DIR": str(tmp_path_factory.mktemp("site")),
        "DJANGO_SETTINGS_MODULE": "leaderboard.config.settings",
    }
    prepare = "import django; django.setup(); from leaderboard.start import prepare; prepare()"
    _run(["-c", prepare], environment)
    _run(["manage.py", "import_ptxbench", str(published_directory)], environment)
    with served("leaderboard.config.wsgi", environment) as address:
        yield address


def _run(arguments: list[str], environment: dict[str, str]) -> None:
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, check=True)


# Playwright's event loop keeps Django's ORM from this thread, so it ends with each module.
@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    """One headless browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser, site: str) -> Iterator[BrowserContext]:
    """A fresh browser profile in English."""
    context = browser.new_context(base_url=site, locale="en-GB")
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that must raise no error, log none, and break no rule of the CSP."""
    complaints: list[str] = []
    page = context.new_page()
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation', e =>"
        " console.error('CSP: ' + e.violatedDirective + ' ' + e.blockedURI))"
    )

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(f"{message.type}: {message.text} at {page.url}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: complaints.append(f"{error} at {page.url}"))
    yield page
    assert complaints == []
