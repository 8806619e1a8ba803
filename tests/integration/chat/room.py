"""A chat with duly: Ana's, in a channel with buttons, on a real runtime and virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

from duly.config.settings import Settings
from duly.ports.channels import Button, Incoming
from duly.runtime.runtime import Runtime
from duly.service.reminders.chats import ChatInbound
from duly.service.reminders.replies import Handled
from duly.service.schedules.fields import ReminderView
from duly.testing.channels import ScriptedChannel
from duly.testing.clock import VirtualClock
from tests.world import START, VirtualRuntime


class Room:
    """The chat of one person."""

    def __init__(self, runtime: Runtime, clock: VirtualClock, user: str) -> None:
        self.runtime = runtime
        self.clock = clock
        self.user = user
        self.services = runtime.services
        self.phone = runtime.channels["phone"]
        assert isinstance(self.phone, ScriptedChannel)
        self.intake = ChatInbound(
            runtime.services.reminder_service, runtime.store.reminders, runtime.channels, clock, self.services.chat
        )
        self._numbers = count(1)

    async def say(self, text: str | None = None, **more: Any) -> Handled:
        """Write to duly, and have the answer sent."""
        given = {"channel": "phone", "address": "17", "sender": "17", "message_id": f"in-{next(self._numbers)}", **more}
        return await self.intake.handle_and_reply(Incoming(text=text, **given))

    async def hears(self, text: str, **more: Any) -> str:
        """Write to duly, and give what it answers."""
        return (await self.say(text, **more)).reply or ""

    async def ask(self, text: str) -> str:
        """Let a reminder come that waits for its answer; gives the id of its schedule."""
        await self.runtime.engine.start()
        made = await self.runtime.services.reminder_service.create(
            self.user, {"type": "once", "at": "5m"}, text, require_ack=True
        )
        await self.clock.travel(minutes=5)
        return made.id

    async def status(self, schedule_id: str) -> str:
        """How the latest run of a reminder stands."""
        return (await self.runtime.store.reminders.of_schedule(schedule_id, 1))[0].status

    @property
    def buttons(self) -> list[Button]:
        assert isinstance(self.phone, ScriptedChannel)
        return list(self.phone.arrived[-1].outgoing.buttons)

    @property
    def asked_in(self) -> str:
        assert isinstance(self.phone, ScriptedChannel)
        return self.phone.arrived[-1].message_id

    async def reminders(self) -> list[ReminderView]:
        views, _ = await self.runtime.services.reminder_service.lists.page(self.user)
        return views

    async def texts(self) -> list[str]:
        return sorted(view.message for view in await self.reminders())


@asynccontextmanager
async def room(folder: Path, language: str | None = "en", **person: Any) -> AsyncIterator[Room]:
    clock = VirtualClock(START)
    runtime = VirtualRuntime(Settings(data_dir=folder, store=str(folder / "duly.db")), clock=clock, environment={})
    runtime.__dict__["channels"] = {"phone": ScriptedChannel("phone")}
    await runtime.open()
    try:
        people = runtime.services.reminder_service.people
        ana = await people.add("Ana", **{"timezone": "Europe/Zagreb", "language": language, **person})
        await people.set_channels(ana.user.id, [("phone", "17")])
        yield Room(runtime, clock, ana.user.id)
    finally:
        await runtime.close()
