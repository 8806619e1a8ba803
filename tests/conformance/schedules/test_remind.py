"""`remind` as agents call it: one message later, or an answer that says what is wrong with the time."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.schedules.harness import Refused, ScheduleHarness, scenario, utc


@scenario
async def test_scenario_reminder_created_with_delay(harness: ScheduleHarness) -> None:
    answer = await harness.ask("remind", message="stretch", channel="inbox", delay_minutes=60)
    assert answer["status"] == "scheduled"
    assert (answer["channel"], answer["message"]) == ("inbox", "stretch")
    view = await harness.get(answer["id"])
    assert (view["cron"], view["until_at"]) == ("0 1 1 1 *", utc(2026, 1, 1, 1, 1))
    assert (view["next_run_at"], view["dispatch_mode"], view["message"]) == (utc(2026, 1, 1, 1), "message", "stretch")


@pytest.mark.parametrize(
    ("timing", "told"),
    [
        ({"delay_minutes": 5, "remind_at": "2026-01-01T10:00:00Z"}, "exactly one of delay_minutes and remind_at"),
        ({}, "exactly one of delay_minutes and remind_at"),
        ({"delay_minutes": 0}, "delay_minutes must be at least 1"),
        ({"remind_at": "2025-01-01T10:00:00Z"}, "past"),
        ({"remind_at": "no time at all"}, "remind_at"),
    ],
)
@scenario
async def test_scenario_invalid_timing_parameters(harness: ScheduleHarness, timing: dict[str, Any], told: str) -> None:
    answer = await harness.ask("remind", message="stretch", channel="inbox", **timing)
    assert set(answer) == {"status", "error"}
    assert answer["status"] == "error"
    assert told in answer["error"]
    assert await harness.names() == []


@scenario
async def test_a_reminder_is_no_prompt_to_be_rewritten(agent: ScheduleHarness) -> None:
    answer = await agent.ask("remind", message="stretch", delay_minutes=60)
    with pytest.raises(Refused, match="this is a reminder: change it with the scheduler tool"):
        await agent.update(answer["id"], prompt="do something else")
