"""A process that vanishes at the worst moment: at most one duplicate, and an answer counts once."""

from __future__ import annotations

from duly.ports.channels import Address, Outgoing, Receipt
from duly.testing.channels import ScriptedChannel
from tests.conformance.reminders.lab import ASKED, Lab, in_lab


class SlowChannel(ScriptedChannel):
    """Takes a second to hear a message and another one to answer, on the clock of whoever sends."""

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
async def test_an_answer_to_a_message_nobody_recorded_counts(lab: Lab) -> None:
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
