"""Finds how runs and reminders go on, by any process: compares the state of unfinished runs with that of the last look.

Starts and successes are in no journal. This process hears its own, those of others show in the rows. Each comes once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from duly.model.events import RUN_STARTED, RUN_SUCCEEDED, Event, EventKind
from duly.model.ids import RUN, make_id
from duly.model.run import Status
from duly.ports.live import LiveRuns, RunState
from duly.service.live.changes import Found, person_of

RUN_WAITING = EventKind("run.waiting", "it waits for its next attempt or step", ("attempt",))
RUN_PROGRESS = EventKind("run.progress", "it reported how far it is", ("progress",))
RUN_MANY = EventKind("run.many", "more runs started and ended than are sent one by one: read the lists again")
REMINDER_CHANGED = EventKind(
    "reminder.changed", "a reminder was delivered, asked again, snoozed, answered or given up", ("status",)
)
OUTPUT_GREW = EventKind("output.grew", "a run printed more", ("attempt", "total"))

MOST_COMPARED = 1_000
"""Unfinished runs that are compared. While there are more, only those under way are."""
_OVERLAP = timedelta(seconds=5)
"""Runs of other nodes may appear so much later than their ids say."""
_LONGEST_HOLD = timedelta(seconds=5)
_REMEMBERED = 20_000
_NO_STATES: Mapping[str, RunState] = {}


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The unfinished runs at one moment, by id; or only those under way."""

    states: Mapping[str, RunState]
    is_partial: bool


@dataclass(frozen=True, slots=True)
class _Look:
    """Everything that one look has read."""

    now: _Snapshot
    gone: Sequence[RunState]
    """Those that the look before had, and that have ended since."""
    latest: Sequence[RunState]


class RunChanges:
    """Compares runs with those of the last look."""

    def __init__(self, runs: LiveRuns) -> None:
        self._runs = runs
        self._before = _Snapshot(_NO_STATES, is_partial=False)
        self._looked_at: datetime | None = None
        self._given: OrderedDict[Hashable, None] = OrderedDict()

    async def begin(self, now: datetime) -> None:
        """Take everything that is there as known."""
        snapshot = await self._snapshot()
        latest = await self._latest(now)
        self._given.clear()
        for state in (*snapshot.states.values(), *latest):
            self._remember_as_given(state)
        self._before = snapshot
        self._looked_at = now

    async def after(self, now: datetime, heard: Sequence[Event]) -> tuple[list[Found], list[Event]]:
        """Give what has changed since the last look and what was heard, and the events to hear again later.

        A success is heard before it is written: it is given once the store has it, so that a listener finds it there.
        """
        look = await self._look(now)
        found: list[Found] = []
        held: list[Event] = []
        for event in heard:
            if self._is_early(event, now, look.now.states):
                held.append(event)
            elif (key := _key_of(event)) is None or self._is_news(*key):
                found.append(Found(event, user_id=person_of(event)))
        found += self._compared(look, now)
        self._before = look.now
        self._looked_at = now
        return found, held

    async def _look(self, now: datetime) -> _Look:
        current = await self._snapshot()
        is_same_kind = self._before.is_partial == current.is_partial
        before = [each for each in self._before.states.values() if is_same_kind or each.is_running]
        gone = await self._runs.by_id([each.id for each in before if each.id not in current.states])
        return _Look(now=current, gone=gone, latest=await self._latest(self._looked_at or now))

    async def _snapshot(self) -> _Snapshot:
        states = await self._runs.unfinished(MOST_COMPARED + 1)
        is_partial = len(states) > MOST_COMPARED
        if is_partial:
            states = await self._runs.under_way(MOST_COMPARED)
        return _Snapshot({state.id: state for state in states}, is_partial=is_partial)

    async def _latest(self, since: datetime) -> list[RunState]:
        return await self._runs.latest(make_id(RUN, since - _OVERLAP, lambda _bits: 0), MOST_COMPARED)

    def _is_early(self, event: Event, now: datetime, states: Mapping[str, RunState]) -> bool:
        state = states.get(event.run_id or "")
        is_unsettled = state is not None and state.is_running
        return event.kind is RUN_SUCCEEDED and is_unsettled and now - event.at < _LONGEST_HOLD

    def _compared(self, look: _Look, now: datetime) -> Iterator[Found]:
        for state in look.now.states.values():
            yield from self._went_on(self._before.states.get(state.id), state, now)
        ended = {state.id: state for state in (*look.gone, *look.latest) if state.id not in look.now.states}
        for state in ended.values():
            yield from self._ended(self._before.states.get(state.id), state, now)
        if len(look.latest) == MOST_COMPARED and not all(self._knows(state) for state in look.latest):
            yield Found(Event(RUN_MANY, now))

    def _went_on(self, before: RunState | None, state: RunState, now: datetime) -> Iterator[Found]:
        """Tell how an unfinished run has changed."""
        if state.is_running:
            if self._is_news(state.id, state.attempt):
                yield _found(RUN_STARTED, state, now, attempt=state.attempt)
        elif before is not None and (before.is_running or before.fence != state.fence):
            yield _found(RUN_WAITING, state, now, attempt=state.attempt)
        if before is not None and state.progress is not None and state.progress != before.progress:
            yield _found(RUN_PROGRESS, state, now, progress=state.progress)
        yield from _printed(before, state, now)
        yield from _reminded(before, state, now)

    def _ended(self, before: RunState | None, state: RunState, now: datetime) -> Iterator[Found]:
        """Tell a success; the journal has the other ends."""
        yield from _printed(before, state, now)
        if state.status == Status.SUCCEEDED and self._is_news(state.id, "ended"):
            yield _found(RUN_SUCCEEDED, state, now)
            if before is None and state.reminder is not None:
                yield _found(REMINDER_CHANGED, state, now, status=state.reminder)
        if before is not None:
            yield from _reminded(before, state, now)

    def _is_news(self, *key: Hashable) -> bool:
        """Take note that something is given out, and say whether it is for the first time."""
        is_news = key not in self._given
        self._given[key] = None
        self._given.move_to_end(key)
        while len(self._given) > _REMEMBERED:
            self._given.popitem(last=False)
        return is_news

    def _remember_as_given(self, state: RunState) -> None:
        if state.is_running:
            self._is_news(state.id, state.attempt)
        elif state.status == Status.SUCCEEDED:
            self._is_news(state.id, "ended")

    def _knows(self, state: RunState) -> bool:
        return (state.id, "ended") in self._given or state.id in self._before.states


def _key_of(event: Event) -> Iterable[Hashable] | None:
    """Give the key under which an event is given once; None where the rows do not tell the same."""
    if event.kind is RUN_STARTED:
        return (event.run_id, event.data.get("attempt"))
    if event.kind is RUN_SUCCEEDED:
        return (event.run_id, "ended")
    return None


def _printed(before: RunState | None, state: RunState, now: datetime) -> Iterator[Found]:
    if before is not None and state.printed != before.printed:
        yield _found(OUTPUT_GREW, state, now, attempt=state.attempt, total=state.printed)


def _reminded(before: RunState | None, state: RunState, now: datetime) -> Iterator[Found]:
    then = None if before is None else (before.reminder, before.reminder_version)
    if state.reminder is not None and then != (state.reminder, state.reminder_version):
        yield _found(REMINDER_CHANGED, state, now, status=state.reminder)


def _found(kind: EventKind, state: RunState, now: datetime, **data: object) -> Found:
    return Found(Event(kind, now, state.schedule_id, state.id, data=data), user_id=state.user_id)
