"""What is written down about targets: by whom, how often, and what happens when it cannot be."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from duly.dispatch.prompts import Kind, PromptError, PromptFailedError, SpawnerProfile
from duly.errors import StoreUnavailableError
from duly.model.action import Prompt
from duly.ports.codec import decode_action
from duly.ports.targets import TargetRun
from duly.testing.memory_targets import MemoryTargets
from tests.integration.prompts.support import Bench, at
from tests.support import run


def calling(function: Any) -> SpawnerProfile:
    return SpawnerProfile(name="butler", kind=Kind.CALLABLE, call=function)


class Flaky(MemoryTargets):
    """A store that is away for some of the writes."""

    def __init__(self, *away: int) -> None:
        super().__init__()
        self._away = away
        self._writes = 0

    async def record_target(self, target: TargetRun) -> None:
        self._writes += 1
        if self._writes in self._away:
            raise StoreUnavailableError("away for a moment")
        await super().record_target(target)


@run
async def test_a_store_that_is_away_for_a_moment_costs_no_answer(bench: Bench) -> None:
    flaky = Flaky(2, 3)  # the pid, and the first try to write down the end
    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(targets=flaky))
    assert result["targets"][0]["status"] == "succeeded"
    assert [row.status for row in flaky.written] == ["running", "succeeded"]


@run
async def test_a_store_that_is_gone_fails_its_target_only(bench: Bench) -> None:
    prompt = Prompt(text="go", targets=at("api", "web"))
    dispatcher = bench.dispatcher(targets=Flaky(1), processes=1)
    with pytest.raises(PromptFailedError, match="1 of 2 targets failed: api: StoreUnavailableError: away for a moment"):
        await bench.run(prompt, dispatcher=dispatcher)


@run
async def test_who_took_over_is_not_overwritten(bench: Bench) -> None:
    """Another node has begun the target anew while this one was still at it."""

    async def function(**_: Any) -> str:
        [row] = bench.memory.rows.values()
        assert row.started_at is not None
        newer = replace(row, started_at=row.started_at + timedelta(seconds=1))
        await bench.memory.record_target(newer)
        return "too late"

    await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(calling(function)))
    [row] = bench.memory.rows.values()
    assert row.status == "running"


@run
async def test_a_run_that_was_done_is_not_asked_about_its_budget_again(bench: Bench) -> None:
    calls: list[str] = []

    def function(prompt: str, trigger_source: str) -> dict[str, Any]:
        calls.append(prompt)
        return {"text": "x", "cost_usd": 5.0}

    dispatcher = bench.dispatcher(calling(function))
    prompt = Prompt(text="go", max_cost_per_run=1.0, max_cost_per_day=1.0)
    first = await bench.run(prompt, dispatcher=dispatcher)
    assert await bench.run(prompt, dispatcher=dispatcher, attempt=2) == first
    assert calls == ["go"]


@run
async def test_an_attempt_waits_until_the_one_before_it_is_over(bench: Bench) -> None:
    """A claim that was lost and won again: both attempts are of this process, for a moment."""
    at_it: list[int] = []
    begun, let_go = asyncio.Event(), asyncio.Event()

    async def function(run: Any, **_: Any) -> str:
        at_it.append(run.attempt)
        begun.set()
        try:
            await let_go.wait()
        finally:
            if run.attempt == 1:
                await asyncio.sleep(0.05)  # it takes a moment to leave
                at_it.remove(1)
        return f"attempt {run.attempt}, alone: {at_it == [2]}"

    dispatcher = bench.dispatcher(calling(function))
    lost = asyncio.ensure_future(bench.run(Prompt(text="go"), dispatcher=dispatcher))
    await begun.wait()
    lost.cancel()
    let_go.set()
    again = await bench.run(Prompt(text="go"), dispatcher=dispatcher, attempt=2)
    assert again["targets"][0]["text"] == "attempt 2, alone: True"
    with pytest.raises(asyncio.CancelledError):
        await lost


@run
async def test_words_about_sessions_are_no_reason_to_work_twice(bench: Bench) -> None:
    talks = SpawnerProfile(
        name="talks",
        new=("sh", "-c", 'echo "{\\"text\\": \\"hi\\", \\"id\\": \\"s-1\\"}"'),
        resume=(
            "sh",
            "-c",
            'echo "{\\"text\\": \\"Session not found, says $1\\", \\"id\\": \\"s-1\\"}"; exit 1',
            "{session_id}",
        ),
        session="parsed",  # type: ignore[arg-type]
        parse="json",  # type: ignore[arg-type]
        text_path="text",
        session_path="id",
        gone="Session not found",
    )
    dispatcher = bench.dispatcher(talks)
    await bench.run(Prompt(text="go"), dispatcher=dispatcher)
    with pytest.raises(PromptError, match="Session not found, says"):
        await bench.run(Prompt(text="go"), dispatcher=dispatcher, run_id="run_2")


@run
async def test_a_tool_that_does_not_know_the_session_and_exits_with_0(bench: Bench) -> None:
    quiet = SpawnerProfile(
        name="quiet",
        new=("sh", "-c", """echo '{"text": "hi", "id": "s-2"}'"""),
        resume=("sh", "-c", 'echo "NotFoundError: Session not found: $0" >&2', "{session_id}"),
        session="parsed",  # type: ignore[arg-type]
        parse="json",  # type: ignore[arg-type]
        text_path="text",
        session_path="id",
        gone="Session not found",
    )
    bench.memory.sessions["sched_1", "", ""] = "s-1"
    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(quiet))
    assert result["targets"][0]["session_id"] == "s-2"
    assert result["targets"][0]["fallback"] == "session s-1 is gone: NotFoundError: Session not found: s-1"


def test_prompts_stored_by_an_older_duly_are_read() -> None:
    old = '{"kind":"prompt","text":"go","targets":[{"project_id":"api"}],"session_behavior":"new","spawner":"claude"}'
    assert decode_action(old) == Prompt(
        text="go",
        targets=at("api"),
        session_behavior="new",  # type: ignore[arg-type]
        spawner="claude",
    )
