"""Firing by hand, runs that overlap, and prompts with several targets."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.conformance.schedules.harness import DAILY, Refused, ScheduleHarness, scenario, utc

TARGETS = [{"project_id": "a"}, {"project_id": "b", "workspace_id": "side"}]


@scenario
async def test_a_trigger_runs_now_even_if_disabled_and_leaves_the_next_time(harness: ScheduleHarness) -> None:
    await harness.create("on", **DAILY)
    await harness.create("off", **DAILY, enabled=False)
    harness.clock.advance(60)
    for name, next_run in (("on", utc(2026, 1, 1, 9)), ("off", None)):
        run = await harness.trigger(name)
        assert (run["status"], run["origin"], run["trigger_source"]) == ("pending", "manual", f"schedule:{name}")
        assert await harness.tick() == 1
        view = await harness.get(name)
        assert (view["last_run_at"], view.get("next_run_at")) == (utc(2026, 1, 1, 0, 1), next_run)
        assert (view["enabled"], view["last_status"]) == (name == "on", "succeeded")
        (after,) = await harness.history(name)
        assert (after["id"], after["status"]) == (run["id"], "succeeded")


@scenario
async def test_overlap_skip_says_that_it_skipped(harness: ScheduleHarness) -> None:
    await harness.create()
    first, second = await harness.trigger("plants"), await harness.trigger("plants")
    assert (first["status"], second["status"], second["skipped"]) == ("pending", "skipped", 1)
    assert "still" in second["reason"] or "running" in second["reason"] or "overlap" in second["reason"]
    assert await harness.tick() == 1
    assert (await harness.trigger("plants"))["status"] == "pending"
    assert sorted(run["status"] for run in await harness.history("plants")) == ["pending", "skipped", "succeeded"]
    assert [run["id"] for run in await harness.history("plants", status=["skipped"])] == [second["id"]]


@scenario
async def test_overlap_queue_runs_in_order_up_to_its_limit(harness: ScheduleHarness) -> None:
    await harness.create(**DAILY, overlap_behavior="queue", queue_limit=2)
    runs = [await harness.trigger("plants") for _ in range(4)]
    assert [run["status"] for run in runs] == ["pending", "waiting", "waiting", "skipped"]
    assert "2" in runs[3]["reason"]
    assert await harness.tick() == 3
    done = {run["id"]: run["status"] for run in await harness.history("plants")}
    assert [done[run["id"]] for run in runs] == ["succeeded"] * 3 + ["skipped"]


@scenario
async def test_overlap_parallel_runs_both(harness: ScheduleHarness) -> None:
    await harness.create(**DAILY, overlap_behavior="parallel", max_parallel=2)
    runs = [await harness.trigger("plants") for _ in range(3)]
    assert [run["status"] for run in runs[:2]] == ["pending", "pending"]
    assert runs[2]["status"] in ("waiting", "skipped")
    assert await harness.tick() >= 2


@scenario
async def test_a_fire_by_time_meets_one_by_hand(harness: ScheduleHarness) -> None:
    await harness.create()
    going, may_end = asyncio.Event(), asyncio.Event()

    async def spawn(prompt: str, trigger_source: str) -> None:
        going.set()
        await may_end.wait()

    harness.carry_out_with(spawn)
    ticking = asyncio.ensure_future(harness.tick(hours=9))
    await going.wait()
    answer = await harness.trigger("plants")
    assert answer["status"] == "skipped"
    may_end.set()
    assert await ticking == 1


@scenario
async def test_targets_run_by_themselves(harness: ScheduleHarness) -> None:
    async def spawn(prompt: str, trigger_source: str, target: Any) -> dict[str, Any]:
        if target.project_id == "a":
            raise RuntimeError("a is broken")
        return {"text": f"did {target.project_id}", "session_id": "s-b"}

    harness.carry_out_with(spawn)
    _ask_for_target(harness, spawn)
    await harness.create(**DAILY, targets=TARGETS)
    assert await harness.tick(hours=9) == 0
    (run,) = await harness.history("plants")
    assert run["status"] == "failed"
    first, second = sorted(run["targets"], key=lambda each: each["project_id"])
    assert (first["project_id"], first["status"]) == ("a", "failed")
    assert "a is broken" in first["error"]
    done = {"status": "succeeded", "session_id": "s-b", "text": "did b"}
    assert second == {"project_id": "b", "workspace_id": "side", **done}


@scenario
async def test_a_session_is_resumed_or_begun_afresh(harness: ScheduleHarness) -> None:
    sessions: list[str | None] = []

    async def spawn(prompt: str, trigger_source: str, session_id: str | None) -> dict[str, Any]:
        sessions.append(session_id)
        return {"text": "ok", "session_id": f"s-{len(sessions)}"}

    _ask_for_target(harness, spawn)
    await harness.create("goes on", **DAILY)
    for days in (1, 1):
        await harness.tick(days=days)
    first, second = sessions
    assert second == "s-1"
    assert first != "s-1"
    await harness.create("afresh", **DAILY, session_behavior="new")
    await harness.update("goes on", enabled=False)
    await harness.tick(days=1)
    await harness.tick(days=1)
    assert not {"s-1", "s-2", "s-3"} & set(sessions[2:])


def _ask_for_target(harness: ScheduleHarness, spawn: Any) -> None:
    """Put a function in the place of the spawner that asks for more than the prompt."""
    object.__setattr__(harness.prompts.rules.profile("butler"), "call", spawn)


@pytest.mark.parametrize(
    ("targets", "complaint"),
    [
        ([{"project_id": "a"}, {"project_id": "a"}], "must not repeat"),
        ([{"project_id": "a"}, {"project_id": "a", "workspace_id": ""}], "must not repeat"),
        ([{"project_id": "nowhere"}], "nowhere"),
        ([{"project_id": "a", "workspace_id": "../b"}], "below the project"),
        ([{"project_id": "a", "workspace_id": "missing"}], "missing"),
        ([{"workspace_id": "side"}], "project_id"),
        ([{"project_id": "a", "colour": "red"}], "project_id"),
        ([{"project_id": ""}], "project_id"),
    ],
)
@scenario
async def test_targets_that_cannot_be_are_refused(crossed: ScheduleHarness, targets: list[Any], complaint: str) -> None:
    with pytest.raises(Refused, match=complaint):
        await crossed.create(**DAILY, targets=targets)
    assert await crossed.names() == []


@scenario
async def test_json_inside_text_is_understood_where_an_object_is_meant(agent: ScheduleHarness) -> None:
    made = await agent.create(**DAILY, targets='[{"project_id": "a"}]', retry='{"max_attempts": 2}')
    assert (made["targets"], made["retry"]["max_attempts"]) == ([{"project_id": "a"}], 2)
    made = await agent.create("listed", **DAILY, targets=['{"project_id": "a"}', {"project_id": "b"}])
    assert made["targets"] == [{"project_id": "a"}, {"project_id": "b"}]
    with pytest.raises(Refused, match=r"targets\.0.*valid string, got 7"):
        await agent.create("bare", **DAILY, targets=[7])
    made = await agent.create("job", cron="0 9 * * *", job_name="backup", job_args='{"to": null, "list": []}')
    assert made["job_args"] == {"to": None, "list": []}


@scenario
async def test_runs_are_followed_by_id(butler: ScheduleHarness) -> None:
    await butler.create(**DAILY, targets=[{"project_id": "a"}])
    fired = await butler.trigger("plants")
    assert (await butler.read_cases.run_get(butler.caller, fired["id"])).status == "pending"
    cancelled = await butler.use_cases.run_cancel(butler.caller, fired["id"])
    assert cancelled.status == "cancelled"
    assert await butler.tick() == 0


@scenario
async def test_past_times_are_fired_for_and_the_next_one_left_out(butler: ScheduleHarness) -> None:
    await butler.create()
    butler.clock.advance(36 * 3600)
    await butler.tick()
    caller, start = butler.caller, butler.now
    row, _ = await butler.use_cases.skip_next(caller, "plants")
    assert row.next_run_at == datetime(2026, 1, 4, 9, tzinfo=UTC)
    runs, _ = await butler.use_cases.schedule_backfill(caller, "plants", start.replace(day=1, hour=0), start)
    assert [run.origin for run in runs] == ["backfill"] * len(runs)
    assert await butler.tick() == len(runs)


@scenario
async def test_a_timeout_says_so_once(butler: ScheduleHarness) -> None:
    async def spawn(prompt: str, trigger_source: str) -> None:
        waiting = asyncio.ensure_future(butler.clock.sleep(3600))
        await asyncio.sleep(0)
        butler.clock.advance(3)
        await waiting

    butler.carry_out_with(spawn)
    await butler.create(**DAILY, timeout=2)
    assert await butler.tick(hours=9) == 0
    (run,) = await butler.history("plants")
    assert (run["status"], run["error"]) == ("failed", "RunTimeoutError: timed out after 2 s")
    assert (await butler.get("plants"))["last_result"] == {"error": "RunTimeoutError: timed out after 2 s"}
