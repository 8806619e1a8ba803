"""What is written down about a change: who asked, with which token, through which face, and what it was before."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from duly.model.events import SCHEDULE_PAUSED, SCHEDULE_RESUMED, SCHEDULE_UPDATED, Event, EventKind
from duly.ports.records import StoredSchedule
from duly.service.access import Caller
from duly.zones import iso

_SHOWN = (
    "name",
    "trigger",
    "action",
    "policy",
    "description",
    "enabled",
    "max_runs",
    "start_at",
    "end_at",
    "until_at",
    "timezone",
    "display_title",
    "calendar_event_id",
)
_LONGEST = 2000


def asked_by(caller: Caller) -> dict[str, Any]:
    """Who asked for something, as the journal has it."""
    return {"by": caller.name, "scope": str(caller.scope), "face": str(caller.face)}


def change_events(now: datetime, caller: Caller, before: StoredSchedule, after: StoredSchedule) -> list[Event]:
    """Entries for a change of a schedule: that its definition changed, that it was paused or resumed, or both."""
    switched = SCHEDULE_RESUMED if after.enabled else SCHEDULE_PAUSED
    if before.enabled == after.enabled:
        return [audited(SCHEDULE_UPDATED, now, caller, before, after)]
    if not _names_changed(replace(before, enabled=after.enabled), after):
        return [audited(switched, now, caller, before, after)]
    return [
        audited(SCHEDULE_UPDATED, now, caller, before, after),
        audited(switched, now, caller, replace(after, enabled=before.enabled), after),
    ]


def audited(
    kind: EventKind,
    now: datetime,
    caller: Caller,
    before: StoredSchedule | None,
    after: StoredSchedule | None,
) -> Event:
    """An entry for the journal; only what differs is told."""
    row = after or before
    data = asked_by(caller)
    if row is not None:
        data["name"] = row.name
    old, new = _changes(before, after)
    data |= {"before": old} if old else {}
    data |= {"after": new} if new else {}
    return Event(kind, now, None if row is None else row.id, data=data)


def _changes(before: StoredSchedule | None, after: StoredSchedule | None) -> tuple[dict[str, Any], dict[str, Any]]:
    names = _names_changed(before, after)
    return _some(before, names), _some(after, names)


def _names_changed(before: StoredSchedule | None, after: StoredSchedule | None) -> list[str]:
    return [name for name in _SHOWN if getattr(before, name, None) != getattr(after, name, None)]


def _some(row: StoredSchedule | None, names: list[str]) -> dict[str, Any]:
    if row is None:
        return {}
    found = {name: getattr(row, name) for name in names}
    return {name: _short(value) for name, value in found.items() if value is not None}


def _short(value: Any) -> Any:
    if isinstance(value, datetime):
        return iso(value)
    return value[:_LONGEST] if isinstance(value, str) else value
