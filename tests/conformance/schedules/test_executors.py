"""Jobs that an executor carries out, as schedules: made, changed, shown and refused from every door."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.schedules.harness import Refused, ScheduleHarness, scenario

NIGHTLY: dict[str, Any] = {"cron": "0 3 * * *", "job_name": "proj.tasks.report"}
FULL: dict[str, Any] = {
    **NIGHTLY,
    "job_args": {"format": "pdf"},
    "executor": "heavy",
    "queue": "slow",
    "task_priority": 7,
    "positional": [2027, {"deep": [1, None]}, "ä"],
}


@scenario
async def test_a_schedule_is_shown_as_it_was_made(crossed: ScheduleHarness) -> None:
    made = await crossed.create("report", **FULL)
    assert {name: made[name] for name in FULL} == FULL
    assert {name: (await crossed.get("report"))[name] for name in FULL} == FULL
    assert (await crossed.row("report")).handler == "executor:heavy"


@scenario
async def test_fields_change_one_by_one(crossed: ScheduleHarness) -> None:
    await crossed.create("report", **FULL)
    changed = await crossed.update("report", queue="fast", clear=["positional", "task_priority"])
    assert {name: changed.get(name) for name in FULL} == {
        **FULL,
        "queue": "fast",
        "positional": None,
        "task_priority": None,
    }
    with pytest.raises(
        Refused, match=r"proj.other' is not allowed for executor 'heavy': it takes proj.tasks.*; add it"
    ):
        await crossed.update("report", job_name="proj.other")
    here = await crossed.update("report", job_name="backup", clear=["executor", "queue"])
    assert "executor" not in here
    assert (await crossed.row("report")).handler == "job:backup"


@scenario
async def test_a_list_that_comes_as_text_is_read(crossed: ScheduleHarness) -> None:
    made = await crossed.create("report", **NIGHTLY, executor="heavy", positional='["a", 1]')
    assert made["positional"] == ["a", 1]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (
            {"executor": "heavi"},
            r"unknown executor 'heavi': configured are heavy. did you mean heavy\? Say in duly.toml",
        ),
        ({"executor": "heavy", "job_name": "os.system"}, "task 'os.system' is not allowed for executor 'heavy'"),
        ({"queue": "slow"}, "queue and task_priority mean something only with an executor: name one"),
        ({"positional": [1]}, "only with an executor"),
        ({"task_priority": 3}, "only with an executor"),
        ({"executor": "heavy", "task_priority": 256}, "task_priority must not exceed 255, got 256"),
        ({"executor": "heavy", "prompt": "x", "job_name": None, "dispatch_mode": "prompt"}, "does not take executor"),
    ],
)
@scenario
async def test_what_cannot_be_is_refused(crossed: ScheduleHarness, fields: dict[str, Any], told: str) -> None:
    with pytest.raises(Refused, match=told):
        await crossed.create(
            "report", **{name: each for name, each in {**NIGHTLY, **fields}.items() if each is not None}
        )
    assert await crossed.names() == []


@scenario
async def test_the_file_declares_them_too(harness: ScheduleHarness) -> None:
    await harness.sync.sync_schedules("butler:home", [{"name": "report", **FULL}])
    made = await harness.get("butler:home/report")
    assert {name: made[name] for name in FULL} == FULL
    report = await harness.sync.sync_schedules("butler:home", [{"name": "report", **FULL}])
    assert report.unchanged == ["report"]


@scenario
async def test_they_are_jobs_in_every_list(harness: ScheduleHarness) -> None:
    await harness.create("report", **FULL)
    await harness.create("plants", cron="0 9 * * *", prompt="water the plants")
    await harness.create("nightly", cron="0 9 * * *", job_name="backup")
    for sort in ("name", "attention", "next"):
        views, _ = await harness.read_cases.schedule_list(harness.caller, kind="job", sort=sort)
        assert sorted(view.name for view in views) == ["nightly", "report"]
    run = await harness.ask("schedule_trigger", schedule_id="report")
    runs, _ = await harness.services.overview.runs(harness.caller, kind="job")
    assert [each.id for each in runs] == [run["id"]]
