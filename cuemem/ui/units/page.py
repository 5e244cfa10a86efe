"""The Units page, put together: a table of the units, searched and filtered, and one of them in full."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from cuemem.text import counted
from cuemem.types import MemoryUnit
from cuemem.ui import empty, finding, links, markup, state, tables
from cuemem.ui.cues.picking import pick_table
from cuemem.ui.markup import html
from cuemem.ui.scene import Scene
from cuemem.ui.units.inspector import inspector
from cuemem.ui.units.origin import origin
from cuemem.unit_ports import UnitCatalogue

_NOTE = "unit"
_COLUMNS = ("unit", "fact", "turns", "said", "happened", "entities", "locations", "trace")
_ROWS = 8  # before the table scrolls, so that what is selected stands below it on the same screen
_SHOWN: Mapping[str, tuple[str, Callable[[Scene, UnitCatalogue, MemoryUnit], bool]]] = {
    "all": ("All", lambda scene, held, unit: True),
    "traces": ("In a trace", lambda scene, held, unit: unit.index in held.trace_of),
    "gold": (
        "Of the question's gold turns",
        lambda scene, held, unit: any(turn.turn_id in scene.gold.turns for turn in held.turns_of(unit.index)),
    ),
}


def draw(scene: Scene) -> None:
    """The units of a scene's memory, or a sentence where it has none."""
    memory = empty.require_memory(scene)
    held = memory.catalogue
    if held is None:
        markup.notice(
            f"{scene.method.title} works without memory units, so there is nothing to look into here. Choose a "
            "method that is made of them in the sidebar."
        )
        if scene.choice is not None and scene.choice.cues is not None:
            there = links.trace(scene.view)
            st.page_link("pages/cues.py", label="Its cues", icon=":material/sell:", query_params=there)
        return
    _head(held, len(memory.turns))
    origin(scene)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        finding.search_box("Find a unit by its words, attributes or turn", "units.find")
        _show(scene, held)
    units = _wanted(scene, held)
    chosen = _chosen(scene, held, units)
    _table(held, units, chosen)
    if chosen is not None:
        inspector(scene, held, chosen)


def _head(held: UnitCatalogue, turns: int) -> None:
    unindexed = sum(not (it.entities or it.locations or it.fact_time) for it in held.units)
    markup.show(
        html(
            '<div class="cm-page"><h1>Units</h1><p class="cm-quiet">{units}, {linked:,} of them in {traces} · {bare} '
            "without a unit · {unindexed} without attributes</p></div>",
            units=counted(len(held.units), "memory unit"),
            linked=len(held.trace_of),
            traces=counted(len(held.traces), "trace"),
            bare=counted(turns - len(held.units_of), "turn"),
            unindexed=counted(unindexed, "unit"),
        )
    )


def _show(scene: Scene, held: UnitCatalogue) -> None:
    counts = {name: sum(holds(scene, held, unit) for unit in held.units) for name, (_, holds) in _SHOWN.items()}
    finding.kinds("units.show", {name: label for name, (label, _) in _SHOWN.items()}, counts)


def _wanted(scene: Scene, held: UnitCatalogue) -> list[MemoryUnit]:
    """The units that are filtered for and whose words, attributes or turns hold what is searched."""
    holds, find = _SHOWN[finding.shown(_SHOWN)][1], scene.view.extra("find").strip().casefold()
    return [
        unit
        for unit in held.units
        if holds(scene, held, unit)
        and (
            find in "\n".join([unit.fact_text, str(unit.triple), *unit.entities, *unit.locations]).casefold()
            or find == unit.unit_id.casefold()
            or any(find == turn.turn_id.casefold() for turn in held.turns_of(unit.index))
        )
    ]


def _chosen(scene: Scene, held: UnitCatalogue, units: Sequence[MemoryUnit]) -> MemoryUnit | None:
    """The unit that the address names, else the first of the selected turn, else the first that is listed."""
    by_id = {unit.unit_id: unit for unit in held.units}
    noted = scene.view.extra(_NOTE)
    if noted in by_id:
        return by_id[noted]
    turn = scene.turns.get(scene.turn) if scene.turn else None
    of_turn = [held.units[unit] for unit in held.units_of.get(turn.index, ())] if turn else []
    return next(iter(of_turn or units), None)


def _table(held: UnitCatalogue, units: Sequence[MemoryUnit], chosen: MemoryUnit | None) -> None:
    """The listed units; choosing a row shows that unit below."""
    if not units:
        markup.notice("No unit is like that. Search for other words, or show all.")
        return
    rows = [_row(held, unit) for unit in units]
    pick_table(
        "units.table",
        tables.frame(rows, _COLUMNS),
        next((place for place, unit in enumerate(units) if unit == chosen), None),
        lambda row: state.note(_NOTE, "" if row is None else units[row].unit_id),
        height=tables.height(min(len(rows), _ROWS)),
        alt="Memory units with their turns, times, entities, locations and traces",
        columns={"fact": st.column_config.TextColumn(width="large")},
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
