"""Quiet hours: a daily window on a person's clocks in which nothing but the critical is sent."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from duly.zones import Zone


def quiet_until(begin: str | None, end: str | None, zone: Zone, moment: datetime) -> datetime | None:
    """When the quiet hours that hold at a moment are over; None when none do.

    `begin` and `end` are local times ("22:00"); a window may span midnight, and one without length is none.
    """
    if begin is None or end is None or begin == end:
        return None
    first, last = time.fromisoformat(begin), time.fromisoformat(end)
    local = zone.localize(moment)
    clock, today = local.time(), local.date()
    if first < last:
        quiet, ends_on = first <= clock < last, today
    else:
        quiet, ends_on = clock >= first or clock < last, today + timedelta(days=clock >= first)
    if not quiet:
        return None
    over = datetime.combine(ends_on, last)
    # Where clocks are set back the window may end twice; in a gap it ends when the gap does.
    ends = [*zone.instants(over), zone.first_instant(over)]
    return min((instant for instant in ends if instant > moment), default=None)
