"""The live feed over every store that several processes may share: it finds what another handle does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from duly.entropy import random_bits
from duly.model.events import NODE_LOST, REMINDER_ANSWERED, Event
from duly.model.ids import RUN
from duly.model.run import Status
from duly.ports.records import Cycle, Settlement
from duly.ports.run_history import KeptOutput, OutputPiece
from duly.ports.store import FullStore
from duly.service.access.scopes import ADMIN, Caller
from duly.service.live.events import LiveEvent
from duly.service.live.feed import LiveFeed
from tests.conformance.stores.builders import JOB, due_schedule, ended, fresh_id, new_run
from tests.conformance.stores.harness import StoreHarness, conformant
from tests.conformance.stores.test_reminders import fresh
from tests.world import until


class Ear:
    """A listener to the first handle, while a second one makes the changes."""

    def __init__(self, harness: StoreHarness) -> None:
        self.heard: list[LiveEvent] = []
        self._harness = harness
        self.feed = LiveFeed(cast(FullStore, harness.store), harness.clock, random_bits)

    async def listen(self) -> None:
        async for event in self.feed.subscribe(Caller(ADMIN)):
            self.heard.append(event)

    async def hears(self, *kinds: str) -> list[LiveEvent]:
        """Let time pass until these came, in this order and without others; beats do not count."""

        def is_there() -> bool:
            self._harness.clock.advance(0.3)
            return len(self.news()) >= len(kinds)

        await until(is_there, ", ".join(kinds))
        news = self.news()
        assert [each.kind for each in news] == list(kinds)
        self.heard.clear()
        return news

    def news(self) -> list[LiveEvent]:
        return [each for each in self.heard if each.kind != "beat"]


@asynccontextmanager
async def listening(harness: StoreHarness) -> AsyncIterator[Ear]:
    ear = Ear(harness)
    task = asyncio.create_task(ear.listen())
    try:
        # The first beat may come while it looks for the first time: a change would be found half done.
        await until(lambda: ear.heard and harness.clock.next_wake_up is not None, "the end of its first look")
        yield ear
    finally:
        await ear.feed.close()
        await task


async def turn(store: FullStore, harness: StoreHarness, *settlements: Settlement, **fields: Any) -> list[Any]:
    values: dict[str, Any] = {"node_id": "node_b", "now": harness.now, "handlers": (JOB,), "settlements": settlements}
    return (await store.cycle(Cycle(**{**values, **fields}))).claimed


@conformant
async def test_a_run_of_another_node_is_told_from_start_to_end(full_harness: StoreHarness) -> None:
    harness = full_harness
    other = cast(FullStore, await harness.another())
    await other.register(harness.node("node_b"))
    one = due_schedule("one")
    two = due_schedule("two")
    await harness.add(one, two)
    first = new_run(one)
    second = new_run(two)
    await harness.put(first, second)
    async with listening(harness) as ear:
        claimed = await turn(other, harness, claim_limit=10)
        started = await ear.hears("run.started", "run.started")
        assert {each.run_id for each in started} == {first.id, second.id}
        by_id = {each.run_id: each for each in claimed}
        await other.progress(first.id, by_id[first.id].fence, '"half"')
        [progress] = await ear.hears("run.progress")
        assert progress.data["progress"] == '"half"'
        kept = KeptOutput(run_id=first.id, attempt=1, target="", total=6, lines=1, complete=False, kept_limit=1000)
        await other.history.append([(kept, OutputPiece(start=0, size=6, text="hello\n"))])
        [grown] = await ear.hears("output.grew")
        assert (grown.topic, grown.run_id, grown.data["total"]) == ("output", first.id, 6)
        again = ended(by_id[first.id], status=Status.FAILED, retry_at=harness.now, error="no")
        await turn(other, harness, again, ended(by_id[second.id]))
        told = await ear.hears("run.waiting", "run.succeeded")
        assert [each.run_id for each in told] == [first.id, second.id]
        [claim] = await turn(other, harness, claim_limit=10)
        await turn(other, harness, ended(claim))
        [done] = await ear.hears("run.succeeded")
        assert (done.run_id, done.schedule_id, done.data["name"]) == (first.id, first.schedule_id, "one")


@conformant
async def test_a_run_that_begins_and_ends_between_two_looks_is_told(full_harness: StoreHarness) -> None:
    harness = full_harness
    other = cast(FullStore, await harness.another())
    await other.register(harness.node("node_b"))
    one = due_schedule("one")
    await harness.add(one)
    async with listening(harness) as ear:
        run = new_run(one, id=fresh_id(RUN, harness.now))
        await harness.put(run)
        [claim] = await turn(other, harness, claim_limit=10)
        await turn(other, harness, ended(claim))
        [done] = await ear.hears("run.succeeded")
        assert done.run_id == run.id


@conformant
async def test_the_journal_the_audit_and_reminders_of_another_process_are_told(full_harness: StoreHarness) -> None:
    harness = full_harness
    other = cast(FullStore, await harness.another())
    one = due_schedule("one")
    await harness.add(one)
    run = new_run(one)
    await harness.put(run)
    async with listening(harness) as ear:
        await other.record([Event(NODE_LOST, harness.now, node_id="node_x", data={"runs": 2})])
        [lost] = await ear.hears("node.lost")
        assert lost.data == {"runs": 2}
        assert lost.seq is not None
        await other.reminders.begin(fresh(run))
        [changed] = await ear.hears("reminder.changed")
        assert (changed.run_id, changed.user_id, changed.data["status"]) == (run.id, "ana", "sending")
        data = {"by": "local", "user": "ana", "response": "ack", "channel": "telegram"}
        await other.record([Event(REMINDER_ANSWERED, harness.now, run.schedule_id, run.id, data=data)])
        [answered] = await ear.hears("reminder.answered")
        assert (answered.user_id, answered.data["channel"]) == ("ana", "telegram")
        assert answered.seq is None
