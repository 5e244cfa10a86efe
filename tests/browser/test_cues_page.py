"""Correcting a cue changes the context on Trace and can be undone; the chat is clicked, searched and walked."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

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


def test_the_chat_is_clicked_walked_by_keys_searched_and_filtered(page: Page, app: str) -> None:
    page.goto(f"{app}/conversation?conversation=lakeside&cues=imported")
    page.locator(".chat .turn").first.wait_for(state="attached")
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
    page.locator(".chat .turn.selected").focus()

    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    says(page, "D2:7 is in the context")
    assert params(page)["turn"] == "D2:7"
    page.locator(".chat .turn.selected .bubble").click()
    page.locator(".chat .turn.selected").wait_for(state="detached")
    says(page, "Select a turn to see why")
    assert "turn" not in params(page)

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
    box.fill("")
    where.get_by_text("Nothing found").wait_for(state="detached")

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
