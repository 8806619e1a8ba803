"""When a reminder comes besides its own time: ahead of it, again after it is done, and after quiet hours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from duly.clock import Clock
from duly.errors import InvalidInputError
from duly.language.spoken import spoken, words
from duly.language.spoken.moments import say_length, say_moment
from duly.model.action import Message
from duly.model.ids import RandomBits
from duly.model.trigger import Trigger
from duly.planning import lifecycle
from duly.planning.reach import digest_time, quiet_until
from duly.ports.codec import decode_action
from duly.ports.people import User
from duly.ports.records import StoredSchedule
from duly.ports.store import Store
from duly.recurrence import Once
from duly.recurrence.early import Early
from duly.service.access.audit import ITSELF
from duly.service.changes import Changes
from duly.service.reminders.requests import RequestContext, no_job, rescheduled_draft
from duly.service.reminders.views import trigger_in_words
from duly.service.schedules.drafts import to_row
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.phrases import Phrase

_SOON = timedelta(seconds=1)


def base_of(trigger: Trigger) -> Trigger:
    """Give the trigger without what comes ahead of it."""
    return trigger.trigger if isinstance(trigger, Early) else trigger


def with_leads(trigger: Trigger, message: Message) -> Trigger:
    """Let the leads of a message come ahead of its trigger; refuse what does not go together."""
    base = base_of(trigger)
    if message.again_after_minutes is not None and not isinstance(base, Once):
        raise InvalidInputError(
            "again_after_minutes goes with a reminder that has one time: it comes again after it is done, "
            "so leave out the times at which it repeats"
        )
    leads = tuple(timedelta(minutes=each) for each in message.lead_minutes)
    return Early(base, leads) if leads else base


def phrase_options(phrase: Phrase) -> dict[str, Any]:
    """Give the options of a reminder that a phrase names beside its time: "and an hour before", "after it is done"."""
    options: dict[str, Any] = {}
    if phrase.leads:
        options["lead_minutes"] = tuple(_minutes(each) for each in phrase.leads)
    if phrase.again_after is not None:
        options |= {"again_after_minutes": _minutes(phrase.again_after), "require_ack": True}
    return options


def said_options(schedule: object, context: RequestContext) -> dict[str, Any]:
    """Give the options that the words of a schedule name."""
    said = _said(schedule, context)
    return {} if said is None else phrase_options(said)


def _said(schedule: object, context: RequestContext) -> Phrase | None:
    """Read the words of a schedule; None where it has none."""
    if (
        not isinstance(schedule, Mapping)
        or schedule.get("type") != "smart"
        or not isinstance(schedule.get("text"), str)
    ):
        return None
    from duly.phrases import parse  # late: only this type needs the languages

    zone = schedule.get("timezone") or context.zone
    return parse(schedule["text"], now=context.now, tz=zone, prefer=context.language, day_parts=context.day_parts)


def doubt_note(phrase: Phrase, context: RequestContext) -> str | None:
    """Say the second reading of a doubtful time, of which the first counts: "tomorrow at 5" is 05:00 or 17:00."""
    if phrase.other is None:
        return None
    trigger = phrase.other.trigger
    if isinstance(trigger, Once):
        moment = say_moment(trigger.at, Zone.of(context.zone), context.now, context.language, names_today=True)
    else:
        moment = trigger_in_words(trigger, context)
    return words(context.language).other_reading.format(moment=moment)


def said_doubt(schedule: object, context: RequestContext) -> str | None:
    """Say the second reading of the words of a schedule."""
    said = _said(schedule, context)
    return None if said is None else doubt_note(said, context)


def joined_notes(*notes: str | None) -> str | None:
    """Give notes as one."""
    return "\n".join(filter(None, notes)) or None


def company_note(lead_minutes: Sequence[int], again_after_minutes: int | None, tag: str | None) -> str | None:
    """Say what comes besides a reminder's own time, each on a line: ahead of it, and again after it is done."""
    texts = spoken(tag).chat
    ahead = ", ".join(say_length(timedelta(minutes=each), tag) for each in lead_minutes)
    after = None if again_after_minutes is None else say_length(timedelta(minutes=again_after_minutes), tag)
    return joined_notes(
        texts.comes_before.format(lengths=ahead) if ahead else None,
        None if after is None else texts.comes_after.format(length=after),
    )


def _minutes(length: timedelta) -> int:
    return max(1, round(length.total_seconds() / 60))


class Addressee(NamedTuple):
    """A person for whom a reminder is made, and how to speak to those who make it."""

    user: User
    zone: Zone
    tag: str | None
    """The language of the sentence."""
    usual_digest: str | None = None
    """When people get their digest who have chosen no time."""
    in_person: bool = True
    """Whether they make it themselves."""


def delivery_note(to: Addressee, message: Message, at: datetime | None, now: datetime) -> str | None:
    """Say when a reminder comes that does not come at its time: after quiet hours, or with a digest."""
    if at is None:
        return None
    user = to.user
    texts = words(to.tag)
    digest = digest_time(user.digest_at or to.usual_digest, to.zone, at, message)
    comes = digest or at
    quiet = quiet_until(user.quiet_from, user.quiet_to, to.zone, comes, message.priority)
    if digest is not None:
        said = texts.in_digest if to.in_person else texts.in_digest_of
    elif quiet is not None:
        said = texts.in_quiet_hours if to.in_person else texts.in_quiet_hours_of
    else:
        return None
    return said.format(moment=say_moment(quiet or comes, to.zone, now, to.tag), name=user.name)


async def fire_again(store: Store, clock: Clock, random_bits: RandomBits, schedule_id: str, at: datetime) -> None:
    """Let a reminder that is over come again at a time. Safe to repeat; one that was removed or paused stays so."""
    now = clock.now()

    def change(row: StoredSchedule) -> StoredSchedule | None:
        action = decode_action(row.action)
        if row.deleted_at is not None or not isinstance(action, Message):
            return None
        trigger = with_leads(Once(max(at, now + _SOON)), action)
        draft = rescheduled_draft(row, trigger, row.timezone or "UTC")
        return lifecycle.reschedule(row, to_row(draft, now, no_job, random_bits))

    await Changes(store, clock).edit([schedule_id], change, ITSELF)
