"""The vocabulary of problems: every kind of flaw that reading a file can report, and what each means.

A problem is reported and never swallowed. Most kinds say that something was changed or could not be used;
the informational ones say that the data is peculiar, and nothing was changed on that account.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from cuemem.types import Problem

ProblemKind = Literal[
    # any file
    "character replaced",
    "not a number",
    # conversations
    "conversation without turns",
    "date unknown",
    "date without session",
    "lists differ in length",
    "messages reordered",
    "role unknown",
    "same role twice",
    "sample id missing",
    "sample id repeated",
    "session after question",
    "session dates out of order",
    "session repeated",
    "session without turns",
    "sessions reordered",
    "speaker missing",
    "text empty",
    "text not a string",
    "turn id missing",
    "turn id repeated",
    # questions and their gold
    "answer beside trap",
    "answer missing",
    "category unknown",
    "evidence repaired",
    "evidence unresolved",
    "flag outside gold session",
    "gold by session only",
    "no evidence",
    "no questions",
    # cues
    "corrections dropped",
    "cue blank",
    "cue for an exchange",
    "cue line malformed",
    "cue malformed",
    "cue turn unknown",
    "observation malformed",
    "observation unresolved",
    # numbered facts
    "fact malformed",
    # memory units, traces and parsed questions
    "parse interval invalid",
    "parse malformed",
    "parse question unknown",
    "trace malformed",
    "unit across sessions",
    "unit attribute malformed",
    "unit bounds reversed",
    "unit id repeated",
    "unit id unknown",
    "unit in overlap only",
    "unit interval invalid",
    "unit line malformed",
    "unit not indexed",
    "unit triple incomplete",
    "unit turn unknown",
    "unit without fact",
    # lists of known faults of the gold
    "flag evidence unresolved",
    "flag malformed",
    "flag question differs",
    "flag question unknown",
    "flag repeated",
    # batch files
    "batch line failed",
    "batch line repeated",
    "batch line unknown",
    "batch line unreadable",
]

MEANINGS: Mapping[ProblemKind, str] = {
    "character replaced": "Half a surrogate pair or a NUL, which no store or page can hold, became U+FFFD.",
    "not a number": "NaN or an infinity, which JSON does not have, became null.",
    "conversation without turns": "The conversation holds no turn at all; no memory can be built of it.",
    "date unknown": "A date is missing or cannot be read; the turns are kept, without a time.",
    "date without session": "The file names dates of sessions that it does not hold.",
    "lists differ in length": "Lists that run in parallel are not equally long; what is missing is unknown.",
    "messages reordered": "Messages stood out of order in the file; they were sorted by their times.",
    "role unknown": "A message is by neither user nor assistant; it is kept under the role's own name.",
    "same role twice": "Two messages of one role follow each other; they belong to one exchange.",
    "sample id missing": "The sample has no id; it is named after the file.",
    "sample id repeated": "Two samples of the file have one id; they are told apart by their place in it.",
    "session after question": "Sessions are dated after the question; they are kept.",
    "session dates out of order": "A session is dated before the one of the lower number; the numbers decide.",
    "session repeated": "One session stands in the history twice; both are kept.",
    "session without turns": "A session holds no turn; it is kept, empty.",
    "sessions reordered": "Sessions stood out of order in the file; they were sorted by date.",
    "speaker missing": "A turn does not say who speaks; it is kept under the speaker Unknown.",
    "text empty": "A turn has no text; it is kept.",
    "text not a string": "A text is missing or is another JSON value; it is kept as JSON writes it.",
    "turn id missing": "A turn has no id; it is named after its place.",
    "turn id repeated": "Two turns have one id; both are kept, the later one under a new id.",
    "answer beside trap": "A category-5 question has an answer beside its trap; it stays unanswerable.",
    "answer missing": "A question has no answer to be judged by.",
    "category unknown": "A question's category is not one of the dataset's; it is kept under its own name.",
    "evidence repaired": "A malformed citation of evidence could be read after all.",
    "evidence unresolved": "A citation names no turn; it never counts as a miss.",
    "flag outside gold session": "A message is flagged as gold in a session that is not listed as gold; it counts.",
    "gold by session only": "No message of a gold session is flagged; it counts at session level only.",
    "no evidence": "A question cites no evidence; retrieval cannot be scored on it.",
    "no questions": "The sample holds no question.",
    "corrections dropped": "Cues that had been corrected by hand were made anew from another origin.",
    "cue blank": "A cue has an empty part; it was left out.",
    "cue for an exchange": "Cues name exchanges; where turns are single messages, they go to the first of them.",
    "cue line malformed": "A line is not an object with a turn id and a list of cues; it was left out.",
    "cue malformed": "A cue is neither [subject, relation, object] nor a sentence; it was left out.",
    "cue turn unknown": "Cues name a turn that the conversation does not have; they were left out.",
    "observation malformed": "An observation is not a pair of text and turn ids; it was left out.",
    "observation unresolved": "An observation points to no turn of the conversation; it gives no cue there.",
    "fact malformed": "A line of the facts has no number; it was joined to the fact before it.",
    "parse interval invalid": "A date that a question asks for cannot be read, or ends before it starts; left out.",
    "parse malformed": "A line is no parsed question; it was left out.",
    "parse question unknown": "A parse names a question that the conversation does not have; it was left out.",
    "trace malformed": "A line is no trace of at least two units; it was left out.",
    "unit across sessions": "A unit's evidence runs over a border of sessions; the unit was left out.",
    "unit attribute malformed": "An entity or location is no text; it was left out.",
    "unit bounds reversed": "A unit's evidence ends before it starts; the two were exchanged.",
    "unit id repeated": "Two units have one id; the later one was renamed.",
    "unit id unknown": "An index or a trace names a unit that there is not; that part was left out.",
    "unit in overlap only": "A unit's evidence lies only in lines that were in the window before; it was left out.",
    "unit interval invalid": "A date cannot be read, or an interval ends before it starts; it was left out.",
    "unit line malformed": "A line is no memory unit; it was left out.",
    "unit not indexed": "The index of a window leaves a unit out; the unit has no attributes.",
    "unit triple incomplete": "A unit lacks a part of its triple; it was kept, but makes no edge.",
    "unit turn unknown": "A unit names a turn that is not there; it was left out.",
    "unit without fact": "A unit states no fact; it was left out.",
    "flag evidence unresolved": "The evidence that a list calls right names no turn; it never counts as a miss.",
    "flag malformed": "An entry of a list of faults names no question; it was left out.",
    "flag question differs": "The question at that place has another text than the list's entry; it is not flagged.",
    "flag question unknown": "An entry names a question that is not loaded; it was left out.",
    "flag repeated": "Two entries name one question; the first counts.",
    "batch line failed": "A line brings an error, or a reply that cannot be used; it can be asked again.",
    "batch line repeated": "Two lines reply to one request; the last counts.",
    "batch line unknown": "A line replies to nothing that went out from here; it was left out.",
    "batch line unreadable": "A line is no JSON object with a custom_id; it was left out.",
}

INFORMATIONAL: frozenset[str] = frozenset(
    {
        "answer beside trap",
        "cue for an exchange",
        "date without session",
        "flag outside gold session",
        "gold by session only",
        "messages reordered",
        "no evidence",
        "no questions",
        "same role twice",
        "sample id repeated",
        "session after question",
        "session dates out of order",
        "session repeated",
        "sessions reordered",
        "text empty",
        "unit bounds reversed",
        "unit id repeated",
        "unit triple incomplete",
    }
)


def is_informational(problem: Problem) -> bool:
    """Whether the problem only tells of a peculiarity: nothing was changed and nothing is unusable."""
    return problem.kind in INFORMATIONAL


class ProblemList:
    """Collects the problems of one sample, in the order found. Grows while a file is read, then is a tuple."""

    def __init__(self, sample_id: str = "", found: Iterable[Problem] = ()) -> None:
        self.sample_id = sample_id
        self._found = list(found)

    def add(self, kind: ProblemKind, place: str, detail: str, question_index: int | None = None) -> None:
        """Report a problem of a known kind, where it lies and what was done about it."""
        self._found.append(Problem(kind, place, detail, self.sample_id, question_index))

    def __len__(self) -> int:
        return len(self._found)

    def as_tuple(self) -> tuple[Problem, ...]:
        return tuple(self._found)
