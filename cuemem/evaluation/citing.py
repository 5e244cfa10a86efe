"""Answers that cite (QGMem, section III-C): a context with a label on every line, and what a reasoning path cites."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from cuemem.types import EvidenceContext, JsonSchema, TurnId

CITED_SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {"reasoning_path": {"type": "string"}, "answer": {"type": "string"}},
    "required": ["reasoning_path", "answer"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Citation:
    """A label that a reasoning path names. ``text`` is the line it stands for; an unknown label stands for none."""

    label: str
    kind: str
    text: str
    turn_ids: tuple[TurnId, ...]

    @property
    def known(self) -> bool:
        """Whether the context has this label."""
        return bool(self.kind)


def labelled(context: EvidenceContext) -> str:
    """The context's text with each turn's id before it; a context of statements has its labels already."""
    if context.statements:
        return context.text
    parts, place = [], 0
    for item in context.items:
        start = context.text.index(item.text, place)
        parts += [context.text[place:start], f"[{item.turn_id}] ", item.text]
        place = start + len(item.text)
    return "".join([*parts, context.text[place:]])


def citations(path: str, context: EvidenceContext) -> tuple[Citation, ...]:
    """The labels that a reasoning path names, each once and in its order, those that the context lacks too.

    What is formed like one of the context's labels counts as one; of labels that are bare numbers only those in
    brackets do, since any other number would look like one.
    """
    known = labels(context)
    shapes = {re.sub(r"\d+", r"\\d+", re.escape(label)) for label in known}
    bare = {shape for shape in shapes if shape == r"\d+"}
    patterns = sorted(shapes - bare, key=len, reverse=True)
    formed = [rf"(?<![\w:.]){shape}(?![\w:]|\.\d)" for shape in patterns]
    formed += [rf"(?<=\[){shape}(?=\])" for shape in bare]
    if not formed:
        return ()
    found = dict.fromkeys(match[0] for match in re.finditer("|".join(formed), path))
    return tuple(known.get(label, Citation(label, "", "", ())) for label in found)


def labels(context: EvidenceContext) -> Mapping[str, Citation]:
    """What can be cited: the statements of the context, or its turns."""
    if context.statements:
        return {it.label: Citation(it.label, it.kind, it.text, it.turn_ids) for it in context.statements}
    return {it.turn_id: Citation(it.turn_id, "turn", it.text, (it.turn_id,)) for it in context.items}


def unknown(path: str, context: EvidenceContext) -> str:
    """What is to be said of labels that the context does not have; empty where there are none."""
    strangers = [it.label for it in citations(path, context) if not it.known]
    return f"It cites {', '.join(strangers)}, which the context does not have." if strangers else ""
