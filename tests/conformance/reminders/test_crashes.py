"""A process that vanishes at the worst moment: at most one duplicate, and an answer counts once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from duly.errors import ChannelTemporaryError
from duly.ports.channels import Address, Outgoing, Receipt
from duly.recurrence import Once
from duly.service.reminders.requests import reminder_policy
from duly.service.schedules.fields import ReminderView
from duly.testing.channels import ScriptedChannel
from tests.conformance.reminders.harness import ASKED, START, ReminderHarness, harness_at, with_harness


class SlowChannel(ScriptedChannel):
    """Takes a second to hear a message and another one to answer, on the clock of the sender."""

    def __init__(self, harness: ReminderHarness, name: str) -> None:
        super().__init__(name)
        self._harness = harness

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        clock = self._harness.process.clock
        await clock.sleep(1)
        receipt = await super().send(address, outgoing)
        await clock.sleep(1)
        return receipt


async def with_slow_chat(harness: ReminderHarness) -> None:
    harness.chat = SlowChannel(harness, "chat")
    await harness.engine.stop()
    await harness.store.close()
    await harness.open()
    await harness.start()


@with_harness
async def test_gone_before_the_message_left(harness: ReminderHarness) -> None:
    await with_slow_chat(harness)
    made = await harness.remind()
    await harness.clock.travel(minutes=5, milliseconds=500)
    await harness.crash()
    await harness.clock.travel(minutes=1)
    assert harness.chat.texts == ["Take it"]
    assert await harness.tried(made) == [("chat", "reminder", "unknown"), ("chat", "reminder", "sent")]


@with_harness
async def test_gone_between_sending_and_recording(harness: ReminderHarness) -> None:
    await with_slow_chat(harness)
    made = await harness.remind(require_ack=True)
    await harness.clock.travel(minutes=5, milliseconds=1500)
    assert harness.chat.texts == [ASKED]
    await harness.crash()
    await harness.clock.travel(minutes=1)
    assert harness.chat.texts == [ASKED, ASKED]
    keys = {each.outgoing.key for each in harness.chat.arrived}
    tokens = {each.outgoing.buttons[0].token for each in harness.chat.arrived}
    assert (len(keys), len(tokens)) == (1, 1)  # either of the two messages answers the one reminder
    for number in (0, 1):
        press = harness.chat.arrived[number].outgoing.buttons[0].token
        assert (await harness.service.handle_message(harness.ana, "chat", button=press)).consumed
    await harness.clock.travel(hours=1)
    assert await harness.status(made) == "acked"
    assert len(await harness.store.reminders.answers((await harness.reminder(made)).run_id)) == 1
    assert len(harness.chat.texts) == 2


@with_harness
async def test_an_answer_to_an_unrecorded_message_counts(harness: ReminderHarness) -> None:
    await with_slow_chat(harness)
    made = await harness.remind(require_ack=True)
    await harness.clock.travel(minutes=5, milliseconds=1500)
    press = harness.chat.arrived[0].outgoing.buttons[0].token
    assert (await harness.service.handle_message(harness.ana, "chat", button=press)).consumed
    await harness.crash()
    await harness.clock.travel(hours=1)
    assert (harness.chat.texts, await harness.status(made)) == ([ASKED], "acked")


@with_harness
async def test_gone_between_the_reminder_and_its_question(harness: ReminderHarness) -> None:
    await with_slow_chat(harness)
    await harness.remind(require_ack=True, ack_prompt="Did you?")
    await harness.clock.travel(minutes=5, milliseconds=2500)
    assert harness.chat.texts == ["Take it"]
    await harness.crash()
    await harness.clock.travel(minutes=1)
    assert harness.chat.texts == ["Take it", "Did you?"]


@with_harness
async def test_gone_again_and_again(harness: ReminderHarness) -> None:
    await with_slow_chat(harness)
    made = await harness.remind()
    await harness.clock.travel(minutes=5)
    for _ in range(6):
        await harness.clock.travel(milliseconds=700)
        await harness.crash()
    await harness.clock.travel(minutes=10)
    assert harness.chat.texts == ["Take it"]
    assert await harness.status(made) == "delivered"


@with_harness
async def test_asleep_while_gone(harness: ReminderHarness) -> None:
    made = await harness.remind(require_ack=True)
    await harness.clock.travel(minutes=5)
    await harness.service.answer(harness.ana, "snooze", minutes=30)
    await harness.clock.travel(minutes=1)
    await harness.crash()
    await harness.clock.travel(minutes=28)
    assert len(harness.chat.texts) == 1
    await harness.clock.travel(minutes=1)
    assert (len(harness.chat.texts), await harness.status(made)) == (2, "awaiting_ack")


class VanishingRecords:
    """The records of a process that is gone right after it made one of its calls: the call counts, nothing after it."""

    def __init__(self, harness: ReminderHarness, calls: int) -> None:
        self._harness = harness
        self._reminders = harness.store.reminders
        self._calls_left = calls
        self.has_vanished = False

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def call(*arguments: Any) -> Any:
            process = self._harness.process
            answer = await getattr(self._reminders, name)(*arguments)
            self._calls_left -= 1
            if self._calls_left == 0:
                self.has_vanished = True
                process.crash()
                await process.gate()
            return answer

        return call


async def vanish_after(harness: ReminderHarness, calls: int) -> VanishingRecords:
    """Have the delivery's process end after so many calls to its store."""
    records = VanishingRecords(harness, calls)
    await harness.engine.stop()
    harness.renew(records)
    await harness.start()
    return records


