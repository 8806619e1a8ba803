"""Send one message: record the attempt before it leaves and its result afterwards; and the inbox, a channel itself."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from duly import failpoints
from duly.clock import Clock
from duly.delivery.messages import ReminderDelivery, read_button
from duly.errors import ChannelError, ChannelPermanentError, ChannelTemporaryError, ChannelUnknownError
from duly.model.events import DELIVERY_ENDED, Event
from duly.model.ids import RUN
from duly.model.reminder import AttemptKind, AttemptStatus, ReminderStatus
from duly.outbound.tracing import SpanKind, span
from duly.planning.delivery import after_arrival
from duly.planning.reach import INBOX, Endpoint
from duly.ports.channels import Address, Button, Outgoing, ProactiveDelivery, Receipt, ReceiptStatus
from duly.ports.observers import EventListener
from duly.ports.reminders import DeliveryAttempt, InboxItem, Reminder, Reminders

Then = Callable[[ReminderDelivery, Endpoint, datetime], Reminder]
"""Gives the reminder as it is after a message has arrived at an endpoint at that time."""

_LONGEST_WAIT = timedelta(days=1)  # a vendor that names a longer wait is tried after a day all the same
_log = logging.getLogger("duly")


class Sender:
    """Sends messages through the channels of this process."""

    def __init__(
        self,
        reminders: Reminders,
        inbox: InboxChannel,
        channels: Mapping[str, ProactiveDelivery],
        clock: Clock,
        emit: EventListener = lambda _event: None,
    ) -> None:
        """`channels` may change while this sends: the daemon reloads its configuration."""
        self._emit = emit
        self._reminders = reminders
        self._inbox = inbox
        self._channels = channels
        self._clock = clock

    def _channel(self, name: str) -> ProactiveDelivery | None:
        return self._channels.get(name, self._inbox if name == INBOX else None)

    async def send(
        self,
        delivery: ReminderDelivery,
        endpoint: Endpoint,
        outgoing: Outgoing,
        kind: AttemptKind,
        user_id: str | None = None,
        then: Then | None = None,
    ) -> bool:
        """Try once; whether it arrived. The attempt is added to the delivery.

        `then` says where the reminder stands if it arrives, which is written together with the attempt: between the two
        a process could die, and its successor would send the message again as if it were a new one. The inbox takes
        nothing if the reminder was changed meanwhile.
        """
        pending = DeliveryAttempt(
            run_id=delivery.run.run_id,
            job_id=delivery.run.schedule_id,
            run_number=delivery.reminder.run_number,
            attempt_number=0,
            user_id=user_id or delivery.user.id,
            channel=endpoint.channel,
            address=endpoint.address,
            kind=kind,
            created_at=self._clock.now(),
        )
        if self.is_inbox(endpoint):
            return await self._keep(delivery, endpoint, pending, outgoing, then)
        attempt = await self._reminders.add_attempt(pending)
        failpoints.hit("delivery.recorded")
        ended = await self.try_once(attempt, outgoing, again=bool(delivery.arrivals))
        failpoints.hit("delivery.sent")
        await self._record(delivery, endpoint, ended, then)
        failpoints.hit("delivery.kept")
        return ended.status.arrived

    def is_inbox(self, endpoint: Endpoint) -> bool:
        """Tell whether messages to an endpoint stay in the store: sending one is a transaction and nothing else."""
        return self._channel(endpoint.channel) is self._inbox

    async def _keep(
        self,
        delivery: ReminderDelivery,
        endpoint: Endpoint,
        pending: DeliveryAttempt,
        outgoing: Outgoing,
        then: Then | None,
    ) -> bool:
        """Write message, attempt and reminder at once: no process can die between them."""
        if then is not None and delivery.stale:
            return False
        failpoints.hit("delivery.sent")
        now = self._clock.now()
        arrived = replace(pending, status=AttemptStatus.DELIVERED, sent_at=now, delivered_at=now)
        reminder = None if then is None else then(delivery, endpoint, now)
        with self._observed(arrived, again=bool(delivery.arrivals)) as ended:
            kept = await self._reminders.keep(self._inbox.item(endpoint.address, outgoing), arrived, reminder)
            if kept is not None:
                ended(kept.attempt)
        if kept is None:
            delivery.stale = True
            delivery.reminder = await self._current(delivery)
            return False
        delivery.attempts.append(kept.attempt)
        delivery.reminder = kept.reminder or delivery.reminder
        failpoints.hit("delivery.kept")
        return True

    async def _record(
        self, delivery: ReminderDelivery, endpoint: Endpoint, ended: DeliveryAttempt, then: Then | None
    ) -> None:
        delivery.attempts.append(ended)
        if then is None or delivery.stale or not ended.status.arrived:
            await self._reminders.end_attempt(ended)
            return
        written = await self._reminders.end_attempt(ended, then(delivery, endpoint, self._clock.now()))
        delivery.stale = written is None
        delivery.reminder = written or await self._current(delivery)

    async def _current(self, delivery: ReminderDelivery) -> Reminder:
        found = await self._reminders.get(delivery.run.run_id, delivery.reminder.user_id)
        return found or delivery.reminder

    async def try_once(self, attempt: DeliveryAttempt, outgoing: Outgoing, *, again: bool = False) -> DeliveryAttempt:
        """Send within a span, and report how it ended; the caller records the attempt before and its result after.

        `again` says that the person had the message before.
        """
        with self._observed(attempt, again=again) as report:
            ended = await self._outcome(attempt, outgoing)
            report(ended)
        return ended

    @contextmanager
    def _observed(self, attempt: DeliveryAttempt, *, again: bool) -> Iterator[Callable[[DeliveryAttempt], None]]:
        """Send in a span; the block calls what it gets with the attempt that has ended, which becomes an event."""
        began = self._clock.monotonic()
        about = {"duly.channel": attempt.channel, "duly.delivery.kind": str(attempt.kind)}
        ended: list[DeliveryAttempt] = []
        with span("delivery", about, SpanKind.CLIENT) as opened:
            yield ended.append
            for each in ended:
                opened.set_attribute("duly.delivery.state", str(each.status))
        for each in ended:
            data = {
                "channel": each.channel,
                "state": str(each.status),
                "kind": str(each.kind),
                "again": again,
                "person": each.user_id,
                "seconds": self._clock.monotonic() - began,
            }
            self._emit(Event(DELIVERY_ENDED, self._clock.now(), each.job_id, each.run_id, data=data))

    async def _outcome(self, attempt: DeliveryAttempt, outgoing: Outgoing) -> DeliveryAttempt:
        channel = self._channel(attempt.channel)
        if channel is None:
            return _failed(attempt, f"channel {attempt.channel!r} is not set up in this process")
        try:
            receipt = await channel.send(attempt.address, outgoing)
        except ChannelUnknownError as error:
            return replace(attempt, status=AttemptStatus.UNKNOWN, error_message=str(error))
        except ChannelPermanentError as error:
            return _failed(attempt, str(error), permanent=True)
        except ChannelTemporaryError as error:
            wait = None if error.retry_after is None else min(timedelta(seconds=error.retry_after), _LONGEST_WAIT)
            return replace(_failed(attempt, str(error)), retry_at=None if wait is None else self._clock.now() + wait)
        except Exception as error:  # a bug in one channel must not keep the other channels from being tried
            _log.exception("channel %s failed unexpectedly", attempt.channel)
            return _failed(attempt, f"{type(error).__name__}: {error}")
        now = self._clock.now()
        delivered = receipt.status is ReceiptStatus.DELIVERED
        return replace(
            attempt,
            status=AttemptStatus.DELIVERED if delivered else AttemptStatus.SENT,
            message_id=receipt.message_id,
            sent_at=now,
            delivered_at=now if delivered else None,
        )

    async def rewrite(self, attempt: DeliveryAttempt, text: str, buttons: tuple[Button, ...] = ()) -> bool:
        """Change a message after its answer, or after that was taken back; whether the vendor could.

        That it fails does no harm.
        """
        channel = self._channel(attempt.channel)
        if channel is None or attempt.message_id is None:
            return False
        try:
            return await channel.edit(attempt.address, attempt.message_id, text, buttons)
        except ChannelError as error:
            _log.info("a message on %s was not edited: %s", attempt.channel, error)
        except Exception:  # the answer counts, even if the channel cannot show it
            _log.exception("channel %s failed unexpectedly", attempt.channel)
        return False


def _failed(attempt: DeliveryAttempt, error: str, *, permanent: bool = False) -> DeliveryAttempt:
    return replace(attempt, status=AttemptStatus.FAILED, error_message=error, permanent=permanent)


def after_delivery(delivery: ReminderDelivery, endpoint: Endpoint, now: datetime) -> Reminder:
    """Give the reminder as it is once a channel took it."""
    asks = delivery.message.require_ack
    return replace(
        delivery.reminder.with_escalation(after_arrival(delivery.state, now, asks=asks)),
        status=ReminderStatus.AWAITING_ACK if asks else ReminderStatus.DELIVERED,
        rounds=0,
        wake_at=None,
        channel=endpoint.channel,
        last_sent_at=now,
        updated_at=now,
    )


def after_question(delivery: ReminderDelivery, _endpoint: Endpoint, now: datetime) -> Reminder:
    """Give the reminder as it is once a channel took its question."""
    return replace(delivery.reminder, wake_at=None, last_sent_at=now, updated_at=now)


class InboxChannel:
    """The channel that is always there: it keeps messages in the store. An address is a person's id."""

    name = INBOX
    has_buttons = False

    def __init__(self, reminders: Reminders, clock: Clock) -> None:
        self._reminders = reminders
        self._clock = clock

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        """Keep a message; the same message again is kept once."""
        item = await self._reminders.put(self.item(address, outgoing))
        return Receipt(ReceiptStatus.DELIVERED, str(item.id))

    def item(self, address: Address, outgoing: Outgoing) -> InboxItem:
        """Make what the inbox keeps of a message."""
        run_id = outgoing.key.partition("/")[0]
        pressed = (press.token for button in outgoing.buttons if (press := read_button(button.token)))
        return InboxItem(
            user_id=address,
            run_id=run_id if run_id.startswith(RUN) else None,
            key=f"{outgoing.key}/{address}",
            text=outgoing.text,
            token=next(pressed, None),
            created_at=self._clock.now(),
        )

    async def edit(
        self,
        address: Address,  # noqa: ARG002  messages stay as sent
        message_id: str,  # noqa: ARG002
        text: str,  # noqa: ARG002
        buttons: tuple[Button, ...] = (),  # noqa: ARG002
    ) -> bool:
        return False

    async def check(self) -> str:
        return "in the store"

    async def close(self) -> None:
        """Do nothing: the store is closed by its owner."""
