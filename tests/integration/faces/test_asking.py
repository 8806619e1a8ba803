"""What is done around every ask: its limits, and who hears of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from duly.mcp.watching import touched
from duly.operations.catalogue import operations
from duly.operations.listing import ListSchedules
from duly.operations.reminders import CreateReminder
from duly.operations.schedules import BackfillSchedule, CreateSchedule, PauseSchedule, TriggerSchedule
from duly.service.access.scopes import Caller, Face
from duly.service.asking import AskEnded
from tests.world import world

ME = Caller(face=Face.API)
DAILY = {"cron": "0 9 * * *", "prompt": "water the plants"}
SPAWNERS = {"echo": {"new": ["cat"], "stdin": "prompt"}}


@pytest.mark.parametrize(("field", "most"), [("prompt", 200_000), ("description", 10_000)])
async def test_each_field_of_an_object_has_its_own_limit(tmp_path: Path, field: str, most: int) -> None:
    async with world(tmp_path, spawners=SPAWNERS) as here:
        headers = {"Authorization": f"Bearer {await here.token('admin')}"}

        async def create(name: str, length: int) -> Any:
            fields = {**DAILY, "name": name, field: "x" * length}
            return await here.http.post("/api/v1/schedules", json=fields, headers=headers)

        assert (await create("longest", most)).status_code == 201
        refused = await create("longer", most + 1)
        assert refused.status_code == 422
        assert field in refused.json()["detail"]


async def test_the_answer_to_a_change_says_which_schedules_and_runs_it_is_about(tmp_path: Path) -> None:
    async with world(tmp_path, spawners=SPAWNERS) as here:
        services, heard = here.runtime.services, list[AskEnded]()
        services.asking.hear(heard.append)
        made = await services.ask(ME, CreateSchedule({**DAILY, "name": "plants"}))
        assert list(touched(made)) == [(made.id, None)]
        run = await services.ask(ME, TriggerSchedule("plants"))
        assert list(touched(run)) == [(made.id, run.id)]
        paused = await services.ask(ME, PauseSchedule("plants"))
        assert list(touched(paused)) == [(made.id, None)]
        past = BackfillSchedule("plants", "2026-11-14T00:00:00Z", "2026-11-15T00:00:00Z")
        made_up_for = await services.ask(ME, past)
        assert set(touched(made_up_for)) == {(made.id, None)}
        reminder = await services.ask(ME, CreateReminder({"schedule": {"type": "once", "at": "5m"}, "message": "m"}))
        assert list(touched(reminder)) == [(reminder.id, None)]
        page = await services.ask(ME, ListSchedules())
        assert list(touched(page)) == []
        assert [each.operation.name for each in heard][-2:] == ["create_reminder", "list_schedules"]
        assert {each.caller for each in heard} == {ME}


def test_what_only_reads_is_what_is_asked_with_get() -> None:
    assert {each.changes for each in operations() if each.method == "GET"} == {False}
    assert {each.changes for each in operations() if each.method != "GET"} == {True}
