"""A process that vanishes at the worst moment: no notice is lost, and none is sent twice knowingly."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from duly import failpoints
from duly.failpoints import FailpointError
from duly.model.notice import NoticeStatus
from duly.ports.channels import Address, Outgoing, Receipt
from duly.runtime import notice_loop
from duly.stores import open_store
from duly.testing.channels import ScriptedChannel
from tests.conformance.notices.harness import FULL, NoticeHarness, notices_at, with_notices

FAILED = "✗ backup failed at 13:30: OSError: disk full\nNext attempt tomorrow at 13:30."


class SlowChannel(ScriptedChannel):
    """Takes a second to hear a message and another one to answer, on the clock of the sender."""

    def __init__(self, harness: NoticeHarness) -> None:
        super().__init__("chat")
        self._harness = harness

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        clock = self._harness.process.clock
        await clock.sleep(1)
        receipt = await super().send(address, outgoing)
        await clock.sleep(1)
        return receipt


async def failing(harness: NoticeHarness, *, slow: bool = True) -> str:
    """Make a schedule that fails at 12:30, and a chat that takes two seconds; its notice leaves at 12:31."""
    harness.chat = SlowChannel(harness) if slow else harness.chat
    await harness.loop.stop()
    harness.loop = harness.make_loop(harness.store)
    harness.store.on_event(harness.loop.hear)
    await harness.loop.begin()
    harness.jobs.outcomes["backup"] = FULL
    return await harness.schedule(when="every day at 12:30")


@with_notices
async def test_gone_before_the_failure_was_found(harness: NoticeHarness) -> None:
    await failing(harness)
    await harness.loop.stop()
    await harness.minutes(31)
    await harness.crash()
    await harness.minutes(3)
    assert harness.chat.texts == [FAILED]


@with_notices
async def test_gone_while_the_notice_waits(harness: NoticeHarness) -> None:
    await failing(harness)
    await harness.clock.travel(minutes=30, seconds=30)
    await harness.crash()
    await harness.minutes(10)
    assert harness.chat.texts == [FAILED]


@with_notices
async def test_gone_before_the_message_left(harness: NoticeHarness) -> None:
    made = await failing(harness)
    await harness.clock.travel(minutes=31, milliseconds=500)
    await harness.crash()
    await harness.clock.travel(seconds=3)  # the node is known to be lost, so nothing is waited for
    assert harness.chat.texts == [FAILED]
    assert await harness.sends(made) == [("chat", "unknown"), ("chat", "sent")]


@with_notices
async def test_gone_between_sending_and_recording(harness: NoticeHarness) -> None:
    made = await failing(harness)
    await harness.clock.travel(minutes=31, milliseconds=1500)
    assert harness.chat.texts == [FAILED]
    await harness.crash()
    await harness.clock.travel(seconds=3)
    assert harness.chat.texts == [FAILED, FAILED]  # it may not have arrived; where the vendor can tell, it drops one
    assert len({each.outgoing.key for each in harness.chat.arrived}) == 1
    assert await harness.sends(made) == [("chat", "unknown"), ("chat", "sent")]


@with_notices
async def test_gone_after_the_channel_confirmed(harness: NoticeHarness) -> None:
    made = await failing(harness)
    await harness.clock.travel(minutes=31, milliseconds=2500)
    assert await harness.sends(made) == [("chat", "sent")]
    await harness.crash()
    await harness.minutes(10)
    assert harness.chat.texts == [FAILED]


@with_notices
async def test_gone_again_and_again(harness: NoticeHarness) -> None:
    await failing(harness)
    await harness.minutes(31)
    for _ in range(5):
        await harness.clock.travel(milliseconds=700)
        await harness.crash()
        await harness.minutes(5)
    await harness.minutes(10)
    assert set(harness.chat.texts) == {FAILED}
    assert len({each.outgoing.key for each in harness.chat.arrived}) == 1


@pytest.mark.parametrize("point", ["notices.added", "notices.taken", "notices.recorded", "notices.sent"])
async def test_an_error_at_any_step_costs_nothing_that_was_to_be_told(point: str, tmp_path: Path) -> None:
    async with notices_at(str(tmp_path / "duly.db")) as harness:
        made = await failing(harness, slow=False)
        await harness.loop.stop()
        failpoints.arm(point)
        errors = 0
        for _ in range(70):
            await harness.minutes(0.5)
            try:
                await harness.loop.look()
            except FailpointError:
                errors += 1
        failpoints.disarm()
        assert errors == 1
        await harness.loop.begin()
        await harness.minutes(20)
        assert set(harness.chat.texts) == {FAILED}
        assert [each.status for each in await harness.notices(made)] == [NoticeStatus.SENT]


@with_notices
async def test_two_nodes_send_each_notice_once(harness: NoticeHarness) -> None:
    await failing(harness)
    other = open_store(harness.url, harness.process.clock, inline=True)
    await other.open()
    second = harness.make_loop(other)
    await second.begin()
    await harness.minutes(40)
    await second.stop()
    await other.close()
    assert harness.chat.texts == [FAILED]


@with_notices
async def test_a_stop_lets_a_message_on_its_way_arrive(harness: NoticeHarness) -> None:
    made = await failing(harness)
    await harness.clock.travel(minutes=31, milliseconds=500)
    stopping = asyncio.ensure_future(harness.loop.stop())
    await harness.clock.travel(seconds=3)
    await stopping
    assert harness.chat.texts == [FAILED]
    assert await harness.sends(made) == [("chat", "sent")]


class HangingChannel(ScriptedChannel):
    """Never answers; it may have taken the message before it is left alone."""

    def __init__(self, *, confirms: bool) -> None:
        super().__init__("chat")
        self._confirms = confirms

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        try:
            return await asyncio.Future()
        except asyncio.CancelledError:
            if not self._confirms:
                raise
            return await super().send(address, outgoing)


@with_notices
async def test_what_a_stop_cuts_off_leaves_right_after_the_restart(harness: NoticeHarness) -> None:
    made = await failing(harness, slow=False)
    answering, harness.chat = harness.chat, HangingChannel(confirms=False)
    await restarted(harness)
    await harness.clock.travel(minutes=31, seconds=1)
    harness.chat = answering
    await restarted(harness)
    await harness.clock.travel(seconds=1)
    assert answering.texts == [FAILED]
    assert await harness.sends(made) == [("chat", "unknown"), ("chat", "sent")]


@with_notices
async def test_what_a_channel_confirmed_while_it_was_cut_off_is_not_sent_again(harness: NoticeHarness) -> None:
    made = await failing(harness, slow=False)
    harness.chat = HangingChannel(confirms=True)
    await restarted(harness)
    await harness.clock.travel(minutes=31, seconds=1)
    await restarted(harness)
    await harness.minutes(10)
    assert harness.chat.texts == [FAILED]
    assert await harness.sends(made) == [("chat", "sent")]


async def restarted(harness: NoticeHarness) -> None:
    """Stop the loop of the process without patience, and let another one begin."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(notice_loop, "_GRACE", 0)
        await harness.loop.stop()
    harness.loop = harness.make_loop(harness.store)
    harness.store.on_event(harness.loop.hear)
    await harness.loop.begin()
