"""Prompts for Python functions."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from duly.agents import PromptError, SpawnerKind, SpawnerProfile
from duly.errors import InvalidInputError, RunTimeoutError
from duly.model.action import Prompt, Target
from tests.integration.prompts.support import Bench, at, own, preset


class Recorder:
    """Takes any arguments: it gets only those that every function gets."""

    def __init__(self, answer: Any = None) -> None:
        self.calls: list[dict[str, Any]] = []
        self._answer = answer

    def __call__(self, **arguments: Any) -> Any:
        self.calls.append(arguments)
        return self._answer


def calling(function: Any, **more: Any) -> SpawnerProfile:
    return SpawnerProfile(name="butler", kind=SpawnerKind.CALLABLE, call=function, **more)


async def test_a_function_is_called_with_the_prompt_and_its_source(bench: Bench) -> None:
    function = Recorder("well done")
    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(calling(function)), name="morning")
    assert function.calls == [{"prompt": "go", "trigger_source": "schedule:morning"}]
    assert result["targets"][0]["text"] == "well done"


async def test_a_function_gets_more_arguments_for_parameters_of_that_name(bench: Bench) -> None:
    seen: list[Any] = []

    async def function(prompt: str, trigger_source: str, target: Target, run: Any, session_id: str | None) -> Any:
        seen.append((prompt, trigger_source, target, run.id, session_id))
        return {"text": "x", "session_id": "s-1", "cost_usd": 0.5, "usage": {"tokens": 3}}

    dispatcher = bench.dispatcher(calling(function, session="parsed"))
    prompt = Prompt(text="go", targets=at("api"), max_cost_per_day=0.6)
    result = await bench.run(prompt, dispatcher=dispatcher)
    assert result["targets"][0]["usage"] == {"tokens": 3}
    assert result["cost_usd"] == 0.5
    await bench.run(prompt, dispatcher=dispatcher, run_id="run_2")
    source, target = "schedule:nightly", Target("api")
    assert seen == [("go", source, target, own("run_1"), None), ("go", source, target, own("run_2"), "s-1")]


async def test_an_error_of_a_function_is_the_error_of_the_run(bench: Bench) -> None:
    def function(**_: Any) -> None:
        raise ValueError("no idea")

    with pytest.raises(PromptError, match="ValueError: no idea"):
        await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(calling(function)))


async def test_a_function_that_blocks_is_reported_stuck_and_waited_for(bench: Bench) -> None:
    told: list[str] = []
    let_go = threading.Event()

    def function(**_: Any) -> None:
        let_go.wait(60)

    def note(_context: Any, kind: str, _data: Any) -> None:
        told.append(kind)
        let_go.set()

    with pytest.raises(RunTimeoutError, match="timed out"):
        await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(calling(function)), within=0.1, note=note)
    assert told == ["stuck"]


async def test_a_function_can_be_named_by_its_module(bench: Bench) -> None:
    dispatcher = bench.dispatcher(calling("tests.integration.prompts.test_callables:named"))
    result = await bench.run(Prompt(text="go"), dispatcher=dispatcher)
    assert result["targets"][0]["text"] == "go by name"


def named(prompt: str, trigger_source: str) -> str:
    return f"{prompt} by name"


async def test_a_usage_that_cannot_be_stored_is_left_out(bench: Bench) -> None:
    def function(**_: Any) -> dict[str, Any]:
        return {"text": "x", "usage": {"tokens": 10**5000}}

    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(calling(function)))
    assert result["targets"][0]["text"] == "x"
    assert "usage" not in result["targets"][0]


@pytest.mark.parametrize("name", ["no.such.module:f", "json:nothing", "json:__name__"])
def test_a_name_of_a_missing_function_is_refused(bench: Bench, name: str) -> None:
    with pytest.raises(InvalidInputError, match=r"spawners\.butler\.call"):
        bench.dispatcher(calling(name)).check(Prompt(text="go"))


async def test_functions_that_block_do_not_hold_up_other_work(bench: Bench) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    let_go = threading.Event()

    def function(**_: Any) -> str:
        let_go.wait(60)
        return "at last"

    dispatcher = bench.dispatcher(calling(function), preset("claude"))
    blocked = asyncio.ensure_future(bench.run(Prompt(text="go"), dispatcher=dispatcher))
    while not bench.memory.written:  # noqa: ASYNC110  a dict tells nobody
        await asyncio.sleep(0.01)
    other = bench.run(Prompt(text="go", spawner="claude"), dispatcher=dispatcher, run_id="run_2")
    try:
        result = await asyncio.wait_for(other, 60)
    finally:
        let_go.set()
    assert result["targets"][0]["status"] == "succeeded"
    assert (await blocked)["targets"][0]["text"] == "at last"
