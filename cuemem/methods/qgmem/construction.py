"""Section III-A: event-centric memory construction. Windows become memory units, related units become traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from cuemem.errors import BadInput, BadSetting
from cuemem.methods.qgmem.settings import Settings
from cuemem.ports import Progress, no_progress
from cuemem.similarity import Nearest
from cuemem.types import Conversation, MemoryTrace, MemoryUnit, Window
from cuemem.unit_ports import Trajectory, TrajectorySource, UnitSource


def cut_windows(conversation: Conversation, size: int, overlap: int) -> tuple[Window, ...]:
    """Sliding windows inside each session: ``size`` lines, of which ``overlap`` were in the window before.

    Every line is new in exactly one window, so a last window never repeats old lines only. Raises
    :class:`BadSetting` for an overlap as large as the window.
    """
    if overlap >= size:
        raise BadSetting(f"overlap_turns={overlap} must be less than window_turns={size}, or no line would be new.")
    windows: list[Window] = []
    for _, members in groupby(conversation.utterances, key=lambda utterance: utterance.session):
        lines = tuple(members)
        for start in range(0, max(1, len(lines) - overlap), size - overlap):
            windows.append(Window(len(windows), lines[start : start + size], overlap if start else 0))
    return tuple(windows)


def extract_units(
    conversation: Conversation, windows: Sequence[Window], source: UnitSource, progress: Progress = no_progress
) -> tuple[MemoryUnit, ...]:
    """M = {m_1, …}, numbered in the order in which their evidence ends, each with its utterance time T^u.

    A window that failed gives no unit here; the source keeps the failure. A source that skips or repeats a window is
    a fault of the source and raises.
    """
    place = {utterance.utterance_id: at for at, utterance in enumerate(conversation.utterances)}
    found: list[MemoryUnit] = []
    done = 0
    for done, extraction in enumerate(source.extract(conversation, windows), 1):
        if done > len(windows) or extraction.position != windows[done - 1].position:
            raise BadInput(f"Unit source {source.name!r} gave window {extraction.position} out of turn.")
        found += extraction.units
        progress("windows", done, len(windows))
    if done != len(windows):
        raise BadInput(f"Unit source {source.name!r} stopped after {done} of {len(windows)} windows.")
    # Stable: units with the same last line keep the order of their source.
    found.sort(key=lambda unit: place[unit.end_turn])
    said = conversation.utterances
    return tuple(
        replace(unit, index=index, said_at=said[place[unit.end_turn]].time, serial=said[place[unit.end_turn]].serial)
        for index, unit in enumerate(found)
    )


def relation_clusters(nearest: Nearest, settings: Settings) -> tuple[tuple[int, ...], ...]:
    """The relation clusters: connected components of the neighbour graph at the relation threshold.

    Two units are joined where one is among the nearest facts of the other with a cosine of at least τ; components
    with too few members are none. Members ascend, so they are in order of memory time; clusters by first member.
    """
    count = len(nearest.rows)
    near = nearest.rows[:, : settings.trace_neighbours]
    joined = (near >= 0) & (nearest.cosines[:, : settings.trace_neighbours] >= settings.relation_threshold / 100)
    line, column = np.nonzero(joined)
    root = list(range(count))

    def find(unit: int) -> int:
        while root[unit] != unit:
            root[unit] = root[root[unit]]
            unit = root[unit]
        return unit

    for one, other in zip(line.tolist(), near[line, column].tolist(), strict=True):
        left, right = find(one), find(other)
        root[max(left, right)] = min(left, right)
    members: dict[int, list[int]] = {}
    for unit in range(count):
        members.setdefault(find(unit), []).append(unit)
    return tuple(tuple(units) for units in members.values() if len(units) >= settings.least_members)


def consolidate(
    conversation: Conversation,
    units: Sequence[MemoryUnit],
    nearest: Nearest,
    settings: Settings,
    source: TrajectorySource | None,
    progress: Progress = no_progress,
) -> tuple[MemoryTrace, ...]:
    """R: the dynamic traces, each with its trajectory where one was written.

    Clusters that came with the units take the place of computed ones; a unit they name that is not there is left
    out, and so is a cluster with too few members left.
    """
    given = source.given(conversation) if source is not None else None
    if given is not None:
        index = {unit.unit_id: unit.index for unit in units}
        found = [(sorted({index[name] for name in it.members if name in index}), it) for it in given]
        kept = [(tuple(members), it) for members, it in found if len(members) >= settings.least_members]
        return tuple(
            MemoryTrace(at, relation_of([units[unit] for unit in members]), members, it.text, it.failure)
            for at, (members, it) in enumerate(sorted(kept, key=lambda pair: pair[0]))
        )
    clusters = relation_clusters(nearest, settings)
    asked = [(relation_of(them), them) for them in ([units[unit] for unit in members] for members in clusters)]
    traces = []
    written = source.write(conversation, asked) if source is not None else [Trajectory((), "")] * len(clusters)
    for at, (members, (relation, _), told) in enumerate(zip(clusters, asked, written, strict=True)):
        traces.append(MemoryTrace(at, relation, members, told.text, told.failure))
        progress("trajectories", at + 1, len(clusters))
    return tuple(traces)


def relation_of(units: Sequence[MemoryUnit]) -> str:
    """What a cluster is about: its most frequent subject and predicate; of several, the newest."""
    pairs = [f"{unit.triple.subject} {unit.triple.relation}" for unit in units]
    counts = Counter(pairs)
    return max(enumerate(pairs), key=lambda pair: (counts[pair[1]], pair[0]))[1]


def traces_of(traces: Sequence[MemoryTrace]) -> Mapping[int, MemoryTrace]:
    """The trace of each unit that is in one."""
    return {unit: trace for trace in traces for unit in trace.members}
