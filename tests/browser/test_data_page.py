"""From nothing to a lit-up turn graph: by a file of one's own, and by the sample in four clicks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import NewPage, Serve

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
GRAPH = "[data-testid=turn-graph][data-rev]"
CHAT = [
    {"speaker": "Ann", "time": "2024-05-01 18:30", "text": "I have adopted a cat. She is called <b>Tilly</b>."},
    {"speaker": "Bo", "time": "2024-05-01 18:31", "text": "How old is she?"},
    {"speaker": "Ann", "time": "last Friday", "text": "Two, says the vet."},
    {"question": "How old is Ann's cat?", "answer": "two", "evidence": [3]},
]


def press(page: Page, label: str) -> None:
    # A click while the page is drawn anew may meet a button that is about to be replaced, and is lost.
    page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')")
    page.get_by_role("button", name=label, exact=True).click()


def test_from_nothing_to_a_turn_graph_by_a_file_and_by_the_sample(
    serve: Serve, new_page: NewPage, tmp_path: Path
) -> None:
    """One store from its first moment: an own file is loaded, built, traced and removed; then come the samples."""
    fresh = serve(tmp_path / "fresh.duckdb")
    file = tmp_path / "cats.jsonl"
    file.write_text("\n".join(json.dumps(entry) for entry in CHAT), encoding="utf-8")
    page = new_page()
    page.goto(fresh)
    page.get_by_role("link", name="Go to Data").click()
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_text("1 conversation, 1 session, 3 messages; all new").wait_for()
    page.get_by_text("1 problem").wait_for()
    assert not list(tmp_path.glob("*.incoming"))
    press(page, "See problems and notes")
    page.get_by_text("A date is missing or cannot be read; the turns are kept, without a time.").wait_for()
    link = page.url
    page.get_by_role("tab", name="Load").click()
    press(page, "Build memories of it")
    press(page, "Build 1 memory")
    page.get_by_text(re.compile("4 cues from 3 turns")).wait_for(timeout=180_000)
    page.get_by_role("link", name="Open in Trace").click()
    page.locator(GRAPH).wait_for()
    page.get_by_text("Ann: Two, says the vet.").first.wait_for()
    page.get_by_text("<b>Tilly</b>").first.wait_for()

    other = new_page()
    other.goto(link)
    other.get_by_text("A date is missing or cannot be read").wait_for()
    other.get_by_role("tab", name="Contents").click()
    # The table of the part before is still there for a moment.
    table = other.get_by_role("tabpanel", name="Contents").get_by_test_id("stDataFrame")
    table.wait_for()
    box = table.bounding_box()
    assert box is not None
    other.mouse.click(box["x"] + 18, box["y"] + 38 + 17)
    press(other, "Remove …")
    press(other, "Remove 1 conversation")
    other.get_by_text("Nothing is loaded yet").wait_for()
    assert file.exists()

    page.goto(fresh)  # the sample in at most four clicks
    page.get_by_text("nothing in it yet").wait_for()
    press(page, "Load and build it")
    page.get_by_role("link", name="Open it in Trace").click(timeout=180_000)
    page.locator(GRAPH).wait_for()
    page.get_by_text("Which place mentioned earlier would Marta's mother prefer?").first.wait_for()
    assert "/trace?" in page.url
