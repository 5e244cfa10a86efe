"""The second question on one history, with the local model: what the server's prefix cache saves.

The answer prompt puts the history first and the question last. The server keeps what it computed for a beginning
that two prompts share, so the second question on one history waits only for itself. The reference is the same
second question after the first words of the history were changed, so that nothing can be reused.

Needs the local model (python -m cuemem model pull); says so and ends where it is missing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from bench.common import show
from cuemem.adapters.files import open_source
from cuemem.adapters.local import (
    DEFAULT_MODEL,
    Endpoint,
    EngineSettings,
    LocalEngine,
    LocalModel,
    engine_installed,
    model_named,
)
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.context import render
from cuemem.datasets import load_conversations
from cuemem.prompts import Prompts
from cuemem.turns import cut_turns
from cuemem.types import Message

SAMPLE = Path(__file__).parent.parent / "data" / "locomo_sample.json"
HISTORY_TOKENS = 3_000
QUESTIONS = ("Where did they go for the weekend?", "Which present was bought, and for whom?")
REPLY_TOKENS = 32


@dataclass(frozen=True, slots=True)
class Call:
    """One streamed reply: seconds to its first token, by the clock and of the server's processor time (None where
    the system does not tell), tokens of the prompt, how many of those were cached, tokens a second of the reply.
    """

    first: float
    work: float | None
    prompt: int
    cached: int
    per_second: float


def history() -> str:
    """The beginning of the bundled conversation, as full-history prompting shows it."""
    loaded = next(iter(load_conversations(open_source(SAMPLE))))
    turns = cut_turns(loaded.conversation, "utterance")
    tokens = FixedTokenizer()
    lines = [(turn, turn.text) for turn in turns]
    count = len(lines)
    while tokens.count(render(lines[:count])) > HISTORY_TOKENS:
        count -= 1
    return render(lines[:count])


def ask(endpoint: Endpoint, messages: tuple[Message, ...]) -> Call:
    """Ask through LiteLLM, as the app does."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from litellm import completion

    started, worked = perf_counter(), processor_time(endpoint.pid)
    reply: Iterator[Any] = completion(
        model=endpoint.model,
        api_base=endpoint.api_base,
        api_key=endpoint.api_key,
        messages=[{"role": message.role, "content": message.text} for message in messages],
        temperature=0,
        max_tokens=REPLY_TOKENS,
        timeout=3600,
        stream=True,
        stream_options={"include_usage": True},
    )
    first, work, usage = 0.0, None, None
    for chunk in reply:
        usage = getattr(chunk, "usage", None) or usage
        if not first and chunk.choices and chunk.choices[0].delta.content:
            first = perf_counter()
            work = None if worked is None else (processor_time(endpoint.pid) or 0.0) - worked
    ended = perf_counter()
    assert usage is not None
    speed = (usage.completion_tokens - 1) / (ended - first) if usage.completion_tokens > 1 else 0.0
    return Call(first - started, work, usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens, speed)


def processor_time(pid: int) -> float | None:
    """The seconds that all threads of the server have worked: on a busy machine the honest measure."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return None
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_memory(pid: int) -> str:
    """The most memory that the server has taken, where the system tells."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return "not known here"
    peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return f"{int(peak.split()[1]) / 1024:,.0f} MB"


def main() -> None:
    model = model_named(sys.argv[1] if len(sys.argv) > 1 else DEFAULT_MODEL)
    if not engine_installed() or not model.present():
        print(f"Skipped: {model.title} or its engine is not here.")
        print("pip install -r requirements-local.txt, then python -m cuemem model pull")
        return
    with TemporaryDirectory() as folder:  # a server of our own, that nobody else asks
        model.path(Path(folder)).symlink_to(model.path())
        measure(model, LocalEngine(Path(folder)))


def measure(model: LocalModel, engine: LocalEngine) -> None:
    """Ask, and print the table."""
    began = perf_counter()
    endpoint = engine.start(model, EngineSettings())
    loaded = perf_counter() - began
    try:
        ask(endpoint, (Message("user", "Say hello."),))  # imports LiteLLM, runs the model warm
        prompt, text = Prompts()["answer_short"], history()
        asked = [
            ("first question", text, QUESTIONS[0]),
            ("second question", text, QUESTIONS[1]),
            ("the second, nothing reused", f"Two friends: {text}", QUESTIONS[1]),
        ]
        calls = [
            (what, ask(endpoint, prompt.fill(history=told, question=question, question_date="", priority="")))
            for what, told, question in asked
        ]
        memory = peak_memory(endpoint.pid)
    finally:
        engine.close()
    rows = [
        (
            what,
            f"{call.prompt:,}",
            f"{call.cached:,}",
            f"{call.first:.2f}",
            "–" if call.work is None else f"{call.work:.2f}",
            f"{(call.prompt - call.cached) / call.first:.0f}",
            f"{call.per_second:.1f}",
        )
        for what, call in calls
    ]
    show(
        f"{model.title}: a history of {HISTORY_TOKENS:,} tokens",
        ("", "prompt tokens", "from cache", "s to first token", "processor s", "prompt tokens/s", "reply tokens/s"),
        rows,
    )
    first, second, plain = (call.first for _, call in calls)
    print(f"Ratio: the second question starts {first / second:.0f} times as fast as the first, and ", end="")
    print(f"{plain / second:.0f} times as fast as without reuse.")
    if calls[0][1].work and calls[1][1].work:
        print(f"In processor time, whatever else the machine did: {calls[0][1].work / calls[1][1].work:.0f} times.")
    print(f"Loaded in {loaded:.1f} s; peak memory of the server {memory}.")


if __name__ == "__main__":
    main()
