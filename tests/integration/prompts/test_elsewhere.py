"""Prompts that an executor carries out: the gate, the budget and the record here, the agent at a worker."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from duly.errors import AccessDeniedError, ConfigError, InvalidInputError
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.executors import ReportedLine, WorkOrder
from duly.service.access.grants import parse_grants
from duly.service.access.scopes import ADMIN, Caller, Scope
from duly.service.schedules.fields import ScheduleView
from duly.testing.clock import settle
from tests.configured_executor import ConfiguredExecutor, stand_in
from tests.world import World, until, world

HEAVY = ExecutorSettings(name="heavy", kind=ExecutorKind.CELERY, tasks=("duly.*",))
FAR: Mapping[str, Any] = {"preset": "claude", "executor": "heavy"}
ADMIN_CALLER = Caller(ADMIN)


@asynccontextmanager
async def elsewhere(folder: Path, **changes: Any) -> AsyncIterator[Place]:
    """Start a daemon whose spawner `far` hands prompts over; no program of a tool is on this machine."""
    options: dict[str, Any] = {"executors": {"heavy": HEAVY}, "spawners": {"far": FAR}, **changes}
    async with world(folder, environment={"PATH": "/usr/bin:/bin"}, **options) as here:
        yield Place(here, stand_in(here.runtime, "heavy"))


class Place:
    """A daemon, its executor, and a worker as simple as it can be."""

    def __init__(self, here: World, executor: ConfiguredExecutor) -> None:
        self.here = here
        self.executor = executor
        self.services = here.runtime.services

    async def schedule(self, name: str = "nightly", caller: Caller = ADMIN_CALLER, **fields: Any) -> ScheduleView:
        given = {"prompt": "Look around", "spawner": "far", "when": "every hour", **fields}
        made = await self.services.use_cases.schedule_create(caller, {"name": name, **given})
        await self.pass_time(0)
        return made

    async def fire(self, made: ScheduleView) -> str:
        run = await self.services.use_cases.schedule_trigger(ADMIN_CALLER, made.id)
        await self.pass_time(0)
        return run.id

    async def pass_time(self, seconds: float) -> None:
        self.here.runtime.wake()
        await self.here.clock.travel(seconds=seconds)
        await settle()

    async def sent(self, number: int = 1) -> WorkOrder:
        """Wait until so many orders were sent; gives the last of them."""
        await until(lambda: len(self.executor.sent) >= number, f"{number} orders")
        await settle()
        return self.executor.sent[number - 1]

    async def work(self, order: WorkOrder, *lines: str, **end: Any) -> None:
        """Carry an order out, as a worker does."""
        executions = self.services.executions
        worker = await executions.recognize(*order.key, order.token)
        assert worker is not None
        await executions.begin(worker, start="one", host="celery@far")
        said = [ReportedLine(text=each) for each in lines]
        await executions.end(worker, start="one", **{"state": "succeeded", "lines": said, **end})
        await self.pass_time(1)

    async def run(self, run_id: str) -> Any:
        return (await self.services.runs.get(ADMIN_CALLER, run_id)).run

    async def ended(self, run_id: str) -> Any:
        async def is_over() -> Any:
            run = await self.run(run_id)
            return run if run.status in ("succeeded", "failed", "skipped", "missed", "cancelled") else None

        return await until(is_over, f"the end of {run_id}")


def answered(text: str = "All is well", cost: float | None = 0.25, **more: Any) -> dict[str, Any]:
    return {"text": text, "cost_usd": cost, "session_id": "s-1", "usage": {"tokens": 3}, **more}


async def test_a_prompt_is_handed_over_by_names_and_its_answer_is_the_result(tmp_path: Path) -> None:
    async with elsewhere(tmp_path) as place:
        run_id = await place.fire(await place.schedule(model="sonnet"))
        order = await place.sent()
        assert (order.task, order.args) == (
            "duly.prompt",
            {"prompt": "Look around", "spawner": "far", "model": "sonnet"},
        )
        waiting = await place.run(run_id)
        assert (waiting.status, waiting.handover.state, waiting.targets[0].status) == (
            "pending",
            "handed_over",
            "running",
        )
        await place.work(order, "I look", result=answered())
        run = await place.ended(run_id)
        [target] = run.result["targets"]
        assert (run.status, run.result["cost_usd"], target["text"]) == ("succeeded", 0.25, "All is well")
        assert (target["session_id"], target["usage"]) == ("s-1", {"tokens": 3})
        output = await place.services.runs.output(ADMIN_CALLER, run_id, attempt=1, target="")
        assert [each.text for each in output.lines] == ["I look"]


async def test_a_failed_attempt_counts_with_its_cost_and_is_handed_over_again(tmp_path: Path) -> None:
    async with elsewhere(tmp_path) as place:
        run_id = await place.fire(await place.schedule(retry={"max_attempts": 2, "delay": "30s"}))
        first = await place.sent()
        await place.work(first, state="failed", error="no bread left", result={"cost_usd": 0.5, "session_id": "s-0"})
        failed = await place.run(run_id)
        assert (failed.targets[0].status, failed.targets[0].cost_usd) == ("failed", 0.5)
        await place.pass_time(60)
        second = await place.sent(2)
        assert (second.key.number, second.args) == (2, first.args)
        await place.work(second, result=answered(cost=0.25))
        run = await place.ended(run_id)
        assert (run.status, run.result["cost_usd"], run.attempt) == ("succeeded", 0.75, 2)


async def test_the_last_failure_is_the_error_of_the_run(tmp_path: Path) -> None:
    async with elsewhere(tmp_path) as place:
        run_id = await place.fire(await place.schedule())
        await place.work(await place.sent(), state="failed", error="WorkerLostError: signal 9")
        run = await place.ended(run_id)
        assert run.status == "failed"
        assert "WorkerLostError: signal 9" in run.error


@pytest.mark.parametrize("result", ["[a result of 90000 bytes, which is too large to keep]", {"no": "text"}, 7])
async def test_an_answer_that_is_none_fails_for_good(tmp_path: Path, result: Any) -> None:
    async with elsewhere(tmp_path) as place:
        run_id = await place.fire(await place.schedule(retry={"max_attempts": 3, "delay": "1s"}))
        await place.work(await place.sent(), result=result)
        run = await place.ended(run_id)
        assert (run.status, run.attempt, len(place.executor.sent)) == ("failed", 1, 1)
        assert "cannot be understood" in run.error


async def test_a_cancelled_run_ends_its_handover_and_its_target(tmp_path: Path) -> None:
    async with elsewhere(tmp_path) as place:
        run_id = await place.fire(await place.schedule())
        order = await place.sent()
        await place.services.use_cases.run_cancel(ADMIN_CALLER, run_id)
        await place.pass_time(5)
        run = await place.run(run_id)
        assert (run.status, run.targets[0].status, run.handover.state) == ("cancelled", "cancelled", "cancelled")
        assert order.key.run_id == run_id


async def test_the_gate_is_asked_once_and_here(tmp_path: Path) -> None:
    asked = tmp_path / "asked.txt"
    gate = ("/bin/sh", "-c", f"echo one >> {asked}; echo two new issues")
    async with elsewhere(tmp_path, gates={"new-issues": gate}) as place:
        place.executor.answer = replace(place.executor.answer, reachable=False)
        run_id = await place.fire(await place.schedule(gate="new-issues"))

        async def waits() -> bool:
            return "cannot be reached" in ((await place.run(run_id)).reason or "")

        await until(waits, "the executor")
        place.executor.answer = replace(place.executor.answer, reachable=True)
        await place.pass_time(120)
        order = await place.sent()
        assert order.args["prompt"] == "Look around\n\ntwo new issues"
        await place.work(order, result=answered())
        assert (await place.ended(run_id)).status == "succeeded"
        assert asked.read_text().splitlines() == ["one"]


async def test_nothing_is_handed_over_when_the_gate_finds_nothing(tmp_path: Path) -> None:
    async with elsewhere(tmp_path, gates={"never": ("/bin/false",)}) as place:
        run_id = await place.fire(await place.schedule(gate="never", max_cost_per_day=1.0))
        assert (await place.ended(run_id)).status == "skipped"
        assert place.executor.sent == []


async def test_a_budget_is_promised_until_the_outcome_is_recorded(tmp_path: Path) -> None:
    async with elsewhere(tmp_path) as place:
        made = await place.schedule(max_cost_per_day=1.0, overlap_behavior="parallel")
        first = await place.fire(made)
        order = await place.sent()
        assert order.args["max_cost"] == 1.0
        second = await place.fire(made)
        await place.pass_time(30)
        assert len(place.executor.sent) == 1
        await place.work(order, result=answered(cost=1.0))
        assert (await place.ended(first)).status == "succeeded"
        await place.pass_time(5)
        skipped = await place.ended(second)
        assert (skipped.status, len(place.executor.sent)) == ("skipped", 1)
        assert "over budget" in skipped.reason


async def test_what_was_handed_over_comes_back_after_the_configuration_has_changed(tmp_path: Path) -> None:
    async with elsewhere(tmp_path) as place:
        run_id = await place.fire(await place.schedule())
        order = await place.sent()
        rules = place.here.runtime.prompts.rules
        rules._profiles["far"] = replace(rules.profile("far"), executor=None)
        await place.work(order, result=answered())
        assert (await place.ended(run_id)).status == "succeeded"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"targets": [{"project_id": "api"}, {"project_id": "web"}]}, "takes one target at a time, got 2"),
        ({"session": "0f8f"}, "every run begins a new session"),
    ],
)
async def test_what_is_not_supported_is_refused_at_save(tmp_path: Path, fields: dict[str, Any], reason: str) -> None:
    async with elsewhere(tmp_path, projects=("api", "web")) as place:
        with pytest.raises(InvalidInputError, match=reason):
            await place.schedule(**fields)


async def test_a_project_need_not_be_here(tmp_path: Path) -> None:
    async with elsewhere(tmp_path, projects=("api",)) as place:
        await place.fire(await place.schedule(targets=[{"project_id": "api", "workspace_id": "docs"}]))
        args = (await place.sent()).args
        assert (args["project"], args["workspace"]) == ("api", "docs")


async def test_it_needs_the_grants_of_the_spawner_and_of_the_executor(tmp_path: Path) -> None:
    async with elsewhere(tmp_path) as place:
        ana = await place.here.person("Ana")

        def caller(*grants: str) -> Caller:
            return Caller(Scope("user", ana, grants=parse_grants(grants)), user_id=ana)

        for grants, missing in ((["prompts:far"], "executors:heavy"), (["executors:heavy"], "prompts:far")):
            with pytest.raises(AccessDeniedError, match=missing):
                await place.schedule(caller=caller(*grants))
        assert (await place.schedule(caller=caller("prompts:far", "executors:heavy"))).spawner == "far"


@pytest.mark.parametrize(
    ("executors", "reason"),
    [
        ({}, "names the unknown executor 'heavy': configured are none"),
        ({"heavy": replace(HEAVY, kind=ExecutorKind.HTTP, url="https://x.example")}, "must be of kind 'celery'"),
        ({"heavy": replace(HEAVY, reports=False)}, "install duly.celery"),
        ({"heavy": replace(HEAVY, tasks=("proj.*",))}, 'add "duly.prompt" to tasks'),
    ],
)
async def test_an_executor_that_could_not_is_refused_at_the_start(
    tmp_path: Path, executors: dict[str, ExecutorSettings], reason: str
) -> None:
    with pytest.raises(ConfigError, match=reason):
        async with elsewhere(tmp_path, executors=executors):
            pass
