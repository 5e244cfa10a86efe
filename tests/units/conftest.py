"""A short conversation and a model that makes units of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.chat import CallLimits, LiteLlmChat
from cuemem.adapters.store import CachedChat, Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.methods import QGMem
from cuemem.prompts import Prompts
from cuemem.types import Problem, Question
from cuemem.units.llm import UnitModel
from cuemem.workbench import Workbench
from cuemem.workbench.materials import material_of
from tests.adapters.store_samples import Loaded, load, sha
from tests.fakes import HashEmbedder, WordTokens, talk
from tests.openai_server import OpenAIServer
from tests.unit_model import reply

KEY = f"{sha('file')[:16]}/0"
METHOD = QGMem(unit_source="llm", relation_threshold=0, least_members=2)


@pytest.fixture(scope="module")
def running() -> Iterator[OpenAIServer]:
    with OpenAIServer(reply) as server:
        yield server


@pytest.fixture
def server(running: OpenAIServer) -> OpenAIServer:
    return running.fresh()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    """A conversation of two sessions, eight and two lines: windows of six lines at D1:1, D1:5 and D2:1."""
    with Store.open(tmp_path / "store.duckdb") as store:
        conversation = replace(talk(8, 2), conversation_id=KEY)
        questions = (Question(0, "What does Ada say?", "it", "single-hop", 4), Question(1, "Who?", "it", "x", 4))
        load(store, [Loaded(conversation, questions)])
        yield Workbench(store, HashEmbedder(), FixedTokenizer())  # type: ignore[arg-type]


def model(bench: Workbench, server: OpenAIServer) -> UnitModel:
    limits = CallLimits(concurrency=1, timeout=20, tries=2, backoff=0.01)
    chat = LiteLlmChat("openai/test", WordTokens(), server.base, limits=limits)
    return UnitModel(CachedChat(bench.store, "openai/test", chat), Prompts(), WordTokens())


def build(bench: Workbench, server: OpenAIServer, *, retry: bool = False) -> tuple[Any, list[Problem]]:
    found: list[Problem] = []
    record = bench.build(KEY, METHOD, report=found.extend, llm=model(bench, server), retry_failed=retry)
    return record, found


def failures(bench: Workbench) -> list[str]:
    material = material_of(METHOD)
    assert material is not None
    return [f"{place}: {why}" for place, why in material.failures(bench.store, bench.store.conversation(KEY), METHOD)]
