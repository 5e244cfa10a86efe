"""What the store tells about what it holds: rows as frozen values. Bookkeeping times are aware and in UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from cuemem.types import ConversationId, FailureKind, Query, QueryParse, Triple, TurnId, TurnUnit, VerdictOutcome


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A loaded file. ``conversations`` is how many it holds, None where only a part of it was ever read."""

    sha256: str
    name: str
    format: str
    dataset: str
    size: int
    known_as: str | None
    loaded_at: datetime
    conversations: int | None


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A row in a list of conversations; ``cues`` counts those of all its cue sets."""

    conversation_id: ConversationId
    dataset: str
    sample_id: str
    file: str
    file_sha256: str
    sessions: int
    utterances: int
    questions: int
    problems: int
    cues: int
    memories: int

    @property
    def title(self) -> str:
        """Dataset and sample, as in :attr:`cuemem.types.Conversation.title`."""
        return f"{self.dataset}/{self.sample_id}"


@dataclass(frozen=True, slots=True)
class CategoryCount:
    """How many questions of a file are of a category; named as in :class:`cuemem.types.Question`."""

    category: str
    category_number: int | None
    abstention: bool
    questions: int


@dataclass(frozen=True, slots=True)
class CueSet:
    """The cues of a conversation from one source under one turn unit, perhaps still being extracted.

    ``turns`` are to be covered, ``done`` have been, ``failed`` of these gave nothing usable. ``content_hash``
    identifies the cues of a complete set, whatever source they came from, and is None before. ``provenance`` is
    the source's; ``corrections`` is how many corrections by hand hold in the set beside it, ``dropped`` how many
    were lost because the set, or a turn of it, was made anew.
    """

    conversation_id: ConversationId
    source: str
    turn_unit: TurnUnit
    provenance: Mapping[str, str]
    complete: bool
    content_hash: str | None
    created_at: datetime
    turns: int
    done: int
    failed: int
    cues: int
    corrections: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class UnitSet:
    """The memory units of a conversation from one source, perhaps still being extracted.

    ``layout`` is that of the windows, empty where the source knows none. ``windows`` are to be covered, ``done`` have
    been; ``failed`` of these gave nothing usable, of ``unindexed`` the units have no attributes. ``rejected`` counts
    what failed validation. ``traces_given``: the relation clusters came with the units.
    """

    conversation_id: ConversationId
    source: str
    layout: str
    provenance: Mapping[str, str]
    traces_given: bool
    complete: bool
    content_hash: str | None
    created_at: datetime
    windows: int
    done: int
    failed: int
    unindexed: int
    units: int
    rejected: int
    trajectories: int
    failed_trajectories: int


@dataclass(frozen=True, slots=True)
class ParseRecord:
    """A question as a parser read it; ``failure`` is why there is no parse, or what was left out of it."""

    query: Query
    parse: QueryParse | None
    failure: str | None
    provenance: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person changed in the cues of one turn. ``number`` counts within the cue set, from 1.

    ``before_failure`` is why the extraction had given nothing, where it had failed. ``dropped``: the turn was
    extracted anew since, so that neither ``before`` nor ``after`` is there any more.
    """

    conversation_id: ConversationId
    source: str
    turn_unit: TurnUnit
    number: int
    turn_id: TurnId
    before: tuple[Triple | str, ...]
    before_failure: str | None
    after: tuple[Triple | str, ...]
    state: Literal["applied", "undone", "dropped"]
    corrected_at: datetime


@dataclass(frozen=True, slots=True)
class OverlayRecord:
    """A list of known faults of the gold that lies over loaded questions; ``flags`` counts the questions."""

    sha256: str
    name: str
    added_at: datetime
    conversations: int
    flags: int


@dataclass(frozen=True, slots=True)
class ChatFailureRecord:
    """A request to a language model that gave nothing usable; ``tried`` counts over all attempts."""

    request_key: str
    model: str
    prompt: str
    prompt_hash: str
    conversation_id: ConversationId
    kind: FailureKind
    sentence: str
    retryable: bool
    tried: int
    failed_at: datetime


@dataclass(frozen=True, slots=True)
class Spent:
    """What replies that are kept have used. ``cost`` is over those with a known price, ``unpriced`` the others.

    ``requests`` counts what the server was asked, failures and further tries too.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float
    cost: float
    unpriced: int
    requests: int


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """What one judge, a person (``human``) or a model, said of one answer."""

    conversation_id: ConversationId
    question_index: int
    answer_key: str
    judge: str
    protocol: str
    prompt_hash: str
    outcome: VerdictOutcome
    reason: str
    judged_at: datetime
    repeat: int = 0  # above 0: asked again on purpose


@dataclass(frozen=True, slots=True)
class ReviewRecord:
    """What a person made of one failure of a run. ``proposed`` is the class that the machine proposed at that time.

    ``decided`` is the person's class, None while the failure is only flagged (its gold is doubted) or noted.
    ``answer_key`` tells which answer was looked at; it is empty in a run without answers.
    """

    run_id: str
    conversation_id: ConversationId
    question_index: int
    answer_key: str
    proposed: str
    decided: str | None = None
    flag: bool = False
    note: str = ""
    decided_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """A built memory: what identifies it (``settings`` are the build-time knobs) and what it holds."""

    memory_id: str
    conversation_id: ConversationId
    method: str
    settings: Mapping[str, Any]
    embedding_model: str
    turn_unit: TurnUnit
    cue_source: str | None
    turn_count: int
    cue_count: int
    array_key: str | None
    built_at: datetime


@dataclass(frozen=True, slots=True)
class RunRecord:
    """An experiment; its ``card`` holds everything needed to repeat it.

    ``results`` counts the questions it has a result of, ``open_answers`` and ``open_verdicts`` those of them that an
    answer or a verdict is still to come for.
    """

    run_id: str
    kind: str
    card: Mapping[str, Any]
    created_at: datetime
    results: int
    open_answers: int = 0
    open_verdicts: int = 0


@dataclass(frozen=True, slots=True)
class ResultRecord:
    """What a run measured on one question; ``open`` is what is still to come (``answer``, ``verdict``) or empty."""

    conversation_id: ConversationId
    question_index: int
    values: Mapping[str, Any]
    open: str = ""


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A request that went out in a batch file. ``owner`` is the run, or the conversation whose cues are extracted."""

    request_key: str
    owner: str
    part: Literal["extraction", "answers", "judging"]
    model: str
    prompt: str
    prompt_hash: str
    conversation_id: ConversationId
    max_tokens: int
    tokens_in: int
    reply_schema: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """The store as a whole: where it lies, how large it is, who made it, how many rows each table has."""

    path: Path
    size: int
    schema_version: int
    created_by: str
    rows: Mapping[str, int]
    vector_models: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Compacted:
    """What :meth:`Store.compact` dropped, and the bytes of the file before and after."""

    vectors: int
    arrays: int
    size_before: int
    size_after: int
