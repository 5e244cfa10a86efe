"""Models and Answers in a browser: name a model, see its answer come and be judged, hand the link on."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from tests.openai_server import Act, OpenAIServer, Request

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import NewPage

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
SAID = 'Lakeside <img src=x onerror="alert(1)"> Town, **bold** [link](https://example.com) $x^2$ :red[red]'
MADE = "main :is(script, iframe, img, strong, .katex), main a[href*='example.com']"


def name_a_model(page: Page, app: str, server: OpenAIServer) -> None:
    page.goto(f"{app}/models")
    fields = {
        "Model, as LiteLLM names it": "openai/test",
        "Address of its server": server.base,
        "Key": "planted-KEY-0123456789abcdef",
        "Window in tokens": "100000",  # else LiteLLM is loaded to ask it
    }
    for label, text in fields.items():
        page.get_by_role("textbox", name=label).fill(text)
    page.get_by_role("button", name="Use in this session").click()
    page.get_by_text(f"openai/test at {server.base}").first.wait_for()


def test_a_model_is_named_and_its_answer_comes_word_by_word_as_text(app: str, new_page: NewPage) -> None:
    gate = threading.Event()

    def reply(request: Request) -> Act:
        if request.mode == "json_schema":
            return Act('{"judgment": "correct", "reason": "It says <b>so</b> in $gold$."}')
        return Act(SAID, gate=gate)

    page = new_page()
    with OpenAIServer(reply) as server:
        name_a_model(page, app, server)
        page.get_by_role("link", name="Answers").click()
        page.get_by_role("button", name="Naive RAG").click()
        page.get_by_text("3 answers from").wait_for()
        page.get_by_role("button", name="Oracle evidence").click()
        page.get_by_text("2 answers from").wait_for()
        page.get_by_role("button", name="Ask", exact=True).click()
        page.locator(".cma-coming", has_text="Lakeside <img").first.wait_for(timeout=120_000)  # LiteLLM is loaded
        assert ":red" not in page.locator(".cma-coming").first.inner_text()
        gate.set()
        page.get_by_text("nothing is left to ask").wait_for()
        assert page.locator(".cma-answer").all_inner_texts() == [SAID] * 2
        assert page.locator(".cma-reason").all_inner_texts() == ["It says <b>so</b> in $gold$."] * 2
        page.get_by_text(f"{len(server.log)} requests to models").wait_for()
        page.get_by_text("Exact prompt").first.click()
        page.get_by_text("Past conversations:").first.wait_for()
        page.get_by_text("Gold answer").click()
        page.locator(".cma-gold", has_text="Lakeside Town").wait_for()
        assert page.locator(MADE).count() == 0
        asked = len(server.log)
        other = new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
        other.goto(page.url)  # where no model is set: what is kept is shown, and nobody is asked
        other.get_by_text("No language model is set").wait_for()
        other.locator(".cma-answer").nth(1).wait_for()
        assert other.locator(".cma-answer").count() == 2
        assert other.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert len(server.log) == asked == 3
    assert "planted" not in page.url + page.content() + other.content()
