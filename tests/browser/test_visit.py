"""What a visitor does: filter, sort, open a model, compare two, switch to dark."""

import re

from playwright.sync_api import Page, expect


def test_a_visit_from_the_ranking_down_to_a_turn(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("main")).to_contain_text("55.4%")
    page.get_by_role("link", name="Claude Opus 4.8", exact=True).first.click()
    expect(page).to_have_url(re.compile(r"/models/claude-opus-4-8/$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Claude Opus 4.8")
    page.get_by_role("link", name=re.compile("opus48-gemm")).first.click()
    expect(page).to_have_url(re.compile(r"/runs/opus48-gemm/$"))
    page.locator("a[href*='/runs/opus48-gemm/exp_000/']").first.click()
    expect(page).to_have_url(re.compile(r"/runs/opus48-gemm/exp_000/\d+/$"))


def test_filtering_changes_the_address_and_the_table(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Turn limit").fill("1")
    page.get_by_role("button", name="Apply").click()
    expect(page).to_have_url(re.compile(r"[?&]k=1"))
    expect(page.get_by_role("main")).to_contain_text("25.8%")


def test_sorting_by_a_column_says_so_to_screen_readers(page: Page) -> None:
    page.goto("/")
    page.get_by_role("columnheader").get_by_role("link", name=re.compile("Released")).click()
    expect(page).to_have_url(re.compile(r"sort=-?released"))
    expect(page.locator("th[aria-sort=ascending], th[aria-sort=descending]")).to_have_count(1)


def test_two_models_are_picked_and_compared(page: Page) -> None:
    page.goto("/")
    for name in ("Claude Opus 4.8", "Gemini 3.1 Pro"):
        page.get_by_role("checkbox", name=re.compile(re.escape(name))).check()
    page.get_by_role("button", name=re.compile("Compare")).click()
    expect(page).to_have_url(re.compile(r"/compare/\?.*m=claude-opus-4-8.*m=gemini-3-1-pro"))
    expect(page.get_by_role("main")).to_contain_text("Gemini 3.1 Pro")


def test_dark_mode_is_switched_and_remembered(page: Page) -> None:
    page.goto("/")
    light = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name=re.compile("dark", re.IGNORECASE)).click()
    dark = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert dark != light
    page.goto("/methodology/")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == dark


def test_the_chart_of_failures_is_drawn(page: Page) -> None:
    page.goto("/failures/")
    page.locator(".chart").first.scroll_into_view_if_needed()
    expect(page.locator(".chart .main-svg").first).to_be_visible()


def test_plotly_is_not_loaded_where_there_is_no_chart(page: Page) -> None:
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    for address in ("/methodology/", "/runs/opus48-gemm/", "/compare/"):
        page.goto(address, wait_until="networkidle")
    assert loaded
    assert not any("plotly" in url for url in loaded)


def test_the_language_is_chosen_and_kept(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name=re.compile("Español|Spanish")).click()
    expect(page.locator("html")).to_have_attribute("lang", "es")
    page.goto("/methodology/")
    expect(page.locator("html")).to_have_attribute("lang", "es")
