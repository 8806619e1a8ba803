"""The same engine over PostgreSQL, moved by hand: its store answers in real time, which no virtual clock waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

from duly.errors import ChannelTemporaryError
from duly.model.run import Status
from tests.conformance.reminders.lab import START, Lab
from tests.postgres_server import server

DOWN = ChannelTemporaryError("503")


def on_postgres(test: Callable[[Lab], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    async def scene(url: str) -> None:
        lab = Lab(url)
        await lab.open()
        await lab.people()
        try:
            await test(lab)
        finally:
            await lab.store.close()

    def called() -> None:
        with server().database() as url:
            asyncio.run(scene(url))

    called.__name__, called.__doc__ = test.__name__, test.__doc__
    return called


async def after(lab: Lab, **length: float) -> None:
    """Let time pass and carry out what is due."""
    lab.clock.advance(timedelta(**length))
    await lab.engine.tick(lab.clock.now())


@on_postgres
async def test_delivered_asked_and_acknowledged(lab: Lab) -> None:
    made = await lab.remind(require_ack=True, ack_prompt="Did you?")
    await after(lab, minutes=4)
    assert lab.chat.texts == []
    await after(lab, minutes=1)
    assert lab.chat.texts == ["Take it", "Did you?"]
    await after(lab, minutes=9)
    assert len(lab.chat.texts) == 2
    await after(lab, minutes=1)
    assert len(lab.chat.texts) == 4
    press = lab.chat.arrived[-1].outgoing.buttons[0].token
    assert (await lab.service.handle_message(lab.ana, "chat", button=press)).reply == "✓ Done: Take it"
    await after(lab, seconds=0)
    assert (await lab.status(made), await lab.run_status(made)) == ("acked", Status.SUCCEEDED)
    assert (await lab.service.get(lab.ana, made.id)).last_status == "acked"


@on_postgres
async def test_retried_escalated_and_failed(lab: Lab) -> None:
    lab.chat.otherwise = lab.mail.otherwise = DOWN
    made = await lab.remind(priority="critical", max_retries=1)
    await after(lab, minutes=5)
    assert (len(lab.pager.texts), await lab.status(made)) == (1, "sending")
    await after(lab, seconds=10)
    assert (await lab.status(made), await lab.run_status(made)) == ("failed", Status.FAILED)
    assert await lab.inbox() == ["Take it"]
    assert (await lab.service.get(lab.ana, made.id)).consecutive_errors == 1


@on_postgres
async def test_snoozed_and_replaced_by_the_next(lab: Lab) -> None:
    made = await lab.remind({"type": "interval", "every": "1h"}, require_ack=True)
    await after(lab, hours=1)
    await lab.service.answer(lab.ana, "snooze", minutes=30)
    await after(lab, minutes=29)
    assert len(lab.chat.texts) == 1
    await after(lab, minutes=1)
    assert len(lab.chat.texts) == 2
    await lab.service.answer(lab.ana, "snooze", minutes=50)
    await after(lab, minutes=30)
    assert len(lab.chat.texts) == 3
    statuses = [(each.run_number, each.status) for each in await lab.store.reminders.of_schedule(made.id, 10)]
    assert statuses == [(2, "awaiting_ack"), (1, "unacked")]


@on_postgres
async def test_missed_and_made_up(lab: Lab) -> None:
    made = await lab.remind()
    lab.clock.advance(timedelta(hours=3))
    [overdue] = await lab.service.recover_missed_jobs()
    assert (overdue.id, overdue.delivers) == (made.id, START + timedelta(minutes=5))
    await after(lab, seconds=0)
    assert lab.chat.texts == ["[Late 175m] Take it"]


@on_postgres
async def test_silence_in_a_quick_series_reaches_the_admin_once(lab: Lab) -> None:
    await lab.remind({"type": "interval", "every": "30m"}, priority="critical", require_ack=True)
    for _ in range(6):
        await after(lab, minutes=10)
    assert lab.pager.texts == []
    await after(lab, minutes=10)
    assert lab.pager.texts == ["Ana did not answer a reminder: Take it"]
    for _ in range(12):
        await after(lab, minutes=10)
    assert len(lab.pager.texts) == 1


@on_postgres
async def test_a_dead_channel_in_a_quick_series_reaches_the_admin_once_and_is_counted(lab: Lab) -> None:
    lab.chat.otherwise = lab.mail.otherwise = DOWN
    made = await lab.remind({"type": "interval", "every": "3m"}, priority="high")
    for _ in range(6):
        await after(lab, minutes=1, seconds=30)
    assert len(lab.pager.texts) == 1
    assert (await lab.service.get(lab.ana, made.id)).consecutive_errors == 2
    assert [run.status for run in (await lab.runs(made))[1:]] == [Status.FAILED, Status.FAILED]
