"""A wall clock that was far ahead for minutes, a machine that slept for hours: what real stores make of it.

PostgreSQL answers in real time, which no virtual clock waits for: the tests move the clock and wait for what is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from duly import Cron, Duly, EngineSettings, Event
from duly.engine.health import Health, Light
from duly.model.policy import CatchUp, Policy
from duly.model.run import Origin, Run, Status
from duly.ports.records import RunFilter
from duly.recurrence import every
from duly.stores import open_store
from duly.testing import VirtualClock
from tests.postgres_server import server
from tests.support import MachineClock

START = datetime(2026, 1, 1, tzinfo=UTC)
HOURLY = Cron("0 * * * *")
MONTH = timedelta(days=30)
POLL = EngineSettings().poll
PATIENCE = 60.0
"""Real seconds after which a test gives up waiting."""


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "duly.db")
    else:
        with server().database() as made:
            yield made


@pytest.fixture
def postgres_url() -> Iterator[str]:
    with server().database() as made:
        yield made


class RestartingProgram:
    """A store, a clock, and one process after the other; its job writes down which fires it was called for."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.clock = VirtualClock(START)
        self.events: list[Event] = []
        self.entered: list[datetime] = []
        self.hold: Callable[[], bool] = lambda: False
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def process(self) -> AsyncIterator[Duly]:
        """A program that runs an engine over the store."""
        app = Duly(self.url, clock=self.clock, on_event=self._hear)

        @app.job
        async def ring() -> None:
            self.entered.append(self.clock.now())
            self._changed.set()
            if self.hold():
                await self.clock.sleep(60)

        async with app:
            yield app

    def _hear(self, event: Event) -> None:
        self.events.append(event)
        self._changed.set()

    def told(self, name: str) -> list[Event]:
        return [event for event in self.events if event.kind.name == name]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for what is told to make something true."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def ended(self, number: int) -> None:
        await self.until(lambda: len(self.told("run.succeeded")) >= number)

    async def runs(self) -> list[Run]:
        """All runs as they are when the process has ended, and so has written down everything."""
        store = open_store(self.url, self.clock)
        await store.open()
        try:
            return await store.runs(RunFilter())
        finally:
            await store.close()

    def pass_time(self, **length: float) -> None:
        self.clock.advance(timedelta(**length))


def carried_out(runs: Sequence[Run], name: str) -> list[datetime]:
    """The nominal times of the runs of a schedule that ended well."""
    return sorted(each.fire.fire_at for each in runs if each.name == name and each.status is Status.SUCCEEDED)


def blames(health: Health, words: str) -> bool:
    return health.light is Light.YELLOW and any(words in reason for reason in health.reasons)


async def test_schedules_fire_on_after_a_clock_was_a_month_ahead_for_two_minutes(url: str) -> None:
    program = RestartingProgram(url)
    async with program.process() as app:
        await app.schedule("hourly", HOURLY, job="ring")
        await app.schedule("skipping", HOURLY, job="ring", policy=Policy(catch_up=CatchUp.SKIP))
        program.pass_time(minutes=60)
        await program.ended(2)
        program.pass_time(minutes=30)
        program.clock.step(MONTH)
        program.pass_time(seconds=POLL)
        await program.ended(3)
        program.pass_time(minutes=2)
        program.clock.step(-MONTH)
        program.pass_time(seconds=POLL)
        await program.until(lambda: bool(program.told("clock.corrected")))
        [corrected] = program.told("clock.corrected")
        assert corrected.data["schedules"] == 2
        assert len(program.told("clock.stepped_back")) == 1
        program.pass_time(seconds=(START + timedelta(hours=2) - program.clock.now()).total_seconds())
        await program.ended(5)
        assert blames(await app.health(), "the clock was 29 days")
    runs, first, second = await program.runs(), START + timedelta(hours=1), START + timedelta(hours=2)
    assert carried_out(runs, "hourly") == [first, second, first + MONTH]
    assert carried_out(runs, "skipping") == [first, second]


async def test_schedules_fire_on_when_the_clock_was_set_right_while_the_program_was_down(url: str) -> None:
    program = RestartingProgram(url)
    async with program.process() as app:
        await app.schedule("hourly", HOURLY, job="ring")
        await app.schedule("ends", HOURLY, job="ring", until_at=START + timedelta(days=3))
        program.clock.step(365 * timedelta(days=10))
        program.pass_time(seconds=POLL)
        await program.ended(2)
    program.clock.step(-365 * timedelta(days=10))
    async with program.process() as app:
        await program.until(lambda: bool(program.told("clock.corrected")))
        for hour in (1, 2):
            program.pass_time(seconds=(START + timedelta(hours=hour) - program.clock.now()).total_seconds())
            await program.ended(2 + 2 * hour)
    runs = await program.runs()
    for name in ("hourly", "ends"):
        assert carried_out(runs, name)[:2] == [START + timedelta(hours=1), START + timedelta(hours=2)]
    assert len(program.entered) == 6
    assert [event.data["name"] for event in program.told("schedule.resumed")] == ["ends"]


