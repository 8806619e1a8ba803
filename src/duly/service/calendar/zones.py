"""VTIMEZONE components made from duly's own table of clock changes.

Programs that do not know the name of a zone read its offsets there. The times of changes are on the clock of before the
change, as RFC 5545 wants them.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from datetime import datetime, timedelta

from icalendar import Timezone, TimezoneDaylight, TimezoneStandard

from duly.recurrence.clockface import END, later
from duly.service.calendar.expanding import WEEKDAYS
from duly.zones import Zone

_AHEAD = timedelta(days=12 * 366)
_FEW = 3
"""Fewer changes of one kind than this are listed one by one: a rule would be a guess."""


def timezone_of(zone: Zone, since: datetime) -> Timezone:
    """Give the component of a zone: the offset at `since`, and every change in the years after."""
    component = Timezone()
    component.add("TZID", zone.name)
    begin = since.replace(month=1, day=1, hour=0, minute=0, second=0, microsecond=0)
    offset = zone.localize(begin).utcoffset() or timedelta(0)
    first = TimezoneStandard()
    first.add("DTSTART", zone.localize(begin).replace(tzinfo=None, fold=0))
    first.add("TZOFFSETFROM", offset)
    first.add("TZOFFSETTO", offset)
    component.add_component(first)
    groups: dict[tuple[timedelta, timedelta], list[datetime]] = {}
    for change, before, after in zone.transitions(begin + timedelta(seconds=1), later(begin, _AHEAD) or END):
        groups.setdefault((before, after), []).append((change + before).replace(tzinfo=None))
    for (before, after), changes in groups.items():
        component.add_component(_changes(before, after, changes))
    return component


def _changes(before: timedelta, after: timedelta, changes: Sequence[datetime]) -> TimezoneStandard | TimezoneDaylight:
    part = TimezoneDaylight() if after > before else TimezoneStandard()
    part.add("DTSTART", changes[0])
    part.add("TZOFFSETFROM", before)
    part.add("TZOFFSETTO", after)
    rule = _yearly(changes)
    if rule is not None:
        part.add("RRULE", rule)
    elif len(changes) > 1:
        part.add("RDATE", list(changes[1:]))
    return part


def _yearly(changes: Sequence[datetime]) -> dict[str, object] | None:
    """Say changes as a weekday of a month in every year; None when they follow no such rule."""
    if len(changes) < _FEW or [each.year for each in changes] != list(
        range(changes[0].year, changes[0].year + len(changes))
    ):
        return None
    same = {(each.month, each.weekday(), each.time()) for each in changes}
    if len(same) > 1:
        return None
    weeks = {(each.day - 1) // 7 + 1 for each in changes}
    is_last = all(each.day > monthrange(each.year, each.month)[1] - 7 for each in changes)
    if not is_last and len(weeks) > 1:
        return None
    day = f"{-1 if is_last else weeks.pop()}{WEEKDAYS[changes[0].weekday()]}"
    return {"FREQ": "YEARLY", "BYMONTH": changes[0].month, "BYDAY": day}
