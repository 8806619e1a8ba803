"""The same engine over PostgreSQL, moved by hand: its store answers in real time, which no virtual clock waits for."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from datetime import timedelta
from typing import Any

import pytest

from duly.errors import ChannelTemporaryError
from duly.model.run import Status
from tests.conformance.reminders.harness import ASKED, START, ReminderHarness
from tests.postgres_server import server

DOWN = ChannelTemporaryError("503")


@pytest.fixture
def url() -> Iterator[str]:
    with server().database() as made:
        yield made


def on_postgres(
    test: Callable[[ReminderHarness], Coroutine[Any, Any, None]],
) -> Callable[[str], Coroutine[Any, Any, None]]:
    """Give a test a harness over an empty database."""

    async def called(url: str) -> None:
        harness = ReminderHarness(url)
        await harness.open()
        await harness.people()
        try:
            await test(harness)
        finally:
            await harness.store.close()

    called.__name__ = test.__name__
    called.__doc__ = test.__doc__
    return called


async def after(harness: ReminderHarness, **length: float) -> None:
    """Let time pass and carry out what is due."""
    harness.clock.advance(timedelta(**length))
    await harness.engine.tick(harness.clock.now())


@on_postgres
async def test_delivered_asked_and_acknowledged(harness: ReminderHarness) -> None:
    made = await harness.remind(require_ack=True, ack_prompt="Did you?")
    await after(harness, minutes=4)
    assert harness.chat.texts == []
    await after(harness, minutes=1)
    assert harness.chat.texts == ["Take it", "Did you?"]
    await after(harness, minutes=9)
    assert len(harness.chat.texts) == 2
    await after(harness, minutes=1)
    assert len(harness.chat.texts) == 4
    press = harness.chat.arrived[-1].outgoing.buttons[0].token
    assert (await harness.service.handle_message(harness.ana, "chat", button=press)).reply == "✓ Done: Take it"
    await after(harness, seconds=0)
    assert (await harness.status(made), await harness.run_status(made)) == ("acked", Status.SUCCEEDED)
    assert (await harness.service.get(harness.ana, made.id)).last_status == "acked"


@on_postgres
async def test_announced_ahead_and_again_after_it_is_done(harness: ReminderHarness) -> None:
    at = {"type": "once", "at": "2026-11-16T15:00"}  # on the clocks of Zagreb: two hours from the start
    made = await harness.remind(at, lead_minutes=[60], again_after_minutes=3 * 1440, require_ack=True)
    assert (made.lead_minutes, made.next_run_at) == ((60,), START + timedelta(hours=1))
    await after(harness, hours=1)
    assert harness.chat.texts == ["In 1 hour: Take it"]
    assert await harness.status(made) == "delivered"
    await after(harness, hours=1)
    assert harness.chat.texts[1:] == [ASKED]
    await after(harness, minutes=5)
    assert (await harness.service.handle_message(harness.ana, "chat", "done")).consumed
    await after(harness, seconds=1)
    assert await harness.status(made) == "acked"
    again = START + timedelta(days=3, hours=2, minutes=5)
    assert (await harness.service.get(harness.ana, made.id)).next_run_at == again - timedelta(hours=1)
    await harness.service.people.update(harness.ana, quiet="13:30-16:00")
    quiet = await harness.remind({"type": "once", "at": "2026-11-17T15:00"})
    assert quiet.note == "That is in your quiet hours, so it comes tomorrow at 16:00."


@on_postgres
async def test_retried_escalated_and_failed(harness: ReminderHarness) -> None:
    harness.chat.otherwise = harness.mail.otherwise = DOWN
    made = await harness.remind(priority="critical", max_retries=1)
    await after(harness, minutes=5)
    assert (len(harness.pager.texts), await harness.status(made)) == (1, "sending")
    await after(harness, seconds=10)
    assert (await harness.status(made), await harness.run_status(made)) == ("failed", Status.FAILED)
    assert await harness.inbox() == ["Take it"]
    assert (await harness.service.get(harness.ana, made.id)).consecutive_errors == 1


@on_postgres
async def test_snoozed_and_replaced_by_the_next(harness: ReminderHarness) -> None:
    made = await harness.remind({"type": "interval", "every": "1h"}, require_ack=True)
    await after(harness, hours=1)
    await harness.service.answer(harness.ana, "snooze", minutes=30)
    await after(harness, minutes=29)
    assert len(harness.chat.texts) == 1
    await after(harness, minutes=1)
    assert len(harness.chat.texts) == 2
    await harness.service.answer(harness.ana, "snooze", minutes=50)
    await after(harness, minutes=30)
    assert len(harness.chat.texts) == 3
    statuses = [(each.run_number, each.status) for each in await harness.store.reminders.of_schedule(made.id, 10)]
    assert statuses == [(2, "awaiting_ack"), (1, "unacked")]


@on_postgres
async def test_missed_and_made_up(harness: ReminderHarness) -> None:
    made = await harness.remind()
    harness.clock.advance(timedelta(hours=3))
    [overdue] = await harness.service.recover_missed_jobs()
    assert (overdue.id, overdue.delivers) == (made.id, START + timedelta(minutes=5))
    await after(harness, seconds=0)
    assert harness.chat.texts == ["[Late 175m] Take it"]


@on_postgres
async def test_silence_in_a_quick_series_reaches_the_admin_once(harness: ReminderHarness) -> None:
    await harness.remind({"type": "interval", "every": "30m"}, priority="critical", require_ack=True)
    for _ in range(6):
        await after(harness, minutes=10)
    assert harness.pager.texts == []
    await after(harness, minutes=10)
    assert harness.pager.texts == ["Ana did not answer a reminder: Take it"]
    for _ in range(12):
        await after(harness, minutes=10)
    assert len(harness.pager.texts) == 1


@on_postgres
async def test_a_dead_channel_in_a_quick_series_reaches_the_admin_once_and_is_counted(harness: ReminderHarness) -> None:
    harness.chat.otherwise = harness.mail.otherwise = DOWN
    made = await harness.remind({"type": "interval", "every": "3m"}, priority="high")
    for _ in range(6):
        await after(harness, minutes=1, seconds=30)
    assert len(harness.pager.texts) == 1
    assert (await harness.service.get(harness.ana, made.id)).consecutive_errors == 2
    assert [run.status for run in (await harness.runs(made))[1:]] == [Status.FAILED, Status.FAILED]


@on_postgres
async def test_announced_ahead_and_asked_again_at_its_own_pace(harness: ReminderHarness) -> None:
    two_hours = {"type": "once", "at": "2h"}
    await harness.remind(two_hours, require_ack=True, lead_minutes=[60], nag_minutes=3, max_ack_reminders=1)
    await after(harness, hours=1)
    assert harness.chat.texts == ["In 1 hour: Take it"]
    await after(harness, hours=1)
    await after(harness, minutes=2)
    assert harness.chat.texts[1:] == [ASKED]
    await after(harness, minutes=1)
    assert harness.chat.texts[1:] == [ASKED, ASKED]


@on_postgres
async def test_comes_again_after_its_answer_and_in_the_persons_own_evening(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.ana, day_parts="evening=21:15")
    evening = await harness.remind({"type": "smart", "text": "this evening"}, "Read")
    assert evening.next_run_at == START + timedelta(hours=8, minutes=15)
    made = await harness.remind(require_ack=True, again_after_minutes=3 * 1440)
    await after(harness, minutes=5)
    harness.clock.advance(timedelta(minutes=2))
    await harness.service.handle_message(harness.ana, "chat", "done")
    await after(harness, minutes=1)
    again = await harness.service.get(harness.ana, made.id)
    assert (again.last_status, again.next_run_at) == ("acked", START + timedelta(days=3, minutes=7))
    await after(harness, days=3)
    assert [text for text in harness.chat.texts if "Read" not in text] == [ASKED, ASKED]
    assert await harness.status(made) == "awaiting_ack"
