"""The views that only the API and its clients have; the others are those of the service."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.run_views import RunView


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillView:
    """The runs that a backfill made."""

    items: list[RunView]
    """The first of them."""
    total: int
    """How many there are; in a dry run, how many there would be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredView:
    """An answer that counted."""

    job_id: str
    """The reminder."""
    run_id: str
    response: str
    text: str
    """Which reminder it was, and what happens to it, in the person's language."""
    until: datetime | None = None
    """When a snoozed reminder comes back."""
    undo: str | None = None
    """The token that takes the answer back, for five minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceView:
    """One of the answers to a question that duly asks back."""

    label: str
    button: str
    """What a press sends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReplyView:
    """What duly answers to a message."""

    consumed: bool
    """Whether it was understood."""
    reply: str | None
    buttons: list[ChoiceView]
    """Of a question; its number is an answer as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A schedule that an action left out, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneView:
    """The result of an action."""

    sentence: str
    """What was done, for people."""
    undo: str | None = None
    """The token that takes it back, with `POST /undo`; left out when that is not possible."""
    schedule: ScheduleView | None = None
    """The schedule afterwards."""
    run: RunView | None = None
    total: int | None = None
    """Of many: how many schedules it was about."""
    failed: list[LeftOut] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneView:
    """What was taken back."""

    sentence: str
