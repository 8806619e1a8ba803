"""What becomes of a schedule that is handed in again under its name."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime

from duly.errors import DecodeError, InvalidInputError
from duly.model.trigger import Trigger
from duly.planning.correction import next_from
from duly.planning.fire import dispatch_at
from duly.ports.codec import decode_policy, decode_trigger
from duly.ports.records import StoredSchedule
from duly.recurrence import is_same_series
from duly.service.schedules.resting import after_change

_DEFINITION = (
    "trigger",
    "action",
    "policy",
    "handler",
    "description",
    "source",
    "max_runs",
    "start_at",
    "end_at",
    "until_at",
    "timezone",
    "display_title",
    "calendar_event_id",
    "original_text",
)
LOCAL_CALLER = "local"
"""Whoever hands in a definition without a token: a program, a file, or a person at the machine."""
_LIMITS = ("until_at", "max_runs")


def refuse_existing(before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule:
    """A new name is welcome, a used one is an error."""
    if before is not None:
        raise InvalidInputError(
            f"a schedule named {incoming.name!r} exists already in {incoming.namespace!r} ({before.id}): "
            f"update it, or choose another name"
        )
    return incoming


def update_existing(before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule | None:
    """The same name again updates and keeps history; the same definition again changes nothing at all.

    What was set aside because nobody could read it comes back: whoever hands it in can. Somebody's pause survives. What
    rests goes on resting, unless it is to do something else. New limits leave the next fire where it is. A series that
    has ended starts anew only if it was told a new when.
    """
    if before is None:
        return incoming
    incoming = _with_its_old_beginning(before, incoming)
    if before.quarantine is None and all(getattr(before, name) == getattr(incoming, name) for name in _DEFINITION):
        return None
    same_trigger = before.trigger == incoming.trigger
    same_when = same_trigger and all(getattr(before, name) == getattr(incoming, name) for name in _LIMITS)
    merged = replace(
        before,
        **{name: getattr(incoming, name) for name in _DEFINITION},
        version=before.version + 1,
        updated_at=incoming.updated_at,
        watermark=before.watermark if same_trigger else decided_until(before, incoming.updated_at),
        quarantine=None,
        damage=None,
        changed_by=before.changed_by if before.action == incoming.action else (incoming.created_by or LOCAL_CALLER),
    )
    if before.disabled_by == "person" or (before.disabled_by == "finished" and same_when):
        return after_change(before, merged)
    if not (same_trigger and before.enabled):
        merged.enabled, merged.disabled_by = incoming.enabled, incoming.disabled_by
        merged.next_fire_at, merged.next_run_at = incoming.next_fire_at, incoming.next_run_at
        if same_trigger and merged.enabled:
            _go_on_from(merged, incoming.updated_at)
    if merged.next_fire_at is not None and merged.until_at is not None and merged.next_fire_at > merged.until_at:
        _finish(merged)
    if merged.max_runs is not None and merged.fires >= merged.max_runs:
        merged.fires = 0
    return after_change(before, merged)


def _with_its_old_beginning(before: StoredSchedule, incoming: StoredSchedule) -> StoredSchedule:
    """A series that is said again began when it was said first: it keeps the day of the month it took then."""
    if before.trigger == incoming.trigger:
        return incoming
    try:
        same = is_same_series(decode_trigger(before.trigger), decode_trigger(incoming.trigger))
    except DecodeError:  # what is stored cannot be read: whatever is handed in replaces it
        return incoming
    return replace(incoming, trigger=before.trigger) if same else incoming


def goes_on_at(row: StoredSchedule, now: datetime) -> datetime | None:
    """When a schedule that starts again fires next: its first run if it is still to come, else the next occurrence."""
    trigger = decode_trigger(row.trigger)
    return _unless_skipped(row, trigger, next_from(trigger, now, row.fires))


def _go_on_from(row: StoredSchedule, now: datetime) -> None:
    """The first run of a series is behind it: it goes on with the first occurrence from now."""
    trigger = decode_trigger(row.trigger)
    row.next_fire_at = _unless_skipped(row, trigger, trigger.get_next_occurrence(now))
    row.next_run_at = dispatch_at(trigger, decode_policy(row.policy), row.next_fire_at)
    if row.next_fire_at is None:
        _finish(row)


def _unless_skipped(row: StoredSchedule, trigger: Trigger, fire_at: datetime | None) -> datetime | None:
    """Fires that somebody skipped ahead of their time stay skipped: the one after them."""
    if fire_at is None or row.watermark is None or fire_at > row.watermark:
        return fire_at
    return trigger.get_next_occurrence(row.watermark)


def decided_until(row: StoredSchedule, now: datetime) -> datetime | None:
    """The watermark under a new trigger: what was skipped ahead were fires of the old one."""
    return None if row.watermark is None else min(row.watermark, now)


def _finish(row: StoredSchedule) -> None:
    row.enabled, row.disabled_by, row.next_fire_at, row.next_run_at = False, "finished", None, None


assert {each.name for each in fields(StoredSchedule)} >= {*_DEFINITION}  # noqa: S101  a misspelt name shows at import
