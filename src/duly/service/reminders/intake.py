"""What comes in from chats: pairing codes, answers to reminders, news of messages that left earlier."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol, runtime_checkable

from duly.clock import Clock
from duly.errors import ChannelError, ChannelTemporaryError, InvalidInputError
from duly.model.ids import RUN
from duly.model.reminder import AttemptKind, AttemptStatus
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
from duly.ports.people import UserChannel
from duly.ports.reminders import DeliveryAttempt, Reminders
from duly.service.limits import check_given
from duly.service.reminders.reminders import ReminderService

_UNKNOWN = "I do not know this chat yet. Ask for a pairing code (duly user pair) and send it to me."
_STRANGER = "stranger answered/"
"""Begins no vendor's message id."""
_NO_BUTTON = "This button belongs to no reminder of yours any more."
_SAID = ("address", "text", "message_id", "quoted", "token", "sender", "person")
_log = logging.getLogger("duly")


@runtime_checkable
class Resending(Protocol):
    """A channel that knows another way to bring what its vendor could not."""

    def can_resend(self, status: DeliveryStatus) -> bool:
        """Whether the message a status is about would get through if it were sent once more."""
        ...


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of something that came in."""

    consumed: bool
    reply: str | None = None
    closes: bool = True
    """False: the reply is for whoever pressed a button, and the button stays for whom it is meant."""


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
        self._one_at_a_time = asyncio.Lock()

    async def take(self, incoming: Incoming) -> Taken:
        """Find out who it was, let an answer count, and say what to reply.

        One after the other: a vendor that tells the same twice at once is to be recognised, too.
        """
        try:
            check_given({name: getattr(incoming, name) for name in _SAID})
        except InvalidInputError as error:
            _log.info("a message on %s was left out: %s", incoming.channel, error)
            return Taken(False)
        async with self._one_at_a_time:
            return await self._take(incoming)

    async def _take(self, incoming: Incoming) -> Taken:
        if (paired := await self._paired(incoming)) is not None:
            return paired
        bound = await self._binding(incoming)
        if bound is None:
            return await self._from_stranger(incoming)
        if not _speaks_for(bound, incoming):
            return _from_bystander(incoming)
        handled = await self._service.handle_message(
            bound.user_id,
            incoming.channel,
            incoming.text,
            quoted=incoming.quoted,
            button=incoming.token,
            message_id=incoming.message_id,
        )
        reply = _NO_BUTTON if incoming.token is not None and not handled.consumed else handled.reply
        return Taken(handled.consumed, reply)

    async def _binding(self, incoming: Incoming) -> UserChannel | None:
        """Whose chat it is: by its address, by the sender's own, or by the message of ours that it is about.

        In a chat that somebody else paired, what people say to us is their own, and a button that of whom it asks. The
        last way is for chats that go by another name than the one we wrote to, as a group does that grew.
        """
        people, channel = self._service.people, incoming.channel
        chat = await people.by_address(channel, incoming.address)
        if chat is not None and (incoming.token is not None or _speaks_for(chat, incoming)):
            return chat
        own = None if incoming.person is None else await people.by_address(channel, incoming.person)
        if (found := own or chat) is not None:
            return found
        ours = None if incoming.quoted is None else await self._reminders.by_message(channel, incoming.quoted)
        return None if ours is None else await people.by_address(channel, ours.address)

    async def _paired(self, incoming: Incoming) -> Taken | None:
        """A pairing code makes a chat somebody's, and tells who in it they are; None when it is not a good one."""
        people = self._service.people
        try:
            paired = await people.pair(incoming.channel, incoming.address, incoming.text or "", incoming.sender)
        except InvalidInputError as error:  # the chat is somebody else's
            taken = Taken(True, str(error))
        else:
            if paired is None:
                return None
            taken = Taken(True, paired.reply)
        await self._reminders.first_sight(incoming.channel, incoming.message_id, self._clock.now())
        return taken

    async def _from_stranger(self, incoming: Incoming) -> Taken:
        """A chat that belongs to nobody is answered once, and so is each sender, whatever they write.

        Both are remembered with the messages that came in, for as long as these are kept.
        """
        now, channel = self._clock.now(), incoming.channel
        keys = (incoming.message_id, f"{_STRANGER}chat/{incoming.address}", f"{_STRANGER}sender/{incoming.sender}")
        new = [await self._reminders.first_sight(channel, key, now) for key in keys]
        return Taken(False, _UNKNOWN, closes=False) if all(new) else Taken(True)

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
        try:
            if incoming.callback is not None and isinstance(channel, Answering):
                await channel.answer(incoming, taken.reply, closes=taken.closes)
            else:
                key = f"reply/{incoming.channel}/{incoming.message_id}"
                await channel.send(incoming.address, Outgoing(text=taken.reply, key=key))
        except ChannelError as error:
            _log.info("a reply on %s was not taken: %s", incoming.channel, error)
        except Exception:  # the answer has counted, whatever the channel makes of it
            _log.exception("channel %s failed unexpectedly", incoming.channel)

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
            await self._not_too_early(status)
            return
        now: datetime = self._clock.now()
        if status.status in (StatusKind.DELIVERED, StatusKind.READ) and attempt.delivered_at is None:
            arrived = AttemptStatus.DELIVERED if attempt.status is AttemptStatus.SENT else attempt.status
            await self._reminders.end_attempt(replace(attempt, status=arrived, delivered_at=now))
        elif status.status is StatusKind.FAILED:
            await self._lost(attempt, status)

    async def _not_too_early(self, status: DeliveryStatus) -> None:
        """Bad news may overtake the answer to the request it is about: before that is recorded, it would be lost."""
        run_id = (status.key or "").partition("/")[0]
        if status.status is not StatusKind.FAILED or not run_id.startswith(RUN):
            return
        sending = [each for each in await self._reminders.attempts(run_id) if each.status is AttemptStatus.PENDING]
        if any(each.channel == status.channel for each in sending):
            raise ChannelTemporaryError(
                f"{status.channel}: message {status.message_id} is still being sent: tell again"
            )

    async def _lost(self, attempt: DeliveryAttempt, status: DeliveryStatus) -> None:
        """A message that was taken did not arrive. Told twice, it is written down once.

        The reminder is delivered again, unless it has been since: a process that died between the two steps left the
        second undone, and the vendor tells it again.
        """
        if attempt.status not in (AttemptStatus.SENT, AttemptStatus.FAILED):
            return
        if attempt.status is AttemptStatus.SENT:
            why = status.reason or f"code {status.code}"
            channel: object = self._channels.get(attempt.channel)
            again = isinstance(channel, Resending) and channel.can_resend(status)
            failed = replace(attempt, status=AttemptStatus.FAILED, error_message=why, permanent=not again)
            await self._reminders.end_attempt(failed)
        if attempt.kind in (AttemptKind.REMINDER, AttemptKind.ACK_PROMPT):
            await self._service.deliver_again(attempt)


def _speaks_for(bound: UserChannel, incoming: Incoming) -> bool:
    return bound.sender in (None, incoming.sender)


def _from_bystander(incoming: Incoming) -> Taken:
    """Somebody else in a person's chat: what they say is no answer, and what they press is not for them."""
    return Taken(False, None if incoming.token is None else _NO_BUTTON, closes=False)
