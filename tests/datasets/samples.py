"""Small samples of our own in the layouts of the datasets, and a source that gives them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from cuemem.datasets import LoadedConversation, load_conversations
from cuemem.types import Problem


@dataclass(frozen=True)
class Given:
    """A parsed file that was never one."""

    samples: tuple[Any, ...]
    found: tuple[Problem, ...] = ()
    name: str = "talk.json"
    stem: str = "talk"
    sha256: str = "0123456789abcdef" * 4

    def items(self) -> Iterator[tuple[Any, tuple[Problem, ...]]]:
        return ((sample, self.found) for sample in self.samples)


def load(sample: Any) -> LoadedConversation:
    (loaded,) = load_conversations(Given((sample,)))
    return loaded


def kinds(loaded: LoadedConversation) -> dict[str, int]:
    return dict(Counter(problem.kind for problem in loaded.problems))


def says(dia_id: str, text: Any = "Hi there.", speaker: str = "Ann", **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": dia_id, "text": text, **more}


def locomo(*sessions: list[Any], qa: Iterable[Any] = (), **more: Any) -> dict[str, Any]:
    """A released-layout sample with a good date for each session and one harmless question if none is given."""
    dialogue: dict[str, Any] = {"speaker_a": "Ann", "speaker_b": "Bo"}
    for number, turns in enumerate(sessions, start=1):
        dialogue[f"session_{number}_date_time"] = f"1:56 pm on {number} May, 2023"
        dialogue[f"session_{number}"] = turns
    questions = list(qa) or [asks(["D1:1"])]
    return {"sample_id": "ours-1", "conversation": dialogue, "qa": questions} | more


def asks(evidence: Any, category: Any = 4, answer: Any = "tea", **more: Any) -> dict[str, Any]:
    return {"question": "What does Ann drink?", "answer": answer, "category": category, "evidence": evidence, **more}


def chat(*roles: str, **flags: bool) -> list[dict[str, Any]]:
    """A session with one message a role; ``m2=True`` flags the second as gold."""
    return [
        {"role": role, "content": f"Message {n}."} | ({"has_answer": flags[f"m{n}"]} if f"m{n}" in flags else {})
        for n, role in enumerate(roles, start=1)
    ]


def longmemeval(*sessions: tuple[str, str, list[Any]], **more: Any) -> dict[str, Any]:
    """An instance from (date, session id, messages)."""
    return {
        "question_id": "ours_q",
        "question_type": "multi-session",
        "question": "What was bought?",
        "answer": "A kettle",
        "question_date": "2023/06/01 (Thu) 09:00",
        "haystack_dates": [date for date, _, _ in sessions],
        "haystack_session_ids": [source_id for _, source_id, _ in sessions],
        "haystack_sessions": [messages for _, _, messages in sessions],
        "answer_session_ids": [source_id for _, source_id, _ in sessions if source_id.startswith("answer")],
    } | more
