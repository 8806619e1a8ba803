"""What a calendar file becomes: reminders, and entries that are refused with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from duly.model.trigger import Trigger

MOST_BYTES = 5_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedReminder:
    """A reminder that a calendar file asks for."""

    uid: str
    """Of the entry; with a number at its end for the second and later alarms."""
    title: str
    text: str
    description: str | None
    trigger: Trigger
    zone: str
    until_at: datetime | None = None
    start_at: datetime | None = None
    end_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedEntry:
    """An entry that becomes no reminder, and why."""

    uid: str
    title: str
    reason: str
