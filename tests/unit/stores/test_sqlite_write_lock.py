"""Sharing the write lock: a heartbeat goes first, a long writer leaves breaks, and maintenance is short."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from duly.errors import StoreUnavailableError
from duly.model.events import RUN_FAILED, Event
from duly.ports.upkeep import FIRST_PLACE, PrunePlace
from duly.stores.sqlite import write_lock
from duly.stores.sqlite.store import SqliteStore
from duly.stores.sqlite.write_lock import WriteBreaks, WriteTurns, patient, write_turns_at
from duly.testing.clock import VirtualClock
from tests.conformance.stores.builders import START, schedule
from tests.conformance.stores.harness import SqliteHarness
from tests.unit.stores.locker import locked
from tests.unit.stores.test_sqlite_faults import take, writing
from tests.unit.stores.test_sqlite_groups import Busy

EVENTS = 30_000
SCHEDULES = 5_000


@asynccontextmanager
async def a_world(path: Path) -> AsyncIterator[SqliteHarness]:
    async with SqliteHarness(path) as world:
        await world.join("node_a")
        yield world


async def test_a_heartbeat_goes_before_what_waits_to_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_lock, "_LONGEST_WAIT", 600.0)  # however slow the machine is
    async with a_world(tmp_path / "duly.db") as world:
        assert isinstance(world.store, SqliteStore)
        held = Busy(world.store)
        first = await held.hold()
        world.clock.advance(5)
        pulse, wants_to = world.store.pulse(), threading.Event()
        beating = asyncio.create_task(asyncio.to_thread(_beat_until_it_works, pulse, wants_to))
        await asyncio.to_thread(wants_to.wait, 60)
        seen = asyncio.create_task(
            held.gate.write(lambda connection: connection.execute("SELECT beat_at FROM nodes").get)
        )
        await asyncio.sleep(0)
        held.release()
        assert await seen == 5.0, "the beat was there before"
        assert await beating
        await first
        await asyncio.to_thread(pulse.close)


def _beat_until_it_works(pulse: object, wants_to: threading.Event) -> bool:
    """Want to write all the time, as a heartbeat that is late does."""
    with write_turns_at(pulse._file.path).beating():  # type: ignore[attr-defined]
        wants_to.set()
        while True:
            try:
                return bool(pulse.beat("node_a"))  # type: ignore[attr-defined]
            except StoreUnavailableError:
                continue


async def test_a_node_can_read_while_it_cannot_beat(tmp_path: Path) -> None:
    path = tmp_path / "duly.db"
    async with a_world(path) as world:
        pulse = world.store.pulse()
        with locked(path):
            with pytest.raises(StoreUnavailableError, match="locked"):
                await asyncio.to_thread(pulse.beat, "node_a")
            assert await asyncio.to_thread(pulse.is_undoubted, "node_a")
            assert not await asyncio.to_thread(pulse.is_undoubted, "node_nobody")
        assert await asyncio.to_thread(pulse.beat, "node_a")
        await asyncio.to_thread(pulse.close)


def test_turns_belong_to_a_file(tmp_path: Path) -> None:
    ours = write_turns_at(tmp_path / "a.db")
    assert write_turns_at(tmp_path / "folder" / ".." / "a.db") is ours
    assert write_turns_at(tmp_path / "b.db") is not ours


def test_a_writer_gives_way_only_while_a_heartbeat_wants_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_lock, "_LONGEST_WAIT", 600.0)
    at, wrote = WriteTurns(), threading.Event()

    def write() -> None:
        at.give_way()
        wrote.set()

    with at.beating():
        with at.beating():
            writer = threading.Thread(target=write)
            writer.start()
        assert not wrote.is_set()
    writer.join(60)
    assert wrote.is_set()
    at.give_way()


def test_a_writer_that_is_held_up_by_a_stuck_heartbeat_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_lock, "_LONGEST_WAIT", 0.001)
    at = WriteTurns()
    with at.beating():
        at.give_way()


def test_who_has_written_for_long_leaves_the_lock_to_others_for_a_moment() -> None:
    now, slept = [0.0], list[float]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    breaks = WriteBreaks(lambda: now[0], sleep)

    def write(seconds: float, after: float = 0.0) -> int:
        """How many breaks there were before it wrote for so long."""
        now[0] += after
        before = len(slept)
        with breaks.writing():
            now[0] += seconds
        return len(slept) - before

    assert [write(0.06) for _ in range(5)] == [0, 0, 1, 0, 1], "after a tenth of a second"
    assert [write(0.06, after=0.01) for _ in range(5)] == [0, 0, 0, 0, 0], "the lock was free often enough"
    assert [write(3.0), write(0.001), write(0.001)] == [0, 1, 0]


def test_a_lock_is_tried_for_every_few_milliseconds() -> None:
    slept: list[float] = []
    wait, tries = patient(0.5, slept.append), 0
    while wait(tries):
        tries += 1
    assert 0.45 < sum(slept) <= 0.51
    assert max(slept) <= 0.005


async def _steps(store: SqliteStore, before: timedelta, limit: int) -> int:
    """How many steps of SQLite's machine one batch takes, in tens."""
    counted = 0

    def count() -> bool:
        nonlocal counted
        counted += 1
        return False

    connection = writing(store)
    connection.set_progress_handler(count, 10)
    await store.prune(START - before, limit)
    connection.set_progress_handler(None)
    return counted


