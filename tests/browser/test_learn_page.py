"""The lessons walked through by keyboard, handed on by a link, and told on a hostile conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from cuemem.ui.learn.lessons import LESSONS
from tests.browser import hostile

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


def test_the_next_step_is_read_from_its_top(page: Page, app: str) -> None:
    page.goto(f"{app}/learn?page.step=2")
    begins(page, 2)
    page.get_by_role("button", name="3 · Time").click()
    begins(page, 3)
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop === 0")


def test_a_hostile_conversation_stays_text_on_a_phone(new_page: NewPage, app: str) -> None:
    page = new_page(viewport={"width": 390, "height": 900})
    for lesson in LESSONS:
        where = f"conversation={quote(hostile.SAMPLE)}&page.step={lesson.number}&turn=D1:10"
        page.goto(f"{app}/learn?{where}")
        begins(page, lesson.number)
        page.locator(".cml-asked").get_by_text("[click me](javascript:alert('link'))").wait_for()
        assert page.locator(".stMain a[href^='javascript'], .stMain a[href*='example.com']").count() == 0
        # Pictures find their width a moment after they are drawn.
        page.wait_for_function(
            "() => { const it = document.querySelector('[data-testid=stMain]');"
            " return it.scrollWidth <= it.clientWidth + 1; }"
        )
