"""The span of a turn: how many schedules were due, and how many runs succeeded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from duly import Duly
from duly.recurrence import run_now
from duly.testing import VirtualClock


async def test_the_turns_of_the_loop_count_the_runs_that_succeeded(duly_store: str) -> None:
    told: Counter[str] = Counter()

    @contextmanager
    def span() -> Iterator[Callable[..., None]]:
        yield lambda **attributes: told.update(attributes)

    clock = VirtualClock()
    app = Duly(duly_store, clock=clock)
    app.engine._tick_span = span

    @app.job
    async def good() -> None: ...

    @app.job
    async def bad() -> None:
        raise ValueError("no")

    async with app:
        for job in (good, bad):
            await app.schedule(job.__name__, run_now(), job=job)
        await clock.travel(minutes=1)
        assert sorted(made.status for made in await app.history()) == ["failed", "succeeded"]
    assert told == {"tasks_due": 2, "tasks_run": 1}
