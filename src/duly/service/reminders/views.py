"""The views of a reminder, of a reminder that fires and of an inbox message: the same for every face."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any, TypedDict

from duly.cron import Cron
from duly.errors import InvalidInputError
from duly.model.action import Message, Priority
from duly.model.calendar import Weekday
from duly.model.checks import choice
from duly.model.reminder import ReminderStatus
from duly.model.trigger import Trigger
from duly.planning.delivery import overall
from duly.ports.codec import decode_action, decode_trigger
from duly.ports.people import owner_of
from duly.ports.records import StoredSchedule
from duly.ports.reminders import InboxItem, LatestReminder
from duly.recurrence import DayInterval, Once, RecurringTask, WeekInterval
from duly.recurrence.early import Early
from duly.recurrence.elapsed import Elapsed
from duly.service.reminders.requests import RequestContext
from duly.service.schedules.fields import OPTIONS, ReminderView
from duly.service.schedules.values import moment, storable
from duly.service.schedules.views import describe, plain
from duly.zones import Zone, local_iso


@dataclass(frozen=True, slots=True, kw_only=True)
class FiredReminder:
    """A reminder that is delivered just now."""

    job_id: str
    run_id: str
    name: str
    message: str
    ack_prompt: str | None
    """What it asks; None when it wants no answer."""
    truncated: dict[str, int] | None = None
    """Which texts are cut, and how many characters each has in full."""
    priority: str
    require_ack: bool
    fired_at: datetime
    fired_at_local: str
    timezone: str
    user_id: str
    again: bool
    """It was delivered before: the person snoozed it, or did not answer."""

    def to_json(self) -> dict[str, Any]:
        """Give every field, `truncated` only if a text is cut."""
        return plain(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxView:
    """A message in the inbox."""

    id: int
    user_id: str
    run_id: str | None
    key: str
    text: str
    token: str | None
    created_at: datetime
    read_at: datetime | None
    truncated: dict[str, int] | None = None
    """In a list: which fields are cut, and how many characters each has in full."""

    def to_json(self) -> dict[str, Any]:
        """Give every field, `truncated` only if the text is cut."""
        return plain(self)

    @classmethod
    def of(cls, item: InboxItem) -> InboxView:
        """Make the view of a message; the store may have cut its text."""
        is_cut = item.length > len(item.text)
        return cls(
            id=item.id or 0,
            user_id=item.user_id,
            run_id=item.run_id,
            key=item.key,
            text=f"{item.text}…" if is_cut else item.text,
            token=item.token,
            created_at=item.created_at,
            read_at=item.read_at,
            truncated={"text": item.length} if is_cut else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheredView:
    """A reminder of low priority that waits for the digest."""

    run_id: str
    schedule_id: str
    name: str
    text: str
    since: datetime
    """When it was due."""
    comes_at: datetime


def view_of(
    row: StoredSchedule,
    latest: LatestReminder | None,
    *,
    context: RequestContext,
    default_zone: str,
) -> ReminderView:
    """Make the view of a stored schedule that has a message.

    Local times are in the zone of the schedule, `default_zone` where it has none. The `context` says in which language
    and zone the person reads.
    """
    message = decode_action(row.action)
    assert isinstance(message, Message)  # noqa: S101  only such rows are asked for
    trigger = decode_trigger(row.trigger)
    base = trigger.trigger if isinstance(trigger, Early) else trigger
    zone = row.timezone or default_zone
    reminder = None if latest is None else latest.reminder
    return ReminderView(
        id=row.id,
        user_id=message.user_id or owner_of(row.namespace),
        name=row.name,
        **columns_of(base),
        timezone=zone,
        when=describe(trigger),
        words=trigger_in_words(base, context),
        message=message.text,
        **_options_of(message),
        enabled=row.enabled,
        next_run_at=row.next_run_at,
        next_run_local=None if row.next_run_at is None else local_iso(row.next_run_at, Zone.of(zone)),
        last_run_at=(reminder.last_sent_at or reminder.updated_at) if reminder else row.last_run_at,
        snoozed_until=reminder.wake_at if reminder and reminder.status is ReminderStatus.SNOOZED else None,
        last_status=str(status_of(latest, message)) if latest else row.last_status,
        run_id=reminder.run_id if reminder else None,
        consecutive_errors=latest.errors if latest else 0,
        total_runs=row.total_runs,
        created_at=row.created_at,
        created_via=row.created_via,
        original_text=row.original_text,
    )


def _options_of(message: Message) -> dict[str, Any]:
    """Show the options; who has to answer only where that can be asked."""
    options = {name: each.kind.show(getattr(message, each.attribute)) for name, each in OPTIONS.items()}
    options["channel"] = message.channel or message.via
    if not (message.is_shared and message.require_ack):
        options["answered_by"] = None
    return options


def status_of(latest: LatestReminder, message: Message) -> ReminderStatus:
    """Sum up the latest run of a reminder, over all of its people."""
    return overall(message.answered_by, [each.status for each in (latest.reminder, *latest.others)])


FILTERS = ("status", "priority", "text", "due_before")
"""What a list of reminders can be narrowed down by."""


class ReminderFilters(TypedDict, total=False):
    """What a list of reminders is narrowed down by; see `reminder_filter`."""

    status: str | None
    priority: str | None
    text: str | None
    due_before: datetime | str | None


def reminder_filter(
    status: str | None = None,
    priority: str | None = None,
    text: str | None = None,
    due_before: datetime | str | None = None,
) -> Callable[[ReminderView], bool]:
    """Make the function that says whether a reminder is wanted.

    By the status of its latest run, its priority, a text in its name or message, and whether it comes before a moment.
    """
    if status is not None:
        choice(ReminderStatus, status, "status")
    if priority is not None:
        choice(Priority, priority, "priority")
    end = None if due_before is None else moment(due_before, "due_before")
    words = None if text is None else storable(text, "text").casefold()

    def fits(view: ReminderView) -> bool:
        return (
            status in (None, view.last_status)
            and priority in (None, view.priority)
            and (words is None or words in view.name.casefold() or words in view.message.casefold())
            and (end is None or (view.next_run_at is not None and view.next_run_at < end))
        )

    return fits


def trigger_in_words(trigger: Trigger, context: RequestContext) -> str:
    """Describe a trigger in the person's language, English where duly does not speak it; their zone goes unsaid."""
    from duly.phrases import describe as describe_in  # late: six languages are more than a command without words needs

    language = (context.language or "en").partition("-")[0]
    if isinstance(trigger, Once):
        trigger, offset = _nameable(trigger, context)
        if offset:
            return f"{trigger_in_words(trigger, context)} (UTC{offset})"
    try:
        return describe_in(trigger, language, tz=context.zone, now=context.now)
    except InvalidInputError:
        return describe_in(trigger, "en", tz=context.zone, now=context.now)