async def test_a_fire_that_a_wrong_clock_recorded_as_missed_fires_at_its_time(url: str) -> None:
    program = RestartingProgram(url)
    async with program.process() as app:
        await app.schedule("skipping", HOURLY, job="ring", policy=Policy(catch_up=CatchUp.SKIP))
        program.clock.step(timedelta(hours=1, minutes=30))
        program.pass_time(seconds=POLL)
        await program.until(lambda: bool(program.told("run.missed")))
        program.clock.step(-timedelta(hours=1, minutes=30))
        program.pass_time(seconds=POLL)
        await program.until(lambda: bool(program.told("clock.corrected")))
        program.pass_time(seconds=3600 - 2 * POLL)
        await program.ended(1)
    records = {(each.fire.origin, each.status) for each in await program.runs()}
    assert records == {(Origin.CLOCK, Status.MISSED), (Origin.SCHEDULE, Status.SUCCEEDED)}


# asleep


async def test_fires_of_a_sleeping_machine_are_caught_up_within_a_poll(url: str) -> None:
    program = RestartingProgram(url)
    async with program.process() as app:
        await app.schedule("hourly", HOURLY, job="ring")
        program.pass_time(minutes=60)
        await program.ended(1)
        program.clock.suspend(timedelta(hours=8, minutes=30))
        _let_leases_run_out(url)
        program.pass_time(seconds=POLL)
        await program.ended(2)
    runs = await program.runs()
    [missed] = [each for each in runs if each.status is Status.MISSED]
    assert [at.hour for at in carried_out(runs, "hourly")] == [1, 9]
    assert (missed.skipped, missed.fire.fire_at.hour) == (7, 8)
    assert program.told("clock.corrected") == program.told("clock.stepped_back") == []


async def test_a_running_run_goes_on_after_the_machine_slept_for_hours(url: str) -> None:
    program = RestartingProgram(url)
    program.hold = lambda: len(program.entered) == 1
    async with program.process() as app:
        await app.schedule("hourly", HOURLY, job="ring")
        program.pass_time(minutes=60)
        await program.until(lambda: len(program.entered) == 1)
        program.clock.suspend(timedelta(hours=8, minutes=30))
        _let_leases_run_out(url)
        program.pass_time(seconds=POLL)
        await program.until(lambda: bool(program.told("run.skipped")))  # the fire of 9:00, by the usual overlap
        program.pass_time(seconds=60)
        await program.ended(1)
    [made] = [each for each in await program.runs() if each.status is Status.SUCCEEDED]
    assert (made.fire.fire_at.hour, made.attempt, len(program.entered)) == (1, 1, 1)
    assert program.told("run.lease_lost") == []


def _let_leases_run_out(url: str) -> None:
    """On a server leases go by its clock, which no test can turn: there they have run out while a machine slept."""
    if url.startswith("postgres"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("UPDATE nodes SET beat_at = '-infinity'")


# several machines


async def test_an_engine_with_a_wrong_clock_uses_the_time_of_the_server(postgres_url: str) -> None:
    began, told = datetime.now(UTC), list[Event]()
    seen = asyncio.Event()

    def hear(event: Event) -> None:
        told.append(event)
        seen.set()

    right = Duly(postgres_url, on_event=hear)
    wrong = Duly(postgres_url, clock=MachineClock(MONTH), on_event=hear, settings=EngineSettings(poll=0.2))

    async def ring() -> None:
        """Both plan it, and both carry it out."""

    right.job(ring)
    wrong.job(ring)

    async with right, wrong:
        await right.schedule("quick", every(1).seconds().recurring_task, job="ring")
        async with asyncio.timeout(PATIENCE):
            while sum(event.kind.name == "run.succeeded" for event in told) < 3:
                seen.clear()
                await seen.wait()
        health = await wrong.health()
        made = await right.history("quick")
    assert [event.data["seconds"] for event in told if event.kind.name == "clock.disagrees"] == [
        pytest.approx(MONTH.total_seconds(), abs=5)
    ]
    assert "clock.corrected" not in {event.kind.name for event in told}
    assert blames(health, "ahead of the database's")
    assert all(began <= each.fire.fire_at <= datetime.now(UTC) for each in made)
    assert len({each.fire.fire_at for each in made}) == len(made)
