"""What each kind of edge brings for its tokens, against what more cues would."""

from __future__ import annotations

import streamlit as st

from cuemem.evaluation.frontier import Gain, contributions
from cuemem.knobs import knobs_of
from cuemem.ui import markup, tables
from cuemem.ui.markup import html
from cuemem.ui.sweep import words
from cuemem.ui.sweep.measured import Reading

_COLUMNS = ("step", "what it is", "how it is added", "gold turns", "tokens", "gold turns per 100 tokens")


def edges(reading: Reading) -> None:
    """Gold turns gained for each 100 tokens, by kind of edge."""
    if reading.control is None or reading.place is None:
        return
    st.subheader("What the edges bring", anchor="edges")
    gains = contributions(reading.means, reading.it.method, reading.means.setting(reading.place))
    letters = {name: reading.letter(name) for name in reading.means.axes}
    markup.show(html('<p class="cms-say">{said}</p>', said=words.of_gains(gains, letters)))
    if not gains:
        return
    abouts = {knob.name: knob.about.partition(": ")[2] or knob.about for knob in knobs_of(reading.it.method)}
    rows = [_row(gain, letters, abouts) for gain in gains]
    tables.show(rows, _COLUMNS, "Gold turns and tokens that each kind of edge adds to a question", decimals=3)
    tables.csv_button(rows, _COLUMNS, "edges", "sweep.edges.csv")
    markup.show(
        html(
            '<p class="cm-quiet">Means over the questions. Two kinds of edges often reach the same turn, so each '
            "brings less when it is added to all the rest.</p>"
        )
    )


def _row(gain: Gain, letters: dict[str, str], abouts: dict[str, str]) -> dict[str, object]:
    return {
        "step": f"{letters[gain.knob]} = {gain.value}",
        "what it is": abouts[gain.knob],
        "how it is added": words.STEPS[gain.step],
        "gold turns": round(gain.gold, 3),
        "tokens": round(gain.tokens),
        "gold turns per 100 tokens": None if gain.per_hundred is None else round(gain.per_hundred, 4),
    }