async def live_on(harness: ReminderHarness, records: VanishingRecords, minutes: int) -> None:
    """Let time pass; where the process vanishes, another takes its place within a minute."""
    restarted = False
    for _ in range(minutes):
        await harness.clock.travel(minutes=1)
        if records.has_vanished and not restarted:
            restarted = True
            await harness.crash()


async def scene_of_delivery(folder: Path, calls: int) -> tuple[bool, list[str]]:
    async with harness_at(str(folder / f"{calls}.db")) as harness:
        await harness.remind(require_ack=True, ack_prompt="Did you?", max_ack_reminders=1)
        records = await vanish_after(harness, calls)
        await live_on(harness, records, minutes=30)
        return records.has_vanished, [each.outgoing.key for each in harness.chat.arrived]


@pytest.mark.parametrize("ahead", range(4))
def test_gone_after_any_call_what_comes_again_has_the_same_key(tmp_path: Path, ahead: int) -> None:
    """The reminder, its question, and both again because they were not answered: four messages after any crash."""
    for calls in range(1 + ahead, 100, 4):  # a quarter of the places in each test
        vanished, keys = asyncio.run(scene_of_delivery(tmp_path, calls))
        arrived = Counter(key.partition("/")[2] for key in keys)
        assert sorted(arrived) == ["ack_prompt/0", "ack_prompt/1", "reminder/0", "reminder/1"], (calls, keys)
        assert all(number == 1 for number in arrived.values()), (calls, keys)  # it vanishes between sends, not in one
        if not vanished:
            return
    raise AssertionError("a delivery takes fewer calls than that")


async def scene_of_failure(folder: Path, calls: int) -> tuple[bool, list[str], list[str]]:
    async with harness_at(str(folder / f"{calls}.db")) as harness:
        harness.chat.otherwise = harness.mail.otherwise = ChannelTemporaryError("503")
        await harness.remind(priority="critical", max_retries=1)
        records = await vanish_after(harness, calls)
        await live_on(harness, records, minutes=30)
        return records.has_vanished, [each.outgoing.key for each in harness.pager.arrived], await harness.inbox()


@pytest.mark.parametrize("ahead", range(4))
def test_gone_after_any_call_while_nothing_works_the_admin_hears_it_under_one_key(tmp_path: Path, ahead: int) -> None:
    for calls in range(1 + ahead, 100, 4):
        vanished, keys, inbox = asyncio.run(scene_of_failure(tmp_path, calls))
        assert (len(set(keys)), 1 <= len(keys) <= 2, inbox) == (1, True, ["Take it"]), (calls, keys, inbox)
        if not vanished:
            return
    raise AssertionError("a failed delivery takes fewer calls than that")


ATTEMPTS = reminder_policy(Once(START)).retry.max_attempts or 0
"""How often a reminder may take its process down."""


