"""Every use case of a process, in one object that each face gets: what one face can do, all can do.

Use cases that need several others take this object. Each is made when it is first used, so that a short command pays
only for what it asks.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from duly.operations.ask import Ask
    from duly.ports.process import Process
    from duly.service.access.audit_trail import AuditTrail
    from duly.service.access.quotas import QuotaKeeper
    from duly.service.access.scopes import Caller
    from duly.service.access.tokens import TokenService
    from duly.service.actions import Actions
    from duly.service.asking import Asking
    from duly.service.attention.needs import Needs
    from duly.service.calendar.calendar import CalendarUseCases
    from duly.service.channels import ChannelUseCases
    from duly.service.chat.callers import CallersChat
    from duly.service.chat.conversations import Conversations
    from duly.service.chat.sentences import SentenceReminders
    from duly.service.choices import AllowedNames
    from duly.service.configuration import ConfigUseCases
    from duly.service.executions.executions import Executions
    from duly.service.executors.executors import ExecutorUseCases
    from duly.service.idempotency import Idempotency
    from duly.service.journal import Journal
    from duly.service.live.feed import LiveFeed
    from duly.service.overview.overview import OverviewUseCases
    from duly.service.people.use_cases import PeopleUseCases
    from duly.service.pruning import PruneUseCases
    from duly.service.reminders.chats import ChatInbound
    from duly.service.reminders.inbox import InboxUseCases
    from duly.service.reminders.reminders import ReminderService
    from duly.service.reminders.use_cases import ReminderUseCases
    from duly.service.runs.details import RunDetails
    from duly.service.schedules.allowed import AllowedActions
    from duly.service.schedules.attention import Attention
    from duly.service.schedules.read_use_cases import ReadUseCases
    from duly.service.schedules.triggers import TriggerUseCases
    from duly.service.schedules.use_cases import UseCases
    from duly.service.schedules.waking import WakeUps
    from duly.service.undo import Undo


R = TypeVar("R")


class Services:
    """The use cases behind every face."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.clock = process.clock
        self.store = process.store

    async def ask(self, caller: Caller, ask: Ask[R]) -> R:
        """Answer what a caller asks: every operation of every face comes this way."""
        return await self.asking.ask(caller, ask)

    @cached_property
    def asking(self) -> Asking:
        from duly.service.asking import Asking

        return Asking(self, self.clock)

    # schedules and runs

    @cached_property
    def schedules(self) -> ReadUseCases:
        """Schedules and runs, to look at: commands that only show something load no others."""
        from duly.service.schedules.read_use_cases import ReadUseCases

        process = self.process
        return ReadUseCases(
            self.store,
            self.clock,
            self.attention,
            default_zone=process.zone,
            cron_zone=process.settings.cron_timezone,
        )

    @cached_property
    def use_cases(self) -> UseCases:
        """Schedules, to make and to fire; `actions` change them."""
        from duly.service.schedules.use_cases import UseCases

        return UseCases(self)

    @cached_property
    def actions(self) -> Actions:
        from duly.service.actions import Actions

        return Actions(self)

    @cached_property
    def allowed(self) -> AllowedActions:
        from duly.service.schedules.allowed import AllowedActions

        return AllowedActions(self.store, self.use_cases.configured)

    @cached_property
    def triggers(self) -> TriggerUseCases:
        from duly.service.schedules.triggers import TriggerUseCases

        return TriggerUseCases(self.schedules, self.clock)

    @cached_property
    def wake_ups(self) -> WakeUps:
        from duly.service.schedules.waking import WakeUps

        return WakeUps(self)

    @property
    def runs(self) -> RunDetails:
        return self.schedules.runs

    @cached_property
    def overview(self) -> OverviewUseCases:
        from duly.service.overview.overview import OverviewUseCases

        return OverviewUseCases(
            self.store,
            self.clock,
            self.use_cases,
            self.quotas,
            lambda: self.process.engine_settings().max_concurrency,
        )

    @cached_property
    def attention(self) -> Attention:
        from duly.service.schedules.attention import Attention

        return Attention(self.process)

    @cached_property
    def needs(self) -> Needs:
        from duly.service.attention.needs import Needs

        return Needs(self)

    # reminders and people

    @cached_property
    def reminder_service(self) -> ReminderService:
        """What people want of their reminders, without asking who wants it: for chats and the engine."""
        from duly.service.reminders.reminders import ReminderService

        return ReminderService(self)

    @cached_property
    def reminders(self) -> ReminderUseCases:
        """The reminders of people for callers of a face."""
        from duly.service.reminders.use_cases import ReminderUseCases

        return ReminderUseCases(self.reminder_service)

    @cached_property
    def inbox(self) -> InboxUseCases:
        from duly.service.reminders.inbox import InboxUseCases

        return InboxUseCases(self)

    @cached_property
    def people(self) -> PeopleUseCases:
        from duly.service.people.use_cases import PeopleUseCases

        return PeopleUseCases(self.reminder_service.people)

    @cached_property
    def chat(self) -> Conversations:
        from duly.service.chat.conversations import Conversations

        return Conversations(self)

    def chat_of(self, caller: Caller, user: object = None) -> CallersChat:
        """Give the way to say something for a person to a caller who may; refuse any other caller."""
        from duly.service.chat.callers import CallersChat

        return CallersChat(self.chat, caller, user)

    @cached_property
    def intake(self) -> ChatInbound:
        """What takes the messages of chats in."""
        from duly.service.reminders.chats import ChatInbound

        return ChatInbound(self.reminder_service, self.store.reminders, self.process.channels, self.clock, self.chat)

    @cached_property
    def sentences(self) -> SentenceReminders:
        from duly.service.chat.sentences import SentenceReminders

        return SentenceReminders(self)

    @cached_property
    def calendar(self) -> CalendarUseCases:
        from duly.service.calendar.calendar import CalendarUseCases

        return CalendarUseCases(self)

    # access

    @cached_property
    def audit(self) -> AuditTrail:
        from duly.service.access.audit_trail import AuditTrail

        return AuditTrail(self.store, self.clock)

    @cached_property
    def quotas(self) -> QuotaKeeper:
        from duly.service.access.quotas import QuotaKeeper

        return QuotaKeeper(self.store, self.clock, self.process.settings.quotas)

    @cached_property
    def tokens(self) -> TokenService:
        from duly.service.access.tokens import TokenService

        process = self.process
        return TokenService(
            self.store,
            self.clock,
            process.random_bits,
            check_grants=lambda grants: process.capabilities.check_grants(grants),
            projects=lambda: process.settings.projects,
        )

    # what happened, and what can be taken back

    @cached_property
    def journal(self) -> Journal:
        from duly.service.journal import Journal

        return Journal(self.store)

    @cached_property
    def live(self) -> LiveFeed:
        """The live feed. It hears an engine of this process only if it is made before the engine starts."""
        from duly.service.live.feed import LiveFeed

        feed = LiveFeed(self.store, self.clock, self.process.random_bits)
        self.process.hear(feed.hear)
        return feed

    @cached_property
    def undo(self) -> Undo:
        from duly.service.undo import Undo

        return Undo(self)

    @cached_property
    def idempotency(self) -> Idempotency:
        from duly.service.idempotency import Idempotency

        return Idempotency(self.store, self.clock)

    @cached_property
    def pruning(self) -> PruneUseCases:
        from duly.service.pruning import PruneUseCases

        return PruneUseCases(self.store, self.clock)

    # the process

    @cached_property
    def channels(self) -> ChannelUseCases:
        from duly.service.channels import ChannelUseCases

        return ChannelUseCases(self)

    @cached_property
    def choices(self) -> AllowedNames:
        from duly.service.choices import AllowedNames

        return AllowedNames(self.process)

    @cached_property
    def config(self) -> ConfigUseCases:
        from duly.service.configuration import ConfigUseCases

        return ConfigUseCases(self.process)

    @cached_property
    def executors(self) -> ExecutorUseCases:
        from duly.service.executors.executors import ExecutorUseCases

        return ExecutorUseCases(self.process)

    @cached_property
    def executions(self) -> Executions:
        from duly.service.executions.executions import Executions

        process = self.process
        return Executions(
            self.store, self.clock, process.wake, lambda name: process.capabilities.executors.secrets(name)
        )
