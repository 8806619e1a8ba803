"""The zone of the machine, by its name: an offset alone would not know about clock changes."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import tzlocal

_UNKNOWN = "UTC"
_DAYS_COMPARED = 2 * 366
_log = logging.getLogger("duly")


def host_zone(now: datetime) -> str:
    """The IANA name of the zone the host is in; UTC, with a warning, when there is none.

    A name is believed only if its zone shows the time that the host shows, now and for two years to come: where the
    name is found need not be where the host looks. A host whose zone has no name gets that of one like it.
    """
    shown = _shown_by_host(now)
    for name in _told_names():
        if _shows(name, shown):
            return name
    alike = next((name for name in sorted(available_timezones(), key=_preference) if _shows(name, shown)), None)
    if alike is None:
        _log.warning("the host's time zone is unknown, using %s: pass tz=", _UNKNOWN)
        return _UNKNOWN
    _log.warning("the host's time zone has no name, using %s, which shows the same time: pass tz=", alike)
    return alike


def _told_names() -> Iterator[str]:
    try:
        yield tzlocal.get_localzone_name() or ""
    except (ZoneInfoNotFoundError, LookupError, ValueError) as error:
        _log.debug("the host does not name its time zone: %s", error)
    if (name := os.environ.get("TZ", "").removeprefix(":")) in available_timezones():  # tzlocal does not know them all
        yield name


def _shown_by_host(now: datetime) -> Sequence[tuple[datetime, int]]:
    """Instants, a day apart, and by how many seconds the host's clock is ahead of UTC then."""
    noon = int(now.timestamp()) // 86_400 * 86_400 + 43_200
    instants = [noon + day * 86_400 for day in range(_DAYS_COMPARED)]
    return [(datetime.fromtimestamp(each, UTC), time.localtime(each).tm_gmtoff) for each in instants]


def _shows(name: str, shown: Sequence[tuple[datetime, int]]) -> bool:
    try:
        zone = ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return all(_seconds_ahead(zone, moment) == ahead for moment, ahead in shown)


def _seconds_ahead(zone: ZoneInfo, moment: datetime) -> float:
    offset = moment.astimezone(zone).utcoffset()
    return 0.0 if offset is None else offset.total_seconds()


def _preference(name: str) -> tuple[bool, bool, str]:
    """Fixed offsets first, which no government changes; then places."""
    return not name.startswith("Etc/"), "/" not in name, name
