"""Files of memory units for tests: a unit for each utterance, and parsed questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cuemem.types import Conversation, Question


def unit_line(number: int, start: str, fact: str, end: str | None = None, **more: Any) -> dict[str, Any]:
    subject, _, rest = fact.partition(" ")
    predicate, _, thing = rest.partition(" ")
    return {
        "unit_id": f"u{number}",
        "start_turn": start,
        "end_turn": end or start,
        "fact_text": fact,
        "triple": {"subject": subject, "predicate": predicate or "is", "object": thing or "it"},
        "entities": [],
        "locations": [],
        "time": [],
    } | more


def write_lines(path: Path, lines: Sequence[Any]) -> Path:
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def write_units(folder: Path, conversation: Conversation, questions: Sequence[Question] = ()) -> Path:
    """``<sample>.units.jsonl`` and, with questions, ``<sample>.queries.jsonl``."""
    lines = [
        unit_line(at, it.utterance_id, f"{it.speaker} said {it.text[:200]}", entities=[it.speaker])
        for at, it in enumerate(conversation.utterances, 1)
    ]
    write_lines(folder / f"{conversation.sample_id}.units.jsonl", lines)
    if questions:
        parses = [
            {"qa_index": it.index, "entities": [conversation.speakers[0]], "locations": [], "time": {}}
            for it in questions
        ]
        write_lines(folder / f"{conversation.sample_id}.queries.jsonl", parses)
    return folder
