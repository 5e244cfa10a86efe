"""The domain, in the paper's terms: frozen values that every part of the project passes around.

Vectors never live in here; they stay beside these tuples as ``Matrix  # (n, d) float32``.
Times are naive: the datasets name no time zone, so a day can never shift.
"""

from cuemem.types.answer import Answer, AnswerStyle, JudgeProtocol, Verdict, VerdictOutcome
from cuemem.types.chat import ChatReply, ChatRequest, Failure, FailureKind, JsonSchema, Message, PromptVersion
from cuemem.types.dialogue import (
    Conversation,
    ConversationId,
    Session,
    SpeakerRole,
    Turn,
    TurnId,
    TurnUnit,
    TurnUnitChoice,
    Utterance,
    spoken,
)
from cuemem.types.gold import WRONG_CITATION, Evidence, Flag, Problem, Query, Question
from cuemem.types.memory import Cue, Edge, EdgeKind, Indices, Matrix, Triple, TurnGraph
from cuemem.types.recall import (
    Anchor,
    Change,
    ContextItem,
    ContextRole,
    CueHit,
    EvidenceContext,
    Explanation,
    LossStage,
    Recall,
    Stage,
    StageItem,
    Usage,
)

__all__ = [
    "WRONG_CITATION",
    "Anchor",
    "Answer",
    "AnswerStyle",
    "Change",
    "ChatReply",
    "ChatRequest",
    "ContextItem",
    "ContextRole",
    "Conversation",
    "ConversationId",
    "Cue",
    "CueHit",
    "Edge",
    "EdgeKind",
    "Evidence",
    "EvidenceContext",
    "Explanation",
    "Failure",
    "FailureKind",
    "Flag",
    "Indices",
    "JsonSchema",
    "JudgeProtocol",
    "LossStage",
    "Matrix",
    "Message",
    "Problem",
    "PromptVersion",
    "Query",
    "Question",
    "Recall",
    "Session",
    "SpeakerRole",
    "Stage",
    "StageItem",
    "Triple",
    "Turn",
    "TurnGraph",
    "TurnId",
    "TurnUnit",
    "TurnUnitChoice",
    "Usage",
    "Utterance",
    "Verdict",
    "VerdictOutcome",
    "spoken",
]
