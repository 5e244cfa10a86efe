"""Section 3: the dialogue history as a chronological sequence of turns, under either reading of "turn".

The paper's turn is a user utterance and the response to it; LoCoMo's evidence names single utterances.
Both units keep the utterances they are made of, so gold evidence maps onto turns under either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from cuemem.types import Conversation, Turn, TurnId, TurnUnit, TurnUnitChoice, Utterance


def resolve_unit(conversation: Conversation, choice: TurnUnitChoice) -> TurnUnit:
    """What ``auto`` means here: exchanges for user and assistant, utterances for two people."""
    if choice != "auto":
        return choice
    return "exchange" if any(utterance.role != "speaker" for utterance in conversation.utterances) else "utterance"


def cut_turns(conversation: Conversation, choice: TurnUnitChoice = "auto") -> tuple[Turn, ...]:
    """u_1 … u_T of a conversation. No turn crosses a session border.

    The id of an utterance turn is the utterance's. An exchange of user and assistant takes it from its messages:
    ``S1:3`` holds ``S1:3.1`` and ``S1:3.2``; between two people it is the id of its first utterance. So ids stay
    when other turns are forgotten.
    """
    if resolve_unit(conversation, choice) == "utterance":
        groups: list[tuple[TurnId, tuple[Utterance, ...]]] = [(u.utterance_id, (u,)) for u in conversation.utterances]
    else:
        groups = []
        for _, members in groupby(conversation.utterances, key=lambda utterance: utterance.session):
            groups += [(_exchange_id(exchange[0]), tuple(exchange)) for exchange in exchanges(list(members))]
    return tuple(Turn(turn_id, index, members) for index, (turn_id, members) in enumerate(groups))


def exchanges(utterances: Sequence[Utterance]) -> Iterable[list[Utterance]]:
    """A user message and the reply to it; two consecutive utterances between people, an odd last one alone.

    A new exchange starts at a user message that follows an assistant message, or at the session's opening;
    so an opening assistant message and a closing user message stand alone, and runs of one role are merged
    into the exchange they belong to.
    """
    if all(utterance.role == "speaker" for utterance in utterances):
        yield from (list(utterances[start : start + 2]) for start in range(0, len(utterances), 2))
        return
    exchange: list[Utterance] = []
    for utterance in utterances:
        if exchange and exchange[-1].role == "assistant" and utterance.role != "assistant":
            yield exchange
            exchange = []
        exchange.append(utterance)
    if exchange:
        yield exchange


def _exchange_id(first: Utterance) -> TurnId:
    return first.utterance_id if first.role == "speaker" else first.utterance_id.rpartition(".")[0]


def turns_holding(turns: Sequence[Turn], utterance_ids: Iterable[str]) -> tuple[int, ...]:
    """The indices of the turns that hold these utterances: each once, in chronological order."""
    wanted = set(utterance_ids)
    return tuple(turn.index for turn in turns if any(u.utterance_id in wanted for u in turn.utterances))
