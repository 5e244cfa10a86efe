"""Where the units of a memory come from: their file or model, what that failed at, and when it was built."""

from __future__ import annotations

import streamlit as st

from cuemem.knobs import source_of
from cuemem.text import counted
from cuemem.ui import cache, markup, tables
from cuemem.ui.scene import Scene
from cuemem.viz.graph.marks import clipped
from cuemem.workbench.materials import material_of

_FAILED = ("where", "why")


def origin(scene: Scene) -> None:
    """Draw it, folded; nothing for a method that is built of nothing."""
    material, store = material_of(scene.method), cache.workbench().store
    held = material.origin(store, scene.conversation, scene.method) if material else None
    if material is None or held is None:
        return
    provenance, content_hash, count = held
    source = source_of(scene.method) or ""
    pairs = {"Source": f"{source}: {material.about.get(source, 'a source of its own')}"}
    pairs |= {
        name.replace("_", " ").capitalize(): clipped(value, 300)
        for name, value in provenance.items()
        if name != "source"
    }
    recorded = store.recorded_at(scene.conversation.conversation_id, provenance.get("model", ""), material.prompts)
    if recorded:
        pairs["Recorded"] = f"its replies are replayed as they came, the last of them on {recorded:%d %b %Y}"
    record = scene.choice.record if scene.choice else None
    if record:
        pairs["Memory built"] = f"{record.built_at:%d %b %Y, %H:%M} UTC with vectors of {record.embedding_model}"
    pairs["Fingerprint"] = content_hash or "none yet"
    lost = [{"where": where, "why": why} for where, why in material.failures(store, scene.conversation, scene.method)]
    unused = material.rejected(store, scene.conversation, scene.method)
    lost += [{"where": it.place, "why": f"{it.kind}: {it.detail}"} for it in unused]
    pairs["Not used or not had"] = f"{counted(len(lost), 'thing')}, listed below" if lost else "nothing"
    with st.expander(f"Where these {count:,} {scene.method.noun}s come from"):
        markup.show(markup.facts(pairs))
        if lost:
            tables.show(lost, _FAILED, "What could not be used or had, with the reason")
