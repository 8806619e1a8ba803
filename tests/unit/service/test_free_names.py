"""Names for schedules that were made without one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from duly.cli.asking import Here
from duly.cli.free_names import create_under_free_name
from duly.config.settings import Settings
from duly.errors import InvalidInputError
from duly.ports.people import LOCAL_USER, namespace_of
from duly.recurrence import Once
from duly.runtime.runtime import Runtime
from duly.service.access.scopes import Face
from duly.service.schedules.fields import ReminderView
from duly.testing import VirtualClock

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
_SOON = Once(NOON.replace(hour=13))
_SPACE = namespace_of(LOCAL_USER)


Create = Callable[[str], Awaitable[ReminderView]]
Door = Callable[[Runtime, str, Create], Awaitable[ReminderView]]


def _by_services(runtime: Runtime, text: str, create: Create) -> Awaitable[ReminderView]:
    return runtime.services.schedules.find.create_under_free_name(_SPACE, text, create)


def _by_asks(runtime: Runtime, text: str, create: Create) -> Awaitable[ReminderView]:
    return create_under_free_name(Here(runtime, runtime.local(Face.CLI)), _SPACE, text, create)


@pytest.mark.parametrize("door", [_by_services, _by_asks])
async def test_a_name_that_another_caller_takes_meanwhile_is_replaced_by_the_next_free_one(
    door: Door, tmp_path: Path
) -> None:
    runtime = Runtime(Settings(data_dir=tmp_path, store=str(tmp_path / "schedules.db")), clock=VirtualClock(NOON))
    await runtime.open()
    tried: list[str] = []

    async def create(name: str) -> ReminderView:
        tried.append(name)
        if len(tried) == 1:  # another caller is quicker
            await runtime.services.reminder_service.create(LOCAL_USER, _SOON, "m", name=name)
        return await runtime.services.reminder_service.create(LOCAL_USER, _SOON, "m", name=name)

    made = await door(runtime, "Take the red pill, now", create)
    assert tried == ["take-the-red-pill", "take-the-red-pill-2"]
    assert made.name == "take-the-red-pill-2"

    async def refuse(name: str) -> ReminderView:
        raise InvalidInputError(f"{name} or not, this cannot be")

    with pytest.raises(InvalidInputError, match="schedule or not, this cannot be"):
        await door(runtime, "!?", refuse)
    await runtime.close()
