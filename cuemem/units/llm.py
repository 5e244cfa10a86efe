"""Section III-A and the query parse as in the paper: a language model extracts, indexes, consolidates, and parses.

What cannot be used is a failure, never an empty success; it is kept, counted, and asked again on request.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from cuemem.context import said
from cuemem.errors import ChatFailure
from cuemem.parallel import in_order
from cuemem.patience import Patience
from cuemem.ports import ChatModel, TokenCounter
from cuemem.problems import ProblemList
from cuemem.prompts import Prompts
from cuemem.types import (
    ChatRequest,
    Conversation,
    JsonSchema,
    MemoryUnit,
    Query,
    QueryParse,
    Window,
    spoken,
)
from cuemem.unit_ports import Trajectory, UnitExtraction
from cuemem.units.checks import UnitReader, read_parse, words
from cuemem.units.schemas import PARSE_SCHEMA, TRAJECTORY_SCHEMA, UNITS_SCHEMA, index_schema

NAME = "llm"
UNITS, INDEX, TRAJECTORY, PARSE = "qgmem_units", "qgmem_index", "qgmem_trajectory", "qgmem_parse"
PROMPTS = (UNITS, INDEX, TRAJECTORY, PARSE)


@dataclass(frozen=True)
class UnitModel:
    """A language model with QGMem's prompts: a source of units, of trajectories and of parsed questions.

    ``retry``: a kept reply that says nothing, or of which something has to be left out, is not taken for the answer.
    """

    chat: ChatModel
    prompts: Prompts
    tokens: TokenCounter
    concurrency: int = 1
    retry: bool = False

    @property
    def name(self) -> str:
        return NAME

    @property
    def provenance(self) -> Mapping[str, str]:
        """What the units depend on. With another model or prompt they are extracted anew."""
        return self._provenance(UNITS, INDEX)

    @property
    def trajectory_provenance(self) -> Mapping[str, str]:
        """What the trajectories depend on."""
        return self._provenance(TRAJECTORY)

    @property
    def parse_provenance(self) -> Mapping[str, str]:
        """What the parsed questions depend on."""
        return self._provenance(PARSE)

    def _provenance(self, *names: str) -> Mapping[str, str]:
        versions = [self.prompts[name].version for name in names]
        return {
            "source": NAME,
            "model": self.chat.name,
            "prompt": ", ".join(version.name for version in versions),
            "prompt_hash": ", ".join(version.hash for version in versions),
            "own_prompt": "yes" if any(version.own for version in versions) else "no",
            "temperature": "0",
        }

    # --- stages 1 and 2 ----------------------------------------------------------------------------------------

    def extract(
        self, conversation: Conversation, windows: Sequence[Window], anew: Collection[int] = ()
    ) -> Iterator[UnitExtraction]:
        """Each window with its units and their index, or with why there are none.

        A window in ``anew`` gets a reply that was not had before, since what is kept was found wanting.
        Raises ChatFailure when no window can succeed. What was given out before is not touched by that.
        """
        patience = Patience()
        made = in_order(
            lambda window: self._window(conversation, window, anew=window.position in anew), windows, self.concurrency
        )
        for extraction, failure in made:
            _stop(patience, failure)
            yield extraction

    def _window(
        self, conversation: Conversation, window: Window, *, anew: bool
    ) -> tuple[UnitExtraction, ChatFailure | None]:
        problems = ProblemList(conversation.sample_id)
        if not any(line.text.strip() or line.caption for line in window.new):
            return UnitExtraction(window.position, ()), None
        try:
            found = self._asked(self.units_request(conversation, window), anew=anew)["memory_units"]
        except ChatFailure as failure:
            return UnitExtraction(window.position, (), str(failure.failure)), failure
        reader = UnitReader(conversation, problems, window)
        place = f"window {window.position}"
        read = [reader.unit(it, f"w{window.position}.{n}", f"{place}, unit {n}") for n, it in enumerate(found, 1)]
        units = [unit for unit in read if unit is not None]
        failed: ChatFailure | None = None
        if units:
            try:
                index = self._asked(self.index_request(conversation, window, units), anew=anew)["memory_units"]
                units = self._indexed(units, index, reader, place, problems)
            except ChatFailure as failure:
                failed = failure
        why = str(failed.failure) if failed else None
        return UnitExtraction(window.position, tuple(units), None, why, problems.as_tuple()), failed

    def _indexed(
        self, units: Sequence[MemoryUnit], index: Sequence[Any], reader: UnitReader, place: str, problems: ProblemList
    ) -> list[MemoryUnit]:
        """The units with what stage 2 says of them; an entry for an unknown unit is reported and left out."""
        by_id: dict[str, Mapping[str, Any]] = {}
        known = {unit.unit_id for unit in units}
        for entry in index:
            name = words(entry.get("memory_unit_id"))
            if name in known:
                by_id.setdefault(name, entry)
            else:
                problems.add("unit id unknown", place, f"The index names a unit {name!r} that there is not.")
        for name in known - by_id.keys():
            problems.add("unit not indexed", place, f"The index leaves out the unit {name}.")
        return [reader.index(unit, by_id.get(unit.unit_id, {}), f"{place}, {unit.unit_id}") for unit in units]

    def units_request(self, conversation: Conversation, window: Window) -> ChatRequest:
        """Stage 1: the lines of a window, the overlap marked."""
        lines = [
            f"{'OVERLAP_FROM_PREVIOUS_WINDOW' if at < window.overlap else 'NEW_IN_THIS_WINDOW'} "
            f"[{line.utterance_id}] {memory_time(line)} {spoken(line)}"
            for at, line in enumerate(window.lines)
        ]
        return self._request(conversation, UNITS, UNITS_SCHEMA, self._segment(window) | {"lines": "\n".join(lines)})

    def index_request(self, conversation: Conversation, window: Window, units: Sequence[MemoryUnit]) -> ChatRequest:
        """Stage 2: the units of a window with their evidence, in one batch."""
        place = {line.utterance_id: at for at, line in enumerate(window.lines)}
        listed = [
            {
                "memory_unit_id": unit.unit_id,
                "utterance_time": memory_time(window.lines[place[unit.end_turn]]),
                "fact_text": unit.fact_text,
                "evidence_text": "\n".join(
                    map(spoken, window.lines[place[unit.start_turn] : place[unit.end_turn] + 1])
                ),
            }
            for unit in units
        ]
        units_json = json.dumps(listed, ensure_ascii=False, indent=1)
        return self._request(
            conversation, INDEX, index_schema(len(units)), self._segment(window) | {"units": units_json}
        )

    def _segment(self, window: Window) -> dict[str, str]:
        return {
            "session": str(window.lines[0].session),
            "first": window.lines[0].utterance_id,
            "last": window.lines[-1].utterance_id,
            "time": memory_time(window.lines[-1]),
        }

    # --- trajectories ------------------------------------------------------------------------------------------

    def given(self, _conversation: Conversation) -> None:
        """A model brings no clusters: they are computed."""

    def write(
        self, conversation: Conversation, clusters: Sequence[tuple[str, Sequence[MemoryUnit]]]
    ) -> Iterator[Trajectory]:
        """The trajectory of each cluster, or why there is none. Raises ChatFailure when none can succeed."""
        patience = Patience()
        for trajectory, failure in in_order(
            lambda cluster: self._trajectory(conversation, *cluster), clusters, self.concurrency
        ):
            _stop(patience, failure)
            yield trajectory

    def _trajectory(
        self, conversation: Conversation, relation: str, units: Sequence[MemoryUnit]
    ) -> tuple[Trajectory, ChatFailure | None]:
        members = tuple(unit.unit_id for unit in units)
        request = self.trajectory_request(conversation, relation, units)
        try:
            text = words(self._asked(request)["trajectory"])
            if not text and self.retry:
                text = words(self._asked(request, anew=True)["trajectory"])
        except ChatFailure as failure:
            return Trajectory(members, "", str(failure.failure)), failure
        return Trajectory(members, text, None if text else "empty: the trajectory says nothing"), None

    def trajectory_request(
        self, conversation: Conversation, relation: str, units: Sequence[MemoryUnit]
    ) -> ChatRequest:
        """The members of a cluster, oldest first."""
        listed = [
            {
                "memory_unit_id": unit.unit_id,
                "memory_time": memory_time(unit),
                "fact_time": [str(it) for it in unit.fact_time],
                "fact_text": unit.fact_text,
            }
            for unit in units
        ]
        places = {"relation": relation, "members": json.dumps(listed, ensure_ascii=False, indent=1)}
        return self._request(conversation, TRAJECTORY, TRAJECTORY_SCHEMA, places)

    # --- questions ---------------------------------------------------------------------------------------------

    def parse(
        self, conversation: Conversation, queries: Sequence[Query]
    ) -> Iterator[tuple[Query, QueryParse | None, str | None]]:
        """Each question with its parse, and with why there is none, or what had to be left out of it.

        Raises ChatFailure when no question can succeed.
        """
        patience = Patience()
        made = in_order(lambda query: self._parsed(conversation, query), queries, self.concurrency)
        for query, (parse, failure) in zip(queries, made, strict=True):
            _stop(patience, failure if isinstance(failure, ChatFailure) else None)
            yield query, parse, str(failure.failure) if isinstance(failure, ChatFailure) else failure

    def _parsed(self, conversation: Conversation, query: Query) -> tuple[QueryParse | None, ChatFailure | str | None]:
        request = self.parse_request(conversation, query)
        try:
            parse, left_out = _read(self._asked(request))
        except ChatFailure as failure:
            return None, failure
        if left_out and self.retry:
            with suppress(ChatFailure):  # then what was read stays
                parse, left_out = _read(self._asked(request, anew=True))
        return parse, left_out or None

    def parse_request(self, conversation: Conversation, query: Query) -> ChatRequest:
        """A question, and when it is asked."""
        when = said(query.time) if query.time else "unknown"
        return self._request(conversation, PARSE, PARSE_SCHEMA, {"question": query.text, "time": when})

    # --- calls -------------------------------------------------------------------------------------------------

    def _request(
        self, conversation: Conversation, name: str, schema: JsonSchema, places: Mapping[str, str]
    ) -> ChatRequest:
        prompt = self.prompts[name]
        asked = sum(self.tokens.count(text) for text in places.values())
        room = min(8192, 768 + 4 * asked)
        about = conversation.conversation_id
        return ChatRequest(prompt.fill(**places), prompt.version, schema, room, about=about)

    def _asked(self, request: ChatRequest, *, anew: bool = False) -> Any:
        """The model's JSON. A reply that was cut off is asked for once more with twice the room.

        ``anew``: not a reply that is kept, but the first one that is not.
        """
        for repeat in count(1 if anew else 0):
            asking = replace(request, repeat=repeat)
            try:
                reply = self.chat.complete(asking)
            except ChatFailure as failure:
                if failure.kind != "truncated":
                    raise
                reply = self.chat.complete(replace(asking, max_tokens=2 * request.max_tokens))
            if not (anew and reply.cached):
                return json.loads(reply.text)
        raise AssertionError("endless")


def _read(value: Any) -> tuple[QueryParse, str]:
    """A parse, and what had to be left out of it."""
    problems = ProblemList()
    parse = read_parse(value, "question", problems)
    return parse, "; ".join(it.detail for it in problems.as_tuple())


def _stop(patience: Patience, failure: ChatFailure | None) -> None:
    """Raise the failure where no request can succeed any more."""
    if patience.ends(failure.failure if failure else None) and failure is not None:
        raise failure


def memory_time(of: Any) -> str:
    """When something was said: a date, or ``serial-N`` where the data counts instead of dating."""
    if of.serial is not None:
        return f"serial-{of.serial}"
    return said(of.said_at if isinstance(of, MemoryUnit) else of.time)
