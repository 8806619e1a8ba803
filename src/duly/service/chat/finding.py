"""Find the reminders that a person means in a chat: by name, or by words of the text."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from difflib import SequenceMatcher

from duly.errors import DecodeError
from duly.language.requests.reading import names_match
from duly.language.requests.tokens import Words
from duly.model.action import Message
from duly.model.reminder import ReminderStatus
from duly.model.trigger import Trigger
from duly.ports.codec import decode_action, decode_trigger
from duly.ports.people import User
from duly.ports.records import StoredSchedule
from duly.ports.reminders import Reminder
from duly.ports.store import FullStore
from duly.recurrence import Once
from duly.service.chat.pausing import is_put_off, own_time
from duly.service.pages import beginning
from duly.service.reminders.lists import ReminderLists
from duly.service.reminders.timing import base_of

_NEAR = 0.6
_SHOWN_TEXT = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """A reminder that a person may mean."""

    id: str
    name: str
    text: str
    trigger: Trigger
    enabled: bool
    next_run_at: datetime | None
    """Of the reminder itself, not of what comes ahead of it."""
    is_put_off: bool = False
    """Whether it is paused until that time."""

    waiting: Reminder | None = None
    """Its run that waits for an answer or is snoozed."""
    only_waits: bool = False
    """Whether nothing of it is to come but that run."""

    @property
    def back_at(self) -> datetime | None:
        """When a snoozed run comes back."""
        is_snoozed = self.waiting is not None and self.waiting.status is ReminderStatus.SNOOZED
        return self.waiting.wake_at if self.waiting is not None and is_snoozed else None

    @property
    def can_be_snoozed(self) -> bool:
        """Whether another time for it is one for the run that waits: its own has passed, or repeats."""
        return self.waiting is not None and (self.only_waits or not isinstance(self.trigger, Once))

    @property
    def is_over(self) -> bool:
        """Whether it has fired and never will again."""
        return self.next_run_at is None and isinstance(self.trigger, Once) and self.enabled

    def later(self, by: timedelta, now: datetime) -> datetime | None:
        """Give its time, moved by a length; None where it has none."""
        if self.can_be_snoozed:
            return (self.back_at or now) + by
        at = self.trigger.at if isinstance(self.trigger, Once) and not self.is_put_off else self.next_run_at
        return None if at is None else at + by

    @property
    def shown(self) -> str:
        """Its text on one line."""
        line = " ".join(self.text.split())
        return line if len(line) <= _SHOWN_TEXT else f"{line[:_SHOWN_TEXT]}…"


async def reminders_of(store: FullStore, lists: ReminderLists, user: User, now: datetime) -> list[Meant]:
    """List a person's reminders that may still come, those that wait first, then the next; damaged ones are left out.

    One that came, and waits for its answer or is snoozed, is one of them.
    """
    waiting: dict[str, Reminder] = {}
    for each in await store.reminders.open_for(user.id):
        waiting.setdefault(each.schedule_id, each)
    found: list[Meant] = []
    async for rows in lists.rows(user):
        for row in rows:
            with suppress(DecodeError):
                meant = None if row.disabled_by == "finished" else _meant(row, now)
                if meant is not None and not meant.is_over:
                    found.append(replace(meant, waiting=waiting.pop(row.id, None)))
    for schedule_id, each in waiting.items():
        came = await store.get(schedule_id)
        with suppress(DecodeError):
            meant = None if came is None else _meant(came, now)
            if meant is not None:
                found.append(replace(meant, waiting=each, only_waits=True))
    return sorted(found, key=_place)


def _place(meant: Meant) -> tuple[bool, bool, str, str]:
    at = meant.back_at or meant.next_run_at
    return (not meant.only_waits, at is None, str(at or ""), meant.name)


def _meant(row: StoredSchedule, now: datetime) -> Meant | None:
    if row.quarantine is not None or row.deleted_at is not None:
        return None
    action = decode_action(row.action)
    if not isinstance(action, Message):
        return None
    return Meant(
        id=row.id,
        name=row.name,
        text=beginning(action.text),
        trigger=base_of(decode_trigger(row.trigger)),
        enabled=row.enabled,
        next_run_at=own_time(row),
        is_put_off=is_put_off(row, now),
    )


def matching(target: str, reminders: list[Meant]) -> list[Meant]:
    """Choose the reminders that a name means: those whose text or name it is, else those that have all its words."""
    wanted = Words.of(target).folded
    for field in ("text", "name"):
        exact = [each for each in reminders if Words.of(getattr(each, field)).folded == wanted]
        if exact:
            return exact
    return [each for each in reminders if names_match(target, f"{each.text} {each.name}")]


def nearest(target: str, reminders: list[Meant]) -> Meant | None:
    """Choose the reminder that has a word most like one that was said; None when none is alike."""
    said = Words.of(target).folded

    def likeness(each: Meant) -> float:
        words = Words.of(f"{each.text} {each.name}").folded
        return max((SequenceMatcher(None, one, other).ratio() for one in said for other in words), default=0.0)

    best = max(reminders[:200], key=likeness, default=None)
    return best if best is not None and likeness(best) >= _NEAR else None