async def test_pruning_costs_the_same_in_a_store_of_any_size(tmp_path: Path) -> None:
    """Counted in steps of SQLite's machine, which no load changes; the batch holds the write lock for that long."""
    store = SqliteStore(tmp_path / "duly.db", VirtualClock(START))
    await store.open()
    day = timedelta(days=1)
    idle = await _steps(store, day, 100)
    await store.record([Event(RUN_FAILED, START) for _ in range(EVENTS)])
    await store.save([schedule(f"s{number}") for number in range(SCHEDULES)], take)
    assert await _steps(store, day, 100) <= idle + 20, "nothing is old"
    some = await _steps(store, -day, 100)
    assert await _steps(store, -day, 200) < 3 * some, "a batch costs what it forgets"
    assert len(await store.journal(0, EVENTS)) == EVENTS - 300
    await store.close()


@pytest.mark.parametrize("kind", ["runs", "schedules", "events", "nodes", "inbound_seen", "inbox", "pairing_codes"])
async def test_a_transaction_of_pruning_takes_no_more_rows_than_it_is_told(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "duly.db"
    store = SqliteStore(path, VirtualClock(START))
    await store.open()
    with apsw.Connection(str(path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        _fill(connection, kind, 250)
    connection.close()
    batches: list[int] = []
    place: PrunePlace | None = FIRST_PLACE
    while place is not None:
        pruned = await store.prune(START, 100, place)
        batches.append(pruned.rows)
        place = pruned.go_on_at
    assert [rows for rows in batches if rows] == [100, 100, 50]
    await store.close()


class SlowMachine(VirtualClock):
    """A machine on which three milliseconds pass between two looks at the clock."""

    def monotonic(self) -> float:
        self.passed = getattr(self, "passed", 0.0) + 0.003
        return self.passed


async def test_a_batch_that_takes_long_ends_before_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "duly.db"
    store = SqliteStore(path, SlowMachine(START), inline=True)
    await store.open()
    with apsw.Connection(str(path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        _fill(connection, "runs", 250)
    connection.close()
    first = await store.prune(START, 250)
    assert (first.rows, first.go_on_at) == (64, PrunePlace(kind=0, after=("run_000064",)))
    assert first.go_on_at is not None
    assert (await store.prune(START, 250, first.go_on_at)).rows == 64
    await store.close()


def _fill(connection: apsw.Connection, kind: str, number: int) -> None:
    """So many old rows of a kind."""
    values = {
        "runs": "(printf('run_%06d', n), 's', 'schedule', n, n, 'job:a', 'succeeded', 1)",
        "schedules": "('s' || n, 'default', n, '', '', '', 'job:a', 1, 1, 1)",
        "events": "(n, 1, 'run.failed', '{}')",
        "nodes": "('n' || n, 'h', 1, '1', 'b', 15, 1, '[]', 'lost', 1)",
        "inbound_seen": "('c', n, 1)",
        "inbox": "(n, 'u', n, 'text', 1, 1)",
        "pairing_codes": "(n, 'u', 'c', 1)",
    }[kind]
    columns = {
        "runs": "id, schedule_id, origin, fire_at, due_at, handler, status, finished_at",
        "schedules": "id, namespace, name, trigger, action, policy, handler, created_at, updated_at, deleted_at",
        "events": "seq, at, name, data",
        "nodes": "id, host, pid, pid_started, boot_id, lease_seconds, beat_at, handlers, state, started_at",
        "inbound_seen": "channel, message_id, at",
        "inbox": "id, user_id, key, text, created_at, read_at",
        "pairing_codes": "hash, user_id, channel, expires_at",
    }[kind]
    rows = values[1:-1]
    connection.execute(
        f"WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {number}) "  # noqa: S608
        f"INSERT INTO {kind} ({columns}) SELECT {rows} FROM numbers"
    )
