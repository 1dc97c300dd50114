"""Every page, for every reader: axe, phones, no JavaScript."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

PAGES = [
    "/",
    "/?arch=blackwell",
    "/models/claude-opus-4-8/",
    "/models/qwen3-6-27b/",
    "/tasks/gemm_n7168_k5120/",
    "/tasks/mha_bwd_d128_causal/",
    "/tasks/gqa_paged_decode_h24_kv8_d128_ps1/",
    "/compare/",
    "/compare/?m=claude-opus-4-8&m=gemini-3-1-pro",
    "/failures/",
    "/runs/opus48-gemm/",
    "/runs/opus48-gemm/exp_000/0/",
    "/methodology/",
    "/api/",
]
ERRORS = ["/?arch=ampere", "/nowhere/", "/models/nobody/", "/compare/?m=claude-opus-4-8"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", PAGES)
def test_axe_finds_nothing(page: Page, address: str, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    _open(page, address)
    assert _violations(page) == []


@pytest.mark.parametrize("address", ERRORS)
def test_axe_finds_nothing_on_errors(context, address: str) -> None:
    page = context.new_page()
    page.goto(address)
    assert _violations(page) == []


@pytest.mark.parametrize("address", PAGES)
def test_a_phone_needs_no_sideways_scrolling(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    _open(page, address)
    width = page.evaluate("() => document.documentElement.scrollWidth")
    assert width <= 360


@pytest.mark.parametrize("address", PAGES)
def test_nothing_needs_javascript(browser: Browser, site: str, address: str) -> None:
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_role("main").inner_text().strip()
    context.close()


def _open(page: Page, address: str) -> None:
    page.goto(address, wait_until="networkidle")


def _violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {n['target']} {n['failureSummary']}" for v in found for n in v["nodes"]]
