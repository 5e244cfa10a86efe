"""The page, put together: one lesson on one question."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from streamlit.delta_generator import DeltaGenerator

from cuemem.ui import controls
from cuemem.ui.learn import beginning, beside, frame, lecture, limits, offline, online
from cuemem.ui.learn.lecture import Lecture
from cuemem.ui.markup import notice

_OBJECTS: Mapping[int, Callable[[Lecture, DeltaGenerator, DeltaGenerator], None]] = {
    1: offline.turns,
    2: offline.cues,
    3: offline.temporal,
    4: offline.semantic,
    5: online.query,
    6: online.hop,
    7: online.context,
    8: limits.limits,
    9: beside.beside,
}


def draw() -> None:
    """The lesson that the address names, on the question that the sidebar names."""
    if beginning.needed():
        beginning.begin()
        return
    said = lecture.enter()
    scene = controls.inspected()
    if said:
        notice(said)
    told = lecture.given(scene)
    lesson = frame.chosen(scene)
    frame.stepper(lesson)
    frame.asked(told)
    frame.story_door(scene)
    _OBJECTS[lesson.number](told, *frame.introduction(lesson))
    frame.back_and_on(lesson)
