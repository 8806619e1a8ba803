"""The lock of a daemon: one daemon per data directory, and how others find it."""

from __future__ import annotations

import asyncio
import fcntl
from pathlib import Path

import pytest

from duly.errors import DulyError
from duly.runtime.daemon_lock import DaemonLock, find_daemon
from duly.server.exposure import is_loopback
from duly.testing import VirtualClock


async def test_a_daemon_is_found_while_it_is_there(tmp_path: Path) -> None:
    clock, lock = VirtualClock(), DaemonLock(tmp_path)
    assert find_daemon(tmp_path) is None
    await lock.claim("http://here", "one.db", clock)
    facts = find_daemon(tmp_path)
    assert facts is not None
    assert (facts["url"], facts["store"]) == ("http://here", "one.db")
    lock.release()
    assert find_daemon(tmp_path) is None
    await DaemonLock(tmp_path).claim("http://again", "one.db", clock)


async def test_a_second_daemon_is_told_where_the_first_one_is(tmp_path: Path) -> None:
    clock = VirtualClock()
    first = DaemonLock(tmp_path)
    await first.claim("http://first", "one.db", clock)
    claiming = asyncio.ensure_future(DaemonLock(tmp_path).claim("http://second", "one.db", clock))
    await clock.travel(seconds=1)
    with pytest.raises(DulyError, match=r"a daemon already runs on .*, at http://first: stop it first"):
        await claiming
    first.release()


async def test_a_process_that_looks_for_a_daemon_does_not_keep_one_from_starting(tmp_path: Path) -> None:
    clock, lock = VirtualClock(), DaemonLock(tmp_path)
    with (tmp_path / "daemon.lock").open("w", encoding="utf-8") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        claiming = asyncio.ensure_future(lock.claim("http://here", "one.db", clock))
        await clock.travel(seconds=0.06)
        assert not claiming.done()
    await clock.travel(seconds=0.2)
    await claiming
    lock.release()


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("localhost", True), ("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("0.0.0.0", False), ("a.b", False)],  # noqa: S104
)
def test_loopback_addresses_are_recognised(host: str, loopback: bool) -> None:
    assert is_loopback(host) == loopback
