"""Every use case, in one object that each face gets: what one face can do, all can do.

Each part is made when it is first used, so that a short command pays only for what it asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.config.settings import Settings
    from duly.engine.settings import EngineSettings
    from duly.operations.ask import Ask
    from duly.ports.channels import ProactiveDelivery
    from duly.ports.observers import EventListener
    from duly.ports.store import FullStore
    from duly.service.access.audit_trail import AuditTrail
    from duly.service.access.quotas import QuotaKeeper
    from duly.service.access.scopes import Caller
    from duly.service.access.tokens import TokenService
    from duly.service.actions import Actions
    from duly.service.asking import Asking
    from duly.service.attention.needs import Needs
    from duly.service.backups import Backups
    from duly.service.calendar.calendar import CalendarUseCases
    from duly.service.channels import ChannelUseCases
    from duly.service.chat.callers import CallersChat
    from duly.service.chat.conversations import Conversations
    from duly.service.chat.sentences import SentenceReminders
    from duly.service.choices import AllowedNames
    from duly.service.configuration import ConfigUseCases
    from duly.service.executions.executions import Executions
    from duly.service.executors.executors import ExecutorUseCases, HasExecutors
    from duly.service.idempotency import Idempotency
    from duly.service.journal import Journal
    from duly.service.live.feed import LiveFeed
    from duly.service.overview.overview import OverviewUseCases
    from duly.service.people.use_cases import PeopleUseCases
    from duly.service.pruning import PruneUseCases
    from duly.service.reminders.inbox import InboxUseCases
    from duly.service.reminders.reminders import ReminderService
    from duly.service.reminders.use_cases import ReminderUseCases
    from duly.service.runs.details import RunDetails
    from duly.service.schedules.allowed import AllowedActions
    from duly.service.schedules.attention import Attention
    from duly.service.schedules.read_use_cases import ReadUseCases
    from duly.service.schedules.sync import SyncReport
    from duly.service.schedules.triggers import TriggerUseCases
    from duly.service.schedules.use_cases import UseCases
    from duly.service.schedules.waking import WakeUps
    from duly.service.undo import Undo


R = TypeVar("R")


class Parts(Protocol):
    """The parts of a process that use cases are made of; `Runtime` has them all."""

    @property
    def store(self) -> FullStore: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def zone(self) -> str:
        """The zone of people who have set none."""
        ...

    @property
    def read_cases(self) -> ReadUseCases: ...

    @property
    def use_cases(self) -> UseCases: ...

    @property
    def reminders(self) -> ReminderService: ...

    @property
    def journal(self) -> Journal: ...

    @property
    def audit(self) -> AuditTrail: ...

    @property
    def tokens(self) -> TokenService: ...

    @property
    def attention(self) -> Attention: ...

    @property
    def quotas(self) -> QuotaKeeper: ...

    @property
    def backups(self) -> Backups: ...

    @property
    def capabilities(self) -> HasExecutors: ...

    def engine_settings(self) -> EngineSettings:
        """Give the settings that an engine of this process has."""
        ...

    def hear(self, listener: EventListener) -> None:
        """Call a listener with every event of this process; of an engine only if it starts later."""
        ...

    @property
    def channel_names(self) -> Mapping[str, object]:
        """The names of the channels, in order."""
        ...

    def make_channel(self, name: str) -> ProactiveDelivery:
        """Make one channel, for a test; the caller closes it."""
        ...

    async def sync_schedules(self, *, dry_run: bool = False) -> SyncReport | None:
        """Make the schedules of the file equal to it; None without such schedules."""
        ...

    def wake(self) -> None:
        """Make the engine of this process look now, if there is one."""
        ...


class Services:
    """The use cases behind every face."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.clock = parts.clock
        self.store = parts.store

    async def ask(self, caller: Caller, ask: Ask[R]) -> R:
        """Answer what a caller asks: every operation of every face comes this way."""
        return await self.asking.ask(caller, ask)

    @cached_property
    def asking(self) -> Asking:
        from duly.service.asking import Asking

        return Asking(self, self.clock)

    @cached_property
    def calendar(self) -> CalendarUseCases:
        from duly.entropy import random_bits
        from duly.service.calendar.calendar import CalendarUseCases

        parts = self.parts
        return CalendarUseCases(
            self.store,
            self.clock,
            random_bits,
            reminders=parts.reminders,
            quotas=parts.quotas,
            default_zone=parts.zone,
            heavy_reads=parts.read_cases.heavy_reads,
            wake=parts.wake,
        )

    @cached_property
    def live(self) -> LiveFeed:
        """The live feed. It hears an engine of this process only if it is made before the engine starts."""
        from duly.entropy import random_bits
        from duly.service.live.feed import LiveFeed

        feed = LiveFeed(self.store, self.clock, random_bits)
        self.parts.hear(feed.hear)
        return feed

    @property
    def schedules(self) -> ReadUseCases:
        """Schedules and runs, to look at."""
        return self.parts.read_cases

    @property
    def use_cases(self) -> UseCases:
        """Schedules, to make and to fire; `actions` change them."""
        return self.parts.use_cases

    @cached_property
    def allowed(self) -> AllowedActions:
        from duly.service.schedules.allowed import AllowedActions

        return AllowedActions(self.store, self.parts.use_cases.configured)

    @cached_property
    def triggers(self) -> TriggerUseCases:
        from duly.service.schedules.triggers import TriggerUseCases

        return TriggerUseCases(self.parts.read_cases, self.clock)

    @cached_property
    def reminders(self) -> ReminderUseCases:
        from duly.service.reminders.use_cases import ReminderUseCases

        return ReminderUseCases(self.parts.reminders)

    @property
    def journal(self) -> Journal:
        return self.parts.journal

    @property
    def backups(self) -> Backups:
        return self.parts.backups

    @cached_property
    def pruning(self) -> PruneUseCases:
        from duly.service.pruning import PruneUseCases

        return PruneUseCases(self.store, self.clock)

    @cached_property
    def overview(self) -> OverviewUseCases:
        from duly.service.overview.overview import OverviewUseCases

        parts = self.parts
        return OverviewUseCases(
            self.store,
            self.clock,
            parts.use_cases,
            parts.quotas,
            lambda: parts.engine_settings().max_concurrency,
        )

    @property
    def attention(self) -> Attention:
        return self.parts.attention

    @property
    def audit(self) -> AuditTrail:
        return self.parts.audit

    @cached_property
    def people(self) -> PeopleUseCases:
        from duly.service.people.use_cases import PeopleUseCases

        return PeopleUseCases(self.parts.reminders.people)

    @property
    def quotas(self) -> QuotaKeeper:
        return self.parts.quotas

    @property
    def tokens(self) -> TokenService:
        return self.parts.tokens

    @cached_property
    def actions(self) -> Actions:
        from duly.service.actions import Actions

        return Actions(self.parts, self.undo, lambda: self.overview)

    @cached_property
    def chat(self) -> Conversations:
        from duly.service.chat.conversations import Conversations

        return Conversations(self.parts, self.undo)

    def chat_of(self, caller: Caller, user: object = None) -> CallersChat:
        """Give the way to say something for a person to a caller who may; refuse any other caller."""
        from duly.service.chat.callers import CallersChat

        return CallersChat(self.chat, caller, user)

    @cached_property
    def sentences(self) -> SentenceReminders:
        from duly.service.chat.sentences import SentenceReminders

        return SentenceReminders(self.parts)

    @cached_property
    def channels(self) -> ChannelUseCases:
        from duly.service.channels import ChannelUseCases

        return ChannelUseCases(self.parts)

    @cached_property
    def choices(self) -> AllowedNames:
        from duly.service.choices import AllowedNames

        return AllowedNames(self.parts)

    @cached_property
    def config(self) -> ConfigUseCases:
        from duly.service.configuration import ConfigUseCases

        return ConfigUseCases(self.parts)

    @cached_property
    def executors(self) -> ExecutorUseCases:
        from duly.service.executors.executors import ExecutorUseCases

        return ExecutorUseCases(self.parts)

    @cached_property
    def executions(self) -> Executions:
        from duly.service.executions.executions import Executions

        return Executions(
            self.store, self.clock, self.parts.wake, lambda name: self.parts.capabilities.executors.secrets(name)
        )

    @cached_property
    def idempotency(self) -> Idempotency:
        from duly.service.idempotency import Idempotency

        return Idempotency(self.parts)

    @cached_property
    def inbox(self) -> InboxUseCases:
        from duly.service.reminders.inbox import InboxUseCases

        return InboxUseCases(self.parts, self.undo)

    @cached_property
    def needs(self) -> Needs:
        from duly.service.attention.needs import Needs

        return Needs(self.parts)

    @cached_property
    def wake_ups(self) -> WakeUps:
        from duly.service.schedules.waking import WakeUps

        return WakeUps(self.parts)

    @cached_property
    def undo(self) -> Undo:
        from duly.service.undo import Undo

        return Undo(self.parts)

    @property
    def runs(self) -> RunDetails:
        return self.parts.read_cases.runs
