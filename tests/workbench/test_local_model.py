"""The name ``local`` among the settings of language models."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuemem.adapters.local import LocalChat, local_model
from cuemem.adapters.store import Store
from cuemem.errors import ChatFailure, UnknownName
from cuemem.types import ChatRequest, Message, PromptVersion
from cuemem.workbench.models import model_settings, open_chat


def test_local_names_the_model_in_full_and_needs_no_address() -> None:
    found = model_settings("answer", {"CUEMEM_MODEL": "local", "CUEMEM_API_BASE": "http://elsewhere.example/v1"})
    assert found is not None
    assert (found.name, found.line, found.api_base) == ("local/qwen2.5-coder-1.5b", "local/qwen2.5-coder-1.5b", None)
    assert (found.limits.concurrency, found.limits.timeout) == (1, 3600)
    assert (
        model_settings("judge", {"CUEMEM_JUDGE_MODEL": "local/qwen2.5-coder-0.5b", "CUEMEM_TIMEOUT": "60"}) != found
    )
    with pytest.raises(UnknownName, match="no local model 'gpt'"):
        model_settings("answer", {"CUEMEM_MODEL": "local/gpt"})


def test_a_local_model_is_opened_with_its_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUEMEM_MODELS", str(tmp_path))
    settings = model_settings("answer", {"CUEMEM_MODEL": "local", "CUEMEM_WINDOW": "16384"})
    with Store.open(tmp_path / "s.duckdb") as store:
        chat = open_chat(store, settings)
        assert isinstance(chat.chat, LocalChat)
        assert chat.chat.model is local_model("local")
        assert (chat.name, chat.window, chat.cost(10, 10)) == ("local/qwen2.5-coder-1.5b", 16_384, 0.0)


def test_without_its_file_the_request_fails_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUEMEM_MODELS", str(tmp_path))
    # Settings that no other test uses: a model is opened once a process.
    settings = model_settings("answer", {"CUEMEM_MODEL": "local", "CUEMEM_WINDOW": "9000"})
    request = ChatRequest((Message("user", "Hello."),), PromptVersion("test", "0"))
    with Store.open(tmp_path / "s.duckdb") as store:
        with pytest.raises(ChatFailure, match=r"not installed|model pull qwen2\.5-coder-1\.5b"):
            open_chat(store, settings).complete(request)
        (kept,) = store.chat_failures()
    assert (kept.kind, kept.model) == ("no model", "local/qwen2.5-coder-1.5b")
