"""The live feed of a daemon on virtual time: what it tells, to whom, in which order, and how it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.errors import AccessDeniedError, InvalidInputError, StoreUnavailableError
from duly.service.access.scopes import ADMIN, Caller, Scope
from duly.service.live import feed as feed_module
from duly.service.live.events import LiveEvent
from duly.service.live.feed import LiveFeed, Subscription
from duly.testing.clock import settle
from tests.world import World, world


class Listener:
    """Collects what a caller is told."""

    def __init__(self, opening: Awaitable[Subscription]) -> None:
        self._opening = opening
        self.heard: list[LiveEvent] = []
        self.batches = 0
        self.task = asyncio.create_task(self._collect())

    async def _collect(self) -> None:
        subscription = await self._opening
        try:
            while (batch := await subscription.next()) is not None:
                self.heard += batch.events
                self.batches += 1
        finally:
            subscription.close()

    @property
    def kinds(self) -> list[str]:
        return [each.kind for each in self.heard]

    def heard_now(self) -> list[LiveEvent]:
        """What came since the last call, without beats."""
        events = [each for each in self.heard if each.kind != "beat"]
        self.heard.clear()
        return events

    def news(self) -> list[str]:
        """The kinds of what came since the last call, without beats."""
        return [each.kind for each in self.heard_now()]


@asynccontextmanager
async def listening(here: World, caller: Caller | None = None, **options: Any) -> AsyncIterator[Listener]:
    listener = Listener(feed_of(here).open(caller or Caller(ADMIN), **options))
    await settle()
    try:
        yield listener
    finally:
        listener.task.cancel()
        await asyncio.gather(listener.task, return_exceptions=True)


def feed_of(here: World) -> LiveFeed:
    feed: LiveFeed = here.app.state.live
    return feed


async def test_a_reminder_is_told_from_its_making_to_its_end(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana")
        async with listening(here) as line:
            assert line.kinds == ["beat"]
            made = await here.remind(ana, require_ack=True)
            await here.clock.travel(seconds=1)
            assert line.news() == ["schedule.created"]
            await here.clock.travel(minutes=5)
            [finished, started, *later] = line.heard_now()
            assert (finished.kind, started.kind) == ("schedule.finished", "run.started")
            assert (started.schedule_id, started.data["name"]) == (made.id, made.name)
            assert [each.kind for each in later if each.kind != "reminder.changed"] == ["delivery.ended", "run.waiting"]
            changed = [each for each in later if each.kind == "reminder.changed"]
            assert (changed[-1].user_id, changed[-1].data["status"]) == (ana, "awaiting_ack")
            await here.runtime.services.reminder_service.answer(ana, "ack", made.id)
            await here.clock.travel(seconds=2)
            answered = line.heard_now()
            assert next(each.kind for each in answered if each.topic == "reminder") == "reminder.answered"
            assert [each.kind for each in answered if each.topic == "run"] == ["run.started", "run.succeeded"]


async def test_each_caller_is_told_only_of_what_it_may_see(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana")
        ben = await here.person("Ben")
        async with (
            listening(here, Caller(Scope("user", ana))) as hers,
            listening(here, Caller(Scope("user", ben))) as his,
        ):
            await here.remind(ana)
            await here.clock.travel(seconds=2)
            assert hers.news() == ["schedule.created"]
            assert his.news() == []


async def test_a_listener_goes_on_after_its_last_id_and_starts_anew_when_that_is_too_old(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana")
        feed = feed_of(here)
        seen = await feed.position()
        await here.remind(ana, "first")
        await here.remind(ana, "second")
        await here.clock.travel(seconds=1)
        async with listening(here, last_id=seen) as line:
            assert line.kinds == ["beat", "schedule.created", "schedule.created"]
            assert sorted(each.id for each in line.heard) == [each.id for each in line.heard]
            between = line.heard[1].id
        async with listening(here, last_id=between) as line:
            assert line.kinds == ["beat", "schedule.created"]
            latest = line.heard[1].id
        await here.clock.travel(seconds=59)
        async with listening(here, last_id=latest) as line:
            assert line.kinds == ["beat"]
        await here.clock.travel(seconds=70)  # without a listener nothing is kept
        for unknown in (latest, "rubbish", "rubbish-1", f"{latest}0"):
            async with listening(here, last_id=unknown) as line:
                assert line.kinds == ["reset"]


async def test_a_listener_that_falls_behind_is_told_to_read_everything_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "_KEPT", 3)
    async with world(tmp_path) as here:
        ana = await here.person("Ana")
        slow = await feed_of(here).open(Caller(ADMIN))
        first = await slow.next()
        assert first is not None
        assert [each.kind for each in first.events] == ["beat"]
        for number in range(4):
            await here.remind(ana, f"number {number}")
        await here.clock.travel(seconds=1)
        behind = await slow.next()
        assert behind is not None
        assert [each.kind for each in behind.events] == ["reset"]
        await here.remind(ana, "one more")
        await here.clock.travel(seconds=1)
        after = await slow.next()
        assert after is not None
        assert [each.kind for each in after.events] == ["schedule.created"]
        slow.close()


async def test_writes_are_bundled_and_beats_come_every_ten_seconds(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana")
        async with listening(here) as line:
            for _ in range(50):
                await here.remind(ana, "again")
                await here.clock.travel(milliseconds=20)
            await here.clock.travel(milliseconds=250)
            assert line.news() == ["schedule.created"] * 50
            assert line.batches <= 6  # the first beat, and one each quarter of a second
            await here.clock.travel(seconds=20)
            beats = [each for each in line.heard if each.kind == "beat"]
            assert [each.at for each in beats][-1] <= here.clock.now()
            assert len(beats) == 2


async def test_a_token_that_is_revoked_changed_or_expires_hears_no_more(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        tokens = here.runtime.services.tokens
        revoked = (await tokens.create(Caller(ADMIN), "one", "admin")).record
        rotated = (await tokens.create(Caller(ADMIN), "two", "admin")).record
        expiring = (await tokens.create(Caller(ADMIN), "three", "admin", expires_in=timedelta(minutes=1))).record
        other = (await tokens.create(Caller(ADMIN), "four", "admin")).record
        async with (
            listening(here, Caller(ADMIN, revoked.id)) as first,
            listening(here, Caller(ADMIN, rotated.id)) as second,
            listening(here, Caller(ADMIN, expiring.id)) as third,
            listening(here, Caller(ADMIN, other.id)) as fourth,
        ):
            await tokens.revoke(Caller(ADMIN), revoked.id)
            await here.clock.travel(seconds=1)
            assert [each.task.done() for each in (first, second, third, fourth)] == [True, False, False, False]
            await tokens.rotate(Caller(ADMIN), rotated.id)
            await here.clock.travel(seconds=1)
            assert [each.task.done() for each in (second, third, fourth)] == [True, False, False]
            await here.clock.travel(minutes=1)
            assert [each.task.done() for each in (third, fourth)] == [True, False]
        with pytest.raises(AccessDeniedError):
            await feed_of(here).open(Caller(ADMIN, revoked.id))


async def test_topics_are_chosen_and_unknown_ones_are_named(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana")
        async with listening(here, topics=["run"]) as runs, listening(here, topics=["schedule"]) as schedules:
            await here.remind(ana, at="1m")
            await here.clock.travel(minutes=2)
            assert {each.topic for each in runs.heard_now()} == {"run"}
            assert {each.topic for each in schedules.heard_now()} == {"schedule"}
        with pytest.raises(InvalidInputError, match="topic 'runs' is unknown: did you mean run"):
            await feed_of(here).open(Caller(ADMIN), topics=["runs"])


async def test_the_end_of_the_daemon_ends_every_listener_at_once(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        async with listening(here) as line:
            here.app.state.asked_to_stop()
            await settle()
            assert line.task.done()
        with pytest.raises(StoreUnavailableError):
            await feed_of(here).open(Caller(ADMIN))
