"""A run: one way of choosing contexts over one set of questions, perhaps answered by a model and judged.

The card says all that is needed to repeat it, a row what became of one question. Both are plain values that pass
through JSON unchanged, so that a run can be carried to another machine and shown there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from cuemem.errors import BadInput
from cuemem.evaluation.compare import has_gold
from cuemem.evaluation.metrics import Gold, Retrieval
from cuemem.knobs import fingerprint
from cuemem.types import (
    Answer,
    AnswerStyle,
    ConversationId,
    JudgeProtocol,
    LossStage,
    PromptVersion,
    Question,
    TurnId,
    Verdict,
)

if TYPE_CHECKING:
    from pydantic import TypeAdapter

ORACLE = "oracle"  # beside the methods' names: the context is the gold turns
RUN = "run"  # the kind under which the store keeps it

# How the graph takes part: as it is, not at all (ablation 5.3 a), or not at all with the knob that counts grown until
# the context costs as many tokens as with the graph, which is the fair control.
GraphUse = Literal["on", "off", "off at equal tokens"]
GRAPH_USES: tuple[GraphUse, ...] = ("on", "off", "off at equal tokens")
Open = Literal["", "answer", "verdict"]  # what of a question is still to come

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that questions came from; ``known_as`` is the published file that it is byte for byte."""

    name: str
    sha256: str
    dataset: str
    known_as: str | None = None


@dataclass(frozen=True, slots=True)
class CueOrigin:
    """The cues that a memory was built from; the hash is that of the cues themselves."""

    provenance: Mapping[str, str]
    content_hash: str | None
    cues: int


@dataclass(frozen=True, slots=True)
class RunConversation:
    """A conversation of a run: the method's settings in it, the budget, and the cues it was recalled from."""

    conversation_id: ConversationId
    title: str
    settings: Mapping[str, Any]
    budget: int | None = None
    cue_set: CueOrigin | None = None


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Which questions are asked. The hash is over conversations and indices; ``categories`` empty means all.

    Under a ``limit`` they are a sample spread over categories and conversations, drawn by the ``seed``; without one
    the first of each conversation, as runs were before there was a seed.
    """

    count: int
    hash: str
    limit: int | None = None
    categories: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerSetup:
    """The model that answers, and by which prompt. Temperature is always 0."""

    model: str
    style: AnswerStyle
    priority: bool
    prompt: PromptVersion
    max_tokens: int
    window: int | None = None


@dataclass(frozen=True, slots=True)
class JudgeSetup:
    """The model that judges, the protocol and the versions of its prompts."""

    model: str
    protocol: JudgeProtocol
    prompts: tuple[PromptVersion, ...]
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Code:
    """Which version of this program it was."""

    version: str
    commit: str | None


@dataclass(frozen=True, slots=True)
class RunCard:
    """All that is needed to repeat a run; no key and no address is in it.

    ``groups`` are the names of the commands that wanted it, for showing runs side by side. ``tuned``: the settings
    were chosen on these very questions. ``waits``: no model is asked, the replies come from batch files. ``origin``
    is the file that the run was imported from, empty for one that was made here. ``encoding_seconds`` is the median
    time to encode one question, None where that was not measured.
    """

    method: str
    title: str
    graph: GraphUse
    dataset: str
    files: tuple[DataFile, ...]
    conversations: tuple[RunConversation, ...]
    questions: QuestionSet
    embedding_model: str
    tokenizer: str
    answering: AnswerSetup | None
    judging: JudgeSetup | None
    started: datetime
    code: Code
    packages: Mapping[str, str]
    settings_line: str = ""
    groups: tuple[str, ...] = ()
    tuned: bool = False
    waits: bool = False
    origin: str = ""
    encoding_seconds: float | None = None

    @property
    def run_id(self) -> str:
        """The same for the same run, whenever and by whichever version of the code it is made."""
        said = as_json(self)
        if self.questions.seed is None:  # ids of runs that were made before there was a seed
            del said["questions"]["seed"]
        return f"{self.method}-{fingerprint({name: said[name] for name in _IDENTITY})[:8]}"


_IDENTITY = (
    "method",
    "graph",
    "dataset",
    "files",
    "conversations",
    "questions",
    "embedding_model",
    "tokenizer",
    "answering",
    "judging",
)


@dataclass(frozen=True, slots=True)
class ResultRow:
    """What became of one question.

    ``lost`` holds the stage of loss of each gold turn that is not in the context. ``flag`` is the kind that a list of
    wrong gold gave the question when it was asked, empty for none. ``answer`` is None in a run without a model and
    while it is still to come, ``verdict`` also where there is no gold to judge by. ``request_key`` is what the reply
    to the answer prompt is kept under, ``prompt_tokens`` the size of that prompt by the fixed tokenizer.
    ``reranking_seconds`` are those that reranking took when the context was found: later the scores are kept.
    """

    conversation_id: ConversationId
    conversation: str
    question: Question
    gold: Gold
    retrieval: Retrieval
    lost: Mapping[TurnId, LossStage]
    flag: str = ""
    request_key: str = ""
    prompt_tokens: int | None = None
    reconstruction_seconds: float | None = None
    reranking_seconds: float | None = None
    answer: Answer | None = None
    verdict: Verdict | None = None
    official_f1: float | None = None
    set_token_f1: float | None = None

    @property
    def key(self) -> tuple[ConversationId, int]:
        """What the question is known by."""
        return self.conversation_id, self.question.index

    @property
    def failed(self) -> bool:
        """Whether the model gave no answer, or the judge no verdict; either can be asked again.

        A reply of the judge that is kept and cannot be read is no failure of a call: the same one would come again.
        """
        return (self.answer is not None and self.answer.failure is not None) or self.verdict_failed

    @property
    def verdict_failed(self) -> bool:
        """Whether the judge was asked in vain."""
        verdict = self.verdict
        if verdict is None:
            return False
        return verdict.outcome == "failed" or (verdict.outcome == "unparsed" and verdict.asked_at is None)

    def open(self, card: RunCard) -> Open:
        """What is still to come of the question in a run with this card."""
        if card.answering is None:
            return ""
        if self.answer is None:
            return "answer"
        return "verdict" if card.judging and self.verdict is None and has_gold(self.question) else ""


def as_json(value: Any) -> dict[str, Any]:
    """A card or a row as JSON values."""
    said: dict[str, Any] = _adapter(type(value)).dump_python(value, mode="json")
    return said


def from_json(kind: type[Value], said: Any, place: str) -> Value:
    """A card or a row from JSON values; BadInput names the place and what is wrong with it."""
    from pydantic import ValidationError

    try:
        made: Value = _adapter(kind).validate_python(said)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "all of it"
        raise BadInput(
            f"{place} is not as a run is exported: {where}: {first['msg']}. Export the run again."
        ) from error
    return made


def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    """What reads and writes values of a kind; made at its first use, which takes a moment."""
    from pydantic import TypeAdapter

    if kind.__name__ not in _ADAPTERS:
        _ADAPTERS[kind.__name__] = TypeAdapter(kind)
    return _ADAPTERS[kind.__name__]


_ADAPTERS: dict[str, TypeAdapter[Any]] = {}
