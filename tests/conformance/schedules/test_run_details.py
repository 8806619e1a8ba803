"""One run in full: attempts, targets, prompt and output, for those who may see them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from duly.errors import InvalidInputError, NotFoundError
from duly.service.access.scopes import Caller, Face, Scope
from duly.service.runs.views import RunDetail
from duly.zones import iso
from tests.conformance.schedules.harness import DAILY, ScheduleHarness, scenario

RETRY = {"max_attempts": 3, "delay": 30, "jitter": 0}


async def the_run(harness: ScheduleHarness, name: str = "plants") -> RunDetail:
    [run, *_] = await harness.history(name)
    return await harness.read_cases.runs.get(harness.caller, run["id"])


@scenario
async def test_every_attempt_is_shown_with_its_wait(butler: ScheduleHarness) -> None:
    butler.answers = {"water the plants": RuntimeError("overloaded, try again")}
    await butler.create(**DAILY, retry=RETRY)
    await butler.tick(hours=9)
    detail = await the_run(butler)
    assert [(each.number, each.status) for each in detail.attempts] == [(1, "failed")]
    assert (detail.kind, detail.max_attempts, detail.run.status) == ("agent", 3, "pending")
    butler.answers = {}
    await butler.tick(seconds=40)
    detail = await the_run(butler)
    first, second = detail.attempts
    assert "overloaded" in (first.error or "")
    assert first.node_id is not None
    assert (first.waited_seconds, second.status, second.error) == (None, "succeeded", None)
    assert second.waited_seconds is not None
    assert second.waited_seconds >= 30
    assert detail.key == f"{detail.run.schedule_id}/schedule/{detail.run.fire_at.isoformat()}"


@scenario
async def test_a_success_at_once_has_one_attempt_and_its_output(butler: ScheduleHarness) -> None:
    butler.answers = {"water the plants": {"text": "All are wet.\nwarning: one is dry", "session_id": "s-1"}}
    await butler.create(**DAILY)
    await butler.tick(hours=9)
    detail = await the_run(butler)
    [attempt] = detail.attempts
    assert (attempt.number, attempt.status, attempt.waited_seconds) == (1, "succeeded", None)
    assert (detail.prompt, detail.gate_lines, detail.agent) == ("water the plants", [], "butler")
    [output] = detail.outputs
    assert (output.attempt, output.target, output.lines, output.complete) == (1, "", 3, True)
    shown = await butler.read_cases.runs.output(butler.caller, detail.run.id, attempt=1)
    assert [(line.kind, line.text) for line in shown.lines] == [
        ("note", "butler · new session"),
        ("text", "All are wet."),
        ("warning", "warning: one is dry"),
    ]
    assert (shown.offset, shown.next_offset, shown.total, shown.complete) == (0, output.bytes, output.bytes, True)
    assert shown.text.splitlines()[1] == f"{iso(detail.run.started_at)} All are wet."


@scenario
async def test_output_is_read_in_parts(butler: ScheduleHarness) -> None:
    butler.answers = {"water the plants": {"text": "\n".join(f"plant {number}" for number in range(50))}}
    await butler.create(**DAILY)
    await butler.tick(hours=9)
    runs = butler.read_cases.runs
    run_id = (await the_run(butler)).run.id
    texts: list[str] = []
    offset = 0
    while True:
        part = await runs.output(butler.caller, run_id, offset=offset, limit=100)
        texts += [line.text for line in part.lines]
        offset = part.next_offset
        if part.complete:
            break
    assert texts[1:] == [f"plant {number}" for number in range(50)]
    assert (await runs.output(butler.caller, run_id, offset=offset)).lines == []


@scenario
async def test_runs_around_it_and_how_long_they_took(butler: ScheduleHarness) -> None:
    await butler.create(**DAILY)
    for _ in range(3):
        await butler.tick(days=1)
    last, middle, first = [run["id"] for run in await butler.history("plants")]
    detail = await butler.read_cases.runs.get(butler.caller, middle)
    assert (detail.previous_id, detail.next_id) == (first, last)
    assert [each.run_id for each in detail.durations] == [first, middle]
    assert detail.usually_seconds is not None
    assert detail.expected_end is None


@scenario
async def test_a_run_that_is_under_way_is_followed(butler: ScheduleHarness) -> None:
    seen: list[Any] = []

    async def spawn(prompt: str, trigger_source: str) -> str:
        detail = await the_run(butler)
        shown = await butler.read_cases.runs.output(butler.caller, detail.run.id)
        seen.extend([detail, shown])
        return "done"

    butler.carry_out_with(spawn)
    await butler.create(**DAILY)
    await butler.tick(hours=9)
    detail, shown = seen
    assert [(each.status, each.ended_at) for each in detail.attempts] == [("running", None)]
    assert detail.owner is not None
    assert detail.attempts[0].node_id == detail.owner
    assert not shown.complete


@scenario
async def test_what_a_caller_may_not_see_is_hidden(butler: ScheduleHarness) -> None:
    targets = [{"project_id": "a"}, {"project_id": "b"}]
    await butler.create(**DAILY, targets=targets)
    await butler.tick(hours=9)
    run_id = (await the_run(butler)).run.id
    runs = butler.read_cases.runs
    ana = Caller(Scope.parse("project:a"), None, Face.MCP)
    detail = await runs.get(ana, run_id)
    assert detail.hidden
    assert (detail.prompt, [each.target for each in detail.targets]) == (None, ["a"])
    assert [each.target for each in detail.outputs] == ["a"]
    assert (await runs.output(ana, run_id, target="a")).lines
    for target in ("b", "", "gate"):
        with pytest.raises(NotFoundError):
            await runs.output(ana, run_id, target=target)
    with pytest.raises(NotFoundError, match="there is no run"):
        await runs.get(Caller(Scope.parse("project:c"), None, Face.MCP), run_id)


@scenario
async def test_output_without_a_target_is_that_of_the_target_that_prints(butler: ScheduleHarness) -> None:
    seen: list[tuple[int, str, int]] = []

    async def spawn(prompt: str, trigger_source: str) -> str:
        run_id = (await the_run(butler)).run.id
        shown = await butler.read_cases.runs.output(butler.caller, run_id)
        seen.append((shown.attempt, shown.target, shown.total))
        return "done"

    butler.carry_out_with(spawn)
    await butler.create(**DAILY, targets=[{"project_id": "a"}, {"project_id": "b"}])
    await butler.tick(hours=9)
    assert seen[0] == (1, "", 0)
    run_id = (await the_run(butler)).run.id
    runs = butler.read_cases.runs
    shown = await runs.output(butler.caller, run_id)
    assert (shown.attempt, shown.target, shown.complete) == (1, "a", True)
    assert shown.lines == (await runs.output(butler.caller, run_id, attempt=1, target="a")).lines != []
    bea = Caller(Scope.parse("project:b"), None, Face.MCP)
    assert (await runs.output(bea, run_id)).target == "b"


@scenario
async def test_bad_questions_about_output_are_refused(butler: ScheduleHarness) -> None:
    await butler.create(**DAILY)
    await butler.tick(hours=9)
    run_id = (await the_run(butler)).run.id
    output = butler.read_cases.runs.output
    for given in ({"offset": -1}, {"limit": 0}, {"attempt": 0}, {"offset": True}, {"target": 3}):
        with pytest.raises(InvalidInputError):
            await output(butler.caller, run_id, **given)
    with pytest.raises(NotFoundError, match="has no attempt 7"):
        await output(butler.caller, run_id, attempt=7)
    with pytest.raises(NotFoundError, match="no output of attempt 1 at 'nowhere'"):
        await output(butler.caller, run_id, target="nowhere")


@scenario
async def test_agents_read_the_same(agent: ScheduleHarness) -> None:
    await agent.create(**DAILY)
    await agent.tick(hours=9)
    [run] = await agent.history("plants")
    (read,) = (await agent.client.read_resource(f"details://{run['id']}")).contents
    told = json.loads(read.text)  # type: ignore[union-attr]
    assert (told["run"]["id"], len(told["attempts"]), told["prompt"]) == (run["id"], 1, "water the plants")
    (read,) = (await agent.client.read_resource(f"output://{run['id']}?attempt=1&offset=0")).contents
    assert json.loads(read.text)["complete"]  # type: ignore[union-attr]
