"""How people name a conversation: by any unambiguous end of ``<hash>/<position>/<dataset>/<sample>``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cuemem.errors import UnknownName
from cuemem.types import ConversationId

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Named:
    """A conversation's id, and the full path by whose end it may be called."""

    conversation_id: ConversationId
    path: str


def pick(name: str, known: Sequence[Named]) -> ConversationId:
    """The one conversation that ``name`` means.

    An id is always understood. Else whole parts of the path from the right win ("conv-26", "locomo/conv-26")
    over the end of a part ("26"). Raises UnknownName, with the candidates, where none or several are meant.
    """
    wanted = name.strip().strip("/")
    if not known:
        raise UnknownName(f"No conversation is called {name!r}: the store is empty. Load a file first.")
    tests = (
        lambda it: it.conversation_id == wanted,
        lambda it: f"/{it.path}".endswith(f"/{wanted}"),
        lambda it: it.path.endswith(wanted),
    )
    for test in tests if wanted else ():
        matches = [it for it in known if test(it)]
        if len(matches) == 1:
            return matches[0].conversation_id
        if matches:
            raise UnknownName(
                f"{name!r} may mean any of {len(matches)} conversations: {_listed(matches)}. Give more of the name."
            )
    raise UnknownName(f"No conversation is called {name!r}. The store holds {_listed(known)}.")


def _listed(named: Sequence[Named]) -> str:
    """All the paths where they are few, else the first ten and how many more there are."""
    more = len(named) - _SHOWN
    return ", ".join(it.path for it in named[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
