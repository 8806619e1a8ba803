"""One send: written down before anything leaves, and what came of it afterwards."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from duly import failpoints
from duly.clock import Clock
from duly.delivery.case import Case
from duly.errors import ChannelError, ChannelPermanentError, ChannelTemporaryError, ChannelUnknownError
from duly.model.reminder import AttemptKind, AttemptStatus
from duly.planning.routes import INBOX, Endpoint
from duly.ports.channels import Outgoing, ProactiveDelivery, ReceiptStatus
from duly.ports.reminders import DeliveryAttempt, Reminder, Reminders

Then = Callable[[Case, Endpoint, datetime], Reminder]
"""Where a reminder stands after a message has arrived somewhere at that time."""

_LONGEST_WAIT = timedelta(days=1)  # a vendor that wants more than that is as good as gone
_log = logging.getLogger("duly")


class Sender:
    """Sends through the channels of this process."""

    def __init__(
        self, reminders: Reminders, inbox: ProactiveDelivery, channels: Mapping[str, ProactiveDelivery], clock: Clock
    ) -> None:
        """`channels` may change while this sends: the daemon takes up changes of its file."""
        self._reminders = reminders
        self._inbox = inbox
        self._channels = channels
        self._clock = clock

    def _channel(self, name: str) -> ProactiveDelivery | None:
        return self._channels.get(name, self._inbox if name == INBOX else None)

    async def send(
        self,
        case: Case,
        endpoint: Endpoint,
        outgoing: Outgoing,
        kind: AttemptKind,
        user_id: str | None = None,
        then: Then | None = None,
    ) -> bool:
        """Try once; whether it arrived. The attempt is added to the case.

        `then` says where the reminder stands if it arrives, which is written together with the attempt: between the two
        a process could die, and its successor would send the message again as if it were a new one.
        """
        pending = DeliveryAttempt(
            run_id=case.run.run_id,
            job_id=case.run.schedule_id,
            run_number=case.reminder.run_number,
            attempt_number=0,
            user_id=user_id or case.user.id,
            channel=endpoint.channel,
            address=endpoint.address,
            kind=kind,
            created_at=self._clock.now(),
        )
        attempt = await self._reminders.add_attempt(pending)
        failpoints.hit("delivery.recorded")
        ended = await self._outcome(attempt, outgoing)
        failpoints.hit("delivery.sent")
        await self._record(case, endpoint, ended, then)
        failpoints.hit("delivery.kept")
        return ended.status.arrived

    async def _record(self, case: Case, endpoint: Endpoint, ended: DeliveryAttempt, then: Then | None) -> None:
        case.attempts.append(ended)
        if then is None or case.stale or not ended.status.arrived:
            await self._reminders.end_attempt(ended)
            return
        written = await self._reminders.end_attempt(ended, then(case, endpoint, self._clock.now()))
        case.stale = written is None
        case.reminder = written or await self._reminders.get(case.run.run_id) or case.reminder

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
        except Exception as error:  # a channel's bug must not keep the other channels from trying
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

    async def rewrite(self, attempt: DeliveryAttempt, text: str) -> None:
        """Change a message after its answer, where the vendor can; a message that stays as it is does no harm."""
        channel = self._channel(attempt.channel)
        if channel is None or attempt.message_id is None:
            return
        try:
            await channel.edit(attempt.address, attempt.message_id, text)
        except ChannelError as error:
            _log.info("a message on %s was not edited: %s", attempt.channel, error)
        except Exception:  # the answer counts, whatever the channel makes of it
            _log.exception("channel %s failed unexpectedly", attempt.channel)


def _failed(attempt: DeliveryAttempt, error: str, *, permanent: bool = False) -> DeliveryAttempt:
    return replace(attempt, status=AttemptStatus.FAILED, error_message=error, permanent=permanent)
