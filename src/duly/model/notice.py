"""Notices: who hears how the runs of a schedule end, and what has become of each message about them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from duly.errors import InvalidInputError
from duly.model.action import Priority, PriorityName
from duly.model.checks import choice, text_or_none

OWNER = "owner"
"""In a rule: the person to whom the schedule belongs."""
_ADDRESS = re.compile(r"https?://\S+")
_WRITTEN = re.compile(r"(?P<on>\w+)(?: to (?P<to>.+?))?(?: via (?P<channel>\S+))?(?P<critical>,? critical)?")
_FORM = '"always", "failure to ana", "change to ana via telegram" or "success to https://example.org/hook"'


class NotifyOn(StrEnum):
    """Which ends of runs a rule is about."""

    SUCCESS = "success"
    FAILURE = "failure"
    """The first failure of several in a row, and the success after them."""
    ALWAYS = "always"
    """Every success, and failures as above."""
    CHANGE = "change"
    """A success whose answer differs from the last one that was sent."""
    NEVER = "never"
    """No notice is sent, not even of failures to the owner."""

    @property
    def tells_answers(self) -> bool:
        return self in (NotifyOn.SUCCESS, NotifyOn.ALWAYS, NotifyOn.CHANGE)

    @property
    def tells_failures(self) -> bool:
        return self in (NotifyOn.FAILURE, NotifyOn.ALWAYS)


NotifyOnName = Literal["success", "failure", "always", "change", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifyRule:
    """Tells one recipient about some ends of runs."""

    on: NotifyOn
    to: str | None = None
    """A person by name or id, or the URL of a webhook; None is the owner of the schedule."""
    channel: str | None = None
    """The channel to try first; None is the person's own order."""
    priority: Priority = Priority.NORMAL
    """Critical notices do not wait for the end of quiet hours."""

    if TYPE_CHECKING:
        # The generated constructor also takes the name of an option; `__post_init__` turns it into the option.
        def __init__(
            self,
            *,
            on: NotifyOn | NotifyOnName,
            to: str | None = ...,
            channel: str | None = ...,
            priority: Priority | PriorityName = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "on", choice(NotifyOn, self.on, "notify.on"))
        object.__setattr__(self, "priority", choice(Priority, self.priority, "notify.priority"))
        to = text_or_none("notify.to", self.to)
        object.__setattr__(self, "to", None if to is None or to.strip() == OWNER else to.strip())
        object.__setattr__(self, "channel", text_or_none("notify.channel", self.channel))
        if self.on is NotifyOn.NEVER and (self.to is not None or self.channel is not None):
            raise InvalidInputError('notify "never" tells no one: leave out to and via')
        if self.to is not None and not self.to.isprintable():
            raise InvalidInputError(f"notify.to {self.to!r:.200} has a line break or another control character")
        if self.address is not None and self.channel is not None:
            raise InvalidInputError(f"notify {self.to!r} is the URL of a webhook: leave out via {self.channel}")

    @property
    def address(self) -> str | None:
        """The URL, where a webhook gets the notice."""
        return self.to if self.to is not None and _ADDRESS.fullmatch(self.to) else None

    @classmethod
    def parse(cls, text: str) -> NotifyRule:
        """Read a rule as people write it: `ON [to WHO] [via CHANNEL] [critical]`."""
        found = _WRITTEN.fullmatch(text.strip())
        if found is None or found["on"] not in {*NotifyOn}:
            raise InvalidInputError(
                f"notify {text!r:.200} is not understood: write when ({', '.join(NotifyOn)}), and whom, such as {_FORM}"
            )
        priority = Priority.CRITICAL if found["critical"] else Priority.NORMAL
        return cls(on=NotifyOn(found["on"]), to=found["to"], channel=found["channel"], priority=priority)

    def __str__(self) -> str:
        parts = [str(self.on)]
        parts += [] if self.to is None else [f"to {self.to}"]
        parts += [] if self.channel is None else [f"via {self.channel}"]
        parts += ["critical"] if self.priority is Priority.CRITICAL else []
        return " ".join(parts)


class NoticeKind(StrEnum):
    """What a notice is about."""

    ANSWER = "answer"
    """A run succeeded."""
    FAILURE = "failure"
    """A schedule began to fail."""
    RECOVERY = "recovery"
    """A schedule works again."""
    REMINDER = "reminder"
    """A reminder of low priority, which is a part of the person's digest."""


class NoticeStatus(StrEnum):
    """What has become of a notice."""

    PENDING = "pending"
    SENT = "sent"
    """A channel took it."""
    DELIVERED = "delivered"
    """The channel confirmed that it arrived."""
    FAILED = "failed"
    """No channel took it, and it is not tried any more."""
    SILENT = "silent"
    """There was nothing to tell: the answer is the quiet word, or has not changed."""

    @property
    def has_gone_out(self) -> bool:
        return self in (NoticeStatus.SENT, NoticeStatus.DELIVERED)
