"""What is written down about a change: who asked, with which token, through which face, and what it was before."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from duly.model.events import Event, EventKind
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


def audited(
    kind: EventKind,
    now: datetime,
    caller: Caller,
    before: StoredSchedule | None,
    after: StoredSchedule | None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Event:
    """An entry for the journal; only what differs is told, and `more` where no definition changed."""
    row = after or before
    data: dict[str, Any] = {"by": caller.name, "scope": str(caller.scope), "face": str(caller.face)}
    if row is not None:
        data["name"] = row.name
    old, new = _changes(before, after)
    data |= {"before": old} if old else {}
    data |= {"after": new} if new else {}
    data |= {name: _short(value) for name, value in more.items()}
    return Event(kind, now, None if row is None else row.id, data=data)


def _changes(before: StoredSchedule | None, after: StoredSchedule | None) -> tuple[dict[str, Any], dict[str, Any]]:
    names = [name for name in _SHOWN if getattr(before, name, None) != getattr(after, name, None)]
    return _some(before, names), _some(after, names)


def _some(row: StoredSchedule | None, names: list[str]) -> dict[str, Any]:
    if row is None:
        return {}
    found = {name: getattr(row, name) for name in names}
    return {name: _short(value) for name, value in found.items() if value is not None}


def _short(value: Any) -> Any:
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, dict):
        return {name: _short(each) for name, each in value.items()}
    return value[:_LONGEST] if isinstance(value, str) else value
