"""Runs in a browser: started, chosen and compared by clicks, a question followed into Trace, texts shown as text."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest

from tests.browser import hostile

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
MADE = "main :is(script, iframe, img, strong, .katex), main a[href*='example.com']"


def check_row(page: Page, table: Locator, row: int) -> None:
    """Click the box before a row of a table, from 0."""
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 38 + 35 * row + 17)


def test_runs_are_started_compared_and_followed_by_clicks(app: str, page: Page) -> None:
    page.goto(f"{app}/runs")
    page.get_by_role("button", name="Start a run").click()
    page.get_by_role("spinbutton", name="At most so many questions").fill("10")
    page.keyboard.press("Enter")
    page.get_by_role("radio", name="Ablations (5.3)").click()
    page.get_by_role("button", name="Measure 3 runs").click()
    page.get_by_text("CueMem, anchors only at equal tokens by category").wait_for()
    page.get_by_text("Measuring 3 runs").wait_for(state="detached")
    runs = page.locator("[data-testid=stDataFrame]").first
    check_row(page, runs, 0)  # the newest run is no longer chosen: two are left
    page.get_by_role("button", name="Compare these two").click()
    page.get_by_text("What became of each question").wait_for()
    page.get_by_text("all gold turns are in the context").wait_for()
    page.get_by_text("Choose a question to see both").wait_for()
    questions = page.locator("[data-testid=stDataFrame]").last
    check_row(page, questions, 0)
    page.locator(".cmr-asked").wait_for()
    link = page.url
    page.get_by_role("link", name="Trace as in B").click()
    page.wait_for_url("**/trace?**w=0&k=0**")
    page.get_by_text("Evidence context").first.wait_for()

    page.goto(f"{app}/conversation?{urlencode({'conversation': hostile.SAMPLE})}")
    page.wait_for_url("**question=**")
    key = parse_qs(urlsplit(page.url).query)["conversation"][0]
    shown = parse_qs(urlsplit(link).query)["page.pair"][0]
    page.goto(link.replace(quote(shown, safe="/:"), quote(f"{key}:0", safe="/:")))
    assert hostile.TEXTS[1] in page.locator(".cmr-asked").inner_text()
    assert page.locator(MADE).count() == 0
    page.get_by_role("tab", name="Runs and results").click()
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Remove 2 runs").click()
    page.get_by_text("2 runs removed.").wait_for()
