"""A conversation that tries to be more than text, on each page that shows it: a dark phone, from page to page."""

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
HOSTILE = f"conversation={quote(hostile.SAMPLE)}"
WIDTH = 390


@pytest.fixture
def phone(new_page: NewPage) -> Page:
    return new_page(color_scheme="dark", viewport={"width": WIDTH, "height": 844})


def stays_text(page: Page) -> None:
    """No link, picture, frame, formula or script from data, and nothing wider than the screen."""
    # Charts and pictures find their width a moment after they are drawn.
    page.wait_for_function(
        "width => { const it = document.querySelector('[data-testid=stMain]');"
        " return it.scrollWidth <= it.clientWidth + 1 && document.documentElement.scrollWidth <= width; }",
        arg=WIDTH,
    )
    page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')")
    made = page.evaluate(
        """() => {
            const roots = [document];
            document.querySelectorAll("*").forEach((element) => element.shadowRoot && roots.push(element.shadowRoot));
            const all = (what) => roots.flatMap((root) => [...root.querySelectorAll(what)]);
            return {
                links: all("a").map((a) => a.href).filter((href) => /example.com|javascript:|mailto:/.test(href)),
                pictures: all("img").filter((img) => /example.com|\\/x$/.test(img.src)).length,
                frames: all("iframe").length,
                formulas: all(".katex annotation").filter((tex) => /frac{1}|int_0|and/.test(tex.textContent)).length,
                handlers: all("[onerror], [onload]").length,
            };
        }"""
    )
    assert made == {"links": [], "pictures": 0, "frames": 0, "formulas": 0, "handlers": 0}


def test_where_conversations_are_listed_and_built(app: str, phone: Page) -> None:
    phone.goto(app)
    phone.get_by_text(hostile.SAMPLE).first.wait_for()
    stays_text(phone)
    phone.goto(f"{app}/data?page.part=contents")
    for tab, says in (("Contents", "9 conversations"), ("Problems", "A citation names no turn")):
        phone.get_by_role("tab", name=tab).click()
        phone.get_by_text(says).first.wait_for()
        stays_text(phone)
    # By link, which chooses the conversation: an option that is clicked while the page is redrawn is lost.
    phone.goto(f"{app}/data?{HOSTILE}&page.part=build")
    phone.get_by_text("No calls to a language model").wait_for()
    stays_text(phone)


def test_in_the_chat_and_among_the_cues(app: str, phone: Page) -> None:
    phone.goto(f"{app}/conversation?{HOSTILE}&page.find={quote('<script>')}")
    phone.locator(".chat .turn").first.wait_for(state="attached")
    words = phone.locator(".chat .turn .words").all_inner_texts()
    for text in hostile.TEXTS[:8]:
        assert any(text.split("\n")[0][:40] in shown for shown in words), text
    assert phone.locator(".chat .speaker").first.inner_text().startswith('<b>Eve</b> "')
    assert phone.locator(".chat .fold").last.inner_text() == "Show all 76,041 characters"
    phone.locator(".chat .fold").last.click()
    assert phone.locator(".chat .turn").last.bounding_box()["height"] > 5000  # type: ignore[index]
    phone.locator(".chat .turn").first.locator(".bubble").click()
    phone.get_by_text("D1:1 ").first.wait_for()
    phone.locator(".cm-turn").wait_for()
    stays_text(phone)
    phone.goto(f"{app}/cues?{HOSTILE}&question=1&turn=D1:2&page.part=duplicates&page.close=0.80")
    phone.get_by_text("The cues of").first.wait_for()
    assert "[click me](javascript:alert('link'))" in phone.locator(".cm-said").inner_text()
    stays_text(phone)
    phone.get_by_role("tab", name="All cues").click()
    phone.get_by_role("tab", name="All cues", selected=True).wait_for()
    stays_text(phone)


def test_in_every_lesson(app: str, phone: Page) -> None:
    phone.goto(f"{app}/learn?{HOSTILE}&turn=D1:10")
    for lesson in LESSONS:
        if lesson.number > 1:
            phone.get_by_role("button", name=f"{lesson.number} ·").click()
        phone.get_by_role("heading", level=1, name=lesson.title).wait_for()
        phone.locator(".cml-asked").get_by_text("[click me](javascript:alert('link'))").wait_for()
        stays_text(phone)
