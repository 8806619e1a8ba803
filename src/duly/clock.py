"""Three clocks, because three questions: is it due, how long did it take, is its owner still alive.

Wall time may jump, monotonic time may pause while the machine sleeps, boot time does neither. Everything that
needs time is handed a `Clock`; nothing else in duly reads one. In which zone people read the wall clock of the machine
is found out here, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol, runtime_checkable

Cancel = Callable[[], None]
_UNKNOWN = "UTC"
_DAYS_COMPARED = 2 * 366


class Clock(Protocol):
    """What time is it? Real in production, virtual in tests."""

    def now(self) -> datetime:
        """Wall time, in UTC: decides what is due."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards: measure how long something took."""
        ...

    def boottime(self) -> float:
        """Seconds since boot, time asleep included: decide whether a lease ran out."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait, by this clock."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Cancel:
        """Call back after a while, in the running event loop; what it gives calls that off."""
        ...


@runtime_checkable
class JumpingClock(Protocol):
    """A clock that tells when its wall time was set or its machine slept. The machine's own does not."""

    def on_jump(self, callback: Callable[[timedelta], None]) -> Cancel:
        """Call back at every jump with how far the wall clock moved; what it gives calls that off."""
        ...


@runtime_checkable
class CorrectableClock(Protocol):
    """A clock of a machine, whose wall time may be wrong, and be known to be."""

    @property
    def correction(self) -> timedelta:
        """What is added to the time that the machine shows."""
        ...

    def put_right(self, correction: timedelta) -> None:
        """Add this to the time that the machine shows, from now on."""
        ...


class SystemClock:
    """The clocks of the machine; where a database knows better what time it is, its time."""

    _correction = timedelta(0)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._correction

    @property
    def correction(self) -> timedelta:
        return self._correction

    def put_right(self, correction: timedelta) -> None:
        self._correction = correction

    def monotonic(self) -> float:
        return time.monotonic()

    def boottime(self) -> float:
        return time.clock_gettime(_BOOTTIME) if _BOOTTIME is not None else time.monotonic()

    async def sleep(self, seconds: float) -> None:
        import asyncio  # late: the command line asks for the time and never waits

        await asyncio.sleep(seconds)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Cancel:
        import asyncio

        return asyncio.get_running_loop().call_later(seconds, callback).cancel


# Only Linux tells the time since boot with sleep counted in; elsewhere monotonic time is the closest there is.
_BOOTTIME: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def host_zone(now: datetime) -> str:
    """The IANA name of the zone the host is in; UTC, with a warning, when there is none.

    A name is believed only if its zone shows the time that the host shows, now and for two years to come: where the
    name is found need not be where the host looks. A host whose zone has no name gets that of one like it.
    """
    import logging  # late, as all that is only needed when nobody named a zone
    from zoneinfo import available_timezones

    log = logging.getLogger("duly")
    shown = _shown_by_host(now)
    for name in _told_names():
        if _shows(name, shown):
            return name
    alike = next((name for name in sorted(available_timezones(), key=_preference) if _shows(name, shown)), None)
    if alike is None:
        log.warning("the host's time zone is unknown, using %s: name another", _UNKNOWN)
        return _UNKNOWN
    log.warning("the host's time zone has no name, using %s, which shows the same time: name another", alike)
    return alike


def _told_names() -> Iterator[str]:
    import os
    from zoneinfo import available_timezones

    import tzlocal

    with suppress(LookupError, ValueError, OSError):  # it has none, or two that contradict each other
        yield tzlocal.get_localzone_name() or ""
    if (name := os.environ.get("TZ", "").removeprefix(":")) in available_timezones():  # tzlocal does not know them all
        yield name


def _shown_by_host(now: datetime) -> Sequence[tuple[datetime, int]]:
    """Instants, a day apart, and by how many seconds the host's clock is ahead of UTC then."""
    noon = int(now.timestamp()) // 86_400 * 86_400 + 43_200
    instants = [noon + day * 86_400 for day in range(_DAYS_COMPARED)]
    return [(datetime.fromtimestamp(each, UTC), time.localtime(each).tm_gmtoff) for each in instants]


def _shows(name: str, shown: Sequence[tuple[datetime, int]]) -> bool:
    from zoneinfo import ZoneInfo

    try:
        zone = ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        return False
    return all(_seconds_ahead(zone, moment) == ahead for moment, ahead in shown)


def _seconds_ahead(zone: tzinfo, moment: datetime) -> float:
    offset = moment.astimezone(zone).utcoffset()
    return 0.0 if offset is None else offset.total_seconds()


def _preference(name: str) -> tuple[bool, bool, str]:
    """Fixed offsets first, which no government changes; then places."""
    return not name.startswith("Etc/"), "/" not in name, name
