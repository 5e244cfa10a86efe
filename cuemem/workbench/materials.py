"""What memories are built of: cues, units. The only list of such materials, by the knob that names the source.

A method declares one knob as its source (:func:`cuemem.knobs.source_knob`); the material of that knob knows where the
sources are, how the store keeps what they give, and what is to be said of it. Methods without one need no build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from cuemem.adapters.store import CachedEmbedder, Store
from cuemem.knobs import source_knob, source_of
from cuemem.ports import Progress
from cuemem.types import Conversation, ConversationId, Problem
from cuemem.workbench.cue_material import CueMaterial
from cuemem.workbench.unit_material import UnitMaterial

ProblemReport = Callable[[Sequence[Problem]], None]


@dataclass(frozen=True, slots=True)
class Given:
    """What a build is given to make its material from.

    ``files`` is a folder or a file of what was made elsewhere, ``queries`` that of parsed questions; ``model`` makes
    what costs a call, and with ``retry_failed`` is asked again about what it had failed at.
    """

    files: Path | None = None
    queries: Path | None = None
    model: Any = None
    retry_failed: bool = False


class Material(Protocol):
    """One kind of thing that memories are built of. ``about`` says of each source what it gives.

    Of imported files: ``ending`` follows the sample's name, ``shape`` is a line, ``beside`` tells what else is read.
    Of a model: ``asks`` says how often it is called about what (``asked_of``), ``prompts`` are those it is sent, and
    ``groups`` whether several can share a call.
    """

    about: Mapping[str, str]
    per_call: frozenset[str]
    ending: str
    shape: str
    beside: str
    asks: str
    asked_of: str
    prompts: tuple[str, ...]
    groups: bool

    def imported(self, store: Store, conversation_id: ConversationId) -> bool:
        """Whether the store holds what was imported for a conversation, whole."""
        ...

    def received(self, names: Sequence[str]) -> Sequence[str]:
        """What files of these names are to be called when they lie in one folder, in the same order.

        The one to be read ends in ``ending``, or is the only one. Raises BadInput where they do not belong together.
        """
        ...

    def source(self, store: Store, conversation: Conversation, method: Any, given: Given) -> Any:
        """The source as it is to be run; None where only what is in the store already can be used."""
        ...

    def models(
        self, store: Store, conversation: Conversation, method: Any, source: Any, given: Given
    ) -> Mapping[str, Any]:
        """The fields of :class:`cuemem.ports.Models` through which the method reaches the material."""
        ...

    def watched(
        self, store: Store, conversation: Conversation, method: Any, report: ProblemReport
    ) -> AbstractContextManager[None]:
        """Stands around a build, to report what it costs beyond the source's own problems."""
        ...

    def finish(
        self,
        store: Store,
        conversation: Conversation,
        method: Any,
        source: Any,
        embedder: CachedEmbedder,
        progress: Progress,
        report: ProblemReport,
    ) -> None:
        """What is to be done once the memory is built, before it can be opened."""
        ...

    def refuse_empty(self, store: Store, conversation: Conversation, method: Any) -> None:
        """Raise BadInput where a source gave nothing at all and some of it failed."""
        ...

    def failures(self, store: Store, conversation: Conversation, method: Any) -> Sequence[tuple[str, str]]:
        """The places that a model gave nothing usable for, each with the reason."""
        ...

    def rejected(self, store: Store, conversation: Conversation, method: Any) -> Sequence[Problem]:
        """What was given and could not be used, as far as the store keeps it."""
        ...

    def origin(
        self, store: Store, conversation: Conversation, method: Any
    ) -> tuple[Mapping[str, str], str | None, int] | None:
        """Where what a memory is made from came from, the hash of its content, and how much it is."""
        ...

    def card(self, store: Store, conversation: Conversation, method: Any) -> Mapping[str, Any]:
        """What a run card says of it: where it came from, and what it holds."""
        ...

    def build_line(self, conversation: Conversation, method: Any) -> str:
        """The command that builds such a memory."""
        ...

    def build_all_line(self, source: str | None) -> str:
        """The command that builds the memories of all conversations."""
        ...


MATERIALS: Mapping[str, Material] = {"cue_source": CueMaterial(), "unit_source": UnitMaterial()}


def material_of(method: Any) -> Material | None:
    """What a method (value or class) is built of; None where it needs no build."""
    declared = source_knob(method)
    return None if declared is None else MATERIALS[declared.name]


def source_names() -> Mapping[str, str]:
    """Every source there is, of whatever material, with what it gives."""
    names: dict[str, list[str]] = {}
    for material in MATERIALS.values():
        for name, about in material.about.items():
            names.setdefault(name, []).append(about)
    return {name: "; or ".join(abouts) for name, abouts in names.items()}


def costs_calls(method: Any) -> bool:
    """Whether the method's source asks a language model."""
    material = material_of(method)
    return material is not None and source_of(method) in material.per_call


def sources(methods: Sequence[Any]) -> Iterator[tuple[Any, Material]]:
    """The methods that are built of something, with what."""
    for method in methods:
        material = material_of(method)
        if material is not None:
            yield method, material
