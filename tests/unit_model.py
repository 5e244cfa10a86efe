"""A model that makes memory units, for the fault server of the tests: as it should, or with one kind of fault."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.openai_server import Act, Request

LINE = re.compile(r"^(NEW_IN_THIS|OVERLAP_FROM_PREVIOUS)_WINDOW \[(\S+)\]", re.MULTILINE)


def kind_of(request: Request) -> str:
    """Which of QGMem's prompts a request is."""
    asked = request.texts[-1]
    return next(
        name
        for name, sign in (
            ("units", "_WINDOW ["),
            ("index", "Memory units:"),
            ("trajectory", "oldest first:"),
            ("parse", "Time of the question:"),
        )
        if sign in asked
    )


def unit(turn: str, fact: str = "", end: str | None = None) -> dict[str, Any]:
    fact = fact or f"fact of {turn}"
    return {
        "start_turn": turn,
        "end_turn": end or turn,
        "fact_text": fact,
        "triple": {"subject": "Ada", "predicate": "says", "object": fact},
    }


def entry(unit_id: str, start: str = "2024-03", end: str = "2024-03") -> dict[str, Any]:
    time = [{"start": start, "end": end, "granularity": "month"}]
    return {"memory_unit_id": unit_id, "entities": ["Ada"], "locations": [], "time": time}


def reply(request: Request) -> str:
    """A model that makes a unit of each new line, indexes it, and tells and parses something."""
    asked = request.texts[-1]
    match kind_of(request):
        case "units":
            new = [turn for sort, turn in LINE.findall(asked) if sort == "NEW_IN_THIS"]
            return json.dumps({"memory_units": [unit(turn) for turn in new]})
        case "index":
            listed = json.loads(
                asked.partition("Memory units:\n")[2].partition("\n\nReply with JSON only, without")[0]
            )
            return json.dumps({"memory_units": [entry(it["memory_unit_id"]) for it in listed]})
        case "trajectory":
            return json.dumps({"trajectory": "It began, and it goes on, which is the current state."})
        case _:
            return json.dumps(
                {"entities": ["Ada"], "locations": [], "time": {"fact": ["2024-03-01..2024-03-31"], "utterance": []}}
            )


def only(wanted: str, act: Act | str, times: int = 99) -> Any:
    """A model that plays this where asked for one kind of thing, and is itself else."""
    left = [times]

    def respond(request: Request) -> Act | str:
        if kind_of(request) == wanted and left[0] > 0:
            left[0] -= 1
            return act
        return reply(request)

    return respond
