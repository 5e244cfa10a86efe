"""What a CueMem recall did, as the uniform stages that every page draws."""

from __future__ import annotations

from collections.abc import Sequence

from cuemem.context import Candidate
from cuemem.methods.cuemem.reconstruction import Retrieval
from cuemem.methods.cuemem.settings import Settings
from cuemem.methods.stages import context_stage, query_stage
from cuemem.types import Anchor, Edge, EvidenceContext, Stage, StageItem


def stages(
    retrieval: Retrieval,
    settings: Settings,
    anchors: Sequence[Anchor],
    candidates: Sequence[Candidate],
    context: EvidenceContext,
    seconds: tuple[float, float, float, float],
    model: str,
) -> tuple[Stage, ...]:
    """Query → cues → anchors → expansion → context (sections 4.3), with seconds of encoding, search, hop, render."""
    encoding, searching, expanding, rendering = seconds
    hits = sorted((hit for anchor in anchors for hit in anchor.hits), key=lambda hit: hit.rank)
    cues = Stage(
        "cues",
        "Cue retrieval",
        f"top m = {settings.top_cues} of {len(retrieval.graph.cues):,} cues",
        tuple(StageItem(hit.cue.text, hit.cue.turn_id, hit.rank, hit.cosine) for hit in hits),
        searching,
    )
    found = Stage(
        "anchors",
        "Anchors",
        f"{len(hits)} cues point to {len(anchors)} turns",
        tuple(
            StageItem(f"A{anchor.rank}", anchor.turn_id, anchor.rank, anchor.hits[0].cosine, _cues(anchor))
            for anchor in anchors
        ),
    )
    reached = [candidate for candidate in candidates if candidate.via]
    kinds = [candidate.role for candidate in reached]
    expansion = Stage(
        "expansion",
        "Graph expansion",
        f"{kinds.count('temporal')} turns by temporal edges (w = {settings.window}), "
        f"{kinds.count('semantic')} more by semantic edges (k = {settings.neighbours})",
        tuple(_reached(candidate) for candidate in reached),
        expanding,
    )
    return (query_stage(model, encoding), cues, found, expansion, context_stage(context, rendering))


def _cues(anchor: Anchor) -> str:
    ranks = ", ".join(str(hit.rank) for hit in anchor.hits)
    return f"cue{'s' if len(anchor.hits) > 1 else ''} {ranks}"


def _reached(candidate: Candidate) -> StageItem:
    first = candidate.via[0]
    note = "; ".join(_edge(edge) for edge in candidate.via)
    return StageItem(candidate.role, candidate.turn.turn_id, first.rank, first.cosine, note)


def _edge(edge: Edge) -> str:
    if edge.kind == "temporal":
        return f"{edge.rank} from {edge.source}"
    return f"neighbour {edge.rank} of a cue of {edge.source}, cosine {edge.cosine:.3f}"
