"""Everything one process needs, put together from settings. A part is made when it is first asked for, so that a
short command does not pay for what it does not use.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duly.clock import Clock, SystemClock, host_zone
from duly.config.secrets import resolve
from duly.config.settings import Settings
from duly.entropy import random_bits
from duly.errors import ConfigError, InvalidInputError
from duly.model.action import Action, Job, Prompt
from duly.service.access import ADMIN, Caller, Face
from duly.service.attention import Attention
from duly.service.use_cases import UseCases
from duly.stores import open_store

if TYPE_CHECKING:
    from duly.delivery.dispatcher import MessageDispatcher
    from duly.dispatch.jobs import JobRegistry
    from duly.dispatch.prompts import PromptDispatcher
    from duly.engine.engine import Engine
    from duly.engine.health import Health
    from duly.model.events import Event
    from duly.ports.channels import ProactiveDelivery
    from duly.service.intake import Intake
    from duly.service.reminders import ReminderService
    from duly.service.sync import Sync, SyncReport
    from duly.service.tokens import TokenService


_log = logging.getLogger("duly")


class House:
    """One process's share of duly."""

    def __init__(
        self, settings: Settings, *, clock: Clock | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self.settings = settings
        self.clock = clock or SystemClock()
        self.environment = os.environ if environment is None else environment
        self.listeners: list[Callable[[Event], None]] = []
        """Told of every event of the engine; to be added before it starts."""
        self._module_path: str | None = None
        url = self.resolver("store")(settings.store)
        try:
            self.store = open_store(url, self.clock, inline=not isinstance(self.clock, SystemClock))
        except ImportError as error:  # the driver is an extra
            raise ConfigError("store", str(error)) from error

    async def open(self) -> None:
        """Make the store ready for use cases; the engine does not run yet."""
        folder = self.settings.data_dir
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise ConfigError(
                "data_dir", f"cannot make the directory {folder}: {error.strerror}. Name another with --data-dir"
            ) from error
        await self.store.open()
        if self.settings.file is not None and self._module_path is None:
            self._module_path = str(self.settings.file.parent)
            sys.path.insert(0, self._module_path)  # modules of jobs and spawners lie beside the file that names them

    async def close(self) -> None:
        """Stop what runs, and let go of the store, of the threads and of the entry in the module path."""
        if "engine" in self.__dict__:
            await self.engine.stop()
        if "jobs" in self.__dict__:
            self.jobs.close()
        if "prompts" in self.__dict__:
            self.prompts.close()
        if self._module_path in sys.path:
            sys.path.remove(self._module_path)
        self._module_path = None
        for channel in self.__dict__.get("channels", {}).values():
            await channel.close()
        await self.store.close()

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
            self._check_job,
            random_bits,
            default_zone=self.zone,
            on_change=self.wake,
            check_action=self._check_action,
            attention=self.attention,
        )

    @cached_property
    def attention(self) -> Attention:
        return Attention(
            self.store,
            self.clock,
            missing_program=self._missing_program,
            fault=self._fault,
            health=self.health,
        )

    async def health(self) -> Health:
        """The judgement of this process's engine; of the store alone where none was made, as in a short command."""
        if "engine" in self.__dict__:
            return await self.engine.health()
        return await Attention(self.store, self.clock).health()

    def _fault(self) -> str | None:
        """Why the engine of this process cannot do its work; None when it can, and where there is none."""
        from duly.engine.health import fault_of

        if "engine" not in self.__dict__ or not self.engine.running:
            return None
        return fault_of(self.engine.pulsebeat, self.clock.now(), self.engine.settings.poll)

    def _missing_program(self, handler: str) -> str | None:
        """The program that a prompt needs and that is not on this machine."""
        kind, _, spawner = handler.partition(":")
        return self.prompts.missing_program(spawner) if kind == "prompt" else None

    @cached_property
    def reminders(self) -> ReminderService:
        from duly.service.reminders import ReminderService

        known = ("inbox", *self.settings.channels)
        return ReminderService(
            self.store,
            self.clock,
            random_bits,
            wake=self.wake,
            default_zone=self.zone,
            channels=known,
            attention=self.attention,
        )

    @cached_property
    def intake(self) -> Intake:
        from duly.service.intake import Intake

        return Intake(self.reminders, self.store.reminders, self.channels, self.clock)

    @cached_property
    def tokens(self) -> TokenService:
        from duly.service.tokens import TokenService

        return TokenService(self.store, self.clock, random_bits)

    @cached_property
    def sync(self) -> Sync:
        from duly.service.sync import Sync

        return Sync(self.store, self.clock, self._check_job, random_bits, check_action=self._check_action)

    async def sync_schedules(self, *, dry_run: bool = False) -> SyncReport | None:
        """Bring the butler's schedules in line with its file; None without a butler."""
        butler = self.settings.butler
        if butler is None:
            return None
        report = await self.sync.sync_schedules(
            butler.namespace, butler.schedules, spawner=butler.spawner, dry_run=dry_run
        )
        self.wake()
        return report

    @cached_property
    def zone(self) -> str:
        """The zone people think in: as configured, else the machine's, else UTC."""
        return self.settings.timezone or host_zone(self.clock.now())

    # carrying out

    @cached_property
    def jobs(self) -> JobRegistry:
        from duly.dispatch.jobs import JobRegistry
        from duly.dispatch.loading import load_function

        registry = JobRegistry(self.clock)
        for name, place in self.settings.jobs.items():
            with _setting(f"jobs.{name}"):
                registry.register(load_function(place), name)
        return registry

    @cached_property
    def prompts(self) -> PromptDispatcher:
        from duly.dispatch.prompts import PRESETS, Projects, PromptDispatcher, profile_from

        settings = self.settings
        profiles = {name: profile_from(name, table, PRESETS) for name, table in settings.spawners.items()}
        profiles = {**PRESETS, **profiles}
        butler = None if settings.butler is None else settings.butler.spawner
        return PromptDispatcher(
            self.store.targets,
            self.clock,
            list(profiles.values()),
            default=settings.default_spawner or butler or "claude",
            projects=Projects(settings.projects),
            gates=settings.gates,
            state_dir=settings.data_dir / "prompts",
            emit=self._emit,
            environ=self.environment,
        )

    @cached_property
    def channels(self) -> dict[str, ProactiveDelivery]:
        """The configured ways to reach people; the inbox is always there besides."""
        if not self.settings.channels:
            return {}
        from duly.delivery.channels import make_channel

        return {
            name: make_channel(name, table, resolve=self.resolver(f"channels.{name}"), clock=self.clock)
            for name, table in self.settings.channels.items()
        }

    @cached_property
    def messages(self) -> MessageDispatcher:
        from duly.daemon.links import link_to
        from duly.delivery.dispatcher import MessageDispatcher

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
        base = Path() if self.settings.file is None else self.settings.file.parent
        return lambda text: resolve(text, self.environment, where, base)

    @cached_property
    def engine(self) -> Engine:
        from duly.dispatch.routing import Router
        from duly.engine.engine import Engine
        from duly.engine.settings import EngineSettings
        from duly.service.permission import Permission
        from duly.telemetry.log import log_event
        from duly.telemetry.tracing import tick_span

        limits = EngineSettings(
            max_concurrency=self.settings.max_concurrency, retention=timedelta(days=self.settings.retention_days)
        )
        router = Router([self.jobs, self.prompts, self.messages], Permission(self.store).refusal)
        sinks = [log_event, *self.listeners]
        return Engine(self.store, router, self.clock, limits, sinks=sinks, tick_span=tick_span)

    async def start_engine(self) -> None:
        """Begin to carry out: first end what a killed process left behind."""
        from duly.dispatch.prompts import reap

        await reap(self.store.targets, self.clock)
        for late in await self.reminders.recover_missed_jobs():
            fate = "is made up for now" if late.delivers else "is too old to be made up for"
            _log.info("reminder %s, %d minutes late, %s; %d missed", late.name, late.late_minutes, fate, late.missed)
        await self.engine.start()

    async def stop_engine(self) -> None:
        await self.engine.stop()

    def wake(self) -> None:
        """Something may be due sooner than the engine thinks."""
        if "engine" in self.__dict__ and self.engine.running:
            self.engine.wake()

    def _emit(self, event: Event) -> None:
        self.engine.emit(event)

    def _check_job(self, name: str, args: Mapping[str, Any]) -> None:
        self.jobs.get(name).check(args)

    def _check_action(self, action: Action) -> None:
        """Refuse what could not be carried out before it is stored."""
        if isinstance(action, Prompt):
            self.prompts.check(action)
        elif isinstance(action, Job):
            self._check_job(action.name, action.args)


@contextmanager
def _setting(key: str) -> Iterator[None]:
    """What goes wrong in the block is the fault of a setting."""
    try:
        yield
    except InvalidInputError as error:
        raise ConfigError(key, str(error)) from error
