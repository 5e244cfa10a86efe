"""The page, put together: a sweep, read from several sides."""

from __future__ import annotations

import streamlit as st

from cuemem.evaluation.swept import MEASURES, Measure
from cuemem.ui import empty, markup, state
from cuemem.ui.markup import html
from cuemem.ui.scene import Scene
from cuemem.ui.sweep import group as groups
from cuemem.ui.sweep import plainly, words
from cuemem.ui.sweep.charts import all_settings
from cuemem.ui.sweep.edges import edges
from cuemem.ui.sweep.heat_map import heat_map
from cuemem.ui.sweep.held_out import held_out
from cuemem.ui.sweep.measured import EVERY, Measured, Reading, measured
from cuemem.ui.sweep.opened import by_category, counting, opened
from cuemem.ui.sweep.ways import ways

_CATEGORY, _MEASURE = "sweep.category", "sweep.measure"


def draw(scene: Scene) -> None:
    """Every setting of the method that is looked at, over one conversation or all that are built alike."""
    st.title("Sweep", anchor=False)
    empty.require_memory(scene)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        group = groups.choose(scene)
        choices = st.container()
    if groups.scorable_count(group) == 0:
        markup.notice(
            f"{scene.summary.title} has no answerable question with gold turns, so recall cannot be measured. "
            "Choose another conversation."
        )
        return
    with st.spinner("Sweeping every setting …", show_time=True):
        it = measured(group, scene.method, scene.budget)
    if it is None:
        title = f"Sweep of {scene.summary.sample_id}"
        plainly.explain(group, title, scene.method, scene.budget)
        return
    with choices.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        reading = _reading(it, scene)
    _lead(reading)
    all_settings(reading)
    slot = opened(reading)
    by_category(reading)
    heat_map(reading)
    edges(reading)
    held_out(reading)
    ways(reading, scene)
    counting(reading, slot)  # last, since it takes longer than all the rest


def _reading(it: Measured, scene: Scene) -> Reading:
    """By which measure and over which category, as the address says or as chosen here."""
    view = state.current()
    measure: Measure = next((name for name in MEASURES if name == view.extra("measure")), "recall")
    st.segmented_control(
        "Measure",
        MEASURES,
        format_func=lambda name: words.MEASURES[name][0],
        key=state.put(_MEASURE, measure),
        required=True,
        on_change=lambda: state.note("measure", st.session_state[_MEASURE]),
        wrap=True,
    )
    category = view.extra("category") if view.extra("category") in it.categories else EVERY
    if len(it.categories) > 1:
        st.selectbox(
            "Category",
            [EVERY, *it.categories],
            format_func=lambda name: name or "all that count",
            key=state.put(_CATEGORY, category),
            on_change=lambda: state.note("category", st.session_state[_CATEGORY]),
            width=220,
        )
    means = it.means(category)
    setting = {name: getattr(scene.method, name) for name in means.axes}
    return Reading(it, category, measure, means, means.place(setting))


def _lead(reading: Reading) -> None:
    about = f"{reading.means.size:,} settings × {groups.words(reading.it.group)}"
    if reading.category:
        about += f", of these {reading.means.questions:,} of the category {reading.category}"
    markup.show(
        html(
            '<p class="cm-label">{about}</p><p class="cms-lead">{said}</p>',
            about=about,
            said=words.headline(reading),
        )
    )
