"""`Scheduler`: `initialize` and `stop` over the same engine and stores as the rest of duly."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import tzinfo
from functools import partial
from typing import Any

from duly.clock import Clock, SystemClock, host_zone
from duly.declarative.callbacks import Callbacks
from duly.declarative.errors import SchedulerAlreadyActiveError, SchedulerInitializationError
from duly.declarative.persisted import action_of, namespace_of, naming_damage, to_row
from duly.declarative.registration import Registration, read_registrations
from duly.declarative.resolve import Resolution
from duly.declarative.state import PollingState, SchedulerState, Task, TaskStatus, TaskView
from duly.engine.engine import Engine
from duly.engine.settings import VIRTUAL, EngineSettings
from duly.entropy import random_bits
from duly.errors import DulyError, InvalidInputError, StoreError
from duly.model.events import (
    POLLING_STARTED,
    POLLING_STOP_REQUESTED,
    POLLING_STOPPED,
    SCHEDULER_INITIALIZATION_COMPLETED,
    SCHEDULER_INITIALIZATION_FAILED,
    SCHEDULER_INITIALIZATION_STARTED,
    SCHEDULER_STOP_REQUESTED,
    SCHEDULER_STOPPED,
    Event,
    EventKind,
)
from duly.ports.observers import tell
from duly.ports.records import Standing
from duly.ports.store import Reconciliation, Store
from duly.stores import open_store, store_url
from duly.telemetry.bridges import tick_span
from duly.telemetry.log import EventLog
from duly.zones import Zone

_UNLIMITED = 2**31 - 1
_MAX_NAME = 180


class StartedEngines:
    """The engines that schedulers of this process started and did not stop.

    An engine whose event loop was closed is dead but cannot report it, and its node goes on beating from a thread: no
    other node would take over its runs. The next `initialize` on the same store in this process does.
    """

    def __init__(self) -> None:
        self._stores: dict[Engine, str] = {}

    def add(self, engine: Engine, store: str) -> None:
        self._stores[engine] = store

    def remove(self, engine: Engine) -> None:
        self._stores.pop(engine, None)

    def vanished(self, store: str, owners: Collection[str]) -> set[str]:
        """Give the node ids of dead engines that used this store, or that own runs in it."""
        dead = {each.node_id: url for each, url in list(self._stores.items()) if not each.alive and each.node_id}
        return {node_id for node_id, url in dead.items() if url == store or node_id in owners}

    def forget(self, node_ids: Collection[str]) -> None:
        """Remove engines whose runs were taken over."""
        for engine in [each for each in self._stores if each.node_id in node_ids]:
            self.remove(engine)


started_engines = StartedEngines()


class Scheduler:
    """A scheduler whose tasks are declared in code, all at once.

    The store is a file name for SQLite or a `postgresql://` URL; schedulers of different `name`s do not see each
    other's tasks. Times are those of the host's zone unless `tz` names another. `on_event` gets every event.
    """

    def __init__(
        self,
        store: str | os.PathLike[str],
        *,
        clock: Clock | None = None,
        tz: str | tzinfo | None = None,
        name: str = "default",
        on_event: Callable[[Event], None] | None = None,
        settings: EngineSettings | None = None,
    ) -> None:
        if not _is_name(name):
            raise InvalidInputError(f"name must be 1 to {_MAX_NAME} printable characters, got {name!r}")
        self._url = store_url(store)
        self._clock = clock or SystemClock()
        self._zone = Zone.of(host_zone(self._clock.now()) if tz is None else tz).name
        self._name = name
        self._on_event = on_event
        self._log = EventLog(self._clock)
        real_time = isinstance(self._clock, SystemClock)
        usual = EngineSettings() if real_time else VIRTUAL
        self._inline = not real_time
        self._settings = settings or replace(usual, max_concurrency=_UNLIMITED)
        self._state = SchedulerState.UNINITIALIZED
        self._polling = PollingState.INACTIVE
        self._tasks: dict[str, Task] = {}
        self._identifier: str | None = None
        self._store: Store | None = None
        self._engine: Engine | None = None
        self._callbacks: Callbacks | None = None
        self._counts: Mapping[str, int] = {}
        self._initializing: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None

    def initialize(self, registrations: Sequence[Registration]) -> Awaitable[None]:
        """Declare the tasks: a list of `(name, cron, async callback, retry delay)`.

        Faults in them are raised at once, before anything is awaited or written. The awaitable that this gives is done
        when every task is scheduled; a scheduler that is stopping ends its stop first.
        """
        if self._state is SchedulerState.RUNNING:
            raise SchedulerAlreadyActiveError(SchedulerState.RUNNING)
        if self._initializing is not None or self._state is SchedulerState.INITIALIZING:
            raise SchedulerAlreadyActiveError(SchedulerState.INITIALIZING)
        loop = asyncio.get_running_loop()
        if self._stopping is None:
            self._enter_initializing()
        try:
            tasks = read_registrations(registrations, self._zone)
        except BaseException as error:
            if self._stopping is None:
                self._failed(error)
            self._wrap(error)
            raise
        self._initializing = loop.create_task(self._initialize(tasks), name="duly-initialize")
        self._initializing.add_done_callback(self._over)
        return self._initializing

    async def stop(self) -> None:
        """Start nothing more, and wait for an `initialize` in progress and for callbacks under way.

        May be called before `initialize`, and any number of times; afterwards `initialize` works again.
        """
        if self._callbacks is not None and asyncio.current_task() in self._callbacks.under_way:
            raise DulyError("stop() waits for callbacks to end, and one that awaits it never would: use create_task()")
        while self._initializing is not None:
            await asyncio.wait({self._initializing})
        if self._state is SchedulerState.RUNNING:
            self._state = SchedulerState.STOPPING
            self._stopping = asyncio.get_running_loop().create_task(self._stop(), name="duly-stop")
        if self._stopping is not None:
            await asyncio.shield(self._stopping)  # if the caller is cancelled, the stop goes on

    @property
    def name(self) -> str:
        return self._name

    @property
    def tz(self) -> str:
        """The zone whose wall clock the cron expressions are read on."""
        return self._zone

    @property
    def state(self) -> SchedulerState:
        return self._state

    @property
    def polling(self) -> PollingState:
        return self._polling

    @property
    def identifier(self) -> str | None:
        """The id of this scheduler, which its runs under way carry: new with every `initialize`.

        New, too, after other schedulers have taken this one for dead.
        """
        return (self._engine.node_id if self._engine is not None else None) or self._identifier

    @property
    def tasks(self) -> Mapping[str, TaskStatus]:
        """The state and the timestamps of every registered task."""
        return TaskView(self._tasks)

    def __repr__(self) -> str:
        return f"<Scheduler {self._name!r} {self._state}, {len(self._tasks)} tasks>"

    def _enter_initializing(self) -> None:
        self._state = SchedulerState.INITIALIZING
        self._tell(SCHEDULER_INITIALIZATION_STARTED)

    def _failed(self, error: BaseException) -> None:
        self._initializing = None
        self._identifier = None
        self._tasks = {}
        self._state = SchedulerState.UNINITIALIZED
        self._tell(SCHEDULER_INITIALIZATION_FAILED, error=f"{type(error).__name__}: {error}")

    async def _initialize(self, tasks: dict[str, Task]) -> None:
        if self._stopping is not None:
            await asyncio.wait({self._stopping})  # with any outcome, which stop() raises to its own caller
            self._enter_initializing()
        try:
            await self._start(tasks)
        except BaseException as error:
            await self._let_go()
            self._failed(error)
            self._wrap(error)
            raise

    def _wrap(self, error: BaseException) -> None:
        """Raise an unexpected error as `SchedulerInitializationError`; errors of duly stay as they are."""
        if isinstance(error, Exception) and not isinstance(error, DulyError):
            raise SchedulerInitializationError(self._name, error) from error

    def _over(self, task: asyncio.Task[None]) -> None:
        """End an `initialize`, also one that was cancelled before its first step and has run none of its code."""
        if self._initializing is task:
            self._initializing = None
            if self._state is SchedulerState.INITIALIZING:
                self._failed(asyncio.CancelledError())

    async def _start(self, tasks: dict[str, Task]) -> None:
        started = self._clock.monotonic()
        self._store = store = open_store(self._url, self._clock, inline=self._inline)
        store.on_event(self._hear)
        await store.open()
        declare = partial(self._declare, store, tasks)
        await (self._start_polling(store, tasks, declare) if tasks else declare())
        self._state = SchedulerState.RUNNING
        seconds = self._clock.monotonic() - started
        self._tell(SCHEDULER_INITIALIZATION_COMPLETED, tasks=len(tasks), **self._counts, seconds=seconds)

    async def _declare(self, store: Store, tasks: dict[str, Task]) -> None:
        resolution = await self._resolve(store, tasks)
        resolution.remember()
        self._tasks = tasks
        self._counts = resolution.counts

    async def _resolve(self, store: Store, tasks: Mapping[str, Task]) -> Resolution:
        """Bring the store in line with the registrations, in one transaction."""
        now = self._clock.now()
        gone: set[str] = set()
        resolution = Resolution(self._name, tasks, (), (), now)

        def decide(standings: Sequence[Standing], living: Collection[str]) -> Reconciliation:
            nonlocal gone, resolution
            owners = {run.owner for each in standings for run in each.unfinished if run.owner is not None}
            gone = started_engines.vanished(store.url, owners)
            resolution = Resolution(self._name, tasks, standings, set(living) - gone, now)
            return resolution.decided(lambda task: to_row(task, self._name, now, random_bits))

        with naming_damage():
            await store.reconcile(namespace_of(self._name), decide)
        for owner in sorted(gone):
            await store.deregister(owner, now)
        started_engines.forget(gone)
        return resolution

    async def _start_polling(
        self, store: Store, tasks: Mapping[str, Task], declare: Callable[[], Awaitable[None]]
    ) -> None:
        """Join as a node before the tasks are made due: then another scheduler that stops leaves them enabled."""
        callbacks = Callbacks(self._name, tasks, self._clock, self._emit, partial(_keep, store))
        engine = Engine(
            store=store,
            dispatcher=callbacks,
            clock=self._clock,
            settings=self._settings,
            sinks=[callbacks.hear],
            wants=callbacks.wants,
            tick_span=tick_span,
        )
        self._callbacks = callbacks
        self._engine = engine
        await engine.start(declare)
        callbacks.since = self._clock.now()
        started_engines.add(engine, store.url)
        self._polling = PollingState.ACTIVE
        self._tell(POLLING_STARTED)

    async def _stop(self) -> None:
        started = self._clock.monotonic()
        try:
            running = 0 if self._callbacks is None else len(self._callbacks.under_way)
            self._tell(SCHEDULER_STOP_REQUESTED, running=running)
            if self._callbacks is not None:
                self._callbacks.stopping = True
                self._polling = PollingState.STOPPING
                self._tell(POLLING_STOP_REQUESTED)
            await self._let_go()
        finally:
            self._stopping = None
            self._state = SchedulerState.STOPPED
            self._tell(SCHEDULER_STOPPED, seconds=self._clock.monotonic() - started)
            self._log.flush()

    async def _let_go(self) -> None:
        """End the engine, however long callbacks take, and close the store."""
        engine = self._engine
        store = self._store
        self._identifier = self.identifier
        try:
            if engine is not None:
                await engine.stop(grace=math.inf)
                started_engines.remove(engine)
            if engine is not None and store is not None:
                with suppress(StoreError):  # then the tasks show as overdue until the next start
                    await store.rest(action_of(self._name).handler)
        finally:
            self._engine = None
            self._callbacks = None
            self._store = None
            if store is not None:
                await store.close()
            if self._polling is not PollingState.INACTIVE:
                self._polling = PollingState.INACTIVE
                self._tell(POLLING_STOPPED)

    def _tell(self, kind: EventKind, **data: Any) -> None:
        self._emit(Event(kind, self._clock.now(), node_id=self.identifier, data={"scheduler": self._name, **data}))

    def _hear(self, event: Event) -> None:
        """Hear an event that the store has committed."""
        (self._emit if self._callbacks is None else self._callbacks.hear)(event)

    def _emit(self, event: Event) -> None:
        tell([self._log] if self._on_event is None else [self._log, self._on_event], [event])


async def _keep(store: Store, event: Event) -> None:
    await store.record([event])


def _is_name(name: object) -> bool:
    return isinstance(name, str) and 0 < len(name) <= _MAX_NAME and name.isprintable()
