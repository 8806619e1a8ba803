"""Put a schedule back to the definition it had before an entry of the audit, under the rules of any other change."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, get_type_hints

from duly.errors import InvalidInputError, NotFoundError
from duly.model.codec import Json
from duly.model.events import SCHEDULE_DELETED, SCHEDULE_UPDATED
from duly.ports.audit import AuditFilter
from duly.ports.codec import decode_action, decode_schedule
from duly.ports.records import StoredSchedule
from duly.service.access.scopes import Caller
from duly.service.schedules import forms
from duly.service.schedules.fields import SETTINGS
from duly.service.schedules.use_cases import Keep

if TYPE_CHECKING:
    from duly.service.services import Services

_CUT = 2000
"""The audit keeps so many characters of a value."""
_BEYOND = 2**63 - 1
"""No entry has this number; no store takes a larger one."""


async def row_before(services: Services, caller: Caller, row: StoredSchedule, seq: int, way: Keep) -> str | None:
    """Give a schedule the definition it had before an entry of the audit; give the token that takes that back."""
    wanted = AuditFilter(schedule_id=row.id, after=seq - 1, before=seq + 1, limit=1)
    entry = next(iter(await services.store.audit.entries(wanted)), None) if 0 < seq < _BEYOND else None
    data = {} if entry is None else json.loads(entry.data)
    before = data.get("before") or {}
    after = data.get("after") or {}
    if entry is None or not is_change(entry.kind, data):
        raise NotFoundError(f"entry {seq} of the audit is no change of {row.name!r} that could be put back")
    cases = services.use_cases
    if row.deleted_at is not None:
        _, undo = await cases.restore(caller, row, way, resumed=bool(before.get("enabled")))
        return undo
    if cut := [name for name, value in before.items() if isinstance(value, str) and len(value) >= _CUT]:
        raise InvalidInputError(f"cannot put back {row.name!r}: the audit has only the beginning of its {cut[0]}")
    columns = {name: _read(name, before.get(name)) for name in {*before, *after} if name in _HINTS}
    if row.handler == "message":
        return await _edit_reminder(services, caller, row, columns, way)
    _, undo = await cases.update(caller, row.id, *_as_update(row, columns), way=way)
    return undo


def is_change(kind: str, data: Json) -> bool:
    """Whether an entry of the audit is a change that can be put back. A field that was empty is not among `before`."""
    if kind == SCHEDULE_UPDATED.name:
        return bool(data.get("before") or data.get("after"))
    return bool(data.get("before")) or kind == SCHEDULE_DELETED.name


def _as_update(row: StoredSchedule, columns: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Give the fields to set and to empty, which make the definition that the columns stand for."""
    if columns.keys() == {"enabled"}:
        return columns, []
    now = forms.of_schedule(decode_schedule(row), enabled=row.enabled)
    wanted = replace(row, **columns)
    then = forms.of_schedule(decode_schedule(wanted), enabled=wanted.enabled)
    given = {name: value for name, value in then.items() if now.get(name) != value}
    gone = [name for name in now if name not in then and name in SETTINGS and name not in ("cron", "when")]
    return given, [name for name in gone if name != "cron_timezone"]


async def _edit_reminder(
    services: Services, caller: Caller, row: StoredSchedule, columns: dict[str, Any], way: Keep
) -> str | None:
    def change(before: StoredSchedule) -> StoredSchedule:
        after = replace(before, **columns)
        if "trigger" in columns or "enabled" in columns:
            raise InvalidInputError(f"{before.name!r} is a reminder: say its time again, or pause and resume it")
        decode_action(after.action)
        return after

    _, undo = await services.use_cases.edit(caller, row, "change", change, way)
    return undo


_HINTS = get_type_hints(StoredSchedule)


def _read(name: str, value: Any) -> Any:
    """Read a value of the audit as the column that it was."""
    return datetime.fromisoformat(value) if value is not None and _HINTS[name] == datetime | None else value
