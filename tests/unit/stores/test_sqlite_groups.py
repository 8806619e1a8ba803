"""The thread that writes: many callers, few commits; one fails, the others do not; closing loses nothing."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from duly import failpoints
from duly.errors import InvalidInputError, StoreUnavailableError
from duly.model.events import SCHEDULE_CREATED, Event
from duly.planning.chain import ChainCheck
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.stores.sqlite.executor import ThreadedExecutor
from duly.stores.sqlite.store import SqliteStore
from duly.stores.sqlite.transaction import write_events
from duly.testing.clock import VirtualClock
from tests.conformance.stores.builders import START, names, noting, schedule


class Busy:
    """A store whose writer is held up until it is released, so that callers queue behind it."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.commits = 0
        self._entered, self._released = threading.Event(), threading.Event()
        assert store._file is not None
        gate = store._file.executor
        assert isinstance(gate, ThreadedExecutor)
        self.gate = gate
        gate._writing.set_commit_hook(self._count)

    def _count(self) -> bool:
        self.commits += 1
        return False

    async def hold(self) -> asyncio.Task[None]:
        """Keep the writer busy from now on."""

        def work(_connection: apsw.Connection) -> None:
            self._entered.set()
            assert self._released.wait(60)

        task = asyncio.create_task(self.gate.write(work))
        await asyncio.to_thread(self._entered.wait, 30)
        return task

    def release(self) -> None:
        self._released.set()


@asynccontextmanager
async def busy(path: Path) -> AsyncIterator[Busy]:
    store = SqliteStore(path, VirtualClock())
    await store.open()
    held = Busy(store)
    try:
        yield held
    finally:
        held.release()
        await store.close()


Call = Callable[[], Coroutine[Any, Any, object]]


async def queue(calls: list[Call]) -> list[asyncio.Task[object]]:
    """Start calls in order, and go on when each of them has handed in its work."""
    tasks = [asyncio.create_task(call()) for call in calls]
    await asyncio.sleep(0)
    return tasks


