"""What can go wrong, each as a sentence that names the value and the remedy.

The command line turns these into exit codes, the pages into a message; nothing else may swallow them.
"""

from __future__ import annotations

from typing import ClassVar

from cuemem.types.chat import ChatRequest, Failure, FailureKind


class CueMemError(Exception):
    """Something the user can act on. ``str(error)`` is the whole message, fit to be shown as it is."""

    exit_code: ClassVar[int] = 1


class BadInput(CueMemError):
    """A file, a conversation, a question or a cue that cannot be used as it is."""


class UnknownName(CueMemError):
    """A conversation, question, turn, method or cue source that does not exist, or whose name is ambiguous."""


class BadSetting(CueMemError):
    """A knob outside its range, or a build-time knob that differs from the built memory's."""

    exit_code = 2


class NotBuilt(CueMemError):
    """The memory that was asked for has not been built yet."""


class Refused(CueMemError):
    """The store may not be opened: another process holds it, or a newer version wrote it."""

    exit_code = 3


class Cancelled(CueMemError):
    """Long work was stopped on request; what it had committed stays, and it resumes from there."""


class Stopped(Cancelled):
    """Long work came to a limit that was set for it; the sentence says which. It resumes as if cancelled."""


class Unavailable(CueMemError):
    """Something that the work needs is not to be had: a model, its engine, a server, room on the disk."""


class ChatFailure(CueMemError):
    """A language model gave nothing usable. ``kind`` is from a fixed vocabulary; no key is ever in the sentence.

    ``retryable``: asking again later may help without changing anything. ``text`` is what came back all the same,
    ``tried`` how many requests were made, ``limit`` the model's window in tokens where it told.
    """

    def __init__(
        self,
        kind: FailureKind,
        sentence: str,
        *,
        retryable: bool = False,
        text: str = "",
        tried: int = 0,
        limit: int | None = None,
    ) -> None:
        super().__init__(sentence)
        self.kind = kind
        self.retryable = retryable
        self.text = text
        self.tried = tried
        self.limit = limit

    @property
    def failure(self) -> Failure:
        """The failure as data."""
        return Failure(self.kind, str(self), self.retryable)


class Awaited(CueMemError):
    """A reply is to come from a batch file, and has not come yet. ``request`` is what it replies to."""

    def __init__(self, request: ChatRequest) -> None:
        super().__init__("The reply is still to come from a batch file: python -m cuemem batch import FILE.jsonl")
        self.request = request
