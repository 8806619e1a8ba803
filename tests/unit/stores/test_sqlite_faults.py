"""Faults of the file: writing pauses with one clear error, reading goes on, and nothing is lost."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from duly.cron import Cron
from duly.engine.planner import TickPlanner
from duly.errors import DecodeError, StoreUnavailableError
from duly.model.run import Status
from duly.ports.codec import encode_trigger
from duly.ports.records import Cycle, Plan, Rescued, RunFilter, ScheduleFilter, StoredSchedule
from duly.stores.sqlite import file as files
from duly.stores.sqlite.executor import InlineExecutor, ThreadedExecutor
from duly.stores.sqlite.store import SqliteStore
from duly.testing.clock import VirtualClock
from tests.conformance.stores.builders import START, Script, due_schedule, every, names, new_run, schedule
from tests.unit.stores.locker import locked

ROOT = Path(__file__).parents[3]
BOTH = pytest.mark.parametrize("inline", [False, True], ids=["threaded", "inline"])


@asynccontextmanager
async def opened(path: Path, *, inline: bool = False) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path, VirtualClock(START), inline=inline)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def writing(store: SqliteStore) -> apsw.Connection:
    """The connection a store writes with."""
    assert store._file is not None
    gate = store._file.executor
    if isinstance(gate, InlineExecutor):
        return gate._connection
    assert isinstance(gate, ThreadedExecutor)
    return gate._writing


def take(_before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule:
    return row


def is_whole(path: Path) -> bool:
    connection = apsw.Connection(str(path))
    found = connection.execute("PRAGMA integrity_check").get
    connection.close()
    return bool(found == "ok")


@BOTH
async def test_a_full_disk_pauses_writing_and_nothing_else(tmp_path: Path, inline: bool) -> None:
    path = tmp_path / "duly.db"
    async with opened(path, inline=inline) as store:
        await store.save([kept := schedule("kept"), due_schedule("due")], take)
        pages = writing(store).execute("PRAGMA page_count").get
        writing(store).execute(f"PRAGMA max_page_count = {pages}")
        large = [schedule(f"large {number}", description="x" * 50_000) for number in range(20)]
        for _ in range(3):
            with pytest.raises(StoreUnavailableError, match=r"duly\.db.*[Ff]ull"):
                await store.save(large, take)
        assert names(await store.schedules(ScheduleFilter())) == ["due", "kept"]
        assert await store.get(kept.id) == kept

        writing(store).execute("PRAGMA max_page_count = 1000000")
        await store.save(large, take)
        turn = Cycle("node_a", START, planner=every(60, Status.RUNNING), plan_limit=5, claim_limit=5)
        assert len((await store.cycle(turn)).claimed) == 1
        assert len(await store.schedules(ScheduleFilter())) == 22
    assert is_whole(path)


async def test_a_full_disk_in_the_middle_of_a_turn_leaves_no_half_of_it(tmp_path: Path) -> None:
    path = tmp_path / "duly.db"
    async with opened(path) as store:
        rows = [due_schedule(f"s{number}") for number in range(500)]
        await store.save(rows, take)
        pages = writing(store).execute("PRAGMA page_count").get
        writing(store).execute(f"PRAGMA max_page_count = {pages + 2}")
        turn = Cycle("node_a", START, planner=every(60, Status.RUNNING), plan_limit=500, claim_limit=500)
        with pytest.raises(StoreUnavailableError):
            await store.cycle(turn)
        overview = await store.overview(START)
        assert (overview.running, overview.pending) == (0, 0)
        assert await store.get(rows[0].id) == rows[0]
        writing(store).execute("PRAGMA max_page_count = 1000000")
        assert len((await store.cycle(turn)).claimed) == 500
    assert is_whole(path)


@BOTH
async def test_a_file_locked_by_another_process_pauses_writing(
    tmp_path: Path, inline: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_PATIENCE", 0.03)
    path = tmp_path / "duly.db"
    async with opened(path, inline=inline) as store:
        await store.save([kept := schedule("kept")], take)
        pulse = store.pulse()
        with locked(path):
            with pytest.raises(StoreUnavailableError, match=r"duly\.db.*locked"):
                await store.save([schedule("refused")], take)
            with pytest.raises(StoreUnavailableError, match="locked"):
                await store.cycle(Cycle("node_a", START))
            with pytest.raises(StoreUnavailableError, match="locked"):
                pulse.beat("node_a")
            assert await store.get(kept.id) == kept
        await store.save([schedule("accepted")], take)
        assert not pulse.beat("node_a")
        pulse.close()
        assert names(await store.schedules(ScheduleFilter())) == ["accepted", "kept"]


@BOTH
async def test_a_store_can_be_opened_and_read_while_another_process_writes(
    tmp_path: Path, inline: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_PATIENCE", 0.03)
    path = tmp_path / "duly.db"
    async with opened(path) as store:
        await store.save([kept := schedule("kept")], take)
    with locked(path):
        async with opened(path, inline=inline) as store:
            assert await store.get(kept.id) == kept


async def test_a_lock_held_for_less_than_the_patience_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "duly.db"
    async with opened(path) as store:
        with locked(path):
            saving = asyncio.create_task(store.save([row := schedule("a")], take))
            await store.overview(START)  # the writer has had its chance
            assert not saving.done()
        assert await saving == [row.id]


@BOTH
async def test_a_file_that_must_not_be_written_pauses_writing(tmp_path: Path, inline: bool) -> None:
    path = tmp_path / "duly.db"
    async with opened(path, inline=inline) as store:
        await store.save([kept := schedule("kept")], take)
        writing(store).execute("PRAGMA query_only = ON")  # as root nothing else stops a write
        with pytest.raises(StoreUnavailableError, match=r"duly\.db.*readonly"):
            await store.save([schedule("refused")], take)
        assert await store.get(kept.id) == kept
        writing(store).execute("PRAGMA query_only = OFF")
        await store.save([schedule("accepted")], take)
        assert names(await store.schedules(ScheduleFilter())) == ["accepted", "kept"]


def refuse(row: StoredSchedule) -> StoredSchedule:
    raise DecodeError("name", row.name, "is refused")


@BOTH
async def test_an_error_that_is_kept_does_not_keep_the_store_in_the_past(tmp_path: Path, inline: bool) -> None:
    path, kept = tmp_path / "duly.db", list[Exception]()
    async with opened(path, inline=inline) as store, opened(path) as other:
        await store.save([row := schedule()], take)
        await store.plan([row.id], Script(Plan(runs=[new_run(row)])))
        connection = apsw.Connection(str(path))
        connection.execute("UPDATE runs SET status = 'odd'")
        connection.close()
        for _ in range(4):
            with pytest.raises(DecodeError) as caught:
                await store.reconcile("default", lambda *_: pytest.fail("nothing can be decided"))
            kept.append(caught.value)
            with pytest.raises(DecodeError) as caught:
                await store.edit([row.id], refuse)
            kept.append(caught.value)
        await other.save([late := schedule("late")], take)
        for _ in range(4):
            assert await store.get(late.id) == late
        await store.save([schedule("later")], take)
    assert len(kept) == 8


@BOTH
async def test_a_fault_of_the_caller_is_not_a_fault_of_the_store(tmp_path: Path, inline: bool) -> None:
    async with opened(tmp_path / "duly.db", inline=inline) as store:

        def broken(_due: object) -> Plan:
            raise LookupError("the planner is at fault")

        await store.save([row := due_schedule("a")], take)
        with pytest.raises(LookupError):
            await store.cycle(Cycle("node_a", START, planner=broken, plan_limit=1))
        assert await store.get(row.id) == row


def owner(path: Path, node_id: str) -> subprocess.Popen[str]:
    """A process that joins and claims one run."""
    command = [sys.executable, "-m", "tests.unit.stores.owner", str(path), node_id]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    assert process.stdout.readline() == "1\n"
    return process


def test_a_process_that_is_gone_need_not_be_waited_for(tmp_path: Path) -> None:
    """Its lease would last an hour; it is enough that its pid is gone, or belongs to the kernel."""
    path = tmp_path / "duly.db"
    now = datetime(2100, 1, 1, tzinfo=UTC)
    started: list[subprocess.Popen[str]] = []

    async def rescued() -> list[Rescued]:
        async with opened(path) as store:
            return await store.rescue(now, lambda _policy, _attempt: False)

    async def prepared() -> str:
        async with opened(path) as store:
            await store.save([row := schedule("a")], take)
            run_ = new_run(row)
            await store.plan([row.id], Script(Plan(runs=[run_])))
            return run_.id

    run_id = asyncio.run(prepared())
    for node_id in ("node_a", "node_b"):
        process = owner(path, node_id)
        started.append(process)
        assert asyncio.run(rescued()) == []
        process.kill()
        if node_id == "node_a":  # the other one stays a zombie
            process.wait()
        while not (found := asyncio.run(rescued())):
            pass  # the kernel takes its time to let go
        assert found == [Rescued(node_id, requeued=[run_id])]
    for process in started:
        process.communicate()


@BOTH
async def test_a_damaged_file_is_a_fault_of_the_store(tmp_path: Path, inline: bool) -> None:
    path = tmp_path / "schedules.db"
    async with opened(path) as store:
        await store.save([schedule(name=f"s{number}") for number in range(50)], take)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)  # all but the first page, which says what the tables are
    path.write_bytes(content)
    with pytest.raises(
        StoreUnavailableError, match=r"schedules.db: CorruptError: .*; put a copy from before in its place"
    ):
        async with opened(path, inline=inline) as store:
            await store.schedules(ScheduleFilter())


@BOTH
@pytest.mark.parametrize("column", ["until_at", "next_fire_at", "next_run_at"])
async def test_an_undecodable_time_quarantines_only_its_schedule(tmp_path: Path, inline: bool, column: str) -> None:
    path = tmp_path / "duly.db"
    async with opened(path, inline=inline) as store:
        good = due_schedule("good", trigger=encode_trigger(Cron("* * * * *")))
        await store.save([due_schedule("bad", trigger=good.trigger), good], take)
        connection = apsw.Connection(str(path))
        connection.execute(f"UPDATE schedules SET {column} = ? WHERE name = 'bad'", (-(2**62),))  # noqa: S608
        connection.close()
        planner = TickPlanner(START, (), lambda _bits: 0)
        result = await store.cycle(Cycle("node_a", START, planner=planner, plan_limit=9))
        assert result.planned == 2
        assert [(run.name, run.status) for run in await store.runs(RunFilter())] == [("good", Status.PENDING)]
        connection = apsw.Connection(str(path))
        [[quarantine]] = connection.execute("SELECT quarantine FROM schedules WHERE next_run_at IS NULL")
        connection.close()
        assert "its times cannot be read" in quarantine
