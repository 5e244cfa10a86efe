"""The forms in which a language model gives units, their index, trajectories and parsed questions."""

from __future__ import annotations

from typing import Any

from cuemem.types import JsonSchema

_TEXT = {"type": "string"}
# A single claim names few things. Without a bound a small model may name the last one until its tokens are spent.
_MOST = 24
_TEXTS = {"type": "array", "items": _TEXT, "maxItems": _MOST}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(item: Any, most: int | None = None) -> dict[str, Any]:
    return {"type": "array", "items": item} | ({} if most is None else {"maxItems": most})


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
_ENTRY = _object(
    memory_unit_id=_TEXT,
    entities=_TEXTS,
    locations=_TEXTS,
    time=_list(_object(start=_TEXT, end=_TEXT, granularity=_TEXT), _MOST),
)


def index_schema(units: int) -> JsonSchema:
    """An entry for each of so many units; some that are too many are read, to be reported."""
    return _object(memory_units=_list(_ENTRY, 2 * units + 4))


TRAJECTORY_SCHEMA: JsonSchema = _object(trajectory=_TEXT)
PARSE_SCHEMA: JsonSchema = _object(
    entities=_TEXTS,
    locations=_TEXTS,
    time=_object(fact=_TEXTS, utterance=_TEXTS),
)
