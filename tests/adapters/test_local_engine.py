"""The server's process: started once, found by others, stopped, and never left behind.

The engine in it is a stand-in that loads at once; the processes, locks and ports are real.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import httpx
import pytest

from cuemem.adapters.local import Endpoint, EngineSettings, LocalChat, LocalEngine, local_model, model_named
from cuemem.adapters.local import engine as engine_module
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.errors import BadSetting, Cancelled, ChatFailure, Refused, Unavailable, UnknownName
from cuemem.types import ChatReply, ChatRequest, Message, PromptVersion
from tests.adapters.local_samples import CONTENT, MODEL

ROOT = Path(__file__).parents[2]
STUB = Path(__file__).parent / "stub_engine"
SMALL = EngineSettings(context=1024, threads=3)


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(STUB))
    monkeypatch.setattr(engine_module, "engine_installed", lambda: True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    MODEL.path(tmp_path).write_bytes(CONTENT)
    return tmp_path


@pytest.fixture
def engine(folder: Path) -> Iterator[LocalEngine]:
    engine = LocalEngine(folder)
    yield engine
    engine.close()


def told(endpoint: Endpoint) -> dict[str, object]:
    reply: dict[str, object] = httpx.get(f"{endpoint.api_base}/props", trust_env=False).json()
    return reply


def lives(pid: int) -> bool:
    """Whether the process runs; one that has ended and was not asked for yet does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def soon(is_so: Callable[[], bool], seconds: float = 15.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if is_so():
            return True
        time.sleep(0.02)
    return is_so()


def test_it_listens_on_the_loopback_interface_with_the_settings(engine: LocalEngine) -> None:
    endpoint = engine.start(MODEL, SMALL)
    assert endpoint.api_base.startswith("http://127.0.0.1:")
    assert endpoint.api_base.endswith("/v1")
    assert told(endpoint) == {"n_ctx": 1024, "threads": 3, "is_sleeping": False}
    assert (endpoint.name, endpoint.context, endpoint.model) == ("tiny", 1024, "openai/local")
    assert "listening" in endpoint.log.read_text()
    assert "127.0.0.1" in os.environ["NO_PROXY"]


def test_a_second_start_gives_the_same_server(engine: LocalEngine) -> None:
    first = engine.start(MODEL, SMALL)
    assert engine.start(MODEL, EngineSettings(context=512)) == first
    assert engine.running(MODEL) == first


def test_two_that_start_at_once_share_one_server(folder: Path) -> None:
    engines = [LocalEngine(folder) for _ in range(3)]
    found: list[Endpoint] = []
    threads = [threading.Thread(target=lambda it=it: found.append(it.start(MODEL, SMALL))) for it in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    try:
        assert len(found) == 3
        assert len(set(found)) == 1
    finally:
        for it in engines:
            it.close()
    assert not lives(found[0].pid)


def test_others_find_it_and_can_stop_it(engine: LocalEngine, folder: Path) -> None:
    endpoint = engine.start(MODEL, SMALL)
    other = LocalEngine(folder)
    assert other.running(MODEL) == endpoint
    with pytest.raises(Refused, match=r"with a context of 1,024 tokens, and 8,192 are asked for.*model stop tiny"):
        other.start(MODEL, EngineSettings())
    other.close()  # ends only what it has started itself
    assert lives(endpoint.pid)
    assert other.stop(MODEL)
    assert not lives(endpoint.pid)
    assert engine.running(MODEL) is None
    assert not engine.stop(MODEL)


def test_more_context_restarts_our_own(engine: LocalEngine) -> None:
    small = engine.start(MODEL, SMALL)
    large = engine.start(MODEL, EngineSettings(context=4096))
    assert large.context == 4096
    assert not lives(small.pid)
    assert engine.running(MODEL) == large


def test_a_killed_server_is_started_again(engine: LocalEngine) -> None:
    first = engine.start(MODEL, SMALL)
    os.kill(first.pid, signal.SIGKILL)
    assert soon(lambda: engine.running(MODEL) is None)
    second = engine.start(MODEL, SMALL)
    assert second.pid != first.pid
    assert told(second)["n_ctx"] == 1024


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "sys.exit()"])
def test_it_dies_with_the_process_that_started_it(folder: Path, end: str) -> None:
    program = f"""
import os, sys
from pathlib import Path
from cuemem.adapters.local import EngineSettings, LocalEngine, engine
from tests.adapters.local_samples import MODEL
engine.engine_installed = lambda: True
keep = LocalEngine(Path({str(folder)!r}))
print(keep.start(MODEL, EngineSettings(context=1024)).pid, flush=True)
{end}
"""
    environment = os.environ | {"PYTHONPATH": f"{STUB}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        timeout=60,
    )
    pid = int(done.stdout)
    assert soon(lambda: not lives(pid))
    assert LocalEngine(folder).running(MODEL) is None


def test_close_ends_what_was_started(engine: LocalEngine) -> None:
    endpoint = engine.start(MODEL, SMALL)
    engine.close()
    assert not lives(endpoint.pid)
    assert engine.running(MODEL) is None


def test_a_model_that_does_not_load_is_said_with_the_engine_s_words(engine: LocalEngine, folder: Path) -> None:
    MODEL.path(folder).write_bytes(b"broken".ljust(len(CONTENT)))
    with pytest.raises(Unavailable, match=r"RuntimeError: failed to load model; exit code 1.*tiny\.log"):
        engine.start(MODEL, SMALL)
    assert engine.running(MODEL) is None


