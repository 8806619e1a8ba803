"""What a process gives to its use cases: the store, the time, the settings, and what it alone can do.

`Runtime` is the process of every command and of the daemon.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from duly.clock import Clock
    from duly.config.settings import Settings
    from duly.engine.health import Health
    from duly.engine.settings import EngineSettings
    from duly.model.action import Action, Job
    from duly.model.ids import RandomBits
    from duly.ports.channels import ProactiveDelivery
    from duly.ports.executor_settings import ExecutorSettings
    from duly.ports.executors import Executor
    from duly.ports.observers import EventListener
    from duly.ports.store import FullStore
    from duly.service.access.grants import Configured
    from duly.service.backups import Backups
    from duly.service.executors.judging import Look
    from duly.service.schedules.sync import SyncReport


class WatchedExecutors(Protocol):
    """The executors of the present settings."""

    @property
    def settings(self) -> Mapping[str, ExecutorSettings]: ...

    @property
    def looks(self) -> dict[str, Look]:
        """The last look at each, kept for as long as its connection."""
        ...

    def get(self, name: str) -> Executor:
        """Give the connection to one; raises for one that cannot be made."""
        ...

    def secrets(self, name: str) -> Collection[str]:
        """Give what no report of the workers of an executor may show."""
        ...


class Capable(Protocol):
    """What a process can carry out, by its present settings."""

    @property
    def executors(self) -> WatchedExecutors: ...

    @property
    def configured(self) -> Configured:
        """The rights that the settings give to the tokens of projects."""
        ...

    def check_job(self, job: Job) -> None:
        """Refuse a job that is unknown, cannot be loaded, or does not take its arguments."""
        ...

    def check_grants(self, grants: Collection[str]) -> None:
        """Refuse grants that name nothing in the settings."""
        ...


class Process(Protocol):
    """The process that use cases work in."""

    @property
    def store(self) -> FullStore: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def random_bits(self) -> RandomBits:
        """Where the ids of what is made come from."""
        ...

    @property
    def settings(self) -> Settings:
        """The present settings: they are exchanged when the file is taken up again."""
        ...

    @property
    def zone(self) -> str:
        """The zone of people who have set none."""
        ...

    @property
    def backups(self) -> Backups:
        """What makes backups of the store."""
        ...

    @property
    def capabilities(self) -> Capable:
        """Exchanged like the settings."""
        ...

    def check_action(self, action: Action, retries: bool) -> None:
        """Refuse to store an action that nothing here can carry out; `retries` says whether duly would try it again."""
        ...

    # channels

    @property
    def channel_names(self) -> Mapping[str, object]:
        """The names of the channels, in order."""
        ...

    @property
    def channels(self) -> Mapping[str, ProactiveDelivery]:
        """The channels themselves, but for the inbox."""
        ...

    def make_channel(self, name: str) -> ProactiveDelivery:
        """Make one channel, for a test; the caller closes it."""
        ...

    # the engine

    def engine_settings(self) -> EngineSettings:
        """Give the settings that an engine of this process has."""
        ...

    def engine_fault(self) -> str | None:
        """Say why the engine of this process cannot work; None if it can, or if there is none."""
        ...

    def wake(self, due: datetime | None = None) -> None:
        """Make the engine of this process look now, if there is one; for something new, only if it sleeps longer."""
        ...

    def hear(self, listener: EventListener) -> None:
        """Call a listener with every event of this process; of an engine only if it starts later."""
        ...

    # how it is

    async def health(self) -> Health:
        """Judge the health: by the engine of this process; without one, by the store."""
        ...

    def missing_program(self, handler: str) -> str | None:
        """Give the program that a handler needs and that is not on this machine."""
        ...

    def starting_since(self) -> datetime | None:
        """Since when a daemon starts, if one does."""
        ...

    async def sync_schedules(self, *, dry_run: bool = False) -> SyncReport | None:
        """Make the schedules of the file equal to it; None without such schedules."""
        ...
