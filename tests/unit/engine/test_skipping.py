"""A handler that finds nothing to do, or finds it too late: its run is recorded so, and is not tried again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from duly import Duly, Event, Policy, Retry, RunSkippedError
from duly.errors import RunMissedError
from duly.recurrence import run_now
from duly.testing import VirtualClock


@pytest.mark.parametrize(("error", "status"), [(RunSkippedError, "skipped"), (RunMissedError, "missed")])
async def test_it_is_recorded_with_its_reason_and_not_retried(
    duly_store: str, error: type[Exception], status: str
) -> None:
    told: list[Event] = []
    calls: list[Any] = []
    clock = VirtualClock()
    app = Duly(duly_store, clock=clock, on_event=told.append)

    @app.job
    async def look() -> None:
        calls.append(1)
        raise error("the inbox is empty")

    async with app:
        retry = Policy(retry=Retry(max_attempts=5, delay=timedelta(seconds=1)))
        await app.schedule("look", run_now(), job=look, policy=retry)
        await clock.travel(minutes=5)
        [made] = await app.history("look")
        info = await app.get("look")
    assert (made.status, made.reason, made.error) == (status, "the inbox is empty", None)
    assert calls == [1]
    [event] = [each for each in told if each.kind.name == f"run.{status}"]
    assert event.data == {"name": "look", "reason": "the inbox is empty", "count": 1}
    assert info.state.consecutive_failures == 0
    assert (info.state.last_run_at, info.state.last_status) == (None, None)  # it has never run
