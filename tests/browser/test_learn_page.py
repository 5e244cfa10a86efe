"""The lessons walked through by keyboard and by the buttons at their end, and handed on by a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cuemem.ui.learn.lessons import LESSONS

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import NewPage

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def begins(page: Page, number: int) -> None:
    """Wait until a lesson is there."""
    page.get_by_role("heading", level=1, name=LESSONS[number - 1].title).wait_for()


def test_the_course_by_keyboard_and_by_link(page: Page, new_page: NewPage, app: str) -> None:
    page.goto(f"{app}/learn")
    begins(page, 1)
    page.get_by_role("button", name="2 · Cues").wait_for()  # the last thing to be drawn
    page.keyboard.press("4")
    begins(page, 4)
    page.get_by_text("k = 1 instead of k = 0 adds 6 turns and 242 tokens").wait_for()
    slider = page.get_by_test_id("stMain").get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_text("D4:4 missed").wait_for()
    page.wait_for_url("**k=0**")
    other = new_page()
    other.goto(page.url)
    begins(other, 4)
    other.get_by_text("With w = 2, k = 0, m = 10: 33 of 226 turns, 980 tokens, 1 of 2 gold turns.").wait_for()
    page.get_by_role("button", name="5 ·").click()
    begins(page, 5)
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop === 0")
