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
from duly.service.reminders.views import ReminderView
from duly.testing.channels import ScriptedChannel
from tests.conformance.reminders.lab import ASKED, START, Lab, in_lab, lab_at


class SlowChannel(ScriptedChannel):
    """Takes a second to hear a message and another one to answer, on the clock of the sender."""

    def __init__(self, lab: Lab, name: str) -> None:
        super().__init__(name)
        self._lab = lab

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        clock = self._lab.process.clock
        await clock.sleep(1)
        receipt = await super().send(address, outgoing)
        await clock.sleep(1)
        return receipt


async def with_slow_chat(lab: Lab) -> None:
    lab.chat = SlowChannel(lab, "chat")
    await lab.engine.stop()
    await lab.store.close()
    await lab.open()
    await lab.start()


@in_lab
async def test_gone_before_the_message_left(lab: Lab) -> None:
    await with_slow_chat(lab)
    made = await lab.remind()
    await lab.clock.travel(minutes=5, milliseconds=500)
    await lab.crash()
    await lab.clock.travel(minutes=1)
    assert lab.chat.texts == ["Take it"]
    assert await lab.tried(made) == [("chat", "reminder", "unknown"), ("chat", "reminder", "sent")]


@in_lab
async def test_gone_between_sending_and_recording(lab: Lab) -> None:
    await with_slow_chat(lab)
    made = await lab.remind(require_ack=True)
    await lab.clock.travel(minutes=5, milliseconds=1500)
    assert lab.chat.texts == [ASKED]
    await lab.crash()
    await lab.clock.travel(minutes=1)
    assert lab.chat.texts == [ASKED, ASKED]
    keys = {each.outgoing.key for each in lab.chat.arrived}
    tokens = {each.outgoing.buttons[0].token for each in lab.chat.arrived}
    assert (len(keys), len(tokens)) == (1, 1)  # either of the two messages answers the one reminder
    for number in (0, 1):
        press = lab.chat.arrived[number].outgoing.buttons[0].token
        assert (await lab.service.handle_message(lab.ana, "chat", button=press)).consumed
    await lab.clock.travel(hours=1)
    assert await lab.status(made) == "acked"
    assert len(await lab.store.reminders.answers((await lab.reminder(made)).run_id)) == 1
    assert len(lab.chat.texts) == 2


@in_lab
async def test_an_answer_to_an_unrecorded_message_counts(lab: Lab) -> None:
    await with_slow_chat(lab)
    made = await lab.remind(require_ack=True)
    await lab.clock.travel(minutes=5, milliseconds=1500)
    press = lab.chat.arrived[0].outgoing.buttons[0].token
    assert (await lab.service.handle_message(lab.ana, "chat", button=press)).consumed
    await lab.crash()
    await lab.clock.travel(hours=1)
    assert (lab.chat.texts, await lab.status(made)) == ([ASKED], "acked")


@in_lab
async def test_gone_between_the_reminder_and_its_question(lab: Lab) -> None:
    await with_slow_chat(lab)
    await lab.remind(require_ack=True, ack_prompt="Did you?")
    await lab.clock.travel(minutes=5, milliseconds=2500)
    assert lab.chat.texts == ["Take it"]
    await lab.crash()
    await lab.clock.travel(minutes=1)
    assert lab.chat.texts == ["Take it", "Did you?"]


@in_lab
async def test_gone_again_and_again(lab: Lab) -> None:
    await with_slow_chat(lab)
    made = await lab.remind()
    await lab.clock.travel(minutes=5)
    for _ in range(6):
        await lab.clock.travel(milliseconds=700)
        await lab.crash()
    await lab.clock.travel(minutes=1)
    assert lab.chat.texts == ["Take it"]
    assert await lab.status(made) == "delivered"


@in_lab
async def test_asleep_while_gone(lab: Lab) -> None:
    made = await lab.remind(require_ack=True)
    await lab.clock.travel(minutes=5)
    await lab.service.answer(lab.ana, "snooze", minutes=30)
    await lab.clock.travel(minutes=1)
    await lab.crash()
    await lab.clock.travel(minutes=28)
    assert len(lab.chat.texts) == 1
    await lab.clock.travel(minutes=1)
    assert (len(lab.chat.texts), await lab.status(made)) == (2, "awaiting_ack")


class VanishingRecords:
    """The records of a process that is gone right after it made one of its calls: the call counts, nothing after it."""

    def __init__(self, lab: Lab, calls: int) -> None:
        self._lab = lab
        self._reminders = lab.store.reminders
        self._calls_left = calls
        self.has_vanished = False

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def call(*arguments: Any) -> Any:
            process = self._lab.process
            answer = await getattr(self._reminders, name)(*arguments)
            self._calls_left -= 1
            if self._calls_left == 0:
                self.has_vanished = True
                process.crash()
                await process.gate()
            return answer

        return call


async def vanish_after(lab: Lab, calls: int) -> VanishingRecords:
    """Have the delivery's process end after so many calls to its store."""
    records = VanishingRecords(lab, calls)
    await lab.engine.stop()
    lab.renew(records)
    await lab.start()
    return records


async def live_on(lab: Lab, records: VanishingRecords, minutes: int) -> None:
    """Let time pass; where the process vanishes, another takes its place within a minute."""
    restarted = False
    for _ in range(minutes):
        await lab.clock.travel(minutes=1)
        if records.has_vanished and not restarted:
            restarted = True
            await lab.crash()


