"""A running daemon hands runs over to its executors, watches over them, and goes on so after a change of its file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from duly.model.run import Status
from duly.ports.executor_settings import ExecutorKind
from duly.ports.records import RunFilter
from duly.runtime import executors
from duly.runtime.runtime import Runtime
from duly.service.access.scopes import Face
from tests.configured_executor import MADE, PLACE, ConfiguredExecutor
from tests.scripted_executor import Door, succeeded
from tests.world import HEAD, DaemonFolder, daemon_folder

__all__ = ["daemon_folder"]
HEAVY = '[executors.heavy]\nkind = "celery"\nbroker = "env:BROKER"\ntasks = ["proj.tasks.*"]\nexpires = "10m"\n'
REPORT = {"name": "report", "cron": "0 * * * *", "job_name": "proj.tasks.report", "executor": "heavy"}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ConfiguredExecutor]]:
    monkeypatch.setitem(executors.CLASSES, ExecutorKind.CELERY, PLACE)
    MADE.clear()
    yield MADE
    MADE.clear()


async def statuses(runtime: Runtime) -> list[Status]:
    return [run.status for run in await runtime.store.runs(RunFilter(limit=9))]


async def test_a_daemon_hands_a_run_over_and_takes_its_outcome(
    daemon_folder: DaemonFolder, made: list[ConfiguredExecutor]
) -> None:
    async with daemon_folder.running(HEAD + HEAVY) as runtime:
        await runtime.services.use_cases.schedule_create(runtime.local(Face.MCP), REPORT)
        await daemon_folder.clock.travel(minutes=71)
        [order] = made[0].sent
        door = Door(runtime.store.handovers, runtime.clock, runtime.wake)
        assert (await door.begin(order, "one")).refusal is not None  # it came too late
        assert await statuses(runtime) == [Status.MISSED]
        await daemon_folder.clock.travel(minutes=50)
        order = made[0].sent[1]
        assert (await door.begin(order, "one")).refusal is None
        await door.end(order, "one", succeeded("done"))
        await daemon_folder.clock.travel(seconds=10)
        assert sorted(await statuses(runtime)) == [Status.MISSED, Status.SUCCEEDED]


async def test_an_executor_that_comes_with_a_change_of_the_file_is_served(
    daemon_folder: DaemonFolder, made: list[ConfiguredExecutor]
) -> None:
    async with daemon_folder.running(HEAD) as runtime:
        reloader = daemon_folder.reloading(runtime)
        daemon_folder.write(HEAD + HEAVY)
        await reloader.look()
        await reloader.look()
        await runtime.services.use_cases.schedule_create(runtime.local(Face.MCP), REPORT)
        await daemon_folder.clock.travel(minutes=61)
        assert len(made[0].sent) == 1
        served = (await runtime.store.serving())[runtime.engine.node_id]
        assert "executor:heavy" in served


async def test_a_tick_hands_over_and_another_watches(
    daemon_folder: DaemonFolder, made: list[ConfiguredExecutor]
) -> None:
    daemon_folder.write(HEAD + HEAVY)
    runtime = Runtime(daemon_folder.settings(), clock=daemon_folder.clock, environment={})
    await runtime.open()
    await runtime.services.use_cases.schedule_create(runtime.local(Face.MCP), REPORT)
    await daemon_folder.clock.travel(minutes=61)
    for _ in range(3):
        await runtime.tick()
        await daemon_folder.clock.travel(minutes=11)
    assert (len(made[0].sent), await statuses(runtime)) == (1, [Status.MISSED])
    await runtime.close()
