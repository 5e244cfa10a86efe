"""Ready-made comparisons: the ablations of section 5.3 and the table of section 5.4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from cuemem.errors import BadSetting
from cuemem.evaluation.run import GRAPH_USES, ORACLE
from cuemem.methods import METHODS, method_named
from cuemem.workbench.runs.plan import Contender

Preset = Literal["ablations", "comparison"]
PRESETS: Mapping[Preset, str] = {
    "ablations": "section 5.3: as it is, anchors only, anchors only at equal tokens, no priority instruction",
    "comparison": "section 5.4: each method beside full history",
}
_TABLE_3 = ("full_history",)


def with_preset(preset: Preset | None, contenders: Sequence[Contender], *, answered: bool) -> list[Contender]:
    """The contenders of a preset, made of those that were named, or of the first method where none was.

    Without a model the priority instruction makes no difference, so its ablation is left out. Raises BadSetting for
    ablations of what has no graph.
    """
    named = list(contenders) or [Contender(METHODS[0].name)]
    if preset == "comparison":
        there = {it.source for it in named}
        return [*(Contender(name) for name in _TABLE_3 if name not in there), *named]
    if preset != "ablations":
        return named
    made: list[Contender] = []
    for each in named:
        if each.source == ORACLE or method_named(each.source).without_graph() is None:
            raise BadSetting(f"{each.source} has no graph to leave out, so section 5.3 has no ablation of it.")
        made += [replace(each, graph=use) for use in GRAPH_USES]
        made += [replace(each, priority=False)] if answered else []
    return made
