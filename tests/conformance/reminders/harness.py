"""A whole deployment for reminders on virtual time: a real store, the engine, channels that do as they are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import apsw

from duly.delivery.dispatcher import MessageDispatcher
from duly.engine.engine import Engine
from duly.engine.settings import VIRTUAL
from duly.model.events import Event
from duly.model.reminder import ReminderStatus
from duly.model.run import Run, Status
from duly.ports.records import RunFilter
from duly.ports.reminders import DeliveryAttempt, Reminder
from duly.ports.store import FullStore
from duly.service.reminders.timing import fire_again
from duly.service.schedules.fields import ReminderView
from duly.service.services import Services
from duly.stores import open_store
from duly.stores.sqlite.executor import InlineExecutor
from duly.testing.channels import ScriptedChannel
from duly.testing.clock import VirtualClock
from tests.bare_process import BareProcess
from tests.postgres_server import server
from tests.sim.process import Process
from tests.sqlite_template import prepare

START = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)  # a Monday
IN_FIVE = {"type": "once", "at": "5m"}
ASKED = "Take it\nIs it done?"
"""The message of a reminder that wants an answer and has no question of its own."""


class ReminderHarness:
    """Ana, who is reached by `chat` and then by `mail`; Root, the admin, who has `pager`."""

    def __init__(self, url: str, start: datetime = START) -> None:
        self.url = url
        self.clock = VirtualClock(start)
        self.chat, self.mail, self.pager = ScriptedChannel("chat"), ScriptedChannel("mail"), ScriptedChannel("pager")
        self.chance: Callable[[], float] = lambda: 0.0
        self.random_bits = Random(1).getrandbits  # the same ids in the same order every time
        self.ana = self.root = ""
        self.emitted: list[Event] = []
        """The events of deliveries."""
        self._dead: set[asyncio.Task[Any]] = set()
        self._left: list[FullStore] = []

    async def open(self) -> None:
        """A process of its own: what it does stops with it."""
        self.process = Process("duly", self.clock)
        clock = self.process.clock
        self.store: FullStore = open_store(self.url, clock, inline=True)
        await self.store.open()
        executor = getattr(getattr(self.store, "_file", None), "executor", None)
        if isinstance(executor, InlineExecutor):  # no test cuts the power here, so none waits for the disk
            executor._connection.execute("PRAGMA synchronous = OFF")
        self.services = Services(
            BareProcess(
                self.store,
                clock,
                bits=self.random_bits,
                wake=lambda: self.engine.wake(),
                channels=("chat", "mail", "pager", "pigeon"),
            )
        )
        self.service = self.services.reminder_service
        self.renew()

    def renew(self, records: Any = None) -> None:
        """An engine that delivers through these records: those of the store, unless a test has others."""
        channels = {each.name: each for each in (self.chat, self.mail, self.pager)}
        clock, reminders = self.process.clock, records or self.store.reminders
        self.dispatcher = MessageDispatcher(
            self.store.people,
            reminders,
            channels,
            clock,
            again=lambda schedule_id, at: fire_again(self.store, clock, self.random_bits, schedule_id, at),
            chance=lambda: self.chance(),
            emit=self.emitted.append,
        )
        self.engine = Engine(self.store, self.dispatcher, clock, VIRTUAL, random_bits=self.random_bits)

    async def people(self) -> None:
        ana = await self.service.people.add("Ana", timezone="Europe/Zagreb", language="en")
        root = await self.service.people.add("Root", is_admin=True)
        self.ana, self.root = ana.user.id, root.user.id
        await self.service.people.set_channels(self.ana, [("chat", "17"), ("mail", "ana@example.org")])
        await self.service.people.set_channels(self.root, [("pager", "1")])

    async def start(self) -> None:
        await self.engine.start()

    async def close(self) -> None:
        if not self.process.gone:
            await self.engine.stop()
        await self.store.close()
        dead = self._dead - {asyncio.current_task()}
        for task in dead:
            task.cancel()
        await asyncio.gather(*dead, return_exceptions=True)
        for store in self._left:
            await store.close()

    async def crash(self, down: float = 0) -> None:
        """The process is gone, wherever it was; another one begins over the same file, and sees that it is gone."""
        self.process.crash()
        self._dead |= asyncio.all_tasks() - {asyncio.current_task()}
        self._left.append(self.store)
        if down:
            await self.clock.sleep(down)
        await self.open()
        with apsw.Connection(self.url) as connection:
            connection.execute("UPDATE nodes SET pid_started = 'another' WHERE state = 'alive'")
        await self.engine.start()

    # short ways

    async def remind(self, schedule: Any = None, message: str = "Take it", **options: Any) -> ReminderView:
        return await self.service.create(self.ana, schedule or IN_FIVE, message, **options)

    async def reminder(self, of: ReminderView) -> Reminder:
        [latest, *_others] = await self.store.reminders.of_schedule(of.id, 1)
        return latest

    async def status(self, of: ReminderView) -> ReminderStatus:
        return (await self.reminder(of)).status

    async def attempts(self, of: ReminderView) -> list[DeliveryAttempt]:
        return await self.store.reminders.attempts((await self.reminder(of)).run_id)

    async def tried(self, of: ReminderView) -> list[tuple[str, str, str]]:
        """Channel, kind and status of every attempt."""
        return [(each.channel, str(each.kind), str(each.status)) for each in await self.attempts(of)]

    async def runs(self, of: ReminderView) -> list[Run]:
        return await self.store.runs(RunFilter(schedule_id=of.id))

    async def run_status(self, of: ReminderView) -> Status:
        return (await self.runs(of))[0].status

    async def inbox(self, user_id: str | None = None) -> list[str]:
        items = await self.store.reminders.inbox(user_id or self.ana, unread=False, limit=100)
        return [item.text for item in items]


@asynccontextmanager
async def harness_at(url: str, start: datetime = START) -> AsyncIterator[ReminderHarness]:
    if not url.startswith("postgresql"):
        prepare(Path(url))
    harness = ReminderHarness(url, start)
    await harness.open()
    try:
        await harness.people()
        await harness.start()
        yield harness
    finally:
        await harness.close()


@contextmanager
def place(kind: str, folder: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield str(folder / "duly.db")
    else:
        with server().database() as url:
            yield url


def with_harness(
    test: Callable[[ReminderHarness], Coroutine[Any, Any, None]],
) -> Callable[..., Coroutine[Any, Any, None]]:
    """Give a test a harness over a SQLite file."""

    async def inside(tmp_path: Path) -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            await test(harness)

    inside.__name__ = test.__name__
    inside.__doc__ = test.__doc__
    return inside
