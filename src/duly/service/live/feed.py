"""The live feed: changes of this process, of other processes and of other nodes, for callers who keep listening.

One task looks while a caller listens, and for a minute after the last one has left, so that a page that is loaded
again goes on where it was. It looks when something has happened here or a store hints at it, at most four times a
second, and once a second anyway. All listeners get what it found at the same moment: that bounds the writes to each.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from datetime import datetime

from duly.clock import Clock
from duly.errors import AccessDeniedError, StoreError, StoreUnavailableError
from duly.model.audit import is_audited
from duly.model.events import TOKEN_CHANGED, TOKEN_REVOKED, Event
from duly.model.ids import RandomBits
from duly.ports.store import FullStore
from duly.service.access.scopes import Caller, Scope
from duly.service.journal import EntrySchedule
from duly.service.live.changes import Found, ReadUpTo, StoreChanges, TooManyChangesError
from duly.service.live.events import BEAT, RESET, Batch, LiveEvent, read_topics, topic_of
from duly.service.live.ring import BEFORE_ALL, Ring, life_of
from duly.service.live.runs import RunChanges
from duly.service.schedules.finding import owned

PACE = 0.25
"""Seconds between two writes to a listener."""
LOOK_EVERY = 1.0
BEAT_EVERY = 10.0
LINGER = 60.0
"""Seconds for which events are kept after the last listener has left."""
_KEPT = 10_000
"""Events that are kept: a listener that is further behind has to read everything again."""
_AT_ONCE = 50
"""Listeners that are served before the process may do something else."""
_MOST_HEARD = 10_000
_MOST_SCHEDULES = 10_000
_TOKEN_EVENTS = (TOKEN_CHANGED, TOKEN_REVOKED)


class Subscription:
    """One listener: its caller, its topics and its place."""

    def __init__(self, feed: LiveFeed, caller: Caller, topics: frozenset[str], session: str | None) -> None:
        self.caller = caller
        self.topics = topics
        self.session = session
        """The session of the dashboard with which it ends."""
        self.place = 0
        """The number of the last event it was given."""
        self.beats = 0
        """The number of the last beat it was given."""
        self.first: LiveEvent | None = None
        """The event that it gets before all others."""
        self.until: datetime | None = caller.until
        """When the token, or the session of the dashboard, ends."""
        self.is_over = False
        self._feed = feed
        self._news = asyncio.Event()
        self._wake: Callable[[], None] = self._news.set

    def wake(self) -> None:
        """Let it see whether there are news."""
        self._wake()

    def call(self, back: Callable[[], None]) -> None:
        """Call back at news and at the end, and now: for a listener that takes them by `news` without a task."""
        self._wake = back
        back()

    def news(self) -> Batch:
        """Give what is new, and take note that it was given."""
        return self._feed.news_for(self)

    def end(self) -> None:
        """End it: what it has not read yet is not given any more."""
        self.is_over = True
        self._wake()

    async def next(self) -> Batch | None:
        """Wait for news, and give them; None when it is over."""
        while True:
            await self._news.wait()
            self._news.clear()
            if self.is_over:
                return None
            batch = self.news()
            if batch.events:
                return batch

    def close(self) -> None:
        """Leave the feed. Idempotent."""
        self._feed.leave(self)


class LiveFeed:
    """Tells callers what changes, as far as each may see it."""

    def __init__(self, store: FullStore, clock: Clock, random_bits: RandomBits) -> None:
        self._store = store
        self._clock = clock
        self._random_bits = random_bits
        self._changes = StoreChanges(store)
        self._runs = RunChanges(store.live_runs)
        self._ring = Ring("", 0)
        self._read_up_to = ReadUpTo(0, 0)
        self._found: deque[Found] = deque()
        self._open: dict[Subscription, None] = {}
        self._batches: dict[tuple[Scope, frozenset[str], int, bool], Batch] = {}
        self._heard: deque[Event] = deque()
        self._hint = asyncio.Event()
        self._starting = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._schedules: dict[str, EntrySchedule | None] = {}
        self._beats = 0
        self._beat_at = 0.0
        self._left_at = 0.0
        self._is_following = False
        self._is_closed = False

    def __len__(self) -> int:
        """Count the listeners."""
        return len(self._open)

    # what happens

    def hear(self, event: Event) -> None:
        """Take up an event of this process, from any thread. Those that the store keeps are read from there."""
        loop = self._loop
        if loop is None or not self._is_following or topic_of(event.kind.name) is None:
            return
        if not event.kind.durable and not is_audited(event) and len(self._heard) < _MOST_HEARD:
            self._heard.append(event)
        with suppress(RuntimeError):  # the loop is closed: nothing listens any more
            loop.call_soon_threadsafe(self._hint.set)

    # who listens

    async def position(self) -> str:
        """Give the id of now: a page asks for it before it reads, and its stream goes on from there."""
        await self._start()
        return self._ring.id_of(self._ring.head)

    async def open(
        self,
        caller: Caller,
        *,
        topics: Iterable[str] | None = None,
        last_id: str | None = None,
        session: str | None = None,
    ) -> Subscription:
        """Begin to listen. The first event is a `beat`; or a `reset` when what came after `last_id` is not known."""
        subscription = Subscription(self, caller, read_topics(topics), session)
        await self._start()
        self._open[subscription] = None
        try:
            await self._check_token(subscription)
        except BaseException:
            self.leave(subscription)
            raise
        place = self._ring.head if last_id is None else self._ring.place_of(last_id)
        subscription.place = self._ring.head if place is None else place
        subscription.first = self._sign(BEAT if place is not None else RESET, subscription.place)
        subscription.beats = self._beats
        subscription.wake()
        return subscription

    async def subscribe(
        self, caller: Caller, *, topics: Iterable[str] | None = None, last_id: str | None = None
    ) -> AsyncIterator[LiveEvent]:
        """Give the events one by one, until the feed closes or the token ends. For the rest, see `open`."""
        subscription = await self.open(caller, topics=topics, last_id=last_id)
        try:
            while (batch := await subscription.next()) is not None:
                for event in batch.events:
                    yield event
        finally:
            subscription.close()

    def leave(self, subscription: Subscription) -> None:
        """Forget a listener."""
        subscription.end()
        if subscription in self._open:
            del self._open[subscription]
            self._left_at = self._clock.monotonic()

    def news_for(self, listener: Subscription) -> Batch:
        """Give what is new for a listener, and take note that it was given."""
        first = listener.first
        place = listener.place
        is_beat_due = listener.beats < self._beats
        listener.first = None
        listener.place = self._ring.head
        listener.beats = self._beats
        if not self._ring.reaches_back_to(place):
            return Batch((self._sign(RESET),))
        if first is not None:
            return Batch((first, *self._ring.since(place, listener.caller.scope, listener.topics)))
        key = (listener.caller.scope, listener.topics, place, is_beat_due)
        if key not in self._batches:
            events = self._ring.since(place, listener.caller.scope, listener.topics)
            self._batches[key] = Batch((*events, *([self._sign(BEAT)] if is_beat_due else [])))
        return self._batches[key]

    def end_session(self, session: str) -> None:
        """End the listeners of a session of the dashboard that was signed out."""
        for subscription in self._open:
            if subscription.session == session:
                subscription.end()

    def end_all(self) -> None:
        """End all listeners at once, and refuse new ones: the process stops."""
        self._is_closed = True
        for subscription in self._open:
            subscription.end()

    async def close(self) -> None:
        """End all listeners, and stop looking. Idempotent."""
        self.end_all()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _check_token(self, listener: Subscription) -> None:
        """Look the token up again, now that its changes are heard: it may have ended in between."""
        if listener.caller.token_id is None:
            return
        record = await self._store.tokens.get(listener.caller.token_id)
        if record is None or record.ended_at(self._clock.now()) is not None:
            raise AccessDeniedError("the token is not valid any more")
        listener.until = min(filter(None, (listener.until, record.expires_at)), default=None)

    # looking

    async def _start(self) -> None:
        async with self._starting:
            if self._is_closed:
                raise StoreUnavailableError("the server is stopping")
            self._left_at = self._clock.monotonic()
            if self._task is not None and not self._task.done():
                return
            await self._begin()
            if self._loop is None:
                self._store.on_change(self._hint.set)
            self._loop = asyncio.get_running_loop()
            self._beat_at = self._clock.monotonic()
            self._task = self._loop.create_task(self._follow(), name="duly-live")

    async def _begin(self) -> None:
        """Begin a new life: with everything that is there now taken as known."""
        now = self._clock.now()
        self._read_up_to = await self._changes.newest()
        await self._runs.begin(now)
        self._ring = Ring(life_of(now, self._random_bits(16)), _KEPT)
        self._heard.clear()
        self._found.clear()
        self._schedules.clear()
        for each in self._open:
            each.place = BEFORE_ALL

    async def _follow(self) -> None:
        """Look and tell, until there has been no listener for a while."""
        try:
            self._is_following = True
            while self._open or self._clock.monotonic() - self._left_at < LINGER:
                began = self._clock.monotonic()
                try:
                    await self._look()
                except StoreError:  # the engine meets the same error and logs it; the next look may succeed
                    self._tell_without_store()
                await self._tell()
                await self._wait(began)
        finally:
            self._is_following = False

    async def _wait(self, began: float) -> None:
        """Wait for the next look: until something happens, but for a pace at least, and a second at most."""
        cancel = self._clock.call_later(LOOK_EVERY, self._hint.set)
        try:
            await self._clock.sleep(max(0.0, PACE - (self._clock.monotonic() - began)))
            await self._hint.wait()
        finally:
            cancel()
        self._hint.clear()

    async def _look(self) -> None:
        """Put everything that is new into the ring. What was found when the store goes away stays for the next look."""
        heard = list(self._heard)
        if len(heard) >= _MOST_HEARD:
            await self._begin()
            return
        try:
            found, self._read_up_to = await self._changes.after(self._read_up_to)
        except TooManyChangesError:
            await self._begin()
            return
        for each in found:
            self._forget_changed(each.event)
        self._found.extend(found)
        found, held = await self._runs.after(self._clock.now(), heard)
        for _ in heard:
            self._heard.popleft()
        self._heard.extendleft(reversed(held))
        self._found.extend(found)
        while self._found:
            schedule = await self._schedule(self._found[0].event.schedule_id)
            each = self._found.popleft()
            self._ring.add(each.event, schedule, user_id=each.user_id, seq=each.seq)
            self._end_changed_token(each.event)

    def _tell_without_store(self) -> None:
        """Tell what needs no look into the store: that it is away, for one."""
        heard = list(self._heard)
        self._heard.clear()
        for event in heard:
            if event.schedule_id is None:
                self._ring.add(event, None)
            else:
                self._heard.append(event)

    def _forget_changed(self, event: Event) -> None:
        if event.schedule_id is not None and event.kind.name.startswith("schedule."):
            self._schedules.pop(event.schedule_id, None)

    async def _schedule(self, schedule_id: str | None) -> EntrySchedule | None:
        """Give what decides who may see an event about a schedule; read once."""
        if schedule_id is None:
            return None
        if schedule_id not in self._schedules:
            row = await self._store.get(schedule_id)
            if len(self._schedules) >= _MOST_SCHEDULES:
                self._schedules.clear()
            self._schedules[schedule_id] = None if row is None else EntrySchedule(row.name, owned(row))
        return self._schedules[schedule_id]

    def _end_changed_token(self, event: Event) -> None:
        """End the listeners whose token was revoked, or may do something else from now on."""
        if event.kind in _TOKEN_EVENTS:
            for each in self._open:
                if each.caller.token_id == event.data.get("token"):
                    each.end()

    async def _tell(self) -> None:
        """Wake the listeners for whom there is something, some at a time. One that did not take it is woken again."""
        self._batches.clear()
        if self._clock.monotonic() - self._beat_at >= BEAT_EVERY:
            self._beat_at = self._clock.monotonic()
            self._beats += 1
        now = self._clock.now()
        woken = 0
        for each in list(self._open):
            if each.until is not None and each.until <= now:
                each.end()
            elif each.place != self._ring.head or each.beats != self._beats:
                each.wake()
                woken += 1
                if woken % _AT_ONCE == 0:
                    await asyncio.sleep(0)

    def _sign(self, kind: str, number: int | None = None) -> LiveEvent:
        """Make a `beat` or a `reset`: they are not in the ring, and have the id of the event before them."""
        return LiveEvent(
            id=self._ring.id_of(self._ring.head if number is None else number),
            topic=kind,
            kind=kind,
            at=self._clock.now(),
        )
