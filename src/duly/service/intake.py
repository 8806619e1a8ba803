"""What comes in from chats: pairing codes, answers to reminders, news of messages that left earlier."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from duly.clock import Clock
from duly.errors import ChannelError
from duly.model.reminder import AttemptStatus
from duly.ports.channels import (
    Answering,
    DeliveryStatus,
    Inbound,
    Incoming,
    Observing,
    Outgoing,
    ProactiveDelivery,
    StatusKind,
)
from duly.ports.reminders import Reminders
from duly.service.reminders import ReminderService

_UNKNOWN = "I do not know this chat yet. Ask for a pairing code (duly user pair) and send it to me."


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of something that came in."""

    consumed: bool
    reply: str | None = None


class Intake:
    """One door for every chat."""

    def __init__(
        self,
        service: ReminderService,
        reminders: Reminders,
        channels: Mapping[str, ProactiveDelivery],
        clock: Clock,
    ) -> None:
        self._service = service
        self._reminders = reminders
        self._channels = channels
        self._clock = clock

    async def take(self, incoming: Incoming) -> Taken:
        """Find out who it was, let an answer count, and say what to reply."""
        user = await self._service.people.by_address(incoming.channel, incoming.address)
        if user is None:
            paired = await self._service.people.pair(incoming.channel, incoming.address, incoming.text or "")
            return Taken(True, paired.reply) if paired is not None else Taken(False, _UNKNOWN)
        handled = await self._service.handle_message(
            user.id,
            incoming.channel,
            incoming.text,
            quoted=incoming.quoted,
            button=incoming.token,
            message_id=incoming.message_id,
        )
        return Taken(handled.consumed, handled.reply)

    async def take_and_reply(self, incoming: Incoming) -> Taken:
        """The same, answering where the person wrote; an answer that cannot be shown has counted all the same."""
        taken = await self.take(incoming)
        await self.reply(incoming, taken)
        return taken

    async def reply(self, incoming: Incoming, taken: Taken) -> None:
        """Say what there is to say where the person wrote."""
        channel = self._channels.get(incoming.channel)
        if taken.reply is None or channel is None:
            return
        with suppress(ChannelError):
            if incoming.callback is not None and isinstance(channel, Answering):
                await channel.answer(incoming, taken.reply)
            else:
                key = f"reply/{incoming.channel}/{incoming.message_id}"
                await channel.send(incoming.address, Outgoing(text=taken.reply, key=key))

    async def observe(self, channel: str, inbound: Inbound) -> None:
        """Everything in a request that is not somebody's answer."""
        watching: object = self._channels.get(channel)
        if isinstance(watching, Observing):
            watching.observe(inbound)
        for status in inbound.statuses:
            await self.note(status)

    async def note(self, status: DeliveryStatus) -> None:
        """A vendor tells what became of a message it had taken."""
        attempt = await self._reminders.by_message(status.channel, status.message_id)
        if attempt is None:
            return
        now: datetime = self._clock.now()
        if status.status in (StatusKind.DELIVERED, StatusKind.READ) and attempt.delivered_at is None:
            arrived = AttemptStatus.DELIVERED if attempt.status is AttemptStatus.SENT else attempt.status
            await self._reminders.end_attempt(replace(attempt, status=arrived, delivered_at=now))
        elif status.status is StatusKind.FAILED and attempt.status is AttemptStatus.SENT:
            why = status.reason or f"code {status.code}"
            await self._reminders.end_attempt(replace(attempt, status=AttemptStatus.FAILED, error_message=why))
            await self._service.deliver_again(attempt.run_id)
