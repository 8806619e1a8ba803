"""What a request makes of a reminder: its text, its time, its options. Pure: from the row before to the row after."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from duly.errors import InvalidInputError
from duly.model.action import Message
from duly.model.codec import Json
from duly.model.ids import RandomBits
from duly.model.trigger import Trigger
from duly.planning import lifecycle
from duly.ports.codec import decode_action, decode_trigger, encode_action
from duly.ports.records import StoredSchedule
from duly.service.reminders.requests import no_job, rescheduled_draft, with_options, words_after
from duly.service.reminders.timing import with_leads
from duly.service.schedules.drafts import to_row

_MOVING = frozenset({"lead_minutes", "again_after_minutes"})  # options that change when it fires
When = Trigger | Json
"""A trigger, or a schedule as the scheduler tool describes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redefinition:
    """A change of a reminder as it was asked for; what is None stays."""

    schedule: When | None
    when: tuple[Trigger, str] | None
    """The schedule as it was read: a trigger and its zone."""
    text: str | None
    name: str | None
    options: Json
    by: str
    """The person who is responsible for it from now on, not a token."""
    default_zone: str

    def of(self, before: StoredSchedule, now: datetime, random_bits: RandomBits) -> StoredSchedule:
        """Give the row that a reminder becomes."""
        action = decode_action(before.action)
        if not isinstance(action, Message):
            raise InvalidInputError(f"{before.name!r} is no reminder")
        action = with_options(action if self.text is None else replace(action, text=self.text), self.options)
        after = replace(
            before,
            action=encode_action(action),
            name=self.name or before.name,
            created_by=self.by,
            changed_by=None,
            updated_at=now,
        )
        if self.when is not None or self.options.keys() & _MOVING:
            trigger, zone = self.when or (decode_trigger(before.trigger), before.timezone or self.default_zone)
            draft = rescheduled_draft(after, with_leads(trigger, action), zone)
            after = lifecycle.reschedule(after, to_row(draft, now, no_job, random_bits))
        return after if self.schedule is None else replace(after, original_text=words_after(before, self.schedule))
