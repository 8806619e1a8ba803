"""A reminder is a schedule: what changes one changes the other, with the rights and the way back of any change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from duly.errors import AccessDeniedError, InvalidInputError, NotFoundError
from duly.service.access.scopes import Caller, Scope
from duly.service.schedules.fields import ReminderView
from tests.integration.test_undo import ANN, STORES, Desk, desk

EVERY_MORNING = {"type": "cron", "expr": "0 9 * * *"}


async def _reminder(here: Desk, **options: Any) -> ReminderView:
    return await here.runtime.services.reminder_service.create("local", EVERY_MORNING, "stretch", **options)


@STORES
async def test_a_change_of_a_schedule_takes_a_reminder_and_can_be_undone(tmp_path: Path, kind: str) -> None:
    async with desk(tmp_path, kind) as here:
        made = await _reminder(here)
        given = {"name": "legs", "message": "stretch the legs", "require_ack": True, "nag_minutes": 30}
        done = await here.services.actions.update(ANN, made.id, given)
        after = await here.runtime.services.reminder_service.get("local", made.id)
        assert (after.name, after.message, after.require_ack, after.nag_minutes) == tuple(given.values())
        assert done.undo is not None
        await here.services.undo.undo(ANN, done.undo)
        back = await here.runtime.services.reminder_service.get("local", made.id)
        assert (back.name, back.message, back.nag_minutes) == (made.name, "stretch", 10)


@STORES
async def test_its_time_is_said_as_that_of_any_schedule(tmp_path: Path, kind: str) -> None:
    async with desk(tmp_path, kind) as here:
        made = await _reminder(here)
        await here.services.actions.update(ANN, made.id, {"cron": "30 7 * * *", "cron_timezone": "Asia/Tokyo"})
        moved = await here.runtime.services.reminder_service.get("local", made.id)
        assert (moved.cron_expr, moved.timezone) == ("30 7 * * *", "Asia/Tokyo")
        await here.services.actions.update(ANN, made.id, {"when": "every day at 10"})
        assert (await here.runtime.services.reminder_service.get("local", made.id)).time_of_day == "10:00"


@STORES
async def test_what_is_cleared_is_empty_and_what_it_has_to_have_stays(tmp_path: Path, kind: str) -> None:
    async with desk(tmp_path, kind) as here:
        made = await _reminder(here, require_ack=True, ack_prompt="Did you?")
        await here.services.actions.update(ANN, made.id, {}, ["ack_prompt"])
        assert (await here.runtime.services.reminder_service.get("local", made.id)).ack_prompt is None
        with pytest.raises(InvalidInputError, match="message cannot be left empty"):
            await here.services.actions.update(ANN, made.id, {}, ["message"])


@STORES
async def test_a_stranger_cannot_change_it(tmp_path: Path, kind: str) -> None:
    async with desk(tmp_path, kind) as here:
        made = await _reminder(here)
        stranger = Caller(Scope("project", "blog"))
        with pytest.raises((AccessDeniedError, NotFoundError)):
            await here.services.actions.update(stranger, made.id, {"message": "mine"})
        assert (await here.runtime.services.reminder_service.get("local", made.id)).message == "stretch"
