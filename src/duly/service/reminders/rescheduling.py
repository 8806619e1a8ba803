"""What a stored reminder becomes when it gets other times, or its person other clocks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from duly.errors import DecodeError
from duly.model.events import Event
from duly.model.trigger import Trigger
from duly.ports.codec import decode_action, decode_trigger, encode_trigger
from duly.ports.records import StoredSchedule
from duly.ports.store import Store
from duly.recurrence.elapsed import Elapsed
from duly.service.access.audit import acting, change_events
from duly.service.reminders.reminder_schedules import moved, reminder_policy
from duly.service.schedules.drafts import Draft
from duly.service.schedules.merging import decided_until


def at_other_times(row: StoredSchedule, trigger: Trigger, zone: str) -> Draft:
    """The same reminder with another when."""
    action, policy = decode_action(row.action), reminder_policy(trigger)
    return Draft(name=row.name, namespace=row.namespace, trigger=trigger, action=action, policy=policy, timezone=zone)


def rescheduled(row: StoredSchedule, fresh: StoredSchedule) -> StoredSchedule:
    """A new when starts from now and brings its own limits: its old end ends nothing any more."""
    row = replace(row, trigger=fresh.trigger, policy=fresh.policy, timezone=fresh.timezone, fires=0)
    row = replace(row, until_at=fresh.until_at, max_runs=fresh.max_runs)
    row = replace(row, watermark=decided_until(row, fresh.updated_at))
    if row.disabled_by == "person":
        return row
    row = replace(row, enabled=True, disabled_by=None)
    return replace(row, next_fire_at=fresh.next_fire_at, next_run_at=fresh.next_run_at)


async def put_on_other_clocks(store: Store, ids: Collection[str], old: str, new: str, now: datetime) -> None:
    """Move schedules of a person who lives by other clocks now."""
    told, asked = list[Event](), acting()

    def change(row: StoredSchedule) -> StoredSchedule | None:
        moved = on_other_clocks(row, old, new, now)
        told.extend([] if moved is None else change_events(now, asked, row, moved))
        return moved

    await store.edit(ids, change, told)


def on_other_clocks(row: StoredSchedule, old: str, new: str, now: datetime) -> StoredSchedule | None:
    """A schedule on other clocks; None when it looks at none, or cannot be read."""
    try:
        before = decode_trigger(row.trigger)
    except DecodeError:
        return None
    trigger = moved(before, old, new)
    if trigger == before:
        return None
    row = replace(row, trigger=encode_trigger(trigger), timezone=new, version=row.version + 1, updated_at=now)
    counts_on = isinstance(trigger, Elapsed) and not trigger.fixed_slots
    if row.next_fire_at is None or row.next_fire_at <= now or counts_on:
        return row  # one whose time has come is not called back
    fire_at = trigger.get_next_occurrence(now)
    return replace(row, next_fire_at=fire_at, next_run_at=fire_at, watermark=decided_until(row, now))
