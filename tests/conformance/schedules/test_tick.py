"""What happens when schedules are due: in order, one at a time, and none is held up by another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from opentelemetry import trace

from duly.telemetry.bridges import tick_span
from tests.conformance.schedules.harness import DAILY, Refused, ScheduleHarness, scenario, utc


@scenario
async def test_scenario_due_tasks_dispatched_serially(butler: ScheduleHarness) -> None:
    going: list[str] = []

    async def spawn(prompt: str, trigger_source: str) -> str:
        going.append(f"{prompt} in")
        await butler.clock.sleep(0)
        going.append(f"{prompt} out")
        return prompt

    butler.carry_out_with(spawn)
    for name, minute in (("third", 30), ("first", 10), ("second", 20), ("not yet", 50)):
        await butler.create(name, cron=f"{minute} 0 * * *", prompt=name)
    assert await butler.tick(minutes=40) == 3
    assert going == [f"{name} {what}" for name in ("first", "second", "third") for what in ("in", "out")]
    assert butler.spans.told == [{"tasks_due": 3, "tasks_run": 3}]
    assert await butler.tick() == 0
    assert butler.spans.told[1] == {"tasks_due": 0, "tasks_run": 0}


@scenario
async def test_scenario_dispatch_failure_does_not_block_other_tasks(harness: ScheduleHarness) -> None:
    await harness.create("first", cron="0 1 * * *", prompt="break")
    await harness.create("second", cron="0 2 * * *", prompt="look")
    await harness.create("third", cron="0 3 * * *", job_name="backup", job_args={"fail": "no tape"})
    harness.answers["break"] = RuntimeError("the pot is gone")
    assert await harness.tick(hours=4) == 1
    assert harness.spans.told[-1] == {"tasks_due": 3, "tasks_run": 1}
    first, second, third = [await harness.get(name) for name in ("first", "second", "third")]
    assert set(first["last_result"]) == {"error"}
    assert "the pot is gone" in first["last_result"]["error"]
    assert "no tape" in third["last_result"]["error"]
    assert [each["last_status"] for each in (first, second, third)] == ["failed", "succeeded", "failed"]
    assert first["next_run_at"] == utc(2026, 1, 2, 1)
    assert {each["last_run_at"] for each in (first, second, third)} == {utc(2026, 1, 1, 4)}
    assert "error" not in second["last_result"]
    assert (await harness.history("first"))[0]["error"].endswith("the pot is gone")


@scenario
async def test_the_next_time_is_moved_before_anything_runs(butler: ScheduleHarness) -> None:
    seen: list[datetime | None] = []

    async def spawn(prompt: str, trigger_source: str) -> None:
        seen.append((await butler.row("plants")).next_run_at)

    butler.carry_out_with(spawn)
    await butler.create()
    await butler.tick(hours=9)
    assert seen == [datetime(2026, 1, 2, 9, tzinfo=UTC)]


@scenario
async def test_the_result_of_the_last_run_is_shown(harness: ScheduleHarness) -> None:
    await harness.create(**DAILY, targets=[{"project_id": "a"}])
    harness.answers["water the plants"] = {"text": "watered", "session_id": "s-1", "cost_usd": 0.25}
    assert await harness.tick(hours=9) == 1
    view = await harness.get("plants")
    assert (view["last_status"], view["last_run_at"], view["total_runs"]) == ("succeeded", utc(2026, 1, 1, 9), 1)
    assert "watered" in str(view["last_result"])
    (run,) = await harness.history("plants")
    assert run["targets"] == [
        {"project_id": "a", "status": "succeeded", "session_id": "s-1", "cost_usd": 0.25},
    ]


@scenario
async def test_scenario_task_auto_disables_after_boundary(harness: ScheduleHarness) -> None:
    await harness.create(**DAILY, until_at="2026-01-02T12:00:00Z")
    assert await harness.tick(hours=9) == 1
    assert (await harness.get("plants"))["enabled"]
    assert await harness.tick(days=1) == 1
    view = await harness.get("plants")
    assert (view["enabled"], view.get("next_run_at"), view.get("next_runs")) == (False, None, None)
    assert view["disabled_by"] == "finished"
    assert await harness.tick(days=2) == 0
    with pytest.raises(Refused, match="has ended: give it a new time or a later until_at"):
        await harness.update("plants", enabled=True)
    view = await harness.update("plants", enabled=True, until_at="2026-02-01T00:00:00Z")
    assert (view["enabled"], view["next_run_at"]) == (True, utc(2026, 1, 5, 9))


@scenario
async def test_a_fire_due_before_its_boundary_is_made_up_after_it(harness: ScheduleHarness) -> None:
    await harness.create(**DAILY, until_at="2026-01-01T09:00:30Z")
    assert await harness.tick(days=3) == 1
    assert (await harness.history("plants"))[0]["fire_at"] == utc(2026, 1, 1, 9)
    assert not (await harness.get("plants"))["enabled"]


@scenario
async def test_missed_fires_are_made_up_once_or_not_at_all(harness: ScheduleHarness) -> None:
    await harness.create("once", **DAILY)
    await harness.create("skip", **DAILY, catch_up="skip")
    assert await harness.tick(days=3) == 1
    runs = {run["status"]: run for run in await harness.history("once")}
    assert runs["succeeded"]["fire_at"] == utc(2026, 1, 3, 9)
    assert (runs["missed"]["skipped"], runs["missed"]["first_skipped_at"]) == (2, utc(2026, 1, 1, 9))
    (missed,) = await harness.history("skip")
    assert (missed["status"], missed["skipped"]) == ("missed", 3)
    assert await harness.names(text="once") == ["once"]


class _Span:
    def __init__(self, name: str) -> None:
        self.name = name
        self.attributes: dict[str, Any] = {}

    def set_attributes(self, attributes: dict[str, Any]) -> None:
        self.attributes.update(attributes)


class _Tracer:
    def __init__(self) -> None:
        self.spans: list[_Span] = []

    @contextmanager
    def start_as_current_span(self, name: str) -> Iterator[_Span]:
        self.spans.append(_Span(name))
        yield self.spans[-1]


@scenario
async def test_a_tick_leaves_a_span(butler: ScheduleHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    tracer = _Tracer()
    monkeypatch.setattr(trace, "get_tracer", lambda _name: tracer)
    butler.engine._tick_span = tick_span
    await butler.create()
    await butler.tick(hours=9)
    assert [(span.name, span.attributes) for span in tracer.spans] == [
        ("butler.tick", {"tasks_due": 1, "tasks_run": 1})
    ]
