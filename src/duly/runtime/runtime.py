"""Everything one process needs, put together from settings; a part is made when it is first asked for."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from duly import private_files
from duly.clock import Clock, SystemClock, host_zone
from duly.config.reading import telling_lines
from duly.config.settings import Settings
from duly.entropy import random_bits
from duly.errors import ConfigError, InvalidInputError, NotFoundError
from duly.model.action import Action
from duly.outbound.secrets import resolve
from duly.ports.observers import EventListener
from duly.ports.store import FullStore
from duly.runtime.files import blame_open_folder
from duly.service.access.access import ADMIN, Caller, Face
from duly.service.access.quotas import QuotaKeeper
from duly.service.schedules.attention import Attention
from duly.service.schedules.use_cases import UseCases
from duly.stores import open_store
from duly.telemetry.log import EventLog

if TYPE_CHECKING:
    from duly.agents import PromptDispatcher
    from duly.delivery.dispatcher import MessageDispatcher
    from duly.engine.engine import Engine
    from duly.engine.health import Health
    from duly.engine.settings import EngineSettings
    from duly.jobs.dispatcher import JobRegistry
    from duly.model.events import Event
    from duly.ports.channels import ProactiveDelivery
    from duly.ports.dispatch import Dispatcher
    from duly.runtime.capabilities import Capabilities
    from duly.runtime.reviewing import ReviewLoop
    from duly.service.access.audit_trail import AuditTrail
    from duly.service.access.tokens import TokenService
    from duly.service.journal import Journal
    from duly.service.reminders.chats import ChatInbound
    from duly.service.reminders.reminders import ReminderService
    from duly.service.schedules.sync import SyncReport


_log = logging.getLogger("duly")


class Runtime:
    """One process's share of duly."""

    def __init__(
        self, settings: Settings, *, clock: Clock | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self.settings = settings
        self.clock = clock or SystemClock()
        self.environment = os.environ if environment is None else environment
        self.log = EventLog(self.clock)
        self.listeners: list[EventListener] = [self.log]
        """Told of every event; to be added with `hear`, before the engine starts."""
        self.config_fault: str | None = None
        """What is wrong with the file since it was last taken up."""
        self.notes: list[str] = []
        """What a person should know about how this process is served, for its health."""
        self.channel_names = dict.fromkeys(("inbox", *settings.channels))
        """The ways to reach people by name, in order; changed in place when the file is taken up anew."""
        self.retired: list[ProactiveDelivery] = []
        """Channels of earlier settings: a message may still be on its way through them."""
        self._served_by_daemon: frozenset[str] | None = None
        """What the running daemon serves, where this process is not it; None when there is nothing to go by."""
        self.store = self._open_store()
        self.quotas = QuotaKeeper(self.store, self.clock, settings.quotas)
        self.store.on_event(self.log)

    def _open_store(self) -> FullStore:
        with telling_lines(self.settings):
            url = self.resolver("store")(self.settings.store)
            try:
                return open_store(url, self.clock, inline=not isinstance(self.clock, SystemClock))
            except (ImportError, InvalidInputError) as error:  # the driver is an extra
                raise ConfigError("store", str(error)) from error

    def hear(self, listener: EventListener) -> None:
        """Tell somebody of every event from now on: those of the store, and those of an engine that starts later."""
        self.listeners.append(listener)
        self.store.on_event(listener)

    def tell(self, event: Event) -> None:
        """Tell everybody who listens of something that is kept nowhere."""
        for listener in self.listeners:
            listener(event)

    async def open(self, *, create: bool | None = None) -> None:
        """Make the store ready for use cases; the engine does not run yet.

        A store that went missing under the running daemon is not replaced by an empty one, unless `create` says so.
        """
        folder = self.settings.data_dir
        try:
            private_files.make_folder(folder)
        except OSError as error:
            raise ConfigError(
                "data_dir", f"cannot make the directory {folder}: {error.strerror}. Name another with --data-dir"
            ) from error
        await self.store.open(create=self.daemon() is None if create is None else create)

    def daemon(self) -> dict[str, Any] | None:
        """Give what the daemon on this data directory and store tells about itself; None without such a daemon."""
        from duly.runtime.presence import found

        facts = found(self.settings.data_dir)
        return facts if facts is not None and facts.get("store") == self.store.url else None

    async def close(self) -> None:
        """Stop what runs, and let go of the store, of the threads and of the entry in the module path."""
        await self.stop_engine()
        if "capabilities" in self.__dict__:
            self.jobs.close()
            self.capabilities.close()
        if "prompts" in self.__dict__:
            self.prompts.close()
        for channel in (*self.__dict__.get("channels", {}).values(), *self.retired):
            await channel.close()
        await self.store.close()
        self.log.flush()

    async def agree_with_daemon(self) -> None:
        """If a daemon runs on the data directory, refuse what it would refuse, and another store altogether."""
        from duly.runtime.presence import served_by_daemon

        self._served_by_daemon = await served_by_daemon(self.settings.data_dir, self.store)

    def local(self, face: Face) -> Caller:
        """Whoever sits at this machine: an admin, at home in the butler's namespace where there is one."""
        home = {} if self.settings.butler is None else {"home": self.settings.butler.namespace}
        return Caller(ADMIN, None, face, **home)

    # use cases

    @cached_property
    def use_cases(self) -> UseCases:
        return UseCases(
            self.store,
            self.clock,
            lambda name, args: self.capabilities.check_job(name, args),
            random_bits,
            default_zone=self.zone,
            cron_zone=self.settings.cron_timezone,
            on_change=self.wake,
            check_action=self._check_action,
            attention=self.attention,
            configured=lambda: self.capabilities.configured,
            quotas=self.quotas,
        )

    @cached_property
    def attention(self) -> Attention:
        missing_program, fault, health = self._missing_program, self._fault, self.health
        return Attention(self.store, self.clock, missing_program=missing_program, fault=fault, health=health)

    async def health(self) -> Health:
        """The judgement of this process's engine; of the store alone where none was made, as in a short command."""
        from duly.engine.health import Light

        looked_at = self.engine if "engine" in self.__dict__ else Attention(self.store, self.clock)
        judged = await looked_at.health()
        if self.config_fault is not None:
            judged.blame(Light.YELLOW, f"a change of duly.toml was refused: {self.config_fault}")
        for note in self.notes:
            judged.blame(Light.YELLOW, note)
        blame_open_folder(judged, self.settings.data_dir)
        return judged

    def _fault(self) -> str | None:
        """Why the engine of this process cannot do its work; None when it can, and where there is none."""
        from duly.engine.health import fault_of

        if "engine" not in self.__dict__ or not self.engine.running:
            return None
        return fault_of(self.engine.status, self.clock.now(), self.engine.settings.poll)

    def _missing_program(self, handler: str) -> str | None:
        """The program that a prompt needs and that is not on this machine."""
        kind, _, spawner = handler.partition(":")
        return self.prompts.missing_program(spawner) if kind == "prompt" else None

    @cached_property
    def reminders(self) -> ReminderService:
        from duly.service.reminders.reminders import ReminderService

        return ReminderService(
            self.store,
            self.clock,
            random_bits,
            wake=self.wake,
            default_zone=self.zone,
            channels=self.channel_names,
            attention=self.attention,
            quotas=self.quotas,
        )

    @cached_property
    def journal(self) -> Journal:
        from duly.service.journal import Journal

        return Journal(self.store)

    @cached_property
    def audit(self) -> AuditTrail:
        from duly.service.access.audit_trail import AuditTrail

        return AuditTrail(self.store, self.clock)

    @cached_property
    def intake(self) -> ChatInbound:
        from duly.service.reminders.chats import ChatInbound

        return ChatInbound(self.reminders, self.store.reminders, self.channels, self.clock)

    @cached_property
    def tokens(self) -> TokenService:
        from duly.service.access.tokens import TokenService

        return TokenService(self.store, self.clock, random_bits, lambda grants: self.capabilities.check_grants(grants))

    async def sync_schedules(self, *, dry_run: bool = False) -> SyncReport | None:
        """Bring the butler's schedules in line with its file; None without a butler."""
        report = await self.sync_with(self.settings, self.capabilities, dry_run=dry_run)
        self.wake()
        return report

    async def sync_with(
        self, settings: Settings, capabilities: Capabilities, *, dry_run: bool = False
    ) -> SyncReport | None:
        """The same for the butler of given settings, checked against what these can carry out."""
        with telling_lines(settings):
            return await capabilities.sync_butler(self.store, self.clock, settings, zone=self.zone, dry_run=dry_run)

    @cached_property
    def zone(self) -> str:
        """The zone people think in: as configured, else the machine's, else UTC."""
        return self.settings.timezone or host_zone(self.clock.now())

    # carrying out

    @cached_property
    def capabilities(self) -> Capabilities:
        """What can be carried out here; exchanged when the file is taken up anew."""
        return self.capabilities_of(self.settings)

    def capabilities_of(self, settings: Settings) -> Capabilities:
        """What could be carried out here with other settings; refused when something in them is wrong."""
        from duly.runtime.capabilities import Capabilities

        with telling_lines(settings):
            return Capabilities(settings, self.clock, self.environment)

    @property
    def jobs(self) -> JobRegistry:
        return self.capabilities.jobs

    @cached_property
    def prompts(self) -> PromptDispatcher:
        return self.capabilities.make_prompts(self.store, self.clock, self._emit, self.quotas.budget_of)

    @cached_property
    def channels(self) -> dict[str, ProactiveDelivery]:
        """The configured ways to reach people; the inbox is always there besides."""
        return self.channels_of(self.settings)

    def channels_of(self, settings: Settings) -> dict[str, ProactiveDelivery]:
        """Channels as other settings want them; those of which nothing changes are the ones there are."""
        there: dict[str, ProactiveDelivery] = self.__dict__.get("channels", {})
        same = {name for name, table in settings.channels.items() if self.settings.channels.get(name) == table}
        with telling_lines(settings):
            return {
                name: there[name] if name in there and name in same else self._make_channel(name, table)
                for name, table in settings.channels.items()
            }

    def make_channel(self, name: str) -> ProactiveDelivery:
        """Make one channel, so that it can be tried whatever the other channels lack; the caller closes it."""
        if name == "inbox":
            from duly.delivery.sending import InboxChannel

            return InboxChannel(self.store.reminders, self.clock)
        if name not in self.settings.channels:
            there = ", ".join(self.channel_names)
            add = f"add [channels.{name}] to duly.toml; there is {there}"
            raise NotFoundError(f"channel {name!r} is not configured: {add}")
        return self._make_channel(name, self.settings.channels[name])

    def _make_channel(self, name: str, table: Mapping[str, Any]) -> ProactiveDelivery:
        from duly.channels import make_channel

        return make_channel(name, table, resolve=self.resolver(f"channels.{name}"), clock=self.clock)

    @cached_property
    def messages(self) -> MessageDispatcher:
        from duly.delivery.dispatcher import MessageDispatcher
        from duly.runtime.links import link_to

        return MessageDispatcher(
            self.store.people,
            self.store.reminders,
            self.channels,
            self.clock,
            default_zone=self.zone,
            link=link_to(self),
        )

    def resolver(self, where: str) -> Callable[[str], str]:
        """Looks secrets up that a section of the settings names."""
        return lambda text: resolve(text, self.environment, where, self.settings.folder)

    @cached_property
    def engine(self) -> Engine:
        from duly.engine.engine import Engine
        from duly.engine.routing import Router
        from duly.service.access.permission import refusal
        from duly.telemetry.tracing import tick_span

        dispatchers: list[Dispatcher] = [self.jobs, self.prompts, self.messages]
        router = Router(
            dispatchers,
            lambda run: refusal(run, run.tokens, self.clock.now(), self.capabilities.configured),
            lambda: self.capabilities.present,
            self.quotas.admit,
        )
        self.hear(self.reviews.hear)
        return Engine(self.store, router, self.clock, self.engine_settings(), sinks=self.listeners, tick_span=tick_span)

    def engine_settings(self) -> EngineSettings:
        """How the engine runs with the settings that hold now."""
        from duly.engine.settings import EngineSettings

        return EngineSettings(
            max_concurrency=self.settings.max_concurrency,
            max_prompts=self.settings.max_prompts,
            max_messages=self.settings.max_messages,
            owner_share=self.settings.owner_share,
            retention=timedelta(days=self.settings.retention_days),
            audit_retention=timedelta(days=self.settings.audit_retention_days),
            threads=isinstance(self.clock, SystemClock),
        )

    @cached_property
    def reviews(self) -> ReviewLoop:
        """Puts schedules to rest whose folder, program or job is missing, and wakes them when it is back."""
        from duly.runtime.reviewing import ReviewLoop

        return ReviewLoop(self)

    async def start_engine(self) -> None:
        """Begin to carry out: first end what a killed process left behind."""
        from duly.agents import reap

        await reap(self.store.targets, self.clock)
        for late in await self.reminders.recover_missed_jobs():
            fate = "is made up for now" if late.delivers else "is too old to be made up for"
            _log.info("reminder %s, %d minutes late, %s; %d missed", late.name, late.late_minutes, fate, late.missed)
        self.capabilities.look_again()  # before the engine tells others what is here
        try:
            await self.engine.start(self.reviews.begin)
        except BaseException:
            await self.reviews.stop()
            raise

    async def stop_engine(self) -> None:
        if "engine" in self.__dict__:
            await self.reviews.stop()
            await self.engine.stop()

    async def tick(self) -> int:
        """Carry out what is due by hand; gives the number that succeeded."""
        await self.reviews.look_at_all()
        return await self.engine.tick()

    def wake(self) -> None:
        """Something may be due sooner than the engine thinks."""
        if "engine" in self.__dict__ and self.engine.running:
            self.engine.wake()

    def _emit(self, event: Event) -> None:
        self.engine.emit(event)

    def _check_action(self, action: Action) -> None:
        """Refuse what could not be carried out before it is stored."""
        from duly.runtime.capabilities import check_served

        self.capabilities.check(action)
        if self._served_by_daemon is not None:
            check_served(action, self._served_by_daemon)
