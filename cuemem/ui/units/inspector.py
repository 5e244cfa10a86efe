"""One memory unit in full: fact, triple, attributes, both times, source turns; and the states of its trace."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from cuemem.text import counted
from cuemem.types import MemoryTrace, MemoryUnit
from cuemem.ui import links, markup
from cuemem.ui.markup import Html, html, join
from cuemem.ui.scene import Scene
from cuemem.unit_ports import UnitCatalogue

_AROUND = 5  # states shown before and after the chosen one; the first and the last are always shown


def inspector(scene: Scene, held: UnitCatalogue, unit: MemoryUnit) -> None:
    """Draw one unit and its trace."""
    trace = held.trace_of.get(unit.index)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader(f"Unit {unit.unit_id}", anchor="unit")
        markup.show(_facts(held, unit))
        turn = held.turns_of(unit.index)[0].turn_id
        st.page_link(
            "pages/conversation.py",
            label=f"Read {turn} in the conversation",
            icon=":material/forum:",
            query_params=links.trace(replace(scene.view, turn=turn, extras=())),
        )
    with right:
        st.subheader("Its trace", anchor="trace")
        if trace is None:
            markup.show(html('<p class="cm-quiet">It stands alone: no other unit tells of the same relation.</p>'))
        else:
            markup.show(timeline(held, trace, unit))


def _facts(held: UnitCatalogue, unit: MemoryUnit) -> Html:
    triple = unit.triple
    facts = {
        "Subject → predicate → object": f"{triple.subject} → {triple.relation} → {triple.object}",
        "Entities": ", ".join(unit.entities) or "none",
        "Locations": ", ".join(unit.locations) or "none",
        "Happened (factual time)": ", ".join(map(str, unit.fact_time)) or "not known",
        "Said (utterance time)": held.utterance_time(unit.index),
        "Source turns": ", ".join(turn.turn_id for turn in held.turns_of(unit.index)),
    }
    return html(
        '<div class="cmt-why"><p class="cmt-sentence" dir="auto">{fact}</p><dl class="cmu-facts">{rows}</dl>'
        '<p class="cm-label">What was said</p><p class="cmt-said cmt-whole" dir="auto">{said}</p></div>',
        fact=unit.fact_text,
        rows=join([html("<div><dt>{name}</dt><dd>{text}</dd></div>", name=n, text=t) for n, t in facts.items()]),
        said=held.evidence(unit.index),
    )


def timeline(held: UnitCatalogue, trace: MemoryTrace, unit: MemoryUnit) -> Html:
    """The states of a trace from the oldest to the newest, this unit marked, and what is told of them.

    Of a long one the first, the last and those around the unit, with the number left out between them.
    """
    told = trace.trajectory or trace.failure or "No trajectory is written: that takes a language model."
    at, last = trace.members.index(unit.index), len(trace.members) - 1
    shown = sorted({0, last, *range(max(0, at - _AROUND), min(last, at + _AROUND) + 1)})
    steps = []
    for before, place in zip([-1, *shown], shown, strict=False):
        if place > before + 1:
            steps.append(html('<li class="cmu-gap">{count} between</li>', count=counted(place - before - 1, "state")))
        steps.append(_state(held, trace, place, unit))
    return html(
        '<p class="cm-quiet">T{number} · {count} on “<bdi>{relation}</bdi>”</p><p dir="auto">{told}</p>'
        '<ol class="cmu-states">{steps}</ol>',
        number=trace.index + 1,
        count=counted(len(trace.members), "state"),
        relation=trace.relation,
        told=told,
        steps=join(steps),
    )


def _state(held: UnitCatalogue, trace: MemoryTrace, place: int, chosen: MemoryUnit) -> Html:
    member = held.units[trace.members[place]]
    current = "current state" if trace.trajectory else "newest"
    return html(
        '<li class="{look}"><p class="cm-label">{unit} · {when}{now}</p><p dir="auto">{fact}</p></li>',
        look="cmu-here" if member.index == chosen.index else "",
        unit=member.unit_id,
        when=_when(held, member),
        now=f" · {current}" if member.index == trace.current else "",
        fact=member.fact_text,
    )


def _when(held: UnitCatalogue, unit: MemoryUnit) -> str:
    happened, said = ", ".join(map(str, unit.fact_time)), held.utterance_time(unit.index)
    return f"{happened} (said {said})" if happened else f"said {said}"
