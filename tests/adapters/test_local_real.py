"""The real engine with the smallest real model that has been pulled: what the stand-in cannot show."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuemem.adapters.local import (
    CATALOGUE,
    EngineSettings,
    LocalChat,
    LocalEngine,
    engine_installed,
    models_folder,
)
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.errors import ChatFailure, Unavailable
from cuemem.types import ChatRequest, Message, PromptVersion

HERE = [model for model in CATALOGUE if model.present()]
MODEL = min(HERE or CATALOGUE, key=lambda model: model.size)
VERSION = PromptVersion("test", "0")
SCHEMA = {
    "type": "object",
    "properties": {"animal": {"type": "string", "enum": ["cat", "dog"]}, "name": {"type": "string", "maxLength": 20}},
    "required": ["animal", "name"],
    "additionalProperties": False,
}

pytestmark = [
    pytest.mark.local,
    pytest.mark.timeout(1200),  # with all cores busy
    pytest.mark.skipif(not engine_installed(), reason="no engine: pip install -r requirements-local.txt"),
    pytest.mark.skipif(not HERE, reason="no local model: python -m cuemem model pull"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of its own with the model's file in it, so that no server of the user's is touched."""
    folder = tmp_path_factory.mktemp("models")
    MODEL.path(folder).symlink_to(MODEL.path(models_folder()))
    return folder


@pytest.fixture(scope="module")
def chat(folder: Path) -> Iterator[LocalChat]:
    engine = LocalEngine(folder)
    yield LocalChat(MODEL, FixedTokenizer(), engine, EngineSettings(context=1024))
    engine.close()


def asked(text: str, **more: object) -> ChatRequest:
    return ChatRequest((Message("user", text),), VERSION, max_tokens=24, **more)  # type: ignore[arg-type]


def test_a_plain_reply(chat: LocalChat) -> None:
    reply = chat.complete(asked("What is the capital of France?"))
    assert "Paris" in reply.text
    assert reply.usage.tokens_in > reply.usage.tokens_out > 0
    assert (reply.model, reply.usage.cost, reply.finish_reason) == (chat.name, 0.0, "stop")


def test_a_streamed_reply_is_the_same(chat: LocalChat) -> None:
    request = asked("Count from 1 to 5, separated by commas.")
    pieces = []
    stream = chat.stream(request)
    while True:
        try:
            pieces.append(next(stream))
        except StopIteration as ended:
            whole = ended.value
            break
    assert len(pieces) > 3
    assert "".join(pieces) == whole.text == chat.complete(request).text


def test_json_follows_the_schema_whatever_is_asked(chat: LocalChat) -> None:
    reply = chat.complete(asked("Write a poem about a fish named Bo.", schema=SCHEMA))
    found = json.loads(reply.text)
    assert set(found) == {"animal", "name"}
    assert found["animal"] in ("cat", "dog")


def test_a_prompt_longer_than_the_window_is_named_as_such(chat: LocalChat) -> None:
    with pytest.raises(ChatFailure) as caught:
        chat.complete(asked("word " * 2000))
    assert caught.value.kind == "context too long"


def test_an_idle_server_gives_its_memory_back_and_wakes_by_itself(folder: Path) -> None:
    engine = LocalEngine(folder)
    engine.stop(MODEL)
    chat = LocalChat(MODEL, FixedTokenizer(), engine, EngineSettings(context=512, idle_seconds=1))
    try:
        chat.complete(asked("Say hello."))
        endpoint = engine.running(MODEL)
        assert endpoint is not None
        deadline = time.monotonic() + 60
        while not endpoint.asleep and time.monotonic() < deadline:
            time.sleep(0.2)
        assert endpoint.asleep
        assert chat.complete(asked("Say hello.")).text
        assert engine.running(MODEL) == endpoint
    finally:
        engine.close()


def test_a_file_that_is_no_model_is_said_so(tmp_path: Path) -> None:
    with MODEL.path(tmp_path).open("wb") as file:
        file.truncate(MODEL.size)
    with pytest.raises(Unavailable, match=r"ended while it loaded \(.*invalid magic.*; exit code 1"):
        LocalEngine(tmp_path).start(MODEL)
