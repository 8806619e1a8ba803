"""Write digests: several reminders of low priority in one message, or the only one as it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from duly.delivery.messages import Link, make_buttons
from duly.errors import InvalidInputError
from duly.language.spoken import words
from duly.language.spoken.moments import say_late
from duly.model.action import Message
from duly.model.reminder import AttemptKind, ReminderStatus
from duly.planning.presets import offers, read_day_parts, read_presets
from duly.planning.reach import digest_time, quiet_until
from duly.ports.channels import Outgoing
from duly.ports.codec import decode_action
from duly.ports.people import User
from duly.ports.reminders import Reminder
from duly.ports.store import FullStore
from duly.service.notices.texts import NoticedRun
from duly.zones import Zone

_LONGEST_LINE = 150


class Digest(NamedTuple):
    """A digest that was written."""

    outgoing: Outgoing
    kind: AttemptKind
    channel: str | None
    """The channel to try first: the one that all of its reminders name."""


class _Part(NamedTuple):
    about: NoticedRun
    message: Message
    reminder: Reminder


class DigestWriter:
    """Writes the digests of people."""

    def __init__(self, store: FullStore, link: Link, usual_time: str | None, usual_snoozes: str | None) -> None:
        self._store = store
        self._link = link
        self._usual_time = usual_time
        self._usual_snoozes = usual_snoozes

    async def write(self, about: Sequence[NoticedRun], user: User, zone: Zone, now: datetime) -> Digest | None:
        """Write one message with what still waits for it; None when nothing does any more."""
        parts = [part for each in about if (part := await self._part(each)) is not None]
        if not parts:
            return None
        late = self._late(parts[0], user, zone, now)
        wishes = {each.about.notice.channel for each in parts}
        channel = wishes.pop() if len(wishes) == 1 else None
        if len(parts) == 1:
            return Digest(self._alone(parts[0], late, user, zone, now), AttemptKind.REMINDER, channel)
        spoken = words(user.language)
        is_today = all(zone.localize(each.about.run.fire_at).date() == zone.localize(now).date() for each in parts)
        heading = (spoken.digest_today if is_today else spoken.digest).format(count=len(parts))
        lines = [f"• {_line(each.message.text)}" for each in parts]
        key = f"{about[0].run.id}/digest"
        text = "\n".join([late + heading, *lines])
        return Digest(Outgoing(text=text, key=key, language=user.language), AttemptKind.DIGEST, channel)

    async def _part(self, about: NoticedRun) -> _Part | None:
        """Read a reminder; None if the next one has replaced it, or the person has answered it."""
        reminder = await self._store.reminders.get(about.run.id, about.notice.user_id)
        try:
            message = decode_action(about.schedule.action)
        except InvalidInputError:
            return None
        if reminder is None or reminder.status is not ReminderStatus.GATHERED or not isinstance(message, Message):
            return None
        return _Part(about, message, reminder)

    def _late(self, first: _Part, user: User, zone: Zone, now: datetime) -> str:
        """Say that a digest comes late, apart from quiet hours."""
        at = user.digest_at or self._usual_time
        due = digest_time(at, zone, first.about.run.fire_at, first.message) or first.about.run.fire_at
        return say_late(quiet_until(user.quiet_from, user.quiet_to, zone, due) or due, now, user.language)

    def _alone(self, part: _Part, late: str, user: User, zone: Zone, now: datetime) -> Outgoing:
        """Write the only reminder of a digest as it would have been sent on its own."""
        presets = read_presets(user.snoozes or self._usual_snoozes)
        offered = offers(presets, now, zone, read_day_parts(user.day_parts))
        snoozes = [each.preset for each in offered] if part.message.snooze_allowed else []
        return Outgoing(
            text=late + part.message.text,
            key=f"{part.reminder.run_id}/{AttemptKind.REMINDER}/0",
            buttons=make_buttons(part.reminder.token, user.language, snoozes, asks=False, link=self._link),
            language=user.language,
        )


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE].rstrip()} …"
