"""The events of changes: who asked, with which token, through which face, and the values before and after.

A face sets the caller with `act_as` or `acting_as`; use cases that have no caller argument get it from `acting`.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from duly.model.events import SCHEDULE_PAUSED, SCHEDULE_RESUMED, SCHEDULE_UPDATED, Event, EventKind
from duly.model.schedule import PLAIN_FIELDS
from duly.ports.records import StoredSchedule
from duly.service.access.scopes import LOCAL, Caller
from duly.zones import iso

_SHOWN = ("name", "trigger", "action", "policy", "enabled", *PLAIN_FIELDS)
"""The columns whose changes an entry tells."""
_LONGEST = 2000


Asked = Mapping[str, str]
"""Who asked for a change, as journal and audit store it: `by`, `scope`, `face`, and more where it is known."""

LIBRARY: Asked = {"by": "library", "scope": "admin", "face": "python"}
"""The program that uses duly as a library."""
ITSELF: Asked = {"by": "duly", "scope": "admin", "face": "engine"}
"""duly itself, for changes that no caller asked for."""
_acting: ContextVar[Asked] = ContextVar("duly_acting", default=LIBRARY)


def asked_by(caller: Caller) -> dict[str, str]:
    """Give who asked; for the local user, who has no token, with the account and the machine."""
    asked = {"by": caller.name, "scope": str(caller.scope), "face": str(caller.face)}
    return {**asked, "account": _account()} if caller.name == LOCAL else asked


def in_chat(user_id: str, channel: str) -> Asked:
    """Give a person who wrote in a chat or followed a link as the one who asked."""
    return {"by": f"user:{user_id}", "scope": f"user:{user_id}", "face": "chat", "channel": channel}


def acting() -> dict[str, str]:
    """Give who asks for the work of this task. Call it before work goes to a store, which may use another thread."""
    return dict(_acting.get())


def act_as(caller: Caller | Asked) -> None:
    """Record the changes of this task from now on under this caller."""
    _acting.set(_asked(caller))


@contextmanager
def acting_as(caller: Caller | Asked) -> Iterator[None]:
    """Record the changes of the block under this caller."""
    token = _acting.set(_asked(caller))
    try:
        yield
    finally:
        _acting.reset(token)


def is_anybody_acting() -> bool:
    """Whether a face has said who asks."""
    return _acting.get() is not LIBRARY


def _asked(caller: Caller | Asked) -> Asked:
    return asked_by(caller) if isinstance(caller, Caller) else caller


@cache
def _account() -> str:
    """Give the account and the machine of this process. Looked up once: a directory service may be slow."""
    try:
        import pwd

        name = pwd.getpwuid(os.geteuid()).pw_name
    except (ImportError, KeyError):  # not Unix, or a user without a name, as in many containers
        name = str(getattr(os, "geteuid", lambda: "user")())
    return f"{name}@{socket.gethostname()}"


def change_events(now: datetime, caller: Caller | Asked, before: StoredSchedule, after: StoredSchedule) -> list[Event]:
    """Make the events of a changed schedule: that its definition changed, that it was paused or resumed, or both."""
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
    caller: Caller | Asked,
    before: StoredSchedule | None,
    after: StoredSchedule | None,
) -> Event:
    """Make the event of a change, with the fields that differ."""
    row = after or before
    data: dict[str, object] = dict(_asked(caller))
    if row is not None:
        data["name"] = row.name
    names = _names_changed(before, after)
    for key, side in (("before", before), ("after", after)):
        if values := _some(side, names):
            data[key] = values
    return Event(kind, now, None if row is None else row.id, data=data)


def _names_changed(before: StoredSchedule | None, after: StoredSchedule | None) -> list[str]:
    return [name for name in _SHOWN if getattr(before, name, None) != getattr(after, name, None)]


def _some(row: StoredSchedule | None, names: list[str]) -> dict[str, object]:
    if row is None:
        return {}
    found = {name: getattr(row, name) for name in names}
    return {name: _short(value) for name, value in found.items() if value is not None}


def _short(value: Any) -> Any:
    if isinstance(value, datetime):
        return iso(value)
    return value[:_LONGEST] if isinstance(value, str) else value
