"""The Models page, run whole: what is set and where, keys that turn up nowhere, a tiny call, the local model."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cuemem.adapters.local import LocalEngine, model_named
from cuemem.adapters.store import Store
from cuemem.ui import cache
from tests import openai_server as openai
from tests.openai_server import OpenAIServer
from tests.pages.conftest import OpenPage, shown

KEY = "planted-KEY-0123456789abcdef"
SMALL = "qwen2.5-coder-0.5b"


@pytest.fixture(scope="module")
def running() -> Iterator[OpenAIServer]:
    with OpenAIServer('{"judgment": "correct", "reason": "ready"}') as server:
        yield server


def filled(test: AppTest, **fields: str) -> AppTest:
    """The form filled in and sent."""
    for name, text in fields.items():
        test.text_input(key=f"models.form.{name}").set_value(text)
    submit = next(button for button in test.button if button.label == "Use in this session")
    submit.click().run()
    assert not test.exception
    return test


def press(test: AppTest, key: str) -> AppTest:
    test.button(key=key).click().run()
    assert not test.exception
    return test


def test_without_a_model_it_offers_the_two_ways(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CUEMEM_MODELS", str(tmp_path))
    monkeypatch.setattr("cuemem.ui.model_page.local.engine_installed", lambda: False)
    test = open_page("models", None)
    page = shown(test)
    assert "No language model is set" in page
    assert "Two ways to get one" in page
    assert "pip install -r requirements-local.txt" in page
    assert "licence Apache-2.0" in page
    assert "1.1 GB" in page
    assert page.count("not here") == 2


def test_the_places_are_laid_over_each_other_and_named(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUEMEM_MODEL", "openai/env")
    monkeypatch.setenv("CUEMEM_API_KEY", KEY)
    test = open_page("models", None)
    test.secrets["CUEMEM_JUDGE_MODEL"] = "gpt-4o"
    test.run()
    page = shown(test)
    assert "set in the environment for every role · key set in the environment for every role" in page
    assert "set in secrets.toml for this role" in page
    test.segmented_control(key="models.form.scope").set_value("answer").run()
    page = shown(filled(test, model="openai/mine", api_base="http://127.0.0.1:9/v1", window="4096"))
    assert "openai/mine at http://127.0.0.1:9/v1" in page
    assert "set in this session for this role · no key set here · window 4,096 tokens · 1 at once" in page
    assert 'CUEMEM_ANSWER_MODEL = "openai/mine"' in page
    page = shown(filled(test, window="many"))
    assert "CUEMEM_WINDOW=&#x27;many&#x27; must be a whole number above 0" in page
    assert "window 4,096 tokens" in page
    page = shown(filled(test, window="", api_base="localhost:8080"))
    assert "The address must begin with http://" in page
    test = press(test, "models.form.back")
    assert "openai/mine" not in shown(test)
    assert KEY not in shown(test)


def test_a_key_of_the_session_goes_to_its_server_and_nowhere_else(
    open_page: OpenPage, own_store: Path, running: OpenAIServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    running.log.clear()
    test = filled(open_page("models", own_store), model="openai/test", api_base=running.base, api_key=KEY)
    page = shown(press(test, "models.try.extractor"))
    assert "openai/test answered" in page
    assert "key set in this session for every role" in page
    assert test.text_input(key="models.form.api_key").value == ""
    running.then(openai.error(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"))
    page += shown(press(test, "models.try.extractor"))
    assert "bad key: openai/test" in page
    test.switch_page("pages/answers.py").run()
    running.then(openai.error(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"))
    test.button(key="answers.ask").click().run()
    assert cache.asking().wait(30)
    page += shown(test.run())
    assert len(running.log) > 6
    assert {request.headers["authorization"] for request in running.log} == {f"Bearer {KEY}"}
    with Store.open(own_store) as store:
        told = repr([store.export_replies(), store.chat_failures(), store.verdicts(store.resolve("lakeside"))])
        store.checkpoint()
    assert store.path == own_store
    stored = b"".join(path.read_bytes() for path in own_store.parent.glob("own.duckdb*"))
    for place in (page, told, caplog.text, str(test.query_params)):
        assert KEY not in place
    assert KEY.encode() not in stored


def test_the_local_models_file_is_pulled_in_the_background(
    open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUEMEM_MODELS", str(tmp_path / "models"))
    wrong = tmp_path / "model.gguf"
    wrong.write_bytes(b"not a model")
    test = open_page("models", None)
    test.selectbox(key=f"models.source.{SMALL}").set_value("elsewhere").run()
    test.text_input(key=f"models.place.{SMALL}").set_value(str(wrong)).run()
    test = press(test, f"models.pull.{SMALL}")
    (job,) = cache.jobs().jobs("pull")
    assert cache.jobs().wait(job.job_id, 30).state == "failed"
    page = shown(test.run())
    assert "Failed:" in page
    assert "491" in page
    test = press(test, f"job.forget.{job.job_id}")
    with model_named(SMALL).path(tmp_path / "models").open("wb") as file:
        file.truncate(model_named(SMALL).size)  # as if it had been pulled
    assert "Its server starts by itself" in shown(test.run())
    monkeypatch.setattr("cuemem.ui.model_page.local.engine_installed", lambda: True)
    page = shown(press(test.run(), f"models.use.{SMALL}"))
    assert f"local/{SMALL}" in page
    assert "set in this session for every role" in page
    assert "60 min time-out" in page


def test_the_local_server_is_started_and_stopped_by_a_click(
    open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine in the server's process is a stand-in; the process, its port and the buttons are real."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "adapters" / "stub_engine"))
    monkeypatch.setenv("CUEMEM_MODELS", str(tmp_path))
    for module in ("adapters.local.engine", "ui.model_page.local"):
        monkeypatch.setattr(f"cuemem.{module}.engine_installed", lambda: True)
    with model_named(SMALL).path(tmp_path).open("wb") as file:
        file.truncate(model_named(SMALL).size)
    engine = LocalEngine(tmp_path)
    monkeypatch.setattr("cuemem.ui.model_page.local.shared_engine", lambda: engine)
    try:
        test = press(open_page("models", None), f"models.start.{SMALL}")
        running = engine.running(model_named(SMALL))
        assert running is not None
        assert running.api_base in shown(test)
        assert f"models.start.{SMALL}" not in [button.key for button in test.button]
        test = press(test, f"models.stop.{SMALL}")
        assert engine.running(model_named(SMALL)) is None
        assert "Its server starts by itself" in shown(test)
    finally:
        engine.close()
