"""The forms in which a language model gives units, their index, trajectories and parsed questions."""

from __future__ import annotations

from typing import Any

from cuemem.types import JsonSchema

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(item: Any) -> dict[str, Any]:
    return {"type": "array", "items": item}


UNITS_SCHEMA: JsonSchema = _object(
    memory_units=_list(
        _object(
            start_turn=_TEXT,
            end_turn=_TEXT,
            fact_text=_TEXT,
            triple=_object(subject=_TEXT, predicate=_TEXT, object=_TEXT),
        )
    )
)
INDEX_SCHEMA: JsonSchema = _object(
    memory_units=_list(
        _object(
            memory_unit_id=_TEXT,
            entities=_TEXTS,
            locations=_TEXTS,
            time=_list(_object(start=_TEXT, end=_TEXT, granularity=_TEXT)),
        )
    )
)
TRAJECTORY_SCHEMA: JsonSchema = _object(trajectory=_TEXT)
PARSE_SCHEMA: JsonSchema = _object(
    entities=_TEXTS,
    locations=_TEXTS,
    time=_object(fact=_TEXTS, utterance=_TEXTS),
)
