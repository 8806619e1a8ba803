"""What a stored schedule becomes when somebody changes it. Pure, so that it can run inside a transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from duly.errors import InvalidInputError
from duly.planning.fire import dispatch_at
from duly.ports.codec import decode_policy, decode_schedule, decode_trigger
from duly.ports.records import StoredSchedule
from duly.service.schedules import forms
from duly.service.schedules.drafts import Draft
from duly.service.schedules.merging import decided_until, goes_on_at
from duly.service.schedules.resting import after_change
from duly.service.schedules.zone_rule import Zones
from duly.zones import iso

_DEFINITION = (
    "name",
    "trigger",
    "action",
    "policy",
    "handler",
    "description",
    "max_runs",
    "start_at",
    "end_at",
    "timezone",
    "display_title",
    "calendar_event_id",
)
ToRow = Callable[[Draft, datetime], StoredSchedule]


@dataclass(frozen=True, slots=True)
class Door:
    """How a request is read where it came in: words, the zones of times that name none, and drafts into rows."""

    words: forms.Words
    zones: Zones
    to_row: ToRow
    """Checks a draft and gives the row of a new schedule."""


def changed(row: StoredSchedule, changes: Mapping[str, Any], now: datetime, door: Door) -> StoredSchedule:
    """The row after an update, judged as a whole.

    What is not changed was judged when it was set: a series that is over may still be renamed.
    """
    if row.source == "toml" and set(changes) - {"enabled"}:
        raise InvalidInputError(
            f"{row.name!r} comes from a file: change it there. Here only enabled may change, got {', '.join(changes)}"
        )
    form = forms.merged(forms.of_schedule(decode_schedule(row), enabled=row.enabled), changes)
    forms.check_together(changes, form)
    if "until_at" not in changes:
        form.pop("until_at", None)
    new_when = bool(changes.keys() & {*forms.WHEN})
    draft = forms.read(form, door.words, door.zones)
    fresh = door.to_row(draft, now if new_when or "until_at" in changes else row.created_at)
    after = replace(
        row,
        **{name: getattr(fresh, name) for name in _DEFINITION},
        version=row.version + 1,
        updated_at=now,
        quarantine=None,
    )
    if changes.get("cron") is not None or changes.get("when") is not None:
        after.original_text = fresh.original_text
    if "until_at" in changes:
        after.until_at = fresh.until_at
    if after.start_at is not None and after.until_at is not None and after.until_at < after.start_at:
        raise InvalidInputError(f"until_at {iso(after.until_at)} must not be before start_at {iso(after.start_at)}")
    if new_when and row.trigger != after.trigger:
        after.next_fire_at, after.watermark = fresh.next_fire_at, decided_until(row, now)
    elif not row.enabled:
        after.next_fire_at = goes_on_at(row, now)
    return after_change(row, _with_next_run(row, after, fresh))


def _with_next_run(before: StoredSchedule, after: StoredSchedule, fresh: StoredSchedule) -> StoredSchedule:
    """Enabling and a new when start from now, disabling clears, everything else leaves the next fire where it is."""
    after.enabled, after.disabled_by = fresh.enabled, fresh.disabled_by
    if not after.enabled:
        after.disabled_by = before.disabled_by or "person"
        after.next_fire_at = after.next_run_at = None
        return after
    if after.max_runs is not None and after.fires >= after.max_runs and not before.enabled:
        after.fires = 0
    if _is_over(after):
        if not before.enabled:
            raise InvalidInputError(f"{after.name!r} has ended: give it a new time or a later until_at first")
        after.enabled, after.disabled_by, after.next_fire_at, after.next_run_at = False, "finished", None, None
        return after
    after.next_run_at = dispatch_at(decode_trigger(after.trigger), decode_policy(after.policy), after.next_fire_at)
    return after


def _is_over(row: StoredSchedule) -> bool:
    """Whether its limits leave no further fire."""
    beyond = row.next_fire_at is None or (row.until_at is not None and row.next_fire_at > row.until_at)
    return beyond or (row.max_runs is not None and row.fires >= row.max_runs)
