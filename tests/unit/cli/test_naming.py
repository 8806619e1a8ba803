"""Names for what nobody named."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from duly.cli.naming import under_free_name
from duly.config.settings import Settings
from duly.errors import InvalidInputError
from duly.ports.people import LOCAL_USER, namespace_of
from duly.recurrence import Once
from duly.runtime.runtime import Runtime
from duly.service.reminders.views import ReminderView
from duly.testing import VirtualClock
from tests.support import run

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
_SOON = Once(NOON.replace(hour=13))
_SPACE = namespace_of(LOCAL_USER)


@run
async def test_a_name_taken_in_the_meantime_is_no_fault_of_whoever_chose_none(tmp_path: Path) -> None:
    runtime = Runtime(Settings(data_dir=tmp_path, store=str(tmp_path / "schedules.db")), clock=VirtualClock(NOON))
    await runtime.open()
    tried: list[str] = []

    async def create(name: str) -> ReminderView:
        tried.append(name)
        if len(tried) == 1:  # somebody else was quicker
            await runtime.reminders.create(LOCAL_USER, _SOON, "m", name=name)
        return await runtime.reminders.create(LOCAL_USER, _SOON, "m", name=name)

    made = await under_free_name(runtime, _SPACE, "Take the red pill, now", create)
    assert tried == ["take-the-red-pill", "take-the-red-pill-2"]
    assert made.name == "take-the-red-pill-2"

    async def refuse(name: str) -> ReminderView:
        raise InvalidInputError(f"{name} or not, this cannot be")

    with pytest.raises(InvalidInputError, match="schedule or not, this cannot be"):
        await under_free_name(runtime, _SPACE, "!?", refuse)
    await runtime.close()
