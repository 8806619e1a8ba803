"""When a schedule fires, what it does then, and how schedules of the same minute keep out of each other's way."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

import pytest

from tests.conformance.schedules.harness import DAILY, Refused, ScheduleHarness, scenario, utc

HOURLY = {"cron": "0 * * * *", "prompt": "look"}


@scenario
async def test_scenario_valid_cron_expression(harness: ScheduleHarness) -> None:
    made = await harness.create()
    assert made["next_run_at"] == utc(2026, 1, 1, 9)
    assert made["next_runs"][0] == {"utc": utc(2026, 1, 1, 9), "local": "2026-01-01T09:00:00Z"}
    assert (await harness.row("plants")).next_run_at == datetime(2026, 1, 1, 9, tzinfo=UTC)


@scenario
async def test_cron_is_utc_in_every_display_zone(harness: ScheduleHarness) -> None:
    made = await harness.create(**DAILY, timezone="Europe/Rome")
    assert made["next_runs"][0] == {"utc": utc(2026, 1, 1, 9), "local": "2026-01-01T10:00:00+01:00"}
    made = await harness.create("evaluated elsewhere", **DAILY, cron_timezone="Europe/Rome")
    assert made["next_runs"][0] == {"utc": utc(2026, 1, 1, 8), "local": "2026-01-01T09:00:00+01:00"}


@pytest.mark.parametrize("cron", ["61 * * * *", "* * * *", "nonsense", "0 9 31 2 *", "@hourly-ish", "", "0 0 9 * * *"])
@scenario
async def test_scenario_invalid_cron_expression(crossed: ScheduleHarness, cron: str) -> None:
    with pytest.raises(Refused, match="cron"):
        await crossed.create(cron=cron, prompt="look")
    await crossed.create()
    with pytest.raises(Refused, match="cron"):
        await crossed.update("plants", cron=cron)
    assert (await crossed.get("plants"))["cron"] == "0 9 * * *"
    assert await crossed.names() == ["plants"]


@scenario
async def test_six_fields_are_told_which_five_are_meant(harness: ScheduleHarness) -> None:
    with pytest.raises(Refused, match=r'has 6 fields; this takes 5 .*: drop the seconds: "0 9 \* \* \*"'):
        await harness.create(cron="0 0 9 * * *", prompt="look")


@scenario
async def test_scenario_prompt_mode_dispatch(harness: ScheduleHarness) -> None:
    await harness.create()
    assert await harness.tick(hours=9) == 1
    assert harness.spawned == [{"prompt": "water the plants", "trigger_source": "schedule:plants"}]
    assert (await harness.history("plants"))[0]["trigger_source"] == "schedule:plants"


@scenario
async def test_scenario_job_mode_dispatch(harness: ScheduleHarness) -> None:
    await harness.create("nightly", cron="0 9 * * *", dispatch_mode="job", job_name="backup", job_args={"to": "tape"})
    await harness.create("plain", cron="5 9 * * *", job_name="backup")
    assert await harness.tick(hours=10) == 2
    assert harness.worked == [
        {"job_args": {"to": "tape"}, "trigger_source": "schedule:nightly"},
        {"job_args": {}, "trigger_source": "schedule:plain"},
    ]


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"dispatch_mode": "prompt"}, "non-empty prompt"),
        ({"dispatch_mode": "prompt", "prompt": " "}, "non-empty prompt"),
        ({}, "non-empty prompt"),
        ({"dispatch_mode": "job"}, "non-empty job_name"),
        ({"dispatch_mode": "job", "job_name": ""}, "non-empty job_name"),
        ({"dispatch_mode": "job", "job_name": "backup", "prompt": "look"}, "does not take prompt"),
        ({"dispatch_mode": "prompt", "prompt": "look", "job_name": "backup"}, "does not take job_name"),
        ({"prompt": "look", "job_args": {"to": "tape"}}, "does not take job_args"),
        ({"job_name": "backup", "targets": [{"project_id": "a"}]}, "does not take targets"),
        ({"job_name": "unheard of"}, "unheard of"),
        ({"job_name": "backup", "job_args": {"trigger_source": "me"}}, "trigger_source"),
    ],
)
@scenario
async def test_scenario_invalid_dispatch_mode_combination(
    crossed: ScheduleHarness, fields: dict[str, object], complaint: str
) -> None:
    with pytest.raises(Refused, match=complaint):
        await crossed.create(cron="0 9 * * *", **fields)
    assert await crossed.names() == []


@scenario
async def test_a_mode_is_switched_as_a_whole(harness: ScheduleHarness) -> None:
    await harness.create(**DAILY, targets=[{"project_id": "a"}], session_behavior="new")
    with pytest.raises(Refused, match="non-empty job_name"):
        await harness.update("plants", dispatch_mode="job")
    made = await harness.update("plants", dispatch_mode="job", job_name="backup")
    assert (made["dispatch_mode"], made["job_name"]) == ("job", "backup")
    assert not {"prompt", "targets", "session_behavior", "spawner"} & set(made)
    with pytest.raises(Refused, match="does not take prompt"):
        await harness.update("plants", prompt="look")
    made = await harness.update("plants", dispatch_mode="prompt", prompt="look")
    assert "job_name" not in made
    assert await harness.tick(hours=9) == 1
    assert harness.spawned == [{"prompt": "look", "trigger_source": "schedule:plants"}]


@scenario
async def test_scenario_same_key_produces_same_offset(harness: ScheduleHarness) -> None:
    offsets = set()
    for name in ("one", "two"):
        made = await harness.create(name, **HOURLY, stagger_key="team")
        offsets.add(datetime.fromisoformat(made["next_run_at"]) - datetime(2026, 1, 1, 1, tzinfo=UTC))
    assert offsets == {timedelta(seconds=_by_the_book("team", cap=900))}
    assert timedelta(0) < offsets.pop() <= timedelta(seconds=900)


def _by_the_book(key: str, cap: int) -> int:
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % (cap + 1)


@scenario
async def test_scenario_offset_never_exceeds_cadence(harness: ScheduleHarness) -> None:
    for number in range(10):
        cron = {"cron": "* * * * *", "prompt": "look"}
        made = await harness.create(f"n{number}", **cron, stagger_key=str(number), max_stagger_seconds=100_000)
        offset = datetime.fromisoformat(made["next_run_at"]) - datetime(2026, 1, 1, 0, 1, tzinfo=UTC)
        assert timedelta(0) <= offset < timedelta(seconds=60)


@scenario
async def test_scenario_no_staggering_when_key_is_absent(harness: ScheduleHarness) -> None:
    assert (await harness.create(**HOURLY))["next_run_at"] == utc(2026, 1, 1, 1)
    made = await harness.update("plants", stagger_key="team")
    assert made["next_run_at"] > utc(2026, 1, 1, 1)
    assert made["next_runs"][0]["utc"] == utc(2026, 1, 1, 1)  # nominal
    assert (await harness.update("plants", clear=["stagger_key"]))["next_run_at"] == utc(2026, 1, 1, 1)


@scenario
async def test_a_staggered_schedule_waits_for_its_offset_and_keeps_its_nominal_time(harness: ScheduleHarness) -> None:
    made = await harness.create(**HOURLY, stagger_key="team")
    offset = datetime.fromisoformat(made["next_run_at"]) - datetime(2026, 1, 1, 1, tzinfo=UTC)
    assert await harness.tick(hours=1) == 0
    assert await harness.tick(seconds=offset.total_seconds()) == 1
    assert (await harness.history("plants"))[0]["fire_at"] == utc(2026, 1, 1, 1)
