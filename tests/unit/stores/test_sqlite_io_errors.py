"""A disk that fails one write, one sync or one truncation: one clear error, work goes on, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from duly import Cron, Duly, EngineSettings, Event, run_now
from duly.errors import StoreUnavailableError
from duly.ports.records import ScheduleFilter
from duly.stores.sqlite import checkpoints
from tests.chaos.disk import FailingDisk, in_place
from tests.conformance.stores.builders import names, schedule
from tests.unit.stores.test_sqlite_faults import BOTH, is_whole, opened, take

KINDS = pytest.mark.parametrize("kind", ["write", "sync", "truncate"])
NTH = 12
"""So many operations are made to fail, one after the other."""


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[FailingDisk]:
    """A disk that fails when told to, and checkpoints so often that some of what fails is part of one."""
    monkeypatch.setattr(checkpoints, "_PAGES", 20)
    monkeypatch.setattr(checkpoints, "_MORE_PAGES", 5)
    with in_place(FailingDisk()) as made:
        yield made


@KINDS
@BOTH
async def test_a_store_goes_on_after_an_operation_that_failed(
    tmp_path: Path, disk: FailingDisk, inline: bool, kind: str
) -> None:
    path, accepted, refused = tmp_path / "duly.db", set[str](), set[str]()
    async with opened(path, inline=inline) as store:
        for number in range(NTH):
            disk.fail(kind, number)
            for each in range(8):
                name = f"{number}-{each}"
                try:
                    await store.save([schedule(name, description="x" * 2000)], take)
                    accepted.add(name)
                except StoreUnavailableError:
                    refused.add(name)
                assert accepted <= set(names(await store.schedules(ScheduleFilter(limit=1000)))), "reads go on"
    assert len(refused) <= disk.failed, "only what failed was refused, and nothing after it"
    assert disk.failed == NTH or kind == "truncate"
    assert is_whole(path)
    async with opened(path) as store:
        there = set(names(await store.schedules(ScheduleFilter(limit=1000))))
    assert accepted <= there <= accepted | refused


@KINDS
async def test_a_store_that_cannot_be_made_because_of_a_fault_is_made_the_next_time(
    tmp_path: Path, disk: FailingDisk, kind: str
) -> None:
    for number in range(NTH):
        path = tmp_path / f"{number}.db"
        disk.fail(kind, number)
        with suppress(StoreUnavailableError):
            async with opened(path):
                pass
        disk.fail("", 0)
        async with opened(path) as store:
            assert await store.schedules(ScheduleFilter()) == []
        assert is_whole(path)


@pytest.mark.parametrize("number", range(4))
async def test_an_engine_goes_on_by_itself_and_carries_everything_out(
    tmp_path: Path, disk: FailingDisk, number: int
) -> None:
    path, told, done = tmp_path / "duly.db", list[str](), set[str]()
    everything = asyncio.get_running_loop().create_future()

    def hear(event: Event) -> None:
        told.append(event.kind.name)

    app = Duly(path, settings=EngineSettings(poll=0.5), on_event=hear)

    @app.job
    async def work(name: str) -> None:
        done.add(name)
        if len(done) == 20:
            everything.set_result(None)

    async with app:
        await app.add([app.draft(f"s{n}", run_now(), job="work", args={"name": f"s{n}"}) for n in range(10)])
        disk.fail("write" if number % 2 else "sync", number)
        while not disk.failed:  # whichever comes first fails: a turn, a heartbeat, or our own call
            with suppress(StoreUnavailableError):
                await app.schedule("later", Cron("0 0 1 1 *"), job="work", args={"name": "later"})
        await app.add([app.draft(f"t{n}", run_now(), job="work", args={"name": f"t{n}"}) for n in range(10)])
        await asyncio.wait_for(everything, 60)
    assert told.count("store.unavailable") == told.count("store.recovered")
    assert is_whole(path)
    connection = apsw.Connection(str(path))
    statuses = [status for [status] in connection.execute("SELECT DISTINCT status FROM runs")]
    connection.close()
    assert statuses == ["succeeded"]
