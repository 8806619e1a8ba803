"""`Duly`, the class that programs use: it connects a store, an engine and the use cases, and has no rules."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack, overload

from duly.background import Background, Synchronous, passed, waited
from duly.clock import Clock, SystemClock
from duly.engine.engine import Engine
from duly.engine.health import Health
from duly.engine.routing import Router
from duly.engine.settings import VIRTUAL, EngineSettings
from duly.entropy import random_bits
from duly.errors import DulyError
from duly.jobs.dispatcher import JobRegistry
from duly.model.action import Action, Job, Message, Prompt
from duly.model.events import Event, EventKind
from duly.model.ids import SCHEDULE
from duly.model.policy import Policy
from duly.model.run import Run, Statuses
from duly.model.schedule import DEFAULT_NAMESPACE, ScheduleOptions
from duly.ports.dispatch import Dispatcher
from duly.ports.observers import EventListener
from duly.ports.records import ScheduleFilter
from duly.ports.store import FullStore
from duly.recurrence import TriggerLike, as_trigger
from duly.service.access.scopes import Caller, Face
from duly.service.journal import EventView, Journal
from duly.service.schedules import values
from duly.service.schedules.drafts import Draft, chosen_action, make_draft
from duly.service.schedules.schedules import ScheduleInfo, ScheduleService
from duly.service.schedules.times import preview
from duly.stores import OpenedStore, open_store
from duly.telemetry.bridges import tick_span
from duly.telemetry.log import EventLog
from duly.telemetry.log import wants as log_wants

F = TypeVar("F", bound=Callable[..., Any])
_PLAIN = Policy()
When = TriggerLike


class Duly:
    """A scheduler in your program.

    The store is a file name for SQLite or a `postgresql://` URL. Use it as `async with app:`, or call `start` and
    `stop` from a program without an event loop.
    """

    def __init__(
        self,
        store: str | os.PathLike[str] = "schedules.db",
        *,
        namespace: str = DEFAULT_NAMESPACE,
        settings: EngineSettings | None = None,
        clock: Clock | None = None,
        on_event: Callable[[Event], None] | None = None,
        threads: int = 32,
        dispatchers: Iterable[Callable[[FullStore, Clock], Dispatcher]] = (),
        store_direct: str | None = None,
    ) -> None:
        """Each of `dispatchers` makes, from the store and the clock, a dispatcher for messages or prompts.

        `store_direct` is a second address of a PostgreSQL store, past a pooler.
        """
        self._clock = clock or SystemClock()
        self._namespace = namespace
        self._real_time = isinstance(self._clock, SystemClock)
        self.settings = settings or (EngineSettings() if self._real_time else VIRTUAL)
        self.jobs = JobRegistry(self._clock, threads)
        self._store = open_store(store, self._clock, direct=store_direct, inline=not self._real_time)
        self._service = ScheduleService(self._store, self._clock, self._check_job, random_bits)
        self._log = EventLog(self._clock)
        sinks: list[EventListener] = [self._log] if on_event is None else [self._log, on_event]
        for sink in sinks:
            self._store.on_event(sink)
        listening: Callable[[EventKind], bool] = log_wants if on_event is None else lambda _kind: True
        more = [make(self._store, self._clock) for make in dispatchers]
        served = Router([self.jobs, *more]) if more else self.jobs
        self.engine = Engine(
            store=self._store,
            dispatcher=served,
            clock=self._clock,
            settings=self.settings,
            sinks=sinks,
            wants=listening,
            tick_span=tick_span,
        )
        self._opened = OpenedStore(self._store, in_use=lambda: self.engine.uses_store)
        self._background: Background | None = None

    @overload
    def job(self, function: F) -> F: ...

    @overload
    def job(self, *, name: str | None = None, isolate: str | None = None) -> Callable[[F], F]: ...

    def job(self, function: F | None = None, *, name: str | None = None, isolate: str | None = None) -> Any:
        """Register a function: `@app.job`, or `@app.job(name="…", isolate="process")`."""

        def register(function: F) -> F:
            self.jobs.register(function, name, isolate)
            self._serves_more()
            return function

        return register if function is None else register(function)

    def _check_job(self, job: Job) -> None:
        if job.executor is None:  # an executor's job may be carried out by a daemon on the same store
            self.jobs.get(job.name).check(job.args)

    def _serves_more(self) -> None:
        if self.engine.running:
            self.engine.serves_more()

    async def schedule(
        self,
        name: str,
        trigger: When,
        *,
        job: str | Callable[..., Any] | Job | None = None,
        args: Mapping[str, Any] | None = None,
        prompt: str | Prompt | None = None,
        message: str | Message | None = None,
        policy: Policy | None = None,
        **options: Unpack[ScheduleOptions],
    ) -> ScheduleInfo:
        """Create a schedule, or update the one of this name; its history stays.

        Give exactly one of `job`, `prompt` and `message`. `ScheduleOptions` lists the options.
        """
        draft = self._draft(name, trigger, self._action(job, args, prompt, message), policy, options)
        return (await self.schedule_many([draft]))[0]

    async def schedule_many(self, drafts: Iterable[Draft]) -> list[ScheduleInfo]:
        """Create or update many schedules in one transaction."""
        ids = await self.add(drafts)
        return [await self._service.get(schedule_id) for schedule_id in ids]

    async def add(self, drafts: Iterable[Draft]) -> list[str]:
        """Create or update schedules as `schedule_many` does, and give only their ids: for very many."""
        return await self._service.save(list(drafts), then=self.engine.wake)

    def draft(
        self,
        name: str,
        trigger: When,
        *,
        job: str | Callable[..., Any] | Job,
        args: Mapping[str, Any] | None = None,
        policy: Policy | None = None,
        **options: Unpack[ScheduleOptions],
    ) -> Draft:
        """Make a draft of a schedule for `add` and `schedule_many`."""
        return self._draft(name, trigger, self._action(job, args, None, None), policy, options)

    async def dispatch(
        self,
        job: str | Callable[..., Any] | Job,
        recurring: When,
        *,
        args: Mapping[str, Any] | None = None,
        name: str | None = None,
        policy: Policy | None = None,
        **options: Unpack[ScheduleOptions],
    ) -> ScheduleInfo:
        """Schedule a job with the builder: `app.dispatch(task, lambda recurring: recurring.every(5).minutes())`."""
        action = self._action(job, args, None, None)
        unique = name or f"{action.handler.partition(':')[2]}-{secrets.token_hex(4)}"
        return (await self.schedule_many([self._draft(unique, recurring, action, policy, options)]))[0]

    def _draft(
        self, name: str, trigger: When, action: Action, policy: Policy | None, options: ScheduleOptions
    ) -> Draft:
        return make_draft(name, as_trigger(trigger), action, self._namespace, policy or _PLAIN, options)

    def _action(
        self,
        job: str | Callable[..., Any] | Job | None,
        args: Mapping[str, Any] | None,
        prompt: str | Prompt | None,
        message: str | Message | None,
    ) -> Action:
        named = job if job is None or isinstance(job, str | Job) else self._name_of(job)
        return chosen_action(named, args, prompt, message)

    def _name_of(self, function: Callable[..., Any]) -> str:
        name = self.jobs.name_of(function)
        self._serves_more()
        return name

    async def _id(self, name: str) -> str:
        name = values.name(name, "name")
        if name.startswith(SCHEDULE) and await self._store.get(name) is not None:
            return name
        return (await self._service.find(name, self._namespace)).id

    async def get(self, name: str) -> ScheduleInfo:
        """Give a schedule by name or id."""
        return await self._service.get(await self._id(name))

    async def schedules(self, wanted: ScheduleFilter | None = None) -> list[ScheduleInfo]:
        """List a page of schedules."""
        return await self._service.schedules(wanted or ScheduleFilter(namespace=self._namespace))

    async def pause(self, name: str) -> ScheduleInfo:
        """Stop firing until `resume`."""
        return await self._service.pause(await self._id(name))

    async def resume(self, name: str) -> ScheduleInfo:
        """Fire again, from now on."""
        info = await self._service.resume(await self._id(name))
        self.engine.wake()
        return info

    async def delete(self, name: str) -> None:
        """Delete a schedule; its history stays, and `restore` brings it back."""
        await self._service.delete(await self._id(name))
        self.engine.wake()

    async def restore(self, schedule_id: str, name: str | None = None) -> ScheduleInfo:
        """Undo a deletion, by id; the schedule comes back paused, under a new name if one is given."""
        return await self._service.restore(schedule_id, name)

    async def trigger(self, name: str) -> Run:
        """Fire now, whether or not the schedule is enabled."""
        run = await self._service.trigger(await self._id(name))
        self.engine.wake()
        return run

    async def backfill(self, name: str, start: datetime, end: datetime) -> list[Run]:
        """Fire for every nominal time in a past range."""
        runs = await self._service.backfill(await self._id(name), start, end)
        self.engine.wake()
        return runs

    async def skip_next(self, name: str) -> ScheduleInfo:
        """Leave the next fire out, and record that it was skipped."""
        return await self._service.skip_next(await self._id(name))

    async def cancel_run(self, run_id: str) -> Run:
        """Cancel a run that has not started; ask one that has started to stop."""
        run = await self._service.cancel_run(run_id)
        self.engine.look_around()
        return run

    async def history(
        self, name: str | None = None, *, statuses: Statuses = (), limit: int = 100, before: str | None = None
    ) -> list[Run]:
        """List runs of one schedule, or of all, newest first; with `before`, the id of a run, only older ones."""
        return await self._service.history(None if name is None else await self._id(name), statuses, limit, before)

    async def events(
        self,
        name: str | None = None,
        *,
        kinds: Sequence[str] = (),
        level: str | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> list[EventView]:
        """List the newest events of the journal about one schedule, or about all, the latest last.

        `kinds` are names or patterns such as `run.*`; `level` is the lowest level to list.
        """
        schedule_id = None if name is None else await self._id(name)
        found, _ = await Journal(self._store).page(
            Caller(face=Face.API), schedule=schedule_id, kinds=kinds, level=level, since=since, limit=limit
        )
        return found

    def preview(self, trigger: When, count: int = 5) -> list[datetime]:
        """List the next fires of a trigger; nothing is stored."""
        return preview(as_trigger(trigger), self._clock.now(), count)

    def runs(self, name: str) -> int:
        """Count the runs of a schedule that succeeded in this process."""
        return self.engine.work.counts[name]

    async def health(self) -> Health:
        """Judge the health of the store and of the engine."""
        return await self.engine.health()

    async def open(self) -> None:
        """Open the store without starting the engine: enough to create schedules for engines of other processes."""
        await self._opened.open()

    async def close(self) -> None:
        """Stop the engine and close the store; runs that cannot be stopped keep the store open until they end.

        A tick by hand that is under way ends first. A second call, also from another task, waits for the same end.
        """
        await self.engine.stop(then=self._opened.close)
        self.jobs.close()
        self._log.flush()

    async def __aenter__(self) -> Self:
        if self.engine.running:
            raise DulyError("the scheduler is running already")
        if self.engine.busy:  # or a failure below would close the store that the engine is using
            raise DulyError("the scheduler is just starting, stopping or ticking: wait until that is done")
        await self.open()
        try:
            await self.engine.start()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def run_forever(self) -> None:
        """Wait until cancelled, or until SIGTERM or SIGINT. Outside `async with app:`, start before and stop after."""
        from duly.processes import until_asked_to_stop

        async with AsyncExitStack() as stack:
            if not self.engine.running:
                await stack.enter_async_context(self)
            await until_asked_to_stop()

    async def tick(self, now: datetime | None = None) -> int:
        """Carry out every run that is due, one after the other; gives the number that succeeded."""
        if now is not None:
            values.instant(now, "now")
        await self.open()
        return await self.engine.tick(now)

    def start(self) -> None:
        """Start in a thread; `sync` then offers every method as a plain call."""
        if self._background is not None or self.engine.running:
            raise DulyError("the scheduler is running already")
        if self.engine.waits_for_runs:
            raise DulyError("handlers that could not be stopped are still busy: start again when they have ended")
        self._background = Background()
        self._background.start()
        try:
            self._background.call(self.__aenter__())
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop what `start` started. Idempotent."""
        if self._background is not None:
            self._refuse_to_wait_for_itself(self._background)
            background = self._background
            self._background = None
            try:
                background.call(self.close())
            finally:
                background.stop()

    @property
    def sync(self) -> SyncDuly:
        """The asynchronous methods as plain calls, between `start` and `stop`."""
        if self._background is None:
            raise DulyError("call start() first: without it there is no thread to do the work")
        self._refuse_to_wait_for_itself(self._background)
        return SyncDuly(self, self._background.call)

    def _refuse_to_wait_for_itself(self, background: Background) -> None:
        if background.is_here:
            raise DulyError("an async handler cannot wait for the loop it runs in: await the method itself")


class SyncDuly(Synchronous):
    """The methods of a running `Duly` as plain calls, with the same arguments and results: `app.sync.schedule(…)`."""

    schedule = waited(Duly.schedule)
    schedule_many = waited(Duly.schedule_many)
    add = waited(Duly.add)
    draft = passed(Duly.draft)
    dispatch = waited(Duly.dispatch)
    get = waited(Duly.get)
    schedules = waited(Duly.schedules)
    pause = waited(Duly.pause)
    resume = waited(Duly.resume)
    delete = waited(Duly.delete)
    restore = waited(Duly.restore)
    trigger = waited(Duly.trigger)
    backfill = waited(Duly.backfill)
    skip_next = waited(Duly.skip_next)
    cancel_run = waited(Duly.cancel_run)
    history = waited(Duly.history)
    preview = passed(Duly.preview)
    runs = passed(Duly.runs)
    health = waited(Duly.health)
    events = waited(Duly.events)
    tick = waited(Duly.tick)
    open = waited(Duly.open)
    close = waited(Duly.close)
    run_forever = waited(Duly.run_forever)
