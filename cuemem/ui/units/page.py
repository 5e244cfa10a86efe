"""The Units page, put together: a table of all units, one of them in full, and the states of its trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from cuemem.text import counted
from cuemem.types import MemoryTrace, MemoryUnit
from cuemem.ui import empty, markup, state, tables
from cuemem.ui.markup import Html, html, join
from cuemem.ui.scene import Scene
from cuemem.unit_ports import UnitCatalogue

_NOTE = "unit"
_COLUMNS = ("unit", "fact", "turns", "said", "happened", "entities", "locations", "trace")
_MOST_STATES = 40


def draw(scene: Scene) -> None:
    """The units of a scene's memory, or a sentence where it has none."""
    memory = empty.require_memory(scene)
    held = memory.catalogue
    if held is None:
        markup.notice(
            f"{scene.method.title} works without memory units, so there is nothing to look into here. Choose a "
            "method that is made of them in the sidebar."
        )
        return
    unindexed = sum(not (it.entities or it.locations or it.fact_time) for it in held.units)
    bare = len(memory.turns) - len(held.units_of)
    markup.show(
        html(
            '<div class="cm-page"><h1>Units</h1><p class="cm-quiet">{units} in {traces} and outside of any · {bare} '
            "without a unit · {unindexed} without attributes</p></div>",
            units=counted(len(held.units), "memory unit"),
            traces=counted(len(held.traces), "trace"),
            bare=counted(bare, "turn"),
            unindexed=f"{unindexed:,}",
        )
    )
    chosen = _chosen(scene, held)
    _table(held, chosen)
    if chosen is not None:
        _inspector(held, chosen)


def _chosen(scene: Scene, held: UnitCatalogue) -> MemoryUnit | None:
    """The unit that the address names, else the first of the selected turn, else the first there is."""
    by_id = {unit.unit_id: unit for unit in held.units}
    noted = scene.view.extra(_NOTE)
    if noted in by_id:
        return by_id[noted]
    turn = scene.turns.get(scene.turn) if scene.turn else None
    of_turn = held.units_of.get(turn.index, ()) if turn else ()
    first = [held.units[unit] for unit in of_turn] or list(held.units[:1])
    return next(iter(first), None)


def _table(held: UnitCatalogue, chosen: MemoryUnit | None) -> None:
    """All units; choosing a row shows that unit."""
    rows = [_row(held, unit) for unit in held.units]
    key = f"units.table.{chosen.unit_id if chosen else ''}".replace("__", "_")
    at = [chosen.index] if chosen else []
    st.dataframe(
        tables.frame(rows, _COLUMNS),
        hide_index=True,
        height=tables.height(min(len(rows), 10)),
        key=key,
        on_select=lambda: _pick(key, held.units),
        selection_mode="single-row",
        selection_default={"selection": {"rows": at}},
        column_config={"fact": st.column_config.TextColumn(width="large")},
    )
    tables.csv_button(rows, _COLUMNS, "units", "units.csv")


def _row(held: UnitCatalogue, unit: MemoryUnit) -> dict[str, Any]:
    trace = held.trace_of.get(unit.index)
    return {
        "unit": unit.unit_id,
        "fact": unit.fact_text,
        "turns": ", ".join(turn.turn_id for turn in held.turns_of(unit.index)),
        "said": held.utterance_time(unit.index),
        "happened": ", ".join(map(str, unit.fact_time)),
        "entities": ", ".join(unit.entities),
        "locations": ", ".join(unit.locations),
        "trace": "" if trace is None else f"T{trace.index + 1} ({len(trace.members)})",
    }


def _pick(key: str, units: Sequence[MemoryUnit]) -> None:
    rows = st.session_state[key]["selection"]["rows"]
    if rows:
        _show(units[rows[0]].unit_id)


def _show(unit_id: str) -> None:
    state.note(_NOTE, unit_id)


def _inspector(held: UnitCatalogue, unit: MemoryUnit) -> None:
    """One unit in full: fact, triple, attributes, both times, source turns; and beside it its trace."""
    trace = held.trace_of.get(unit.index)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader(f"Unit {unit.unit_id}", anchor="unit")
        triple = unit.triple
        facts = {
            "Subject → predicate → object": f"{triple.subject} → {triple.relation} → {triple.object}",
            "Entities": ", ".join(unit.entities) or "none",
            "Locations": ", ".join(unit.locations) or "none",
            "Happened (T^f)": ", ".join(map(str, unit.fact_time)) or "not known",
            "Said (T^u)": held.utterance_time(unit.index),
            "Source turns": ", ".join(turn.turn_id for turn in held.turns_of(unit.index)),
        }
        markup.show(
            html(
                '<div class="cmt-why"><p class="cmt-sentence" dir="auto">{fact}</p><dl class="cmu-facts">{rows}</dl>'
                '<p class="cm-label">What was said</p><p class="cmt-said cmt-whole" dir="auto">{said}</p></div>',
                fact=unit.fact_text,
                rows=join(
                    [html("<div><dt>{name}</dt><dd>{text}</dd></div>", name=n, text=t) for n, t in facts.items()]
                ),
                said=held.evidence(unit.index),
            )
        )
    with right:
        st.subheader("Its trace", anchor="trace")
        if trace is None:
            markup.show(
                html('<p class="cm-quiet">It shares a trace with no other unit: nothing like it was said.</p>')
            )
        else:
            markup.show(timeline(held, trace, unit))


def timeline(held: UnitCatalogue, trace: MemoryTrace, unit: MemoryUnit) -> Html:
    """The states of a trace from the oldest to the newest, this unit marked, and what is told of them."""
    told = trace.trajectory or trace.failure or "No trajectory is written: that takes a language model."
    members = trace.members[-_MOST_STATES:]
    left_out = len(trace.members) - len(members)
    current = "current state" if trace.trajectory else "newest"
    steps = [
        html(
            '<li class="{look}"><p class="cm-label">{when}{now}</p><p dir="auto">{fact}</p></li>',
            look="cmu-here" if member == unit.index else "",
            when=_when(held, held.units[member]),
            now=f" · {current}" if member == trace.current else "",
            fact=held.units[member].fact_text,
        )
        for member in members
    ]
    more = (
        html('<p class="cm-quiet">{count:,} older states are left out.</p>', count=left_out) if left_out else Html("")
    )
    return html(
        '<p class="cm-quiet">T{number} · {count} on “<bdi>{relation}</bdi>”</p><p dir="auto">{told}</p>{more}'
        '<ol class="cmu-states">{steps}</ol>',
        number=trace.index + 1,
        count=counted(len(trace.members), "state"),
        relation=trace.relation,
        told=told,
        more=more,
        steps=join(steps),
    )


def _when(held: UnitCatalogue, unit: MemoryUnit) -> str:
    happened = ", ".join(map(str, unit.fact_time))
    said = held.utterance_time(unit.index)
    return f"{happened} (said {said})" if happened else f"said {said}"
