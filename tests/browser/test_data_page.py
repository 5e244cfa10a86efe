"""From nothing to a lit-up turn graph: the sample in four clicks, and a file of one's own by upload."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import hostile

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


@pytest.fixture
def fresh(serve: Serve, tmp_path: Path) -> str:
    """The address of the app over a store that is not there yet."""
    return serve(tmp_path / "fresh.duckdb")


def press(page: Page, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).click()


def test_the_sample_in_at_most_four_clicks(fresh: str, page: Page) -> None:
    page.goto(fresh)
    page.get_by_text("nothing in it yet").wait_for()
    press(page, "Load and build it")
    page.get_by_role("link", name="Open it in Trace").click(timeout=180_000)
    page.locator(GRAPH).wait_for(timeout=180_000)
    page.get_by_text("Which place mentioned earlier would Marta's mother prefer?").first.wait_for()
    assert "/trace?" in page.url


def test_an_own_file_is_loaded_checked_built_and_traced(fresh: str, new_page: NewPage, tmp_path: Path) -> None:
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
    page.locator(GRAPH).wait_for(timeout=60_000)
    page.get_by_text("Ann: Two, says the vet.").first.wait_for()
    page.get_by_text("<b>Tilly</b>").first.wait_for()

    other = new_page()
    other.goto(link)
    other.get_by_text("A date is missing or cannot be read").wait_for()


def test_a_conversation_is_removed_after_a_question(fresh: str, page: Page, tmp_path: Path) -> None:
    file = tmp_path / "cats.jsonl"
    file.write_text("\n".join(json.dumps(entry) for entry in CHAT), encoding="utf-8")
    page.goto(f"{fresh}/data?page.part=load")
    page.get_by_role("textbox", name="Or a path on the machine that runs the app").fill(str(file))
    press(page, "Load from the path")
    page.get_by_text("all new").wait_for()
    page.get_by_role("tab", name="Contents").click()
    table = page.locator("[data-testid=stDataFrame]")
    table.wait_for()
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 38 + 17)
    press(page, "Remove …")
    press(page, "Remove 1 conversation")
    page.get_by_text("Nothing is loaded yet").wait_for()
    assert file.exists()


def test_a_hostile_conversation_is_only_text_on_a_dark_phone(app: str, new_page: NewPage) -> None:
    page = new_page(color_scheme="dark", viewport={"width": 390, "height": 844})
    page.goto(app)
    page.get_by_text(hostile.SAMPLE).first.wait_for()
    for part, says in (
        ("contents", "9 conversations"),
        ("problems", "A citation names no turn"),
        ("build", "Sentences"),
    ):
        page.goto(f"{app}/data?page.part={part}")
        page.get_by_text(says).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("combobox", name="Conversations").click()
    page.get_by_role("option").filter(has_text=hostile.SAMPLE).click()
    page.get_by_text("No calls to a language model").wait_for()
