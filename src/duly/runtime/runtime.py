"""The composition root: everything one process needs, made from the settings.

Each part is a cached property, made when it is first used: a short command pays only for the parts it uses. The order
below is store, services, dispatchers and channels, engine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from duly.clock import Clock, SystemClock, host_zone
from duly.config.reading import telling_lines
from duly.entropy import random_bits
from duly.model.schedule import DEFAULT_NAMESPACE
from duly.outbound.secrets import resolve
from duly.runtime.secret_files import make_data_dir
from duly.runtime.store_making import make_backups, make_store
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.telemetry.log import EventLog
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.agents import PromptDispatcher
    from duly.config.settings import Settings
    from duly.delivery.dispatcher import MessageDispatcher
    from duly.engine.engine import Engine
    from duly.engine.health import Health
    from duly.engine.settings import EngineSettings
    from duly.jobs.dispatcher import JobRegistry
    from duly.model.action import Action
    from duly.model.events import Event
    from duly.ports.channels import ProactiveDelivery
    from duly.ports.observers import EventListener
    from duly.runtime.capabilities import Capabilities
    from duly.runtime.handing_over import HandingOver
    from duly.runtime.monitor import Monitor
    from duly.runtime.notice_loop import NoticeLoop
    from duly.runtime.review_loop import ReviewLoop
    from duly.service.schedules.sync import SyncReport
    from duly.service.services import Services


class Runtime:
    """The parts of one process. Use `open`, then `start_engine` if it carries out runs, and `close` at the end."""

    def __init__(
        self, settings: Settings, *, clock: Clock | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self.settings = settings
        self.clock = clock or SystemClock()
        self.random_bits = random_bits
        self.environment = os.environ if environment is None else environment
        self.log = EventLog(self.clock)
        self.listeners: list[EventListener] = [self.log]
        """Called with every event; add to it with `hear`, before the engine starts."""
        self.config_fault: str | None = None  # of the configuration file, if its last change was refused
        self.notes: list[str] = []
        """Warnings about how this process is set up, shown in its health."""
        self.channel_names = dict.fromkeys(("inbox", *settings.channels))
        """The names of the channels, in order; changed in place when the file is taken up again."""
        self.retired: list[ProactiveDelivery] = []
        """Channels of earlier settings, kept open: a message may still be on its way through them."""
        self.port: int | None = None  # on which this process listens; set before its capabilities are made
        self._served_by_daemon: frozenset[str] | None = None
        """The handlers that the running daemon serves; None when this process is it, or no daemon runs."""
        self.store = make_store(settings, self.clock, self.environment)
        self.store.on_event(self.log)

    def has_made(self, part: str) -> bool:
        """Whether a part was made: a cached property is in `__dict__` once it was used."""
        return part in self.__dict__

    def hear(self, listener: EventListener) -> None:
        """Call a listener with every event from now on: those of the store, and of an engine that starts later."""
        self.listeners.append(listener)
        self.store.on_event(listener)

    def tell(self, event: Event) -> None:
        """Call every listener with an event that is not stored."""
        for listener in self.listeners:
            listener(event)

    async def open(self, *, create: bool | None = None) -> None:
        """Open the store, for use cases; the engine does not run yet.

        While a daemon runs on it, a store that went missing is not replaced by an empty one, unless `create` is true.
        """
        make_data_dir(self.settings.data_dir)
        await self.store.open(create=self.daemon() is None if create is None else create)

    def daemon(self) -> dict[str, Any] | None:
        """Give the lock file's content of the daemon on this data directory and store; None without such a daemon."""
        from duly.runtime.daemon_lock import find_daemon

        facts = find_daemon(self.settings.data_dir)
        return facts if facts is not None and facts.get("store") == self.store.url else None

    def starting_since(self) -> datetime | None:
        """Since when the daemon on this data directory starts; None when none does."""
        since = None if self.has_made("engine") else (self.daemon() or {}).get("starting_since")
        return since and datetime.fromisoformat(since)

    async def prepare(self) -> None:
        """Make the dispatchers and sync the butler's schedules: faults of the settings are raised before serving."""
        _ = (self.capabilities, self.prompts, self.messages)  # each is made when it is first used
        await self.services.quotas.warn_of_unknown_owners(self.settings.projects)
        await self.sync_schedules()

    async def close(self) -> None:
        """Stop the engine, and close the channels, the store and the threads. Idempotent."""
        await self.stop_engine()
        if self.has_made("backups"):
            await self.backups.stop()
        if self.has_made("capabilities"):
            self.capabilities.close()
        if self.has_made("prompts"):
            self.prompts.close()
        for channel in (*self.__dict__.get("channels", {}).values(), *self.retired):
            await channel.close()
        await self.store.close()
        self.log.flush()

    async def agree_with_daemon(self) -> None:
        """Refuse from now on what the running daemon cannot carry out; raise if it uses another store."""
        from duly.runtime.daemon_lock import served_by_daemon

        self._served_by_daemon = await served_by_daemon(self.settings.data_dir, self.store)

    def local(self, face: Face) -> Caller:
        """Give the local user as a caller: an admin, whose namespace is the butler's if there is one."""
        home = DEFAULT_NAMESPACE if self.settings.butler is None else self.settings.butler.namespace
        return Caller(scope=ADMIN, face=face, home=home)

    # services

    @cached_property
    def services(self) -> Services:
        """The use cases of this process: there is one of each."""
        from duly.service.services import Services

        return Services(self)

    backups = cached_property(make_backups)

    async def health(self) -> Health:
        """Judge the health: by this process's engine; without one, as in a short command, by the store alone."""
        from duly.runtime.health import judge_health

        return await judge_health(self)

    def engine_fault(self) -> str | None:
        """Say why the engine of this process cannot work; None if it can, or if there is none."""
        if not self.has_made("engine"):
            return None  # a command line that only looks need not load what an engine is made of
        from duly.runtime.engine_wiring import engine_fault

        return engine_fault(self)

    def missing_program(self, handler: str) -> str | None:
        """Give the program that the spawner of a handler needs and that is not on this machine."""
        kind, _, spawner = handler.partition(":")
        return self.prompts.rules.missing_program(spawner) if kind == "prompt" else None

    async def sync_schedules(self, *, dry_run: bool = False) -> SyncReport | None:
        """Make the butler's schedules equal to those of its file; None without a butler."""
        report = await self.capabilities.sync_butler(self.store, zone=self.zone, dry_run=dry_run)
        self.wake()
        return report

    @cached_property
    def zone(self) -> str:
        """The zone of times that name none: as configured, else the machine's, else UTC."""
        return self.settings.timezone or Zone.of(host_zone(self.clock.now())).name

    # dispatchers and channels

    @cached_property
    def capabilities(self) -> Capabilities:
        """The jobs, spawners, projects and gates of this process; exchanged when the file is taken up again."""
        return self.capabilities_of(self.settings)

    def capabilities_of(self, settings: Settings) -> Capabilities:
        """Make the capabilities of other settings; raise for a fault in them."""
        from duly.runtime.capabilities import Capabilities

        with telling_lines(settings):
            return Capabilities(settings, self.clock, self.environment, self.port)

    @property
    def jobs(self) -> JobRegistry:
        return self.capabilities.jobs

    @cached_property
    def prompts(self) -> PromptDispatcher:
        return self.capabilities.make_prompts(
            self.store,
            self.clock,
            lambda event: self.engine.emit(event),
            self.services.quotas,
            self.handing_over.dispatcher,
        )

    @cached_property
    def channels(self) -> dict[str, ProactiveDelivery]:
        """The configured channels; the inbox is always there besides."""
        return self.channels_of(self.settings)

    def channels_of(self, settings: Settings) -> dict[str, ProactiveDelivery]:
        """Make the channels of other settings; channels whose section did not change are kept."""
        from duly.runtime.channels import make_channels

        return make_channels(self, settings)

    def make_channel(self, name: str) -> ProactiveDelivery:
        """Make this channel alone, so that it can be tried while others lack settings; the caller closes it."""
        from duly.runtime.channels import make_channel

        return make_channel(self, name)

    @cached_property
    def messages(self) -> MessageDispatcher:
        from duly.runtime.engine_wiring import make_messages

        return make_messages(self)

    def resolver(self, where: str) -> Callable[[str], str]:
        """Make the function that resolves the secrets named in a section of the settings."""
        return lambda text: resolve(text, self.environment, where, self.settings.folder)

    # engine

    @cached_property
    def engine(self) -> Engine:
        from duly.runtime.engine_wiring import make_engine

        return make_engine(self)

    @cached_property
    def monitor(self) -> Monitor:
        """Metrics, OpenTelemetry and the heartbeat URL: a daemon makes it before its engine."""
        from duly.runtime.monitor import Monitor

        with telling_lines(self.settings):
            return Monitor(self)

    def engine_settings(self) -> EngineSettings:
        """Give the engine's part of the present settings."""
        from duly.runtime.capabilities import engine_settings

        return engine_settings(self.settings, threads=isinstance(self.clock, SystemClock))

    @cached_property
    def handing_over(self) -> HandingOver:
        from duly.runtime.handing_over import HandingOver

        return HandingOver(self)

    @cached_property
    def reviews(self) -> ReviewLoop:
        """The loop that puts schedules to rest whose folder, program or job is missing, and wakes them later."""
        from duly.runtime.review_loop import ReviewLoop

        return ReviewLoop(self)

    @cached_property
    def notices(self) -> NoticeLoop:
        from duly.runtime.notice_loop import make_notice_loop

        return make_notice_loop(self)

    async def start_engine(self) -> None:
        """End the agents that a killed process left behind, log late reminders, and start the engine."""
        from duly.runtime.engine_wiring import start_engine

        await start_engine(self)

    async def stop_engine(self) -> None:
        if self.has_made("engine"):
            await self.reviews.stop()
            await self.engine.stop()
            await self.handing_over.stop()
            await self.notices.stop()

    async def tick(self) -> int:
        """Carry out what is due, once; give the number of runs that succeeded."""
        await self.reviews.look_at_all()
        await self.handing_over.watch.look()
        return await self.notices.after(self.engine.tick)

    def wake(self, due: datetime | None = None) -> None:
        """Make the engine look now; for something new, only if it would sleep until that is `due`."""
        if self.has_made("engine") and self.engine.running:
            self.engine.wake(due)

    def check_action(self, action: Action, retries: bool) -> None:
        """Refuse to store an action that this process, or the running daemon, cannot carry out."""
        from duly.runtime.capabilities import check_served

        self.capabilities.check(action, retries)
        check_served(action, self._served_by_daemon)
