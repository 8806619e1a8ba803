"""Reminders while the wall clock is wrong, and while the machine sleeps; on both stores, moved by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from duly.errors import ChannelTemporaryError
from tests.conformance.reminders.harness import ASKED, ReminderHarness, place

MONTH = timedelta(days=30)
DOWN = ChannelTemporaryError("503")


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with place(request.param, tmp_path) as made:
        yield made


@asynccontextmanager
async def lab_over(url: str) -> AsyncIterator[ReminderHarness]:
    harness = ReminderHarness(url)
    await harness.open()
    await harness.people()
    try:
        yield harness
    finally:
        await harness.store.close()


async def after(harness: ReminderHarness, **length: float) -> None:
    """Let time pass and carry out what is due."""
    harness.clock.advance(timedelta(**length))
    await harness.engine.tick()


async def wrong_for_two_minutes(harness: ReminderHarness) -> None:
    """The clock is a month ahead, and right again; the engine looks at both times."""
    harness.clock.step(MONTH)
    await after(harness, minutes=2)
    harness.clock.step(-MONTH)
    await after(harness, seconds=5)


async def test_a_question_is_asked_again_ten_minutes_after_the_clock_was_set_right(url: str) -> None:
    async with lab_over(url) as harness:
        await harness.remind(require_ack=True)
        await after(harness, minutes=5)
        await wrong_for_two_minutes(harness)
        assert len(harness.chat.texts) == 2  # the wrong clock had it asked again
        await after(harness, minutes=9)
        assert len(harness.chat.texts) == 2
        await after(harness, minutes=1)
        assert len(harness.chat.texts) == 3


async def test_silence_is_told_as_if_the_clock_had_been_right(url: str) -> None:
    async with lab_over(url) as harness:
        await harness.remind(require_ack=True, priority="critical")
        await after(harness, minutes=5)
        await wrong_for_two_minutes(harness)
        for _ in range(3):
            await after(harness, minutes=10)
        assert harness.chat.texts == [ASKED] * 4
        await after(harness, minutes=10)
        assert len(harness.pager.texts) == 1


async def test_a_round_that_failed_by_the_wrong_clock_is_repeated_within_the_longest_wait(url: str) -> None:
    async with lab_over(url) as harness:
        await harness.remind()
        harness.chat.script.append(DOWN)
        harness.mail.script.append(DOWN)
        await wrong_for_two_minutes(harness)
        assert harness.chat.texts == []
        await after(harness, hours=1, minutes=6)
        assert [text.endswith("Take it") for text in harness.chat.texts] == [True]


async def test_a_reminder_for_a_time_to_come_that_the_wrong_clock_delivered_is_not_repeated(url: str) -> None:
    async with lab_over(url) as harness:
        await harness.remind({"type": "once", "at": "3h"})
        await wrong_for_two_minutes(harness)
        assert len(harness.chat.texts) == 1
        await after(harness, hours=4)
        assert len(harness.chat.texts) == 1


# asleep


async def test_a_reminder_that_fell_due_while_the_machine_slept_comes_late_and_says_so(url: str) -> None:
    async with lab_over(url) as harness:
        await harness.remind()
        harness.clock.suspend(timedelta(hours=5, minutes=5))
        await after(harness, seconds=5)
        assert harness.chat.texts == ["[Late 300m] Take it"]


async def test_a_question_that_waited_while_the_machine_slept_is_asked_again_on_waking(url: str) -> None:
    async with lab_over(url) as harness:
        await harness.remind(require_ack=True)
        await after(harness, minutes=5)
        harness.clock.suspend(timedelta(hours=8))
        await after(harness, seconds=5)
        assert len(harness.chat.texts) == 2
        assert (await harness.service.handle_message(harness.ana, "chat", "done")).consumed
        await after(harness, days=1)
        assert len(harness.chat.texts) == 2