class DeadlyChannel(ScriptedChannel):
    """Takes the process down with every message, before or after it has arrived."""

    def __init__(self, harness: ReminderHarness, name: str, *, arrives: bool = False) -> None:
        super().__init__(name)
        self._harness = harness
        self._arrives = arrives

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        if self._arrives:
            await super().send(address, outgoing)
        process = self._harness.process
        process.crash()
        await process.gate()
        raise AssertionError("the process should have ended")


async def with_deadly(harness: ReminderHarness, **channels: ScriptedChannel) -> None:
    for name, channel in channels.items():
        setattr(harness, name, channel)
    await harness.engine.stop()
    harness.renew()
    await harness.start()


async def until_given_up(harness: ReminderHarness, made: ReminderView) -> int:
    """Start the process again whenever it died; gives how often."""
    deaths = 0
    for _ in range(40):
        await harness.clock.travel(minutes=1)
        if harness.process.gone:
            deaths += 1
            await harness.crash()
        elif (await harness.reminder(made)).status.final:
            break
    return deaths


@pytest.mark.parametrize(("priority", "told"), [("critical", 1), ("high", 1), ("normal", 0), ("low", 0)])
def test_a_reminder_whose_run_is_dead_has_failed_and_who_must_know_is_told(
    tmp_path: Path, priority: str, told: int
) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            await with_deadly(harness, chat=DeadlyChannel(harness, "chat"))
            made = await harness.remind(priority=priority, require_ack=True)
            await harness.clock.travel(minutes=4)
            assert await until_given_up(harness, made) == ATTEMPTS
            await harness.clock.travel(minutes=10)
            view = await harness.service.get(harness.ana, made.id)
            assert (view.last_status, view.consecutive_errors) == ("failed", 1)
            assert await harness.run_status(made) == "dead"
            assert await harness.inbox() == [ASKED]
            assert len(harness.pager.texts) == told
            if told:
                assert harness.pager.texts[0].startswith("A reminder for Ana could not be delivered: Take it")
                assert f"attempts lost with their process: {ATTEMPTS}" in harness.pager.texts[0]
            await harness.crash()
            await harness.clock.travel(hours=3)
            assert len(harness.pager.texts) == told  # once

    asyncio.run(scene())


@with_harness
async def test_what_arrived_before_its_run_died_can_be_answered(harness: ReminderHarness) -> None:
    await with_deadly(harness, chat=DeadlyChannel(harness, "chat", arrives=True))
    made = await harness.remind(require_ack=True)
    await harness.clock.travel(minutes=4)
    await until_given_up(harness, made)
    assert {each.outgoing.key.partition("/")[2] for each in harness.chat.arrived} == {"reminder/0"}
    press = harness.chat.arrived[0].outgoing.buttons
    later = await harness.service.handle_message(harness.ana, "chat", button=press[1].token)
    assert later.reply == "This reminder is over already: Take it"  # nothing is left that could come again
    done = await harness.service.handle_message(harness.ana, "chat", button=press[0].token)
    assert done.reply == "✓ Done: Take it"
    assert await harness.status(made) == "acked"
    again = await harness.service.handle_message(harness.ana, "chat", button=press[0].token)
    assert again.reply == "This reminder is over already: Take it"


@with_harness
async def test_telling_that_is_deadly_itself_is_given_up_too(harness: ReminderHarness) -> None:
    """Otherwise every process would die as soon as it starts."""
    await with_deadly(harness, chat=DeadlyChannel(harness, "chat"), pager=DeadlyChannel(harness, "pager"))
    made = await harness.remind(priority="critical")
    await harness.clock.travel(minutes=4)
    assert await until_given_up(harness, made) == ATTEMPTS + 3
    assert await harness.status(made) == "failed"
    await harness.clock.travel(hours=3)
    assert not harness.process.gone


@with_harness
async def test_a_run_that_failed_before_it_could_end_its_reminder(harness: ReminderHarness) -> None:
    made = await harness.remind(priority="high", require_ack=True)
    await harness.clock.travel(minutes=5)
    [run] = await harness.runs(made)
    await harness.engine.stop()
    with apsw.Connection(harness.url) as connection:
        ended = "UPDATE runs SET status = 'failed', finished_at = due_at, reason = NULL, error = 'x' WHERE id = ?"
        connection.execute(ended, (run.id,))
    harness.renew()
    await harness.start()
    await harness.clock.travel(minutes=1)
    assert (await harness.status(made), len(harness.pager.texts)) == ("failed", 1)
