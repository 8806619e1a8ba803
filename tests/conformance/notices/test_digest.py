"""Reminders of low priority come as one message at a time of the person's choice; none is lost or comes twice."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from duly import failpoints
from duly.delivery.dispatcher import MessageDispatcher
from duly.delivery.gathering import Gathering
from duly.engine.engine import Engine
from duly.engine.settings import VIRTUAL
from duly.errors import ChannelTemporaryError
from duly.failpoints import FailpointError
from duly.model.events import NOTICE_FAILED
from duly.ports.records import RunFilter
from duly.service.schedules.fields import ReminderView
from tests.conformance.notices.harness import NoticeHarness
from tests.conformance.reminders.harness import START, place
from tests.sqlite_template import prepare

DOWN = ChannelTemporaryError("503")
BOTH = "Today, 2 things:\n• Water the plants\n• Sort the photos"


class DigestHarness(NoticeHarness):
    """Ana is reached at 18:00, on clocks that are an hour ahead of UTC; it is noon in UTC."""

    def renew(self, records: Any = None) -> None:
        super().renew(records)
        clock = self.process.clock
        dispatcher = MessageDispatcher(
            self.store.people,
            self.store.reminders,
            {each.name: each for each in (self.chat, self.mail, self.pager)},
            clock,
            gathering=Gathering(self.loop.keep),
            chance=lambda: 0.0,
        )
        self.engine = Engine(self.store, dispatcher, clock, VIRTUAL, random_bits=self.random_bits)

    async def people(self) -> None:
        await super().people()
        await self.service.people.update(self.ana, digest_at="18:00")

    async def low(self, message: str, at: str = "1h", **options: Any) -> ReminderView:
        return await self.remind({"type": "once", "at": at}, message, priority="low", **options)

    async def two(self) -> tuple[ReminderView, ReminderView]:
        return await self.low("Water the plants"), await self.low("Sort the\nphotos", "2h")

    async def by_hand(self, **length: float) -> None:
        """Let time pass and carry out what is due, over a store that answers in real time."""
        self.clock.advance(timedelta(**length))
        await self.engine.tick(self.clock.now())
        await self.loop.look()


@asynccontextmanager
async def digests(place: str | Path, start: datetime = START, *, by_hand: bool = False) -> AsyncIterator[DigestHarness]:
    url = place if isinstance(place, str) else str(place / "duly.db")
    if not url.startswith("postgresql"):
        prepare(Path(url))
    harness = DigestHarness(url, start)
    await harness.open()
    try:
        await harness.people()
        if not by_hand:
            await harness.start()
        yield harness
    finally:
        await (harness.store.close() if by_hand else harness.close())


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with place(request.param, tmp_path) as made:
        yield made


async def test_two_of_low_priority_come_as_one_message(url: str) -> None:
    async with digests(url, by_hand=True) as harness:
        await _as_one(harness)


async def _as_one(harness: DigestHarness) -> None:
    plants, photos = await harness.two()
    assert plants.note == "It comes with your digest at 18:00."
    usual = await harness.remind({"type": "once", "at": "2h"}, "Call mom")
    asks = await harness.low("Pay", require_ack=True, max_ack_reminders=0)
    for _ in range(4):
        await harness.by_hand(hours=1)
    assert harness.chat.texts == ["Pay\nIs it done?", "Call mom"]
    assert [await harness.status(each) for each in (plants, photos)] == ["gathered", "gathered"]
    waiting = await harness.store.notices.gathered(harness.ana, 10)
    assert [each.schedule_id for each in waiting] == [plants.id, photos.id]
    await harness.by_hand(hours=1)
    assert BOTH not in harness.chat.texts, "it leaves a few seconds after its time"
    await harness.by_hand(seconds=6)
    assert harness.chat.texts[-1] == BOTH
    for each in (plants, photos):
        assert await harness.status(each) == "delivered"
        assert await harness.tried(each) == [("chat", "digest", "sent")]
    before = list(harness.chat.texts)
    await harness.by_hand(hours=24)
    assert harness.chat.texts == before
    assert await harness.store.notices.gathered(harness.ana, 10) == []
    assert await harness.status(usual) == "delivered"
    assert await harness.status(asks) != "gathered"


async def test_the_only_one_is_sent_as_it_is_and_can_be_put_off(tmp_path: Path) -> None:
    async with digests(tmp_path) as harness:
        made = await harness.low("Water the\nplants")
        await harness.minutes(301)
        [sent] = harness.chat.arrived
        assert sent.outgoing.text == "Water the\nplants"
        assert [each.label for each in sent.outgoing.buttons][:2] == ["Done", "10 min later"]
        answer = await harness.service.handle_message(harness.ana, "chat", "in 20 minutes", quoted=sent.message_id)
        assert answer.consumed
        await harness.minutes(21)
        assert harness.chat.texts == ["Water the\nplants"] * 2, "a snooze names its own time"
        assert (await harness.service.show(harness.ana, made.id)).runs[-1].deliveries[0].kind == "reminder"


async def test_what_fires_at_the_time_itself_is_in_it_and_what_fires_later_is_in_the_next(tmp_path: Path) -> None:
    async with digests(tmp_path) as harness:
        await harness.low("Water the plants", "5h")
        await harness.low("Sort the photos", "5h")
        await harness.low("Read", "301m")
        await harness.minutes(310)
        assert harness.chat.texts == [BOTH]
        await harness.minutes(24 * 60)
        assert harness.chat.texts == [BOTH, "Read"]


async def test_a_series_is_in_it_once_and_an_answer_takes_one_out(tmp_path: Path) -> None:
    async with digests(tmp_path) as harness:
        hourly = await harness.remind({"type": "interval", "every": "1h"}, "Drink", priority="low")
        plants, _photos = await harness.two()
        read = await harness.low("Read")
        await harness.minutes(150)
        await harness.service.remove(harness.ana, read.id)
        await harness.service.answer(harness.ana, "ack", plants.id)
        await harness.minutes(152)
        [text] = harness.chat.texts
        assert sorted(text.splitlines()) == ["Today, 2 things:", "• Drink", "• Sort the photos"]
        runs = (await harness.service.show(harness.ana, hourly.id)).runs
        assert [each.status for each in runs] == ["delivered", "missed", "missed", "missed", "missed"][: len(runs)]
        assert (await harness.service.get(harness.ana, hourly.id)).consecutive_errors == 0
        assert await harness.status(plants) == "acked"


async def test_quiet_hours_are_waited_for_and_lateness_is_said(tmp_path: Path) -> None:
    async with digests(tmp_path) as harness:
        await harness.service.people.update(harness.ana, quiet="17:30-20:00")
        first = await harness.low("Water the plants")
        assert first.note == "It comes with your digest at 20:00."
        await harness.low("Sort the photos", "2h")
        await harness.minutes(301)
        assert harness.chat.texts == []
        await harness.minutes(121)
        assert harness.chat.texts == [BOTH]
        await harness.two()
        await harness.minutes(130)
        await harness.loop.stop()
        await harness.engine.stop()
        await harness.minutes(24 * 60)
        await harness.crash()
        await harness.minutes(2)
        [late] = harness.chat.texts[1:]
        assert late.startswith("[Late ")
        assert late.endswith(BOTH.removeprefix("Today, "))


@pytest.mark.parametrize("point", ["notices.gathered", "notices.taken", "notices.recorded", "notices.sent"])
async def test_an_error_at_any_step_loses_nothing(point: str, tmp_path: Path) -> None:
    async with digests(tmp_path) as harness:
        await harness.loop.stop()
        made = await harness.two()
        failpoints.arm(point)
        errors = 0
        for _ in range(62):
            await harness.minutes(5)
            try:
                await harness.loop.look()
            except FailpointError:
                errors += 1
        failpoints.disarm()
        assert errors == (point != "notices.gathered"), "the engine tries a failed step again by itself"
        await harness.loop.begin()
        await harness.minutes(20)
        assert set(harness.chat.texts) == {BOTH}
        assert len({each.outgoing.key for each in harness.chat.arrived}) == 1
        assert [await harness.status(each) for each in made] == ["delivered", "delivered"]


async def test_a_process_that_dies_meanwhile_leaves_it_to_the_next_one(tmp_path: Path) -> None:
    async with digests(tmp_path) as harness:
        await harness.two()
        await harness.minutes(90)
        await harness.crash()
        await harness.minutes(60)
        await harness.crash()
        await harness.minutes(600)
        assert harness.chat.texts == [BOTH]


async def test_when_no_channel_takes_it_all_of_it_is_in_the_inbox_and_failed(tmp_path: Path) -> None:
    async with digests(tmp_path) as harness:
        harness.chat.script.extend([DOWN] * 9)
        harness.mail.script.extend([DOWN] * 9)
        made = await harness.two()
        await harness.minutes(600)
        assert harness.chat.texts == []
        assert await harness.inbox() == [BOTH]
        assert [await harness.status(each) for each in made] == ["failed", "failed"]
        assert [each.kind for each in harness.told] == [NOTICE_FAILED]


async def test_more_than_twenty_are_several_messages(tmp_path: Path) -> None:
    async with digests(tmp_path) as harness:
        for number in range(23):
            await harness.low(f"Thing {number}")
        await harness.minutes(310)
        first, second = harness.chat.texts
        assert first.splitlines()[0] == "Today, 20 things:"
        lines = {*first.splitlines()[1:], *second.splitlines()[1:]}
        assert lines == {f"• Thing {number}" for number in range(23)}


async def test_off_sends_each_at_once_and_the_clock_change_moves_nothing(tmp_path: Path) -> None:
    spring = datetime(2027, 3, 27, 12, tzinfo=UTC)
    async with digests(tmp_path, spring) as harness:
        await harness.service.people.update(harness.ana, digest_at="2:30")
        await harness.two()
        await harness.minutes(12 * 60 + 58)
        assert harness.chat.texts == []
        await harness.minutes(3)  # on this day there is no 02:30: the gap ends at 01:00 UTC
        assert harness.chat.texts == [BOTH.replace("Today, ", "")]
        await harness.service.people.update(harness.ana, digest_at="off")
        await harness.low("Read", "5m")
        await harness.minutes(6)
        assert harness.chat.texts[1:] == ["Read"]


async def test_one_for_several_people_comes_to_each_in_their_own_way(url: str) -> None:
    async with digests(url, by_hand=True) as harness:
        bob = (await harness.service.people.add("Bob", timezone="Europe/Zagreb", language="de")).user.id
        eva = (await harness.service.people.add("Eva", timezone="Europe/Zagreb", digest_at="17:30")).user.id
        for number, each in enumerate((bob, eva)):
            await harness.service.people.set_channels(each, [("chat", str(20 + number))])

        def got(address: str) -> list[str]:
            return [each.outgoing.text for each in harness.chat.arrived if each.address == address]

        shared = await harness.low("Water the plants", shared_with=["Bob", "Eva"])
        await harness.low("Sort the photos", "2h")
        await harness.by_hand(hours=1)
        await harness.by_hand(hours=1)
        assert (got("20"), got("21"), got("17")) == (["Water the plants"], [], [])
        await harness.by_hand(hours=2, minutes=31)
        assert (got("21"), got("17")) == (["Water the plants"], [])
        await harness.by_hand(minutes=31)
        assert got("17") == [BOTH]
        [run] = await harness.store.runs(RunFilter(schedule_id=shared.id, limit=10))
        of_each = {each.user_id: str(each.status) for each in await harness.store.reminders.of_run(run.id)}
        assert of_each == dict.fromkeys((harness.ana, bob, eva), "delivered")
        await harness.by_hand(days=1)
        assert len(harness.chat.arrived) == 3
