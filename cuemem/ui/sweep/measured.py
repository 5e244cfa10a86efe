"""The numbers of the page, remembered by the ids of memories and settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import streamlit as st

from cuemem import knobs
from cuemem.evaluation.frontier import frontier, without_graph
from cuemem.evaluation.halves import halved
from cuemem.evaluation.plain_sweep import coarse_axes
from cuemem.evaluation.swept import Axes, Means, Measure, Swept
from cuemem.methods import method_named
from cuemem.ui import cache
from cuemem.ui.sweep.group import Group
from cuemem.workbench.sweeping import Member, axes_of, rendered_tokens, stored, swept

EVERY = ""  # of the categories


@dataclass(frozen=True)
class Measured:
    """A group that was swept: what it gave, and the key by which everything about it is remembered."""

    group: Group
    method: Any
    key: tuple[Any, ...]
    swept: Swept

    @property
    def categories(self) -> list[str]:
        """The categories of its questions, by their labels."""
        return sorted({asked.category for asked in self.swept.asked})

    def means(self, category: str = EVERY) -> Means:
        """Means over all questions, or over those of a category."""
        return _means(self.key, category, self.swept)

    def halved(self, category: str = EVERY) -> dict[str, Means]:
        """Means over each half of the conversations, and over all; empty for one conversation."""
        return _halved(self.key, category, self.swept)


def measured(group: Group, method: Any, budget: int | None) -> Measured | None:
    """The sweep of a group: at once where contexts nest, else as it was measured setting by setting.

    None where that was not measured, or not to the end.
    """
    names = axis_names(group, method) if budget is None else None
    if names is not None:
        key = _key(group, method, names)
        return Measured(group, method, key, _swept(key, group))
    axes = coarse_of(group, method)
    key = (*_key(group, method, axes), knobs.fingerprint(axes, budget))
    found = _stored(key, cache.workbench().store.commits, group, axes, budget)
    return None if found is None else Measured(group, method, key, found)


def means_by_category(group: Group, method: Any) -> Mapping[str, Means] | None:
    """The means of all questions and of each category, without a budget; None where they were not measured yet."""
    names = axis_names(group, method)
    if names is not None:
        return _means_by_category(_key(group, method, names), group)
    it = measured(group, method, None)
    return None if it is None else {EVERY: it.means()} | {name: it.means(name) for name in it.categories}


def coarse_of(group: Group, method: Any) -> Axes:
    """The values of each knob where settings are measured one by one, wherever the sliders stand."""
    built = knobs.with_settings(method_named(method.name), knobs.settings(method, "build"))
    return coarse_axes(built.suited_to(cache.conversation(group.ids[0]))[0])


def _key(group: Group, method: Any, axes: Iterable[str]) -> tuple[Any, ...]:
    """What names a sweep over these knobs: the memories, and where the other knobs stand."""
    swept = set(axes)
    fixed = {name: value for name, value in knobs.settings(method, "recall").items() if name not in swept}
    return (*group.key, method.name, knobs.fingerprint(fixed))


def axis_names(group: Group, method: Any) -> tuple[str, ...] | None:
    """The knobs that are swept at once; None where the method's contexts do not nest."""
    return _axis_names((*group.key, method.name), group)


@st.cache_data(show_spinner=False, max_entries=64)
def _axis_names(key: tuple[Any, ...], _group: Group) -> tuple[str, ...] | None:
    return axes_of(cache.workbench(), _group.members)


@st.cache_resource(show_spinner=False, max_entries=4)  # all of LoCoMo takes 50 MB
def _swept(key: tuple[Any, ...], _group: Group) -> Swept:
    found = swept(cache.workbench(), _group.members)
    assert found is not None
    return found


@st.cache_resource(show_spinner=False, max_entries=4)
def _stored(key: tuple[Any, ...], commits: int, _group: Group, _axes: Axes, budget: int | None) -> Swept | None:
    return stored(cache.workbench(), _group.members, _axes, budget)


@st.cache_resource(show_spinner=False, max_entries=64)  # 300 KB each
def _means(key: tuple[Any, ...], category: str, _swept: Swept) -> Means:
    return (_swept.in_category(category) if category else _swept).means()


@st.cache_resource(show_spinner=False, max_entries=16)  # 1 MB each
def _halved(key: tuple[Any, ...], category: str, _swept: Swept) -> dict[str, Means]:
    return halved(_swept.in_category(category) if category else _swept)


@st.cache_resource(show_spinner=False, max_entries=16)  # 2 MB each
def _means_by_category(key: tuple[Any, ...], _group: Group) -> Mapping[str, Means]:
    found = swept(cache.workbench(), _group.members)
    assert found is not None
    names = sorted({asked.category for asked in found.asked})
    return {EVERY: found.means()} | {name: found.in_category(name).means() for name in names}


@dataclass(frozen=True, slots=True)
class Exact:
    """The mean exact tokens of the rendered contexts, over the conversations so far, ``done`` of ``of``."""

    tokens: float
    done: int
    of: int


def rendered(it: Measured, setting: Mapping[str, int]) -> Iterator[Exact]:
    """The exact count of a setting, conversation after conversation."""
    tokens = questions = 0
    for place, member in enumerate(it.group.members):
        spent, count = _rendered((*it.key, place), tuple(setting.items()), member)
        tokens, questions = tokens + spent, questions + count
        yield Exact(tokens / max(1, questions), place + 1, len(it.group.members))


@st.cache_data(show_spinner=False, max_entries=2048)
def _rendered(key: tuple[Any, ...], setting: tuple[tuple[str, int], ...], _member: Member) -> tuple[int, int]:
    found = rendered_tokens(cache.workbench(), [_member], dict(setting))
    return sum(found), len(found)


@dataclass(frozen=True)
class Reading:
    """What the page says about a sweep: over one category or all, by one measure, at the setting that is open."""

    it: Measured
    category: str
    measure: Measure
    means: Means
    place: int | None  # None where the grid lacks the setting

    @property
    def found(self) -> Any:
        """The measure at every setting."""
        return self.means.measure(self.measure)

    @property
    def control(self) -> Any:
        """The places of the settings without a graph, by the last knob; None without."""
        return without_graph(self.means, self.it.method)

    @property
    def frontier(self) -> list[int]:
        """The places of the frontier."""
        return frontier(self.means.tokens, self.found)

    def letter(self, name: str) -> str:
        """A knob by its letter in the paper, else its name."""
        symbols = {knob.name: knob.symbol for knob in knobs.knobs_of(self.it.method)}
        return symbols[name] or name.replace("_", " ")

    def called(self, place: int) -> str:
        """A setting in words: ``w = 2, k = 1, m = 10``."""
        return self.names[place]

    @property
    def names(self) -> tuple[str, ...]:
        """Every setting in words."""
        axes = tuple((self.letter(name), tuple(values)) for name, values in self.means.axes.items())
        return _names(axes) if axes else (str(self.it.method.title),)


@lru_cache(maxsize=16)
def _names(axes: tuple[tuple[str, tuple[int, ...]], ...]) -> tuple[str, ...]:
    parts = ([f"{letter} = {value}" for value in values] for letter, values in axes)
    return tuple(map(", ".join, product(*parts)))
