"""Every zone and every change of its offset from 2000 to 2037, against the brute-force walk.

All of it takes a few minutes: `python -m tests.unit.cron.sweep`. The test suite runs a sample.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

from tests.unit.cron.oracle import transitions
from tests.unit.cron.strategies import Case

FIRST_YEAR = 2000
LAST_YEAR = 2037
HOUR = timedelta(hours=1)


def zones() -> list[str]:
    """All zones there are."""
    return sorted(available_timezones())


def expressions(zone: str, change: datetime) -> list[str]:
    """Rhythms, and daily times just before, inside and just after what a change skips or repeats."""
    tz = ZoneInfo(zone)
    before = (change - timedelta(seconds=1)).astimezone(tz)
    after = change.astimezone(tz)
    ends = before.replace(tzinfo=None) + timedelta(seconds=1), after.replace(tzinfo=None)
    low = min(ends)
    high = max(ends)
    minute = timedelta(minutes=1)
    faces = [low - minute, low, low + minute, low + (high - low) / 2, high - minute, high, high + minute]
    daily = {f"{face.minute} {face.hour} * * *" for face in faces}
    return ["*/20 * * * *", f"{low.minute} * * * *", "*/30 0-3 * * *", *sorted(daily)]


def check_change(zone: str, change: datetime) -> int:
    """Compare every expression under both policies; the number of fires that were compared."""
    tz = ZoneInfo(zone)
    shift = abs((change.astimezone(tz).utcoffset() or HOUR) - ((change - HOUR).astimezone(tz).utcoffset() or HOUR))
    start = change - shift - HOUR
    end = change + shift + HOUR
    compared = 0
    for expression in expressions(zone, change):
        for policy in ("once", "wallclock"):
            case = Case(expression, "standard", zone, policy, "or")
            fires = case.oracle().fires(start, end, lookback=shift + HOUR)
            check_fires(case, start, end, fires)
            compared += len(fires)
    return compared


def check_fires(case: Case, start: datetime, end: datetime, fires: list[datetime]) -> None:
    """Forwards, backwards and counted."""
    cron = case.cron()
    assert [at.astimezone(UTC) for at in cron.between(start, end)] == fires, (case, start, end)
    assert cron.count(start, end) == len(fires), (case, start, end)
    at = end + timedelta(seconds=1)
    found = []
    while (at := cron.prev(at).astimezone(UTC)) > start:
        found.append(at)
    assert found[::-1] == fires, (case, start, end)


def check_zone(zone: str) -> tuple[int, int]:
    """All changes of a zone: how many, and how many fires were compared."""
    changes = transitions(zone, FIRST_YEAR, LAST_YEAR)
    return len(changes), sum(check_change(zone, change) for change in changes)


def main() -> int:
    total = [0, 0]
    for number, zone in enumerate(zones(), 1):
        changes, fires = check_zone(zone)
        total[0] += changes
        total[1] += fires
        print(f"\r{number} zones, {total[0]} changes, {total[1]} fires: all agree", end="", flush=True)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
