"""The three clocks of duly: wall time says what is due, monotonic time how long it took, boot time who is alive.

Wall time may jump, monotonic time may pause while the machine sleeps, boot time does neither. Code that needs the time
gets a `Clock` as an argument; no other module reads the time. `host_zone` finds the time zone of the machine.
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
    """The interface of a clock: real in production, virtual in tests."""

    def now(self) -> datetime:
        """Give wall time, in UTC: it decides what is due."""
        ...

    def monotonic(self) -> float:
        """Give seconds that never run backwards: they measure how long something took."""
        ...

    def boottime(self) -> float:
        """Give seconds since boot, with time asleep: they decide whether a lease has expired."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait, by this clock."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Cancel:
        """Call back after so many seconds, in the running event loop; gives a function that cancels the call."""
        ...


@runtime_checkable
class JumpingClock(Protocol):
    """A clock that reports when its wall time was set or its machine slept; that of a real machine does not."""

    def on_jump(self, callback: Callable[[timedelta], None]) -> Cancel:
        """Call back at every jump with how far the wall clock moved; gives a function that ends this."""
        ...


@runtime_checkable
class CorrectableClock(Protocol):
    """The clock of a machine: its wall time may be wrong, and duly can correct it."""

    @property
    def correction(self) -> timedelta:
        """The difference that is added to the time of the machine."""
        ...

    def put_right(self, correction: timedelta) -> None:
        """Add this to the time of the machine from now on."""
        ...


class SystemClock:
    """The clocks of the machine, with wall time corrected to that of the database where the two disagree."""

    _correction = timedelta(0)

    def now(self) -> datetime:
        now = datetime.now(UTC)
        return now + self._correction if self._correction else now

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


class Turns:
    """Lets other tasks of the process have their turn, every few milliseconds of a long piece of work."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._over_at = clock.monotonic() + _TURN

    async def pause(self) -> None:
        """Give way if the turn is over; call it between pieces that take less than a turn."""
        if self._clock.monotonic() >= self._over_at:
            import asyncio

            await asyncio.sleep(0)
            self._over_at = self._clock.monotonic() + _TURN


_TURN = 0.005
# Only Linux has a time since boot that includes sleep; elsewhere monotonic time is the closest.
_BOOTTIME: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def host_zone(now: datetime) -> str:
    """Give the IANA name of the host's time zone; UTC, with a warning, when there is none.

    A configured name counts only if its zone shows the same time as the host, now and for two years to come: the host
    may take its time from elsewhere. A host whose zone has no name gets the name of a zone with the same times. A name
    in `TZ` that no zone has is given as it is: the C library would silently take UTC, who looks the zone up refuses it.
    """
    import logging  # late, as all imports that are only needed when no zone is configured
    from zoneinfo import available_timezones

    log = logging.getLogger("duly")
    if (wrong := _misnamed()) is not None:
        return wrong
    shown = _shown_by_host(now)
    for name in _configured_names():
        if _shows(name, shown):
            return name
    alike = next((name for name in sorted(available_timezones(), key=_preference) if _shows(name, shown)), None)
    if alike is None:
        log.warning("the host's time zone is unknown, using %s: name another", _UNKNOWN)
        return _UNKNOWN
    log.warning("the host's time zone has no name, using %s, which shows the same time: name another", alike)
    return alike


def _misnamed() -> str | None:
    """Give the value of `TZ` if it is neither a zone, nor a file, nor a rule such as `EST5EDT`."""
    import os
    import re
    from zoneinfo import available_timezones

    name = os.environ.get("TZ", "").removeprefix(":")
    known = not name or name.startswith("/") or re.match(r"(<[^>]+>|[A-Za-z]{3,})[+-]?\d", name)
    return None if known or name in available_timezones() else name


def _configured_names() -> Iterator[str]:
    import os
    from zoneinfo import available_timezones

    import tzlocal

    with suppress(LookupError, ValueError, OSError):  # no name is configured, or two that contradict each other
        yield tzlocal.get_localzone_name() or ""
    name = os.environ.get("TZ", "").removeprefix(":")
    if name in available_timezones():  # tzlocal does not know all of them
        yield name


def _shown_by_host(now: datetime) -> Sequence[tuple[datetime, int]]:
    """List instants, a day apart, each with the seconds by which the host's clock is ahead of UTC then."""
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
    """Give a sort key: fixed offsets first, which no government changes; then places."""
    return not name.startswith("Etc/"), "/" not in name, name
