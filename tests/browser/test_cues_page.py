"""Correcting a cue changes the context on Trace and can be undone; the chat is clicked, searched and walked."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from tests.browser import hostile

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

ANCHORS_ONLY = "conversation=lakeside&cues=imported&w=0&k=0&m=10&turn=D4:4"
CORRECTED = {"Subject": "Marta's mother", "Relation": "would prefer", "Object": "Lakeside Town, a calm place"}
GAINED = "D4:4 is in the context: its best cue has rank"
LOST = "D4:4 was lost at retrieval"


def params(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def says(page: Page, text: str) -> Locator:
    found = page.get_by_text(text).first
    found.wait_for()
    return found


def go(page: Page, name: str) -> None:
    """To another page of the app by its link in the sidebar."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name).click()


def open_chat(page: Page, app: str, query: str) -> None:
    page.goto(f"{app}/conversation?{query}")
    page.locator(".chat .turn").first.wait_for(state="attached")


def test_a_corrected_cue_changes_the_context_on_trace_and_is_undone(page: Page, app: str) -> None:
    page.goto(f"{app}/cues?{ANCHORS_ONLY}")
    says(page, LOST)
    for label, text in CORRECTED.items():
        page.get_by_label(f"{label} of cue 2").fill(text)
    page.get_by_role("button", name="Save and rebuild").click()
    says(page, "The cues of D4:4 are corrected.")
    says(page, "gained D4:4")
    go(page, "Trace")
    says(page, GAINED)
    assert params(page)["turn"] == "D4:4"
    go(page, "Cues")
    page.get_by_role("tab", name="Corrections").click()
    page.get_by_role("button", name="Undo").click()
    says(page, "Correction 1 is undone")
    go(page, "Trace")
    says(page, LOST)


def test_a_click_on_a_turn_selects_it_everywhere_and_a_link_gives_it_back(page: Page, app: str) -> None:
    open_chat(page, app, "conversation=lakeside&cues=imported")
    page.locator(".chat .step").last.click()
    turn = page.locator(".chat .turn.here")
    turn.locator(".bubble").click()
    says(page, "D2:6 is in the context")
    assert params(page)["turn"] == "D2:6"
    assert turn.get_attribute("aria-label") == "D2:6, gold, anchor A2"
    go(page, "Cues")
    says(page, "The cues of")
    assert page.get_by_label("Object of cue 1").input_value() == "calm places"
    go(page, "Conversation")
    page.locator(".chat .turn.selected").wait_for()
    page.goto(page.url)
    page.locator(".chat .turn.selected").wait_for()
    page.locator(".chat .turn.selected .bubble").click()
    page.locator(".chat .turn.selected").wait_for(state="detached")
    says(page, "Select a turn to see why")
    assert "turn" not in params(page)


def test_the_keys_walk_through_the_turns(page: Page, app: str) -> None:
    open_chat(page, app, "conversation=lakeside&cues=imported&turn=D2:6")
    page.locator(".chat .turn.selected").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    says(page, "D2:7 is in the context")
    assert params(page)["turn"] == "D2:7"


def test_the_search_finds_steps_and_stays_in_the_address(page: Page, app: str) -> None:
    open_chat(page, app, "conversation=lakeside&cues=imported")
    box = page.get_by_label("Find a text, or a turn by its id")
    box.fill("QUIET")
    where = page.locator(".chat .where")
    where.get_by_text("Found 1 of").wait_for()
    page.locator(".chat .step").last.click()
    where.get_by_text("Found 2 of").wait_for()
    assert "quiet" in page.locator(".chat .turn.here").inner_text().lower()
    assert params(page)["page.find"] == "QUIET"
    box.fill("xyzzy")
    where.get_by_text("Nothing found").wait_for()


def test_filters_hide_turns_and_a_slider_step_keeps_the_place(page: Page, app: str) -> None:
    open_chat(page, app, "conversation=lakeside&cues=imported")
    page.get_by_text("Anchors ·").click()
    page.locator(".chat .gap").first.wait_for()
    assert page.locator(".chat .turn:not([hidden])").count() == 9
    page.locator(".chat .entry").nth(9).click()
    place = page.locator(".chat .pane").evaluate("pane => pane.scrollTop")
    assert place > 0
    slider = page.get_by_role("slider", name="m ·")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**m=11**")
    assert abs(page.locator(".chat .pane").evaluate("pane => pane.scrollTop") - place) < 200


HOSTILE = f"conversation={quote(hostile.SAMPLE)}"


def nothing_was_made_of_it(page: Page) -> None:
    """No link, picture, frame or script from data; the words stand there as they are."""
    page.wait_for_timeout(500)
    made = page.evaluate(
        """() => {
            const roots = [document];
            document.querySelectorAll("*").forEach((element) => element.shadowRoot && roots.push(element.shadowRoot));
            const all = (what) => roots.flatMap((root) => [...root.querySelectorAll(what)]);
            return {
                links: all("a").map((a) => a.href).filter((href) => /example.com|javascript:|mailto:/.test(href)),
                pictures: all("img").filter((img) => /example.com|\\/x$/.test(img.src)).length,
                frames: all("iframe").length,
                formulas: all(".stMain .katex").length,
                handlers: all("[onerror], [onload]").length,
            };
        }"""
    )
    assert made == {"links": [], "pictures": 0, "frames": 0, "formulas": 0, "handlers": 0}


def test_a_hostile_conversation_is_text_in_the_chat(page: Page, app: str) -> None:
    open_chat(page, app, HOSTILE)
    words = page.locator(".chat .turn .words").all_inner_texts()
    for text in hostile.TEXTS[:8]:
        assert any(text.split("\n")[0][:40] in shown for shown in words), text
    assert page.locator(".chat .speaker").first.inner_text().startswith('<b>Eve</b> "')
    assert page.locator(".chat .fold").last.inner_text() == "Show all 76,041 characters"
    page.locator(".chat .fold").last.click()
    assert page.locator(".chat .turn").last.bounding_box()["height"] > 5000  # type: ignore[index]
    page.locator(".chat .turn").first.locator(".bubble").click()
    says(page, "D1:1 ")
    nothing_was_made_of_it(page)
    for place in range(2):
        page.goto(
            f"{app}/conversation?{HOSTILE}&question={place}&turn=D1:{5 * place + 5}&page.find={quote('<script>')}"
        )
        page.locator(".chat .turn.selected").wait_for()
        nothing_was_made_of_it(page)
    wide = page.evaluate(
        "document.querySelector('.stMain').scrollWidth - document.querySelector('.stMain').clientWidth"
    )
    assert wide <= 0


@pytest.mark.parametrize("part", ["all", "duplicates"])
def test_a_hostile_conversation_is_text_among_the_cues(page: Page, app: str, part: str) -> None:
    page.goto(f"{app}/cues?{HOSTILE}&turn=D1:2&page.part={part}&page.close=0.80")
    says(page, "The cues of")
    assert "[click me](javascript:alert('link'))" in page.locator(".cm-said").inner_text()
    nothing_was_made_of_it(page)


def test_the_hostile_conversation_stays_within_a_phone(page: Page, app: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for address in (f"conversation?{HOSTILE}&turn=D1:9", f"cues?{HOSTILE}&turn=D1:9"):
        page.goto(f"{app}/{address}")
        page.locator(".cm-turn").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