async def scene_of_delivery(folder: Path, calls: int) -> tuple[bool, list[str]]:
    async with lab_at(str(folder / f"{calls}.db")) as lab:
        await lab.remind(require_ack=True, ack_prompt="Did you?", max_ack_reminders=1)
        records = await vanish_after(lab, calls)
        await live_on(lab, records, minutes=30)
        return records.has_vanished, [each.outgoing.key for each in lab.chat.arrived]


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
    async with lab_at(str(folder / f"{calls}.db")) as lab:
        lab.chat.otherwise = lab.mail.otherwise = ChannelTemporaryError("503")
        await lab.remind(priority="critical", max_retries=1)
        records = await vanish_after(lab, calls)
        await live_on(lab, records, minutes=30)
        return records.has_vanished, [each.outgoing.key for each in lab.pager.arrived], await lab.inbox()


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

    def __init__(self, lab: Lab, name: str, *, arrives: bool = False) -> None:
        super().__init__(name)
        self._lab = lab
        self._arrives = arrives

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        if self._arrives:
            await super().send(address, outgoing)
        process = self._lab.process
        process.crash()
        await process.gate()
        raise AssertionError("the process should have ended")


async def with_deadly(lab: Lab, **channels: ScriptedChannel) -> None:
    for name, channel in channels.items():
        setattr(lab, name, channel)
    await lab.engine.stop()
    lab.renew()
    await lab.start()


async def until_given_up(lab: Lab, made: ReminderView) -> int:
    """Start the process again whenever it died; gives how often."""
    deaths = 0
    for _ in range(40):
        await lab.clock.travel(minutes=1)
        if lab.process.gone:
            deaths += 1
            await lab.crash()
        elif (await lab.reminder(made)).status.final:
            break
    return deaths


@pytest.mark.parametrize(("priority", "told"), [("critical", 1), ("high", 1), ("normal", 0), ("low", 0)])
def test_a_reminder_whose_run_is_dead_has_failed_and_who_must_know_is_told(
    tmp_path: Path, priority: str, told: int
) -> None:
    async def scene() -> None:
        async with lab_at(str(tmp_path / "duly.db")) as lab:
            await with_deadly(lab, chat=DeadlyChannel(lab, "chat"))
            made = await lab.remind(priority=priority, require_ack=True)
            await lab.clock.travel(minutes=4)
            assert await until_given_up(lab, made) == ATTEMPTS
            await lab.clock.travel(minutes=10)
            view = await lab.service.get(lab.ana, made.id)
            assert (view.last_status, view.consecutive_errors) == ("failed", 1)
            assert await lab.run_status(made) == "dead"
            assert await lab.inbox() == [ASKED]
            assert len(lab.pager.texts) == told
            if told:
                assert lab.pager.texts[0].startswith("A reminder for Ana could not be delivered: Take it")
                assert f"attempts lost with their process: {ATTEMPTS}" in lab.pager.texts[0]
            await lab.crash()
            await lab.clock.travel(hours=3)
            assert len(lab.pager.texts) == told  # once

    asyncio.run(scene())


@in_lab
async def test_what_arrived_before_its_run_died_can_be_answered(lab: Lab) -> None:
    await with_deadly(lab, chat=DeadlyChannel(lab, "chat", arrives=True))
    made = await lab.remind(require_ack=True)
    await lab.clock.travel(minutes=4)
    await until_given_up(lab, made)
    assert {each.outgoing.key.partition("/")[2] for each in lab.chat.arrived} == {"reminder/0"}
    press = lab.chat.arrived[0].outgoing.buttons
    later = await lab.service.handle_message(lab.ana, "chat", button=press[1].token)
    assert later.reply == "This reminder is over already: Take it"  # nothing is left that could come again
    done = await lab.service.handle_message(lab.ana, "chat", button=press[0].token)
    assert done.reply == "✓ Done: Take it"
    assert await lab.status(made) == "acked"
    again = await lab.service.handle_message(lab.ana, "chat", button=press[0].token)
    assert again.reply == "This reminder is over already: Take it"


@in_lab
async def test_telling_that_is_deadly_itself_is_given_up_too(lab: Lab) -> None:
    """Otherwise every process would die as soon as it starts."""
    await with_deadly(lab, chat=DeadlyChannel(lab, "chat"), pager=DeadlyChannel(lab, "pager"))
    made = await lab.remind(priority="critical")
    await lab.clock.travel(minutes=4)
    assert await until_given_up(lab, made) == ATTEMPTS + 3
    assert await lab.status(made) == "failed"
    await lab.clock.travel(hours=3)
    assert not lab.process.gone


@in_lab
async def test_a_run_that_failed_before_it_could_end_its_reminder(lab: Lab) -> None:
    made = await lab.remind(priority="high", require_ack=True)
    await lab.clock.travel(minutes=5)
    [run] = await lab.runs(made)
    await lab.engine.stop()
    with apsw.Connection(lab.url) as connection:
        ended = "UPDATE runs SET status = 'failed', finished_at = due_at, reason = NULL, error = 'x' WHERE id = ?"
        connection.execute(ended, (run.id,))
    lab.renew()
    await lab.start()
    await lab.clock.travel(minutes=1)
    assert (await lab.status(made), len(lab.pager.texts)) == ("failed", 1)
