"""Failures and the Judge desk in a browser, over a finished run: worked off by keys, labelled blind, compared."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sklearn.metrics import cohen_kappa_score

from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.evaluation.judges import sample
from cuemem.prompts import Prompts
from cuemem.types import ChatRequest
from cuemem.ui.judging.held import SEED
from cuemem.workbench import Workbench
from cuemem.workbench.judging import Item, pool
from cuemem.workbench.models import ModelSettings
from cuemem.workbench.reviewing import Failure, failures
from cuemem.workbench.runs import Contender, Plan, begin, go, opened
from tests.fakes import ScriptedChat

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from cuemem.adapters.embed import SentenceEmbedder
    from tests.browser.conftest import Serve

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
HOSTILE = "<script>alert(1)</script> **bold** [a](https://example.com)"
MADE = "main :is(script, iframe, img, strong, .katex), main a[href*='example.com']"
LABELLED = 5


@dataclass(frozen=True)
class Judged:
    """The address of the app over the run, and what the run came to."""

    address: str
    run_id: str
    failures: Sequence[Failure]
    drawn: Sequence[Item]


def reply(request: ChatRequest) -> str:
    """An answer, and a verdict on it by the size of the prompt."""
    size = len(request.text)
    if request.schema is None:
        return f"{HOSTILE} {size % 7}"
    return f'{{"judgment": "{"correct" if size % 2 else "incorrect"}", "reason": "By size {size}."}}'


@pytest.fixture(scope="module")
def judged(
    sample_store: Path, serve: Serve, real_embedder: SentenceEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> Judged:
    path = Path(shutil.copy(sample_store, tmp_path_factory.mktemp("judged") / "judged.duckdb"))
    model = ModelSettings("test/model")
    with pytest.MonkeyPatch.context() as patch, Store.open(path) as store:
        patch.setattr("cuemem.workbench.models.plain_chat", lambda _settings: ScriptedChat("test/model", reply))
        bench = Workbench(store, real_embedder, FixedTokenizer())
        contender = Contender("cuemem", {"m": 3, "w": 0, "k": 0})
        plan = Plan([contender], [store.resolve("lakeside")], answering=model, judging=model, limit=20)
        (run_id,) = begin(bench, plan)
        go(bench, [run_id], lambda _role, _name: model, Prompts())
        run = opened(store, run_id)
        found, drawn = failures(store, run), sample(pool([run]), LABELLED, SEED)
    return Judged(serve(path), run_id, found, drawn)


def card(page: Page) -> Locator:
    return page.locator(".st-key-cm-failure")


def press(page: Page, key: str) -> None:
    """Once the page is drawn to its end and the button is there: its script is fetched when it is first drawn."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.locator("button:enabled kbd").get_by_text(key.upper(), exact=True).first.wait_for()
    page.keyboard.press(key)


def count(page: Page, kind: str) -> list[int]:
    """As it stands, proposed and decided of a class; zeros where it has no row."""
    rows = page.locator(".cmf-counts tbody tr").all_inner_texts()
    found = [[int(it) for it in re.findall(r"\b\d+\b", row)[-3:]] for row in rows if row.startswith(kind)]
    return found[0] if found else [0, 0, 0]


def test_failures_are_worked_off_by_keys(judged: Judged, page: Page) -> None:
    found = judged.failures
    assert len(found) > 4
    page.goto(f"{judged.address}/failures")

    def at(place: int) -> None:
        card(page).get_by_text(f"{place + 1} of {len(found)} ·").wait_for()

    at(0)
    assert page.locator(MADE).count() == 0
    press(page, "n")
    at(1)
    press(page, "p")
    at(0)
    kind = found[0].proposal.kind.capitalize()
    before = count(page, kind)
    press(page, "y")
    at(1)
    page.get_by_text(f"Decided: 1 of {len(found)}.").wait_for()
    assert count(page, "Right but judged wrong") == [1, 0, 1]
    assert count(page, kind) == [before[0] - 1, before[1], 0]
    press(page, "x")
    at(2)
    page.get_by_text(f"Decided: 2 of {len(found)}.").wait_for()
    assert count(page, found[1].if_wrong.capitalize())[2] == 1
    press(page, "f")
    card(page).get_by_text("you flagged its gold").wait_for()
    assert count(page, "Gold wrong or disputed") == [1, 1, 0]
    press(page, "m")
    page.get_by_role("dialog").get_by_role("textbox").wait_for()
    page.wait_for_function("document.activeElement.tagName == 'TEXTAREA'")
    page.keyboard.type("no plan: fix my way")  # each of them is a key of the page
    page.keyboard.press("Control+Enter")
    page.get_by_role("dialog").wait_for(state="detached")
    card(page).get_by_text("no plan: fix my way").wait_for()
    at(2)
    assert count(page, "Gold wrong or disputed") == [1, 1, 0]

    page.reload()
    at(2)  # the address says which
    card(page).get_by_text("no plan: fix my way").wait_for()
    question = found[2].row.question
    page.get_by_role("link", name="Trace as in the run").click()
    page.wait_for_url(f"**/trace?**question={question.index}**")
    assert {"w=0", "k=0", "m=3"} <= set(page.url.partition("?")[2].split("&"))
    page.get_by_text("Evidence context").first.wait_for()
    page.get_by_text(question.text).first.wait_for()


def test_a_sample_is_labelled_blind_and_compared_with_the_judge(judged: Judged, page: Page) -> None:
    drawn = judged.drawn
    machine = [it.row.verdict is not None and it.row.verdict.correct for it in drawn]
    assert len(set(machine)) == 2
    person = [not machine[0], *machine[1:]]  # one disagreement
    page.goto(f"{judged.address}/judge?page.size={LABELLED}")
    item = page.locator(".st-key-cm-judge-item")
    for place, right in enumerate(person):
        item.get_by_text(f"{place + 1} of {LABELLED}", exact=True).wait_for()
        item.get_by_text(drawn[place].row.question.text).wait_for()
        for word in ("CueMem", "cuemem", "By size"):
            assert word not in page.locator("[data-testid=stMain]").inner_text()
        press(page, "y" if right else "x")
    assert page.locator(MADE).count() == 0
    page.get_by_role("button", name="See the agreement").click()
    page.get_by_text("Confusion table").wait_for()
    agreed = page.locator("table").filter(has_text="Cohen").first.inner_text()
    assert f"{100 * (LABELLED - 1) / LABELLED:.1f} %" in agreed
    assert f"{cohen_kappa_score(person, machine):.2f}" in agreed
    words = {True: "correct", False: "incorrect"}
    confusion = page.locator("table").filter(has_text="person: correct").inner_text()
    for said in (True, False):
        cells = [sum(pair == (said, other) for pair in zip(person, machine, strict=True)) for other in (True, False)]
        row = next(line for line in confusion.splitlines() if line.startswith(f"person: {words[said]}"))
        assert [int(it) for it in re.findall(r"\b\d+\b", row)] == cells
    table = page.locator("[data-testid=stDataFrame]").last
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 38 + 17)
    apart = page.locator(".st-key-cm-judge-apart")
    apart.get_by_text("By size").wait_for()
    apart.get_by_text(drawn[0].row.question.text).wait_for()
    apart.get_by_role("link", name="Trace as in the run").click()
    page.wait_for_url(f"**/trace?**question={drawn[0].row.question.index}**")
