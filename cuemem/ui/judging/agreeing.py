"""How far the judge agrees with a person who labelled blind."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from cuemem.evaluation.judges import agreement
from cuemem.ui import markup, state
from cuemem.ui.data import parts
from cuemem.ui.judging import drawn, held
from cuemem.ui.judging.drawn import Voice
from cuemem.ui.judging.labelling import left_out
from cuemem.workbench.judging import BLIND, Item, Said

_OWN = "run"


def agree() -> None:
    """Agreement, kappa, confusion table and disagreements, over what was labelled blind."""
    of = held.chosen()
    if of is None:
        return
    found = held.known(of)
    labelled = [it for it in held.items(of) if it.name in found.people and found.people[it.name].reason == BLIND]
    if not labelled:
        markup.notice(f"No answer was labelled yet. Label a sample first. {left_out(found.people)}".strip())
        st.button("Label", key="judge.to_label", type="primary", on_click=parts.go, args=("label",))
        return
    judges = _judges(labelled, found)
    if not judges:
        markup.notice("No judge has judged these answers yet. Judge them by a protocol first.")
        st.button("Judge them", key="judge.to_ask", type="primary", on_click=parts.go, args=("protocols",))
        return
    voices = {name: _voices(labelled, found, name) for name in judges}
    person = [Voice(found.people[it.name].outcome) for it in labelled]
    table = {}
    for name, said in voices.items():
        both = [(one.outcome, other.outcome) for one, other in zip(person, said, strict=True) if other]
        table[judges[name]] = agreement([a for a, _ in both], [b for _, b in both])
    note = left_out(found.people)
    notes = ["What cannot be read or failed counts as not right, as in the accuracy.", *([note] if note else [])]
    drawn.agreements("A person against the judge", table, "the person", notes)
    name = _choose(judges)
    kept = [(it, one, other) for it, one, other in zip(labelled, person, voices[name], strict=True) if other]
    items, ones = [it for it, _, _ in kept], [one for _, one, _ in kept]
    others = [other for _, _, other in kept]
    of_one = table[judges[name]]
    drawn.confusion(of_one, "person", "judge")
    both_voices = {"Person": ones, "Judge": others}
    drawn.disagreements(items, both_voices, of_one.apart, "Disagreements", "judge.apart")


def _judges(labelled: Sequence[Item], found: Said) -> dict[str, str]:
    """The judges that judged any of these answers, with their names; the runs' own first."""
    own = next((it.row.verdict for it in labelled if it.row.verdict), None)
    judges = {} if own is None else {_OWN: f"{own.model}, {own.protocol} (the run's)"}
    mine = None if own is None else (own.model, own.protocol)
    names = {it.name for it in labelled}
    for (model, protocol), said in sorted(found.judges.items()):
        if (model, protocol) != mine and names & set(said):
            judges[f"{model}, {protocol}"] = f"{model}, {protocol}"
    return judges


def _voices(labelled: Sequence[Item], found: Said, name: str) -> list[Voice | None]:
    """What a judge said of each of these answers, None where nothing."""
    if name == _OWN:
        return [Voice(it.row.verdict.outcome, it.row.verdict.reason) if it.row.verdict else None for it in labelled]
    said = next(said for (model, protocol), said in found.judges.items() if f"{model}, {protocol}" == name)
    return [Voice(said[it.name].outcome, said[it.name].reason) if it.name in said else None for it in labelled]


def _choose(judges: dict[str, str]) -> str:
    """The judge whose disagreements are listed."""
    named = state.current().extra("judge")
    name = named if named in judges else next(iter(judges))
    if len(judges) > 1:
        key = state.put("judge.which", name)
        st.selectbox(
            "Against",
            list(judges),
            format_func=lambda each: judges[each],
            key=key,
            on_change=lambda: state.note("judge", st.session_state[key]),
        )
    return name
