"""What all sessions of the app share: the workbench, opened memories, and what never changes about a conversation."""

from __future__ import annotations

import gc
import threading
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import streamlit as st

from cuemem import knobs
from cuemem.adapters.chat import load_library
from cuemem.adapters.store import ConversationSummary, MemoryRecord, default_store_path
from cuemem.errors import CueMemError
from cuemem.jobs import Jobs
from cuemem.methods import method_named
from cuemem.ports import Memory
from cuemem.types import Conversation, ConversationId, Flag, Question
from cuemem.workbench import Workbench, incoming
from cuemem.workbench.asking import Asking
from cuemem.workbench.tasks import files_of, tasks


def workbench() -> Workbench:
    """The open store with the models around it. Raises Refused where another process holds the file."""
    return _workbench(str(default_store_path()))


@st.cache_resource(show_spinner=False)
def _workbench(path: str) -> Workbench:
    return Workbench.open(path)


def jobs() -> Jobs:
    """The background work of this process, whichever browser tab began it."""
    return _jobs(str(default_store_path()))


@st.cache_resource(show_spinner=False)
def _jobs(path: str) -> Jobs:
    bench = _workbench(path)
    made = Jobs(bench.store, tasks(bench))
    incoming.sweep(bench.store, files_of(job for job in made.jobs() if job.active or job.resumable))
    return made


@dataclass(slots=True)
class _Warming:
    """The embedding model on its way. ``failure`` is why it could not be loaded."""

    failure: str = ""


def warm_up() -> None:
    """Start to load the embedding model in the background, once; nothing waits for it."""
    _warming(str(default_store_path()))


@st.cache_resource(show_spinner=False)
def _warming(path: str) -> _Warming:
    warming = _Warming()

    def load() -> None:
        try:
            _workbench(path).model.warm_up()
        except CueMemError as error:
            warming.failure = str(error)
        spare_collections()

    threading.Thread(target=load, name="embedding model", daemon=True).start()
    return warming


def spare_collections() -> None:
    """Take what the libraries have made by now out of Python's search for garbage.

    Streamlit searches through everything after each run of a page: with torch loaded half a million objects, 0.3 s
    in which no other page can run. None of them is ever garbage.
    """
    gc.collect()
    gc.freeze()


def warm_up_chat() -> None:
    """Start to load LiteLLM in the background, once, where a model may be asked soon; nothing waits for it."""
    _chat_warming()


@st.cache_resource(show_spinner=False)
def _chat_warming() -> threading.Thread:
    thread = threading.Thread(target=load_library, name="LiteLLM", daemon=True)
    thread.start()
    return thread


def model_failure() -> str:
    """Why the embedding model could not be loaded, empty unless it failed."""
    return _warming(str(default_store_path())).failure


def model_ready() -> bool:
    """Whether the embedding model is loaded, so that a new question is answered at once."""
    return workbench().model.ready


def encodes(text: str) -> bool:
    """Whether a question can be encoded at once: its vector is in the store, or the model is loaded."""
    bench = workbench()
    return bench.model.ready or bool(bench.store.vectors(bench.embedder.name, [text]).present.all())


def wait_for_model() -> None:
    """Wait until the embedding model is loaded. Raises BadSetting where it cannot be."""
    workbench().model.warm_up()


def summaries() -> tuple[ConversationSummary, ...]:
    """All conversations with their counts, read anew once something was written."""
    return _summaries(str(default_store_path()), workbench().store.commits)


@st.cache_resource(show_spinner=False, max_entries=2)
def _summaries(path: str, commits: int) -> tuple[ConversationSummary, ...]:
    return _workbench(path).store.conversations()


def memories(conversation_id: ConversationId) -> tuple[MemoryRecord, ...]:
    """The built memories of a conversation in the order of building, read anew once something was written."""
    return _memories(str(default_store_path()), workbench().store.commits, conversation_id)


@st.cache_resource(show_spinner=False, max_entries=16)
def _memories(path: str, commits: int, conversation_id: ConversationId) -> tuple[MemoryRecord, ...]:
    return _workbench(path).store.memories(conversation_id)


def all_memories() -> tuple[MemoryRecord, ...]:
    """The built memories of all conversations, read anew once something was written."""
    return _all_memories(str(default_store_path()), workbench().store.commits)


@st.cache_resource(show_spinner=False, max_entries=2)
def _all_memories(path: str, commits: int) -> tuple[MemoryRecord, ...]:
    return _workbench(path).store.memories()


def flagged(conversation_id: ConversationId) -> dict[int, Flag]:
    """The questions whose gold a list of known faults doubts, read anew once something was written."""
    return _flagged(str(default_store_path()), workbench().store.commits, conversation_id)


@st.cache_resource(show_spinner=False, max_entries=16)
def _flagged(path: str, commits: int, conversation_id: ConversationId) -> dict[int, Flag]:
    return _workbench(path).store.flagged(conversation_id)


def conversation(conversation_id: ConversationId) -> Conversation:
    """A conversation as it was loaded; it never changes under its id."""
    return _conversation(str(default_store_path()), conversation_id)


@st.cache_resource(show_spinner=False, max_entries=16)
def _conversation(path: str, conversation_id: ConversationId) -> Conversation:
    return _workbench(path).store.conversation(conversation_id)


def questions(conversation_id: ConversationId) -> tuple[Question, ...]:
    """The questions of a conversation with their gold."""
    return _questions(str(default_store_path()), conversation_id)


@st.cache_resource(show_spinner=False, max_entries=16)
def _questions(path: str, conversation_id: ConversationId) -> tuple[Question, ...]:
    return _workbench(path).store.questions(conversation_id)


def memory(conversation_id: ConversationId, method: Any, record: MemoryRecord | None) -> Memory:
    """The built memory that the method's build-time knobs name. A memory built anew is opened anew.

    A method without cues has no record before its first use, which builds it.
    """
    settings = tuple(sorted(knobs.settings(method, "build").items()))
    built_at = record.built_at if record else None
    return _memory(str(default_store_path()), conversation_id, method.name, settings, built_at)


@st.cache_resource(show_spinner=False, max_entries=8)
def _memory(
    path: str,
    conversation_id: ConversationId,
    method: str,
    settings: tuple[tuple[str, Any], ...],
    built_at: datetime | None,  # part of the key
) -> Memory:
    named = knobs.with_settings(method_named(method), dict(settings))
    return _workbench(path).memory(conversation_id, named)


def asking() -> Asking:
    """The answers on their way in this process, whichever browser tab asked."""
    return _asking(str(default_store_path()))


@st.cache_resource(show_spinner=False)
def _asking(path: str) -> Asking:
    return Asking(_workbench(path).store)


def repliers(prompt: str) -> tuple[str, ...]:
    """The models that replied to prompts whose names begin so, the newest first."""
    return _repliers(str(default_store_path()), workbench().store.commits, prompt)


@st.cache_resource(show_spinner=False, max_entries=8)
def _repliers(path: str, commits: int, prompt: str) -> tuple[str, ...]:
    return _workbench(path).store.replied_by(prompt)


def forget_conversations() -> None:
    """Read conversations and questions anew: to be called when one was removed or its gold was changed."""
    _conversation.clear()
    _questions.clear()
