"""The Trace page in a browser: choose a question, move sliders, click a turn, hand the link to another browser."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from tests.browser import hostile

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import NewPage

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
GRAPH = "[data-testid=turn-graph][data-rev]"
REVISION = "globalThis.cuememGraphs?.get('turns')?.revision()"


def params(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def settled(page: Page) -> str:
    """The revision of the picture once no run is on its way: a new window first tells how wide it is."""
    page.locator(GRAPH).wait_for()
    page.wait_for_timeout(350)
    page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')")
    return str(page.evaluate(f"() => {REVISION}"))


def step(page: Page, symbol: str) -> str:
    """Move a slider by one and wait for the new picture."""
    before = page.evaluate(f"() => {REVISION}")
    page.get_by_role("slider", name=f"{symbol} ·").press("ArrowRight")
    page.wait_for_function(f"before => {REVISION} !== before", arg=before)
    return settled(page)


def click_turn(page: Page, turn_id: str) -> None:
    picture = page.locator(GRAPH)
    position = "id => globalThis.cuememGraphs.get('turns').pagePosition(`turn ${id}`)"
    place = page.wait_for_function(position, arg=turn_id).json_value()
    box = picture.bounding_box()
    assert box is not None
    picture.click(position={"x": place["x"] - box["x"], "y": place["y"] - box["y"]})


def why(page: Page, text: str) -> None:
    page.locator(".cmt-sentence", has_text=text).wait_for()


def test_question_sliders_click_and_link(app: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{app}/trace?conversation=lakeside&question=3&cues=imported")
    settled(page)
    page.get_by_role("combobox", name="Question").click()
    page.keyboard.type("Old Saltmarket suit")
    page.keyboard.press("Enter")
    why(page, "D3:14 was lost at retrieval: its best cue has rank 17")
    pictures = [settled(page), *(step(page, symbol) for symbol in ("w", "k", "m"))]
    assert len(set(pictures)) == 4
    assert {name: params(page)[name] for name in ("w", "k", "m")} == {"w": "3", "k": "2", "m": "11"}

    click_turn(page, "D2:6")
    why(page, "D2:6 is in the context")
    assert settled(page) == pictures[-1]  # a click sends no new picture
    assert params(page)["turn"] == "D2:6"

    other = new_page()
    other.goto(page.url)
    why(other, "D2:6 is in the context")
    settled(other)
    assert other.get_by_role("slider", name="m ·").input_value() == "11"
    other.keyboard.press("n")
    other.locator(".cmt-asked .cm-label", has_text="Question 7").wait_for()
    other.goto(f"{app}/trace?conversation={quote(hostile.SAMPLE)}&question=1&m=7")
    settled(other)
    step(page, "m")  # the first tab is where it was
    assert (params(page)["question"], params(page)["m"]) == ("6", "12")
    assert step(other, "m") != settled(page)  # and so is the second, in another conversation
    shown = params(other)
    assert (shown["question"], shown["m"]) == ("1", "8")
    assert shown["conversation"] != params(page)["conversation"]
    page.go_back()
    page.go_back()
    why(page, "D3:14 was lost")


def test_whole_conversation_and_a_phone(app: str, new_page: NewPage) -> None:
    page = new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
    page.goto(f"{app}/trace?conversation=lakeside&question=0&cues=imported")
    narrow = settled(page)
    page.get_by_role("radio", name="Whole conversation").click()
    page.wait_for_function(f"before => {REVISION} !== before", arg=narrow)
    settled(page)
    click_turn(page, "D1:1")
    why(page, "D1:1 was lost")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_hostile_text_stays_text(app: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{app}/trace?conversation={quote(hostile.SAMPLE)}&question=0&turn=D1:1")
    why(page, "D1:1 is in the context")
    settled(page)
    for text in (hostile.TEXTS[1], hostile.TEXTS[3], hostile.TEXTS[0]):
        page.get_by_text(text).first.wait_for()
    click_turn(page, "D1:4")
    why(page, "D1:4")
    page.locator(GRAPH).hover()
    page.get_by_text("Rows of each stage").click()
    page.get_by_role("tab", name="Turns").click()
    settled(page)
    made = (
        "main :is(script, iframe, img, .katex, .katex-error), main a[href*='example.com'], main a[href^='javascript']"
    )
    assert page.locator(made).count() == 0
    page.keyboard.press("n")
    page.get_by_text(":material/delete: :smile: :red[red]").first.wait_for()
    settled(page)
    assert page.locator(made).count() == 0
