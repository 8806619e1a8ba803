"""Failed logins: refused tokens, signatures and links in the audit, counted so that a flood does not fill the store.

The first refusal of a source on a route, for each reason, is written at once. Those that follow within the interval are
counted, and the count is written when the interval ends. Beyond a number of sources the rest is counted together.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from duly.clock import Cancel, Clock
from duly.errors import DulyError
from duly.model.events import LOGIN_FAILED, Event
from duly.ports.store import FullStore
from duly.service.access.tokens import digest

INTERVAL = timedelta(minutes=10)
MOST_SOURCES = 100
"""Sources that are counted one by one in an interval."""
OTHERS = "others"
_UNKNOWN = "unknown"
_log = logging.getLogger("duly")


@dataclass(slots=True)
class _Tally:
    """The refusals of a source on a route since its last entry."""

    actor: str
    reason: str
    count: int = 0


class FailedLogins:
    """Counts refusals and writes them to the audit."""

    def __init__(self, store: FullStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._tallies: dict[tuple[str, str, str], _Tally] = {}
        self._cancel: Cancel | None = None
        self._writing: set[asyncio.Task[None]] = set()

    async def note(self, door: str, address: str | None, reason: str, secret: str | None = None) -> None:
        """Count a refusal on a route (`door`), of a request from an address. `secret` is the token that was sent."""
        key = (door, source_of(address), reason)
        if key not in self._tallies and len(self._tallies) >= MOST_SOURCES:
            key = (door, OTHERS, reason)
        known = self._tallies.get(key)
        if known is not None:
            known.count += 1
            return
        tally = self._tallies[key] = _Tally(
            _UNKNOWN, reason
        )  # before the first await, so that the next refusal finds it
        if self._cancel is None:
            self._cancel = self._clock.call_later(INTERVAL.total_seconds(), self._interval_ended)
        if secret is not None:
            await self._recognise(tally, secret)
        await self._write(key, tally, 1)

    async def close(self) -> None:
        """Write the counts."""
        if self._cancel is not None:
            self._cancel()
            self._cancel = None
        await asyncio.gather(*self._writing)
        await self._end_interval()

    async def _recognise(self, tally: _Tally, secret: str) -> None:
        """Name the token that was sent, if it is a known one."""
        with suppress(DulyError):
            record = await self._store.tokens.by_hash(digest(secret))
            if record is not None:
                tally.actor = record.id
                tally.reason = "the token was revoked" if record.revoked_at is not None else "the token has expired"

    def _interval_ended(self) -> None:
        self._cancel = None
        task = asyncio.get_running_loop().create_task(self._end_interval())
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def _end_interval(self) -> None:
        tallies = self._tallies
        self._tallies = {}  # before the first await: later refusals count for the next interval
        for key, tally in tallies.items():
            if tally.count:
                await self._write(key, tally, tally.count)

    async def _write(self, key: tuple[str, str, str], tally: _Tally, count: int) -> None:
        door, source, _ = key
        about = {"by": tally.actor, "door": door, "source": source, "reason": tally.reason, "count": count}
        event = Event(LOGIN_FAILED, self._clock.now(), data=about)
        try:
            await self._store.record([event])
        except DulyError as error:  # the request is refused all the same
            _log.warning("a failed login at %s from %s could not be written to the audit: %s", door, source, error)


def source_of(address: str | None) -> str:
    """Give the address; for IPv6 its /64 network, because one machine can use any address in it."""
    try:
        found = ipaddress.ip_address(address or "")
    except ValueError:
        return _UNKNOWN
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
