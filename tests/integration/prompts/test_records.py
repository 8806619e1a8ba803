"""The records of targets: which node writes them, how often, and what happens when the store fails."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from duly.agents import PromptError, PromptFailedError, SpawnerKind, SpawnerProfile, spawn
from duly.clock import SystemClock
from duly.errors import RunTimeoutError, StoreUnavailableError
from duly.model.action import Prompt
from duly.ports.codec import decode_action, encode_json
from duly.ports.targets import TargetRun
from tests.integration.engine_support.waiting import eventually
from tests.integration.prompts.support import Bench, Hourglass, at
from tests.memory_store.targets import MemoryTargets


def calling(function: Any) -> SpawnerProfile:
    return SpawnerProfile(name="butler", kind=SpawnerKind.CALLABLE, call=function)


class Flaky(MemoryTargets):
    """A store that fails for some of the writes."""

    def __init__(self, *away: int) -> None:
        super().__init__()
        self._away = away
        self._writes = 0

    async def record_target(self, target: TargetRun) -> None:
        self._writes += 1
        if self._writes in self._away:
            raise StoreUnavailableError("away for a moment")
        await super().record_target(target)


async def test_an_answer_survives_a_store_that_fails_for_a_moment(bench: Bench) -> None:
    flaky = Flaky(2, 3)  # the pid, and the first try to write down the end
    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(targets=flaky))
    assert result["targets"][0]["status"] == "succeeded"
    assert [row.status for row in flaky.written] == ["running", "succeeded"]


async def test_a_store_that_fails_for_one_target_fails_only_that_target(bench: Bench) -> None:
    prompt = Prompt(text="go", targets=at("api", "web"))
    dispatcher = bench.dispatcher(targets=Flaky(1), processes=1)
    with pytest.raises(PromptFailedError, match="1 of 2 targets failed: api: StoreUnavailableError: away for a moment"):
        await bench.run(prompt, dispatcher=dispatcher)


async def test_the_record_of_a_node_that_took_over_is_not_overwritten(bench: Bench) -> None:
    """Another node has started the target again while this one still ran it."""

    async def function(**_: Any) -> str:
        [row] = bench.memory.rows.values()
        assert row.started_at is not None
        newer = replace(row, started_at=row.started_at + timedelta(seconds=1))
        await bench.memory.record_target(newer)
        return "too late"

    await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(calling(function)))
    [row] = bench.memory.rows.values()
    assert row.status == "running"


async def test_a_run_whose_targets_all_succeeded_needs_no_budget(bench: Bench) -> None:
    calls: list[str] = []

    def function(prompt: str, trigger_source: str) -> dict[str, Any]:
        calls.append(prompt)
        return {"text": "x", "cost_usd": 5.0}

    dispatcher = bench.dispatcher(calling(function))
    prompt = Prompt(text="go", max_cost_per_run=1.0, max_cost_per_day=1.0)
    first = await bench.run(prompt, dispatcher=dispatcher)
    assert await bench.run(prompt, dispatcher=dispatcher, attempt=2) == first
    assert calls == ["go"]


async def test_an_attempt_waits_for_the_end_of_the_one_before(bench: Bench) -> None:
    """A node loses a run and claims it again: for a moment, both attempts are of this process."""
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


async def test_a_tool_that_worked_is_not_asked_again_because_of_its_words(bench: Bench) -> None:
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


async def test_a_lost_session_is_recorded_even_if_the_new_one_fails(bench: Bench) -> None:
    broken = SpawnerProfile(
        name="broken",
        new=("sh", "-c", "echo out of order >&2; exit 3"),
        resume=("sh", "-c", "echo no such session >&2; exit 1", "{session_id}"),
        session="parsed",  # type: ignore[arg-type]
        parse="json",  # type: ignore[arg-type]
        session_path="id",
        gone="no such session",
    )
    bench.memory.sessions["sched_1", "", ""] = "s-1"
    with pytest.raises(PromptError, match="out of order"):
        await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(broken))
    assert [event.kind.name for event in bench.events] == ["session.lost", "target.failed"]
    [row] = bench.memory.rows.values()
    assert json.loads(row.result or "{}") == {"fallback": "session s-1 is gone: no such session"}


def answering(document: str) -> SpawnerProfile:
    return SpawnerProfile(
        name="odd",
        new=("sh", "-c", f"cat > /dev/null; printf '%s' '{document}'"),
        parse="json",  # type: ignore[arg-type]
        text_path="text",
        cost_path="cost",
        usage_path="usage",
    )


@pytest.mark.parametrize(
    ("document", "text", "cost", "usage"),
    [
        (r'{"text": "half \ud83d a smile"}', "half ? a smile", None, None),
        (
            r'{"text": "x", "usage": {"\ud800": ["\udfff", 1, NaN, true, null]}}',
            "x",
            None,
            {"?": ["?", 1, None, True, None]},
        ),
        ('{"text": "x", "cost": Infinity}', "x", None, None),
        ('{"text": "x", "cost": NaN}', "x", None, None),
        ('{"text": "x", "cost": true}', "x", None, None),
        ('{"text": "x", "cost": -3}', "x", None, None),
        ('{"text": "x", "cost": 1' + "0" * 400 + "}", "x", None, None),
        ('{"text": "x", "cost": 2, "usage": {"many": "' + "z" * 9000 + '"}}', "x", 2.0, None),
        ('{"text": "x", "usage": ' + "[" * 21 + "]" * 21 + "}", "x", None, None),
    ],
    ids=["half a character", "in the usage", "infinite", "no number", "a truth", "negative", "huge", "long", "deep"],
)
async def test_the_part_of_an_answer_that_stores_can_keep_is_kept(
    bench: Bench, document: str, text: str, cost: float | None, usage: Any
) -> None:
    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(answering(document)))
    [target] = result["targets"]
    assert (target["text"], target["cost_usd"], target.get("usage")) == (text, cost, usage)
    encode_json(result, "result")
    [row] = bench.memory.rows.values()
    assert (row.result or "").encode()


_STEP = '{"type": "step_finish", "part": {"cost": 0.25}}'
SPENDS = SpawnerProfile(
    name="spends",
    new=("sh", "-c", f"echo '{_STEP}'; echo '{_STEP}'; touch spent; sleep 3600"),
    parse="jsonl",  # type: ignore[arg-type]
    text_path="text:part.text",
    cost_path="step_finish:part.cost",
)


async def spent(bench: Bench) -> None:
    await asyncio.to_thread(eventually, (bench.projects["api"] / "spent").exists, "the money to be spent")


async def is_counted(bench: Bench, going: asyncio.Future[Any]) -> None:
    with pytest.raises(RunTimeoutError, match="timed out"):
        await going
    [row] = bench.memory.rows.values()
    assert row.cost_usd == 0.5
    assert await bench.memory.spent("sched_1", SystemClock().now() - timedelta(hours=1)) == 0.5


async def test_the_cost_before_a_timeout_counts(bench: Bench) -> None:
    clock = Hourglass()
    dispatcher = bench.dispatcher(SPENDS, clock=clock)
    going = asyncio.ensure_future(bench.run(Prompt(text="go", targets=at("api")), dispatcher=dispatcher))
    await spent(bench)
    clock.turn()
    await is_counted(bench, going)


async def test_the_cost_before_a_timeout_counts_though_the_tool_had_only_just_started(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Hourglass()
    start = spawn._start

    async def slow_start(*given: Any) -> Any:
        process = await start(*given)
        await spent(bench)
        clock.turn()
        await asyncio.sleep(0)
        return process

    monkeypatch.setattr(spawn, "_start", slow_start)
    dispatcher = bench.dispatcher(SPENDS, clock=clock)
    await is_counted(
        bench, asyncio.ensure_future(bench.run(Prompt(text="go", targets=at("api")), dispatcher=dispatcher))
    )


async def test_a_tool_that_exits_with_0_for_an_unknown_session_starts_a_new_one(bench: Bench) -> None:
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
        session_behavior="new",
        spawner="claude",
    )
