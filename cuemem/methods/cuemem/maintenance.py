"""Section 4.4: memory maintenance. ADD appends turns, DELETE forgets by age or by use; there is no UPDATE.

Both give a new memory, equal to a rebuild from scratch, and touch only the edges that change: a cue is linked
again only where one of its nearest cues went or a nearer one came.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np

from cuemem.errors import BadInput
from cuemem.methods.cuemem.extraction import extract_cues
from cuemem.methods.cuemem.graph import CueGraph, link_cues, point_cues
from cuemem.methods.cuemem.method import CueMemory
from cuemem.ports import Models
from cuemem.similarity import SLACK, Nearest
from cuemem.turns import cut_turns
from cuemem.types import Conversation, Cue, Indices, Matrix, Session, Turn, TurnId, Utterance


def add(
    memory: CueMemory, utterances: Sequence[Utterance], models: Models, sessions: Sequence[Session] = ()
) -> CueMemory:
    """ADD: the memory with newly observed utterances at its end, and the sessions that they open.

    Where the unit is an exchange, a reply may complete the last turn; that turn is extracted again.
    """
    held = {utterance.utterance_id for utterance in memory.conversation.utterances}
    for utterance in utterances:
        if utterance.utterance_id in held:
            raise BadInput(f"Utterance {utterance.utterance_id} is already in {memory.conversation.title}.")
    old = memory.conversation
    return _follow(
        memory,
        replace(old, utterances=(*old.utterances, *utterances), sessions=(*old.sessions, *sessions)),
        models,
    )


def delete(memory: CueMemory, turn_ids: Collection[TurnId], models: Models) -> CueMemory:
    """DELETE: the memory without these turns, their cues and their edges."""
    gone = {u.utterance_id for turn in memory.turns if turn.turn_id in set(turn_ids) for u in turn.utterances}
    kept = tuple(u for u in memory.conversation.utterances if u.utterance_id not in gone)
    return _follow(memory, replace(memory.conversation, utterances=kept), models)


def older_than(turns: Sequence[Turn], days: float) -> tuple[TurnId, ...]:
    """Time-based decay: the turns said more than ``days`` days before the newest turn.

    A turn without a date has no age and is kept.
    """
    dated = [(turn.time, turn.turn_id) for turn in turns if turn.time is not None]
    if not dated:
        return ()
    newest = max(time for time, _ in dated)
    return tuple(turn_id for time, turn_id in dated if newest - time > timedelta(days=days))


def least_recently_used(
    turns: Sequence[Turn], recalls: Iterable[Collection[TurnId]], keep: int
) -> tuple[TurnId, ...]:
    """Least-recently-used removal: the turns to forget so that ``keep`` remain.

    ``recalls`` is the log of use, oldest first: the turns of each context. What was never recalled goes first;
    ties go to the earlier turn.
    """
    last_use = {turn.turn_id: -1 for turn in turns}
    for time, used in enumerate(recalls):
        last_use.update((turn_id, time) for turn_id in used if turn_id in last_use)
    order = sorted(turns, key=lambda turn: (last_use[turn.turn_id], turn.index))
    forgotten = {turn.turn_id for turn in order[: max(0, len(turns) - keep)]}
    return tuple(turn.turn_id for turn in turns if turn.turn_id in forgotten)


def _follow(memory: CueMemory, conversation: Conversation, models: Models) -> CueMemory:
    """The memory of a changed conversation: turns that are the same keep their cues, vectors and links."""
    method, old = memory.built_as, memory.cue_graph
    turns = cut_turns(conversation, method.turn_unit)
    before = {turn.turn_id: turn for turn in old.turns}
    same = {turn.turn_id for turn in turns if (was := before.get(turn.turn_id)) and was.utterances == turn.utterances}
    fresh = [turn for turn in turns if turn.turn_id not in same]
    fresh_cues = (
        extract_cues(conversation, fresh, models.cue_sources[method.cue_source], models.progress) if fresh else ()
    )
    cues, origin = _merge(turns, old.cues, fresh_cues, same)
    vectors = np.empty((len(cues), memory.vectors.shape[1]), np.float32)
    vectors[origin >= 0] = memory.vectors[origin[origin >= 0]]
    if new_texts := [cue.text for cue, was in zip(cues, origin.tolist(), strict=True) if was < 0]:
        vectors[origin < 0] = models.embedder.encode(new_texts)
    cue_turn = point_cues(turns, cues)
    anywhere, elsewhere = _relink(old, vectors, cue_turn, origin)
    graph = CueGraph(turns, cues, cue_turn, anywhere, elsewhere)
    return CueMemory(conversation, method, graph, vectors, models.embedder, models.tokens)


def _merge(
    turns: Sequence[Turn], old: Sequence[Cue], fresh: Sequence[Cue], same: Collection[TurnId]
) -> tuple[tuple[Cue, ...], Indices]:
    """The cues in the order of the new turns, and for each its index among the old ones, or -1."""
    of_turn: dict[TurnId, list[tuple[Cue, int]]] = {turn.turn_id: [] for turn in turns}
    for cue in old:
        if cue.turn_id in same:
            of_turn[cue.turn_id].append((cue, cue.index))
    for cue in fresh:
        of_turn[cue.turn_id].append((cue, -1))
    ordered = [pair for turn in turns for pair in of_turn[turn.turn_id]]
    cues = tuple(replace(cue, index=index) for index, (cue, _) in enumerate(ordered))
    return cues, np.array([was for _, was in ordered], np.int64)


def _relink(old: CueGraph, vectors: Matrix, cue_turn: Indices, origin: Indices) -> tuple[Nearest, Nearest]:
    """The nearest cues after a change: old links where nothing near changed, computed anew elsewhere."""
    renamed = np.full(len(old.cues) + 1, -1, np.int64)  # the last place stands for the padding -1
    renamed[origin[origin >= 0]] = np.flatnonzero(origin >= 0)
    kept, new = np.flatnonzero(origin >= 0), np.flatnonzero(origin < 0)
    stale = np.zeros(len(origin), bool)
    stale[new] = True
    carried = []
    for held in (old.anywhere, old.elsewhere):
        rows = np.full((len(origin), held.rows.shape[1]), -1, np.int64)
        values = np.zeros(rows.shape)
        rows[kept] = renamed[held.rows[origin[kept]]]
        values[kept] = held.cosines[origin[kept]]
        # A list with a gap has lost a neighbour, or had room for one more.
        stale[kept] |= (rows[kept] < 0).any(axis=1)
        if len(new):
            for at in range(0, len(kept), 4096):
                part = kept[at : at + 4096]
                nearest_new = (vectors[part] @ vectors[new].T).max(axis=1)
                stale[part] |= nearest_new >= values[part].min(axis=1) - SLACK
        carried.append(Nearest(rows, values))
    anywhere, elsewhere = carried
    again = np.flatnonzero(stale)
    for target, source in zip((anywhere, elsewhere), link_cues(vectors, cue_turn, again), strict=True):
        target.rows[again], target.cosines[again] = source.rows, source.cosines
    return anywhere, elsewhere
