"""The local model really at work, all on the page: it extracts a session, answers from two contexts, judges both."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cuemem.adapters.local import CATALOGUE, engine_installed, models_folder

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from cuemem.adapters.embed import SentenceEmbedder
    from tests.browser.conftest import Serve

ROOT = Path(__file__).parents[2]
HERE = [model for model in CATALOGUE if model.present()]
MODEL = (HERE or list(CATALOGUE))[0]
LONG = 3_000_000  # milliseconds; on a busy machine a small model that rambles takes minutes for a turn

pytestmark = [
    pytest.mark.browser,
    pytest.mark.local,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(not engine_installed(), reason="no engine: pip install -r requirements-local.txt"),
    pytest.mark.skipif(not HERE, reason="no local model: python -m cuemem model pull"),
]


@pytest.fixture
def first_session(tmp_path: Path, real_embedder: SentenceEmbedder) -> Path:
    """A store with the first of lakeside's sessions and the questions that it answers."""
    from cuemem.adapters.store import Store
    from cuemem.workbench import load_file

    (whole,) = json.loads((ROOT / "data" / "locomo_sample.json").read_text(encoding="utf-8"))
    spoken = whole["conversation"]
    kept = ("speaker_a", "speaker_b", "session_1_date_time", "session_1")
    asked = [it for it in whole["qa"] if {cited.split(":")[0] for cited in it.get("evidence", ())} == {"D1"}]
    cut = {"sample_id": "first-session", "conversation": {name: spoken[name] for name in kept}, "qa": asked}
    file = tmp_path / "first_session.json"
    file.write_text(json.dumps([cut]), encoding="utf-8")
    with Store.open(tmp_path / "local.duckdb") as store:
        load_file(store, file)
        return store.path


def go(page: Page, name: str) -> None:
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name).click()


def test_a_session_is_extracted_and_a_question_answered_and_judged(
    first_session: Path, serve: Serve, page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "models"  # of its own, so that no server of the user's is touched
    folder.mkdir()
    MODEL.path(folder).symlink_to(MODEL.path(models_folder()))
    monkeypatch.setenv("CUEMEM_MODELS", str(folder))
    page.set_default_timeout(120_000)
    page.goto(f"{serve(first_session)}/models")
    page.locator(f".st-key-models-local-{MODEL.name.replace('.', '-')}").get_by_role(
        "button", name="Use it for every role"
    ).click()
    page.get_by_text("set in this session for every role").wait_for()

    go(page, "Data")
    page.get_by_role("tab", name="Build memories").click()
    page.get_by_text("Language model", exact=True).click()
    page.get_by_text("19 calls for 19 turns").wait_for()
    page.get_by_role("button", name="Build 1 memory").click()
    page.get_by_text(re.compile(r"\d+ cues from 19 turns")).wait_for(timeout=LONG)

    go(page, "Answers")
    page.get_by_role("button", name="Next").click()
    page.get_by_text("What was the only thing Pedal would eat in February?").first.wait_for()
    page.get_by_role("button", name="Naive RAG").click()
    page.get_by_text("3 answers from").wait_for()
    page.get_by_role("button", name="Oracle evidence").click()
    page.get_by_text("2 answers from").wait_for()
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text("nothing is left to ask").wait_for(timeout=LONG)
    answers = page.locator(".cma-answer").all_inner_texts()
    verdicts = page.locator(".cma-verdict .cm-state").all_inner_texts()
    assert len(answers) == len(verdicts) == 2
    assert all(answers)
    assert set(verdicts) <= {"correct", "incorrect"}
    assert page.get_by_text(f"local/{MODEL.name}, asked").count() == 2
    assert page.get_by_text("Judged by").count() == 2
    picture = os.environ.get("CUEMEM_SCREENSHOT")
    if picture:
        page.set_viewport_size({"width": 1400, "height": 1350})
        page.screenshot(path=picture)
    print(answers, verdicts, page.locator(".cma-figures").all_inner_texts())
