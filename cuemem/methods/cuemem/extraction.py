"""Section 4.1: memory cue extraction. A cue source turns each dialogue turn into several cues or none."""

from __future__ import annotations

from collections.abc import Sequence

from cuemem.errors import BadInput
from cuemem.ports import CueSource, Progress, no_progress
from cuemem.types import Conversation, Cue, Turn


def extract_cues(
    conversation: Conversation, turns: Sequence[Turn], source: CueSource, progress: Progress = no_progress
) -> tuple[Cue, ...]:
    """C = {c_1, …, c_N}, c_i = (t_i, τ_i), numbered in the order of the turns they point to.

    A turn whose extraction failed gives no cue here; the source keeps the failure. A source that skips or
    repeats a turn is a fault of the source and raises.
    """
    cues: list[Cue] = []
    expected = iter(turns)
    done = 0
    for extraction in source.extract(conversation, turns):
        turn = next(expected, None)
        if turn is None or extraction.turn_id != turn.turn_id:
            raise BadInput(
                f"Cue source {source.name!r} gave turn {extraction.turn_id} where "
                f"{turn.turn_id if turn else 'nothing more'} was due; it must give every turn once, in order."
            )
        cues += [Cue(len(cues) + place, turn.turn_id, content) for place, content in enumerate(extraction.contents)]
        done += 1
        progress("cues", done, len(turns))
    if done != len(turns):
        raise BadInput(f"Cue source {source.name!r} stopped after {done} of {len(turns)} turns.")
    return tuple(cues)