def _nameable(once: Once, context: RequestContext) -> tuple[Once, str]:
    """Give the moment without parts of a second; of a repeated hour the first pass, and the offset of the other.

    What is left has a name in words: a person is never shown a date as programs write it.
    """
    local = Zone.of(context.zone).localize(once.at.replace(microsecond=0))
    if not local.fold:
        return Once(local), ""
    first = local.replace(fold=0)
    return Once(first), f"{local:%z}"[:3] + ":" + f"{local:%z}"[3:]


def columns_of(trigger: Trigger) -> dict[str, Any]:
    """Give the type of a schedule, and the fields of the view that say when it fires."""
    if isinstance(trigger, RecurringTask) and len(trigger.intervals) == 1 and not trigger.has_first_run:
        trigger = trigger.intervals[0]
    if isinstance(trigger, Once):
        return {"schedule_type": "once", "run_at": trigger.at, "cron_expr": cron_of(trigger.at)}
    if isinstance(trigger, Cron):
        return {"schedule_type": "cron", "cron_expr": trigger.expression}
    if isinstance(trigger, Elapsed) and _is_bare(trigger):
        return {"schedule_type": "interval", "interval_ms": trigger.interval * trigger.SECONDS * 1000}
    if isinstance(trigger, DayInterval | WeekInterval) and trigger.interval == 1 and trigger.window is None:
        days = trigger.on_days or ((Weekday.MONDAY,) if isinstance(trigger, WeekInterval) else ())
        listed = ",".join(str(day + 1) for day in days) or None
        clocks = ",".join(_clock(each) for each in trigger.on_times or (time(0),))
        return {"schedule_type": "weekly" if days else "daily", "time_of_day": clocks, "days_of_week": listed}
    return {"schedule_type": "smart"}


def _is_bare(trigger: Elapsed) -> bool:
    """Whether an interval has a length and no other rule. An interval of 0 has no length."""
    return trigger.interval > 0 and type(trigger)(trigger.interval, tz=trigger.tz) == trigger


def cron_of(moment: datetime) -> str:
    """Write the five cron fields that match the minute of a moment."""
    return f"{moment.minute} {moment.hour} {moment.day} {moment.month} *"


def _clock(moment: time) -> str:
    return moment.isoformat("seconds" if moment.second else "minutes")