def take(_before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule:
    return row


def save(store: SqliteStore, name: str) -> Call:
    return lambda: store.save([schedule(name)], take)


async def test_callers_that_wait_together_are_committed_together(tmp_path: Path) -> None:
    async with busy(tmp_path / "duly.db") as held:
        first = await held.hold()
        saving = await queue([save(held.store, f"s{number:03}") for number in range(200)])
        held.release()
        await asyncio.gather(first, *saving)
        assert held.commits == 2  # the one who held them up, and all the others
        assert len(await held.store.schedules(ScheduleFilter(limit=500))) == 200


async def test_a_group_has_a_limit(tmp_path: Path) -> None:
    async with busy(tmp_path / "duly.db") as held:
        first = await held.hold()
        saving = await queue([save(held.store, f"s{number:03}") for number in range(600)])
        held.release()
        await asyncio.gather(first, *saving)
        assert held.commits == 4


async def test_writers_share_commits_without_being_held_up(tmp_path: Path) -> None:
    async with busy(tmp_path / "duly.db") as held:
        await asyncio.gather(*(held.store.save([schedule(f"s{number}")], take) for number in range(300)))
        assert held.commits < 100


async def test_one_that_fails_does_not_hurt_the_others(tmp_path: Path) -> None:
    async with busy(tmp_path / "duly.db") as held:
        store = held.store
        await store.save([there := schedule("there")], take)

        def half_done(before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule:
            if row.name == "bad":
                raise ZeroDivisionError
            return take(before, row)

        def renamed(row: StoredSchedule) -> StoredSchedule:
            row.name = "good 1"
            return row

        first = await held.hold()
        outcomes = await queue(
            [
                save(store, "good 1"),
                lambda: store.save([schedule("fine so far"), schedule("bad")], half_done),
                save(store, "good 2"),
                lambda: store.edit([there.id], renamed),
                save(store, "good 3"),
            ]
        )
        held.release()
        await first
        good1, bad1, good2, bad2, good3 = await asyncio.gather(*outcomes, return_exceptions=True)
        assert [type(each) for each in (good1, good2, good3)] == [list] * 3
        assert isinstance(bad1, ZeroDivisionError)
        assert isinstance(bad2, InvalidInputError)
        assert held.commits == 3
        assert names(await store.schedules(ScheduleFilter())) == ["good 1", "good 2", "good 3", "there"]


async def test_those_who_share_a_commit_share_a_link_of_the_audit(tmp_path: Path) -> None:
    """It has the entries of those that succeeded, in their order, as the journal has."""

    def noted(name: str, by: str = "library") -> Call:
        made = schedule(name)
        event = Event(SCHEDULE_CREATED, START, made.id, data={"by": by, "name": name})
        return lambda: store.save([made], take, noting(event))

    async def fails_late() -> None:
        """Fail after its event was handed over."""

        def work(connection: apsw.Connection) -> None:
            write_events(connection, [Event(SCHEDULE_CREATED, START, "sched_1", data={"by": "x", "name": "late"})])
            raise ZeroDivisionError

        await held.gate.write(work)

    heard: list[str] = []
    async with busy(tmp_path / "duly.db") as held:
        store = held.store
        store.on_event(lambda event: heard.append(event.data["name"]))
        first = await held.hold()
        calls = [noted("good 1"), fails_late, noted("good 2"), noted("not text", by="\ud800"), noted("good 3")]
        saving = await queue(calls)
        held.release()
        await first
        good1, bad1, good2, bad2, good3 = await asyncio.gather(*saving, return_exceptions=True)
        assert [type(each) for each in (good1, good2, good3)] == [list] * 3
        assert isinstance(bad1, ZeroDivisionError)
        assert isinstance(bad2, UnicodeEncodeError)
        assert held.commits == 2
        [link] = await store.audit.links(0, 10)
        written = ["good 1", "good 2", "good 3"]
        assert [json.loads(entry.data)["name"] for entry in link.entries] == written
        assert [event.data["name"] for _, event in await store.journal(0, 10)] == written
        assert heard == written
        check = ChainCheck(await store.audit.head())
        check.follow([link])
        check.finish(await store.audit.stray())
        assert check.broken is None


async def test_a_failed_commit_fails_every_piece_of_its_group(tmp_path: Path) -> None:
    async with busy(tmp_path / "duly.db") as held:
        first = await held.hold()
        saving = await queue([save(held.store, name) for name in "abc"])
        failpoints.arm("sqlite.before_commit", passage=2)
        held.release()
        await first
        outcomes = await asyncio.gather(*saving, return_exceptions=True)
        assert [type(each) for each in outcomes] == [failpoints.FailpointError] * 3
        assert await held.store.schedules(ScheduleFilter()) == []
        await held.store.save([schedule("a")], take)
        assert names(await held.store.schedules(ScheduleFilter())) == ["a"]


async def test_a_group_in_trouble_is_told_so_and_the_next_one_goes_well(tmp_path: Path) -> None:
    async with busy(tmp_path / "duly.db") as held:
        first = await held.hold()

        def full(_connection: apsw.Connection) -> None:
            raise apsw.FullError("database or disk is full")

        outcomes = await queue([save(held.store, "a"), lambda: held.gate.write(full), save(held.store, "b")])
        held.release()
        await first
        found = await asyncio.gather(*outcomes, return_exceptions=True)
        assert [type(each) for each in found] == [StoreUnavailableError] * 3
        await asyncio.gather(*(held.store.save([schedule(name)], take) for name in "ab"))
        assert names(await held.store.schedules(ScheduleFilter())) == ["a", "b"]


async def test_the_writing_thread_outlives_every_error(tmp_path: Path) -> None:
    async with busy(tmp_path / "duly.db") as held:

        def leave(_connection: apsw.Connection) -> None:
            raise SystemExit(3)

        with pytest.raises(SystemExit):
            await held.gate.write(leave)
        await held.store.save([schedule("a")], take)
        assert names(await held.store.schedules(ScheduleFilter())) == ["a"]


async def test_closing_finishes_what_was_handed_in(tmp_path: Path) -> None:
    path = tmp_path / "duly.db"
    async with busy(path) as held:
        first = await held.hold()
        saving = await queue([save(held.store, f"s{number:03}") for number in range(600)])
        closing = asyncio.create_task(held.store.close())
        await asyncio.sleep(0)
        with pytest.raises(StoreUnavailableError, match="not open"):
            await held.store.save([schedule("too late")], take)
        held.release()
        await asyncio.gather(first, closing, *saving)
    again = SqliteStore(path, VirtualClock())
    await again.open()
    assert len(await again.schedules(ScheduleFilter(limit=1000))) == 600
    await again.close()


async def test_work_that_was_handed_in_is_done_even_if_its_caller_went_away(tmp_path: Path) -> None:
    async with busy(tmp_path / "duly.db") as held:
        first = await held.hold()
        [saving] = await queue([save(held.store, "a")])
        saving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await saving
        held.release()
        await first
        await held.store.save([schedule("b")], take)
        assert names(await held.store.schedules(ScheduleFilter())) == ["a", "b"]


async def test_readers_do_not_wait_for_the_writer(tmp_path: Path) -> None:
    async with busy(tmp_path / "duly.db") as held:
        await held.store.save([row := schedule("a")], take)
        first = await held.hold()
        async with asyncio.timeout(60):
            assert await held.store.get(row.id) == row
        assert not first.done()
        held.release()
        await first


async def test_a_store_may_be_opened_and_closed_again_and_again(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "duly.db", VirtualClock())
    threads = threading.active_count()
    for number in range(3):
        await store.open()
        await store.save([schedule(f"s{number}")], take)
        assert len(await store.schedules(ScheduleFilter())) == number + 1
        await store.close()
    assert not [each for each in threading.enumerate() if each.name.startswith("duly-sqlite")]
    assert threading.active_count() <= threads + 5  # of the loop's own pool
