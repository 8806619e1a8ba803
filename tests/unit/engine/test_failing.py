"""The log of a failure: one line for an error of duly, and a traceback for every other error."""

from __future__ import annotations

import pytest

from duly import Duly, DulyError, Event, RunFailedError
from duly.errors import ChannelPermanentError, InvalidInputError, RunTimeoutError
from duly.recurrence import run_now
from duly.testing import VirtualClock

EXPECTED: list[DulyError] = [
    RunFailedError("no channel took it"),
    RunTimeoutError(2),
    ChannelPermanentError("403"),
    InvalidInputError("unknown spawner"),
]


async def failing(store: str, error: Exception) -> Event:
    """What is told of a job that raises."""
    told: list[Event] = []
    clock = VirtualClock()
    app = Duly(store, clock=clock, on_event=told.append)

    @app.job
    async def work() -> None:
        raise error

    async with app:
        await app.schedule("work", run_now(), job=work)
        await clock.travel(minutes=1)
    [event] = [each for each in told if each.kind.name == "run.failed"]
    return event


@pytest.mark.parametrize("error", EXPECTED, ids=lambda error: type(error).__name__)
async def test_an_error_of_duly_is_logged_without_a_traceback(
    duly_store: str, error: DulyError, caplog: pytest.LogCaptureFixture
) -> None:
    event = await failing(duly_store, error)
    assert event.data == {"name": "work", "error": f"{type(error).__name__}: {error}", "attempt": 1}
    [line] = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert "\n" not in line


async def test_an_unexpected_error_has_a_traceback(duly_store: str, caplog: pytest.LogCaptureFixture) -> None:
    event = await failing(duly_store, ZeroDivisionError("by zero"))
    assert "test_failing.py" in event.data["traceback"]
    [line] = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert line.endswith("\n  ZeroDivisionError: by zero")