def test_loading_can_be_cancelled(engine: LocalEngine, folder: Path) -> None:
    MODEL.path(folder).write_bytes(b"slow..".ljust(len(CONTENT)))
    calls: list[str] = []

    def cancel(what: str, *_: int) -> None:
        calls.append(what)
        if len(calls) > 3:
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        engine.start(MODEL, SMALL, cancel)
    assert calls[0] == "tiny is loading, s"
    MODEL.path(folder).write_bytes(CONTENT)
    assert told(engine.start(MODEL, SMALL))["n_ctx"] == 1024  # the cancelled one holds nothing any more


def test_an_idle_server_says_that_it_sleeps(engine: LocalEngine) -> None:
    endpoint = engine.start(MODEL, EngineSettings(context=1024, idle_seconds=1))
    assert endpoint.asleep
    engine.close()
    with pytest.raises(Unavailable, match="does not answer"):
        _ = endpoint.asleep


def test_without_model_or_engine_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = LocalEngine(tmp_path)
    with pytest.raises(Unavailable, match=r"Tiny test model is not here yet.*python -m cuemem model pull tiny"):
        engine.start(MODEL)
    monkeypatch.setattr(engine_module, "engine_installed", lambda: False)
    with pytest.raises(Unavailable, match=r"pip install -r requirements-local\.txt"):
        engine.start(MODEL)
    assert engine.running(MODEL) is None


@pytest.mark.parametrize("wrong", [{"context": 40_000}, {"context": 0}, {"threads": 0}, {"idle_seconds": -1}])
def test_settings_have_ranges(wrong: dict[str, int]) -> None:
    with pytest.raises(BadSetting, match="not possible"):
        EngineSettings(**wrong)


# --- as a chat model ---------------------------------------------------------

ASKED = ChatRequest((Message("user", "hello"),), PromptVersion("test", "0"))


def test_a_request_starts_the_server_and_the_reply_carries_the_model_s_name(engine: LocalEngine) -> None:
    chat = LocalChat(MODEL, FixedTokenizer(), engine, SMALL)
    assert engine.running(MODEL) is None
    reply = chat.complete(ASKED)
    assert (reply.text, reply.model, reply.usage.cost) == ("HELLO", "local/tiny", 0.0)
    assert chat.name == reply.model
    assert chat.window == 1024
    first = engine.running(MODEL)
    engine.stop(MODEL)
    pieces = chat.stream(ASKED)  # on a server that was stopped in between
    assert next(pieces) == "HELLO"
    with pytest.raises(StopIteration) as ended:
        next(pieces)
    assert ended.value.value.model == "local/tiny"
    assert engine.running(MODEL) != first


def test_a_failure_names_the_model_as_it_was_asked_for(engine: LocalEngine) -> None:
    silent = ChatRequest((Message("user", ""),), PromptVersion("test", "0"))
    chat = LocalChat(MODEL, FixedTokenizer(), engine, SMALL)
    for ask in (chat.complete, lambda request: next(chat.stream(request))):
        with pytest.raises(ChatFailure, match=r"^local/tiny"):
            ask(silent)


class Dropped:
    """A model whose server ends while it is asked, as when the process that started it ends."""

    def __init__(self, engine: LocalEngine) -> None:
        self.engine = engine
        self.asked = 0

    def complete(self, _: ChatRequest) -> ChatReply:
        self.asked += 1
        self.engine.stop(MODEL)
        raise ChatFailure("connection lost", "The connection broke off.", retryable=True)

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatReply]:
        yield from ()
        return self.complete(request)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_server_that_ended_with_its_starter_is_started_anew(
    engine: LocalEngine, folder: Path, streamed: bool
) -> None:
    chat = LocalChat(MODEL, FixedTokenizer(), engine, SMALL)
    other = LocalEngine(folder)
    dropped = Dropped(other)
    chat._last = (other.start(MODEL, SMALL), dropped)  # type: ignore[assignment]
    text = "".join(chat.stream(ASKED)) if streamed else chat.complete(ASKED).text
    assert text == "HELLO"
    assert dropped.asked == 1
    running = engine.running(MODEL)
    assert running is not None
    other.close()
    assert lives(running.pid)  # ours, not the other's


def test_a_broken_connection_to_a_living_server_is_a_failure(engine: LocalEngine) -> None:
    class Broken(Dropped):
        def complete(self, _: ChatRequest) -> ChatReply:
            raise ChatFailure("connection lost", "The connection broke off.", retryable=True)

    chat = LocalChat(MODEL, FixedTokenizer(), engine, SMALL)
    chat._last = (engine.start(MODEL, SMALL), Broken(engine))  # type: ignore[assignment]
    with pytest.raises(ChatFailure, match="broke off"):
        chat.complete(ASKED)
    with pytest.raises(ChatFailure, match="broke off"):
        list(chat.stream(ASKED))


def test_a_model_that_is_not_there_is_a_chat_failure(tmp_path: Path) -> None:
    with pytest.raises(ChatFailure, match="python -m cuemem model pull tiny") as caught:
        LocalChat(MODEL, FixedTokenizer(), LocalEngine(tmp_path)).complete(ASKED)
    assert caught.value.kind == "no model"
    assert caught.value.retryable


def test_names_of_local_models() -> None:
    assert local_model("local") is model_named("qwen2.5-coder-1.5b")
    assert local_model("local/qwen2.5-coder-0.5b") is model_named("qwen2.5-coder-0.5b")
    assert local_model("openai/local") is None
    with pytest.raises(UnknownName, match="no local model 'nothing'"):
        local_model("local/nothing")
