"""A reminder as people and programs see it: one row with everything, whatever its trigger is made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, time
from typing import Any

from duly.cron import Cron
from duly.model.action import Message
from duly.model.calendar import Weekday
from duly.model.trigger import Trigger
from duly.ports.codec import decode_action, decode_trigger
from duly.ports.people import owner_of
from duly.ports.records import StoredSchedule
from duly.ports.reminders import InboxItem, Reminder
from duly.recurrence import DayInterval, Once, RecurringTask, WeekInterval
from duly.recurrence.elapsed import Elapsed
from duly.service.schedules.views import describe
from duly.zones import Zone, iso, local_iso


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderView:
    """A reminder: when, what, how, and how it stands."""

    id: str
    user_id: str
    name: str
    schedule_type: str
    run_at: datetime | None = None
    interval_ms: int | None = None
    time_of_day: str | None = None
    days_of_week: str | None = None
    """1 is Monday."""
    timezone: str | None = None
    cron_expr: str | None = None
    when: str
    """The schedule in words."""
    message: str
    channel: str | None = None
    priority: str
    require_ack: bool
    ack_prompt: str | None = None
    snooze_allowed: bool
    max_retries: int
    max_ack_reminders: int
    enabled: bool
    next_run_at: datetime | None = None
    next_run_local: str | None = None
    """The same on the clocks of `timezone`."""
    last_run_at: datetime | None = None
    last_status: str | None = None
    """Of its latest run: delivered, acked, snoozed, dismissed, unacked, failed, …"""
    run_id: str | None = None
    """Its latest run."""
    consecutive_errors: int = 0
    total_runs: int = 0
    created_at: datetime
    created_via: str | None = None
    original_text: str | None = None
    warning: str | None = None
    """Why it would not be delivered as things stand."""
    truncated: dict[str, int] | None = None
    """In a list: which fields are cut, and how many characters each has in full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxView:
    """A message in the store itself."""

    id: int
    user_id: str
    run_id: str | None = None
    key: str
    text: str
    token: str | None = None
    created_at: datetime
    read_at: datetime | None = None
    truncated: dict[str, int] | None = None
    """In a list: which fields are cut, and how many characters each has in full."""

    @classmethod
    def of(cls, item: InboxItem) -> InboxView:
        """The view of a message; the store may have cut its text."""
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


def view_of(
    row: StoredSchedule, latest: Reminder | None, errors: int = 0, *, default_zone: str = "UTC"
) -> ReminderView:
    """The view of a stored schedule that has a message; `errors` is how many in a row have failed.

    Local times are in the zone of the schedule, `default_zone` where it has none.
    """
    message, trigger, zone = decode_action(row.action), decode_trigger(row.trigger), row.timezone or default_zone
    assert isinstance(message, Message)  # noqa: S101  only such rows are asked for
    return ReminderView(
        id=row.id,
        user_id=message.user_id or owner_of(row.namespace),
        name=row.name,
        **columns_of(trigger),
        timezone=zone,
        when=describe(trigger),
        message=message.text,
        channel=message.channel or message.via,
        priority=str(message.priority),
        require_ack=message.require_ack,
        ack_prompt=message.ack_prompt,
        snooze_allowed=message.snooze_allowed,
        max_retries=message.max_retries,
        max_ack_reminders=message.max_ack_reminders,
        enabled=row.enabled,
        next_run_at=row.next_run_at,
        next_run_local=None if row.next_run_at is None else local_iso(row.next_run_at, Zone.of(zone)),
        last_run_at=(latest.last_sent_at or latest.updated_at) if latest else row.last_run_at,
        last_status=str(latest.status) if latest else row.last_status,
        run_id=latest.run_id if latest else None,
        consecutive_errors=errors,
        total_runs=row.total_runs,
        created_at=row.created_at,
        created_via=row.created_via,
        original_text=row.original_text,
    )


def to_plain(view: ReminderView) -> dict[str, Any]:
    """A reminder as JSON has it: what has a value, moments in UTC."""
    shown = {name: value for name, value in asdict(view).items() if value is not None}
    return {name: iso(value) if isinstance(value, datetime) else value for name, value in shown.items()}


def columns_of(trigger: Trigger) -> dict[str, Any]:
    """The kind of a schedule, and what says when."""
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
    """Whether nothing but its length says when: an interval of 0 has none."""
    return trigger.interval > 0 and type(trigger)(trigger.interval, tz=trigger.tz) == trigger


def cron_of(moment: datetime) -> str:
    """The five fields that match the minute of a moment."""
    return f"{moment.minute} {moment.hour} {moment.day} {moment.month} *"


def _clock(moment: time) -> str:
    return moment.isoformat("seconds" if moment.second else "minutes")
