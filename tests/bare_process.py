"""A process of a store and a clock: what use cases get where no runtime is wanted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from pathlib import Path

from duly.clock import Clock
from duly.config.settings import Settings
from duly.engine.health import Health
from duly.engine.settings import VIRTUAL, EngineSettings
from duly.entropy import random_bits
from duly.model.action import Action, Job
from duly.model.ids import RandomBits
from duly.ports.channels import ProactiveDelivery
from duly.ports.observers import EventListener
from duly.ports.process import Capable
from duly.ports.store import FullStore
from duly.runtime.executors import ConfiguredExecutors
from duly.service.access.grants import UNCONFIGURED, Configured
from duly.service.backups import Backups
from duly.service.reminders.requests import no_job
from duly.service.schedules.attention import health_of_store
from duly.service.schedules.sync import SyncReport
from duly.service.services import Services


class BareCapabilities:
    """No job, no executor, and any grant."""

    configured: Configured = UNCONFIGURED

    def __init__(self) -> None:
        self.executors = ConfiguredExecutors({}, lambda _where: str)

    def check_job(self, job: Job) -> None:
        no_job(job)

    def check_grants(self, grants: Collection[str]) -> None:
        """Accept any."""


class BareProcess:
    """Implements `duly.ports.process.Process`: there is no engine, every action can be carried out but for jobs."""

    zone = "UTC"

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        settings: Settings | None = None,
        *,
        bits: RandomBits = random_bits,
        wake: Callable[[], object] = lambda: None,
        channels: Collection[str] = (),
    ) -> None:
        self.store = store
        self.clock = clock
        self.random_bits = bits
        self.settings = settings or Settings(data_dir=Path(), store=store.url)
        self.capabilities: Capable = BareCapabilities()
        self.channel_names: Mapping[str, object] = dict.fromkeys(("inbox", *channels))
        self.channels: Mapping[str, ProactiveDelivery] = {}
        self.fault: str | None = None
        """Why the engine cannot work, if it cannot."""
        self.backups = Backups(lambda: self.settings.store, lambda: self.settings, clock, lambda _event: None)
        self._wake = wake

    def check_action(self, action: Action, retries: bool) -> None:
        """Accept any."""

    def make_channel(self, name: str) -> ProactiveDelivery:
        return self.channels[name]

    def engine_settings(self) -> EngineSettings:
        return VIRTUAL

    def engine_fault(self) -> str | None:
        return self.fault

    def wake(self, _due: datetime | None = None) -> None:
        self._wake()

    def hear(self, listener: EventListener) -> None:
        self.store.on_event(listener)

    async def health(self) -> Health:
        return await health_of_store(self)

    def missing_program(self, _handler: str) -> str | None:
        return None

    def starting_since(self) -> datetime | None:
        return None

    async def sync_schedules(self, *, dry_run: bool = False) -> SyncReport | None:  # noqa: ARG002  there is no file
        return None


def services_over(store: FullStore, clock: Clock, settings: Settings | None = None) -> Services:
    """Make the use cases of a bare process."""
    return Services(BareProcess(store, clock, settings))
