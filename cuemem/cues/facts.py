"""The form in which a language model gives facts, and how they become the contents of cues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cuemem.text import storable
from cuemem.types import JsonSchema, Triple

PARTS = ("subject", "relation", "object")
_FACTS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {part: {"type": "string"} for part in PARTS},
        "required": list(PARTS),
        "additionalProperties": False,
    },
}
TURN_SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {"facts": _FACTS},
    "required": ["facts"],
    "additionalProperties": False,
}
GROUP_SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {
        "turns": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"number": {"type": "integer"}, "facts": _FACTS},
                "required": ["number", "facts"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["turns"],
    "additionalProperties": False,
}


def contents_of(facts: Iterable[Mapping[str, Any]]) -> tuple[Triple | str, ...]:
    """The facts as triples, each once, in the order given.

    A fact with one empty part is kept as a statement of the other two ("Ada" "sneezed" ""); one with a single
    part, or none, states nothing: small models write it for "no fact".
    """
    contents: list[Triple | str] = []
    for fact in facts:
        parts = [" ".join(storable(str(fact[part])).split()) for part in PARTS]
        said = [part for part in parts if part]
        if len(said) == len(PARTS):
            contents.append(Triple(*parts))
        elif len(said) == 2:
            contents.append(" ".join(said))
    return tuple(dict.fromkeys(contents))
