"""Handle what comes in from chats: pairing codes, answers to reminders, and statuses of messages sent earlier."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from duly.clock import Clock
from duly.errors import ChannelError, ChannelTemporaryError, InvalidInputError
from duly.expansion import REQUEST, bounded
from duly.language.spoken import answering_tag, spoken
from duly.language.spoken.form import ChatTexts
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
    Resending,
    StatusKind,
)
from duly.ports.people import UserChannel
from duly.ports.reminders import DeliveryAttempt, Reminders
from duly.service.limits import LONGEST, check_given
from duly.service.reminders.reminders import ReminderService
from duly.service.reminders.replies import Handled

if TYPE_CHECKING:
    from duly.service.chat.conversations import Conversations

_STRANGER = "stranger answered/"
"""The prefix of keys that are no vendor's message ids."""
_SAID = ("address", "message_id", "quoted", "token", "sender", "person", "reaction")
_CONTROLS = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]"  # colours of a terminal
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)
"""Characters that no person types: they control terminals, or turn the order of what follows round."""
_log = logging.getLogger("duly")


class ChatInbound:
    """Handles the messages and statuses of every chat channel."""

    def __init__(
        self,
        service: ReminderService,
        reminders: Reminders,
        channels: Mapping[str, ProactiveDelivery],
        clock: Clock,
        conversations: Conversations | None = None,
    ) -> None:
        """Without `conversations`, only answers to reminders are understood."""
        self._conversations = conversations
        self._service = service
        self._reminders = reminders
        self._channels = channels
        self._clock = clock
        self._in_turn = asyncio.Lock()

    async def handle(self, incoming: Incoming) -> Handled:
        """Find the person, record an answer, and give the reply.

        Messages are handled one after the other, so that one that a vendor sends twice at once is recognised, too.
        """
        try:
            check_given({name: getattr(incoming, name) for name in _SAID})
        except InvalidInputError as error:
            _log.info("a message on %s was ignored: %s", incoming.channel, error)
            return Handled(consumed=False)
        if incoming.text is not None:
            incoming = replace(incoming, text=_CONTROLS.sub("", incoming.text))
        async with self._in_turn:
            if len(incoming.text or "") > LONGEST["text"]:
                return await self._unread(incoming, is_long=True)
            if not (incoming.text or incoming.token or incoming.reaction):
                return await self._unread(incoming, is_long=False)
            with bounded(REQUEST):
                return await self._handle(incoming)

    async def _unread(self, incoming: Incoming, *, is_long: bool) -> Handled:
        """Answer a person's message that cannot be read: a picture, a voice message, or a text that is too long."""
        bound = await self._binding(incoming)
        if bound is None:
            return await self._from_stranger(incoming)
        is_ours = incoming.to_us and _speaks_for(bound, incoming)
        if not await self._reminders.first_sight(incoming.channel, incoming.message_id, self._clock.now()):
            return Handled(consumed=True)
        if not is_ours:
            return Handled(consumed=False)
        texts = await self._texts(bound.user_id)
        return Handled(consumed=True, reply=texts.too_long if is_long else texts.only_text)

    async def _handle(self, incoming: Incoming) -> Handled:
        if (paired := await self._paired(incoming)) is not None:
            return paired
        bound = await self._binding(incoming)
        if bound is None:
            return await self._from_stranger(incoming)
        if not _speaks_for(bound, incoming):
            return _from_bystander(incoming)
        handled = await self._said(bound, incoming)
        if incoming.token is None or handled.consumed:
            return handled
        return replace(handled, reply=(await self._texts(bound.user_id)).no_button)

    async def _said(self, bound: UserChannel, incoming: Incoming) -> Handled:
        """Have a person's message understood: as an answer, and where there are conversations as a request."""
        said: dict[str, Any] = {
            "quoted": incoming.quoted,
            "button": incoming.token,
            "message_id": incoming.message_id,
        }
        to_us = incoming.to_us or await self._is_choice(bound, incoming)
        if self._conversations is None or incoming.reaction is not None:
            return await self._service.handle_message(
                bound.user_id, incoming.channel, incoming.text, **said, reaction=incoming.reaction
            )
        channel = self._channels.get(incoming.channel)
        return await self._conversations.handle(
            bound.user_id,
            incoming.channel,
            incoming.text,
            **said,
            chat=incoming.address,
            has_buttons=channel is not None and channel.has_buttons,
            answers_only=not to_us,
        )

    async def _is_choice(self, bound: UserChannel, incoming: Incoming) -> bool:
        """Tell whether a number among members of a group answers the question that duly asked this one there."""
        number = (incoming.text or "").strip(" .)#!")
        if self._conversations is None or not (number.isascii() and number.isdecimal() and len(number) < 3):
            return False
        return await self._conversations.offers(bound.user_id, incoming.channel, incoming.address, int(number))

    async def _texts(self, user_id: str) -> ChatTexts:
        return spoken((await self._service.people.get(user_id)).user.language).chat

    async def _binding(self, incoming: Incoming) -> UserChannel | None:
        """Find whose chat it is: by its address, by the sender's own address, or by the message of ours it is about.

        In a chat that another person paired, a text counts for its sender, and a button for the person it asks. The
        last way is for chats whose address has changed since we wrote there, as that of a group that grew.
        """
        people = self._service.people
        channel = incoming.channel
        chat = await people.by_address(channel, incoming.address)
        if chat is not None and (incoming.token is not None or _speaks_for(chat, incoming)):
            return chat
        own = None if incoming.person is None else await people.by_address(channel, incoming.person)
        if (found := own or chat) is not None:
            return found
        ours = None if incoming.quoted is None else await self._reminders.by_message(channel, incoming.quoted)
        return None if ours is None else await people.by_address(channel, ours.address)

    async def _paired(self, incoming: Incoming) -> Handled | None:
        """Bind the chat and its sender to the person of a pairing code; None when the text is no valid code."""
        people = self._service.people
        try:
            paired = await people.pair(incoming.channel, incoming.address, incoming.text or "", incoming.sender)
        except InvalidInputError:  # the chat belongs to another person
            handled = Handled(consumed=True, reply=spoken(None).chat.chat_taken)
        else:
            if paired is None:
                return None
            handled = Handled(consumed=True, reply=paired.reply)
        await self._reminders.first_sight(incoming.channel, incoming.message_id, self._clock.now())
        return handled

    async def _from_stranger(self, incoming: Incoming) -> Handled:
        """Answer an unpaired chat once, and each sender in it once; a reaction needs no answer.

        Both are remembered among the messages that came in, for as long as these are kept.
        """
        if incoming.reaction is not None:
            return Handled(consumed=False)
        now = self._clock.now()
        channel = incoming.channel
        keys = (incoming.message_id, f"{_STRANGER}chat/{incoming.address}", f"{_STRANGER}sender/{incoming.sender}")
        new = [await self._reminders.first_sight(channel, key, now) for key in keys]
        if not all(new):
            return Handled(consumed=True)
        texts = spoken(answering_tag(incoming.language, incoming.text)).chat
        return Handled(consumed=False, reply=texts.stranger, closes=False)

    async def handle_and_reply(self, incoming: Incoming) -> Handled:
        """Handle a message and send the reply to its chat; an answer counts even if the reply cannot be sent."""
        handled = await self.handle(incoming)
        await self.reply(incoming, handled)
        return handled

    async def reply(self, incoming: Incoming, handled: Handled) -> None:
        """Send the reply to the chat of the message."""
        channel = self._channels.get(incoming.channel)
        if handled.reply is None or channel is None:
            return
        try:
            if incoming.callback is not None and isinstance(channel, Answering):
                await channel.answer(incoming, handled.reply, closes=handled.closes)
            else:
                key = f"reply/{incoming.channel}/{incoming.message_id}"
                receipt = await channel.send(
                    incoming.address, Outgoing(text=handled.reply, key=key, buttons=handled.buttons)
                )
                await self._note_question(incoming, handled, receipt.message_id)
        except ChannelError as error:
            _log.info("a reply on %s was not taken: %s", incoming.channel, error)
        except Exception:  # the answer counts, even if the channel cannot show the reply
            _log.exception("channel %s failed unexpectedly", incoming.channel)

    async def _note_question(self, incoming: Incoming, handled: Handled, message_id: str | None) -> None:
        """Note which message asks back, so that a reply that quotes it is an answer."""
        bound = None if handled.question is None else await self._binding(incoming)
        if bound is not None and self._conversations is not None:
            await self._conversations.note_sent(bound.user_id, incoming.channel, incoming.address, handled, message_id)

    async def observe(self, channel: str, inbound: Inbound) -> None:
        """Note the statuses in a request, and show the whole request to a channel that learns from it."""
        watching: object = self._channels.get(channel)
        if isinstance(watching, Observing):
            watching.observe(inbound)
        for status in inbound.statuses:
            await self.note_status(status)

    async def note_status(self, status: DeliveryStatus) -> None:
        """Record what a vendor reports about a message that it took earlier."""
        attempt = await self._reminders.by_message(status.channel, status.message_id)
        if attempt is None:
            await self._refuse_early(status)
            return
        now: datetime = self._clock.now()
        if status.status in (StatusKind.DELIVERED, StatusKind.READ) and attempt.delivered_at is None:
            arrived = AttemptStatus.DELIVERED if attempt.status is AttemptStatus.SENT else attempt.status
            await self._reminders.end_attempt(replace(attempt, status=arrived, delivered_at=now))
        elif status.status is StatusKind.FAILED:
            await self._lost(attempt, status)

    async def _refuse_early(self, status: DeliveryStatus) -> None:
        """Refuse a failure whose attempt has no result yet, so that the vendor reports it again.

        It may overtake the response to the request it is about; before that is recorded, it would be lost.
        """
        run_id = (status.key or "").partition("/")[0]
        if status.status is not StatusKind.FAILED or not run_id.startswith(RUN):
            return
        sending = [each for each in await self._reminders.attempts(run_id) if each.status is AttemptStatus.PENDING]
        if any(each.channel == status.channel for each in sending):
            raise ChannelTemporaryError(
                f"{status.channel}: message {status.message_id} is still being sent: tell again"
            )

    async def _lost(self, attempt: DeliveryAttempt, status: DeliveryStatus) -> None:
        """Record that a message did not arrive, once, and deliver the reminder again, unless it has been since.

        The second step is tried for a recorded failure, too: a process may have died between the two steps, and the
        vendor reports again.
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


def _from_bystander(incoming: Incoming) -> Handled:
    """Handle a message of another person in a person's chat: their text is no answer, their press does not count."""
    reply = None if incoming.token is None else spoken(None).chat.no_button
    return Handled(consumed=False, reply=reply, closes=False)
