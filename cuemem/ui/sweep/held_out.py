"""The best setting chosen on one half of the conversations and reported on the other."""

from __future__ import annotations

import streamlit as st

from cuemem.evaluation.frontier import without_graph
from cuemem.evaluation.halves import Trial, halves, trials
from cuemem.text import counted
from cuemem.ui import markup, state, tables
from cuemem.ui.markup import html
from cuemem.ui.sweep import words
from cuemem.ui.sweep.measured import Reading

_LIMITS = (500, 1000, 1500, 2000, 3000, 4000)
AS_OPEN = "as many as the open setting"
_COLUMNS = ("chosen from", "chosen on", "reported on", "mark", "setting", "questions", *words.MEASURES, "tokens")


def held_out(reading: Reading) -> None:
    """Two halves, each once for choosing and once for reporting, and all at once beside them."""
    st.subheader("Tuned, and held out", anchor="held-out")
    parts = reading.it.halved(reading.category)
    if not parts:
        _say(
            "A setting is chosen on some conversations and reported on others, so this takes two of them. Build more "
            "conversations of this dataset alike, and choose its dataset above."
        )
        return
    limit, method = _limit(reading), reading.it.method
    rows = [_row("any setting", trial, reading) for trial in trials(parts, reading.measure, limit)]
    if reading.control is not None:
        alone = trials(parts, reading.measure, limit, lambda means: without_graph(means, method))
        rows += [_row("anchors only", trial, reading) for trial in alone]
    if not rows:
        _say(f"No setting costs {limit:,.0f} tokens or less.")
        return
    conversations = list(dict.fromkeys(asked.conversation_id for asked in reading.it.swept.asked))
    first, second = (counted(len(half), "conversation") for half in halves(conversations))
    tables.show(
        rows,
        _COLUMNS,
        "The best settings within the tokens, chosen on one half and reported on the other",
        decimals=3,
    )
    tables.csv_button(rows, _COLUMNS, "tuned and held out", "sweep.halves.csv")
    _say(
        f"Half 1 are the first, third, fifth … conversation ({first}), half 2 the others ({second}). Chosen is what "
        f"has the best {words.MEASURES[reading.measure][0].lower()} for at most {limit:,.0f} tokens on the half it "
        "is chosen on; on the other it may cost more or less. Quote a held-out row, or say that it was tuned."
    )


def _say(text: str) -> None:
    markup.show(html('<p class="cm-quiet">{text}</p>', text=text))


def _limit(reading: Reading) -> float:
    """At most so many tokens: those of the open setting, or a round number."""
    options = [AS_OPEN, *map(str, _LIMITS)] if reading.place is not None else list(map(str, _LIMITS))
    noted = state.current().extra("limit")
    chosen = noted if noted in options else options[0]
    st.selectbox(
        "Tokens, at most",
        options,
        format_func=lambda text: f"{int(text):,}" if text.isdigit() else text,
        key=state.put("sweep.limit", chosen),
        on_change=_to_limit,
        width=260,
    )
    if chosen.isdigit():
        return float(chosen)
    assert reading.place is not None
    return float(reading.means.tokens[reading.place])


def _to_limit() -> None:
    state.note("limit", st.session_state["sweep.limit"])


def _row(chosen_from: str, trial: Trial, reading: Reading) -> dict[str, object]:
    return {
        "chosen from": chosen_from,
        "chosen on": trial.chosen_on,
        "reported on": trial.reported_on,
        "mark": "tuned" if trial.tuned else "held out",
        "setting": ", ".join(f"{reading.letter(name)} = {value}" for name, value in trial.setting.items()),
        "questions": trial.questions,
        **{name: round(getattr(trial, name), 4) for name in words.MEASURES},
        "tokens": round(trial.tokens),
    }
