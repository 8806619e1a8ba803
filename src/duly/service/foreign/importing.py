"""Bring the entries of another scheduler in: a plan with what changes and what is lost, and then the schedules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from duly.model.schedule import Source
from duly.service.foreign.entries import ForeignEntry, first_times
from duly.service.schedules.views import describe

if TYPE_CHECKING:
    from duly.errors import EntryError
    from duly.model.trigger import Trigger
    from duly.service.schedules.sync import Sync, SyncReport

_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedEntry:
    """What became of one entry, or would."""

    name: str
    action: str
    """`created`, `updated`, `unchanged` or `refused`."""
    written: str
    """When it fires, as the old scheduler writes it."""
    when: str | None = None
    """The same in words."""
    reason: str | None = None
    """Why it was refused."""
    losses: list[str] = field(default_factory=list)
    """What of it is not carried over, and why."""
    differences: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    """The fields that differ from those of the schedule that was there, before and after."""
    next_here: list[datetime] = field(default_factory=list)
    """Its first times."""
    next_there: list[datetime] | None = None
    """Those of the old scheduler; None where it cannot tell."""

    @property
    def differs(self) -> bool:
        """Whether the old scheduler has other times."""
        return self.next_there is not None and self.next_there != self.next_here


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignReport:
    """What became of the entries of another scheduler."""

    namespace: str
    items: list[ImportedEntry]

    def count(self, action: str) -> int:
        """Count the entries with which the same was done."""
        return sum(each.action == action for each in self.items)


async def bring_in(
    sync: Sync, namespace: str, entries: Sequence[ForeignEntry], now: datetime, *, dry_run: bool
) -> ForeignReport:
    """Make schedules of the entries that can be carried over, in one transaction; as a dry run, only report."""
    readable = [each for each in entries if each.trigger is not None]
    forms = [{"name": each.name, "when": each.trigger, **each.fields} for each in readable]
    refused: dict[int, EntryError] = {}
    report = await sync.sync_schedules(namespace, forms, dry_run=dry_run, source=Source.DB, refused=refused)
    reasons = {id(readable[number]): error.reason for number, error in refused.items()}
    return ForeignReport(
        namespace=namespace, items=[_imported(each, reasons.get(id(each)), report, now) for each in entries]
    )


def _imported(entry: ForeignEntry, reason: str | None, report: SyncReport, now: datetime) -> ImportedEntry:
    why = entry.refusal or reason
    if entry.trigger is None or why is not None:
        return ImportedEntry(name=entry.name, action="refused", written=entry.written, reason=why)
    action = next(each for each in ("created", "updated", "unchanged") if entry.name in getattr(report, each))
    there = entry.next_time and list(first_times(entry.next_time, now, _SHOWN))
    return ImportedEntry(
        name=entry.name,
        action=action,
        written=entry.written,
        when=describe(entry.trigger),
        losses=list(entry.losses),
        differences=report.differences.get(entry.name, {}),
        next_here=_coming(entry.trigger, now),
        next_there=there,
    )


def _coming(trigger: Trigger, now: datetime) -> list[datetime]:
    return list(first_times(trigger.get_next_occurrence, now, _SHOWN))
