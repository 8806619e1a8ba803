"""What was sent and what was answered in a run: the same view in a history, a run's page, an inbox and every list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from duly.delivery.messages import attempts_for
from duly.ports.reminders import Answer, DeliveryAttempt
from duly.ports.store import FullStore

ShowAddress = Callable[[DeliveryAttempt], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryView:
    """One send: of a reminder, of its question, of a copy for the inbox, of an escalation, or of a notice."""

    number: int
    kind: str
    to: str
    """The name of the person."""
    channel: str
    address: str = ""
    """Empty where the caller may not know it."""
    status: str
    at: datetime
    """When it was recorded, before it left."""
    sent_at: datetime | None = None
    delivered_at: datetime | None = None
    acked_at: datetime | None = None
    error: str | None = None
    permanent: bool = False
    """Trying again at this address is of no use."""
    message_id: str | None = None
    """The id that the vendor gave it."""

    @property
    def latest(self) -> datetime:
        """Tell when it came as far as it did."""
        return self.delivered_at or self.sent_at or self.at


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """One answer."""

    response: str
    by: str
    """The name of the person."""
    user_id: str
    at: datetime
    channel: str | None = None
    text: str | None = None
    """The words it was given in."""
    until: datetime | None = None
    """When a snoozed reminder comes back."""


class Deliveries:
    """Reads what was sent and answered, with the names of the people in it."""

    def __init__(self, store: FullStore, show_address: ShowAddress) -> None:
        """`show_address` gives as much of the address of a send as the caller may know."""
        self._reminders = store.reminders
        self._people = store.people
        self._show_address = show_address
        self._names: dict[str, str] = {}

    async def sent(self, run_id: str, user_id: str | None = None) -> list[DeliveryView]:
        """Give every send of a run, the first one first; for one of its people, those that concern them."""
        attempts: Sequence[DeliveryAttempt] = await self._reminders.attempts(run_id)
        if user_id is not None:
            attempts = attempts_for(attempts, user_id)
        return [self._delivery(each, await self.name(each.user_id)) for each in attempts]

    async def answered(self, run_id: str) -> list[AnswerView]:
        """Give every answer to a run, the first one first."""
        answers: Sequence[Answer] = await self._reminders.answers(run_id)
        return [
            AnswerView(
                response=str(each.response),
                by=await self.name(each.user_id),
                user_id=each.user_id,
                at=each.responded_at,
                channel=each.channel,
                text=each.response_text,
                until=each.snooze_until,
            )
            for each in answers
        ]

    def _delivery(self, attempt: DeliveryAttempt, name: str) -> DeliveryView:
        return DeliveryView(
            number=attempt.attempt_number,
            kind=str(attempt.kind),
            to=name,
            channel=attempt.channel,
            address=self._show_address(attempt),
            status=str(attempt.status),
            at=attempt.created_at,
            sent_at=attempt.sent_at,
            delivered_at=attempt.delivered_at,
            acked_at=attempt.acked_at,
            error=attempt.error_message,
            permanent=attempt.permanent,
            message_id=attempt.message_id,
        )

    async def name(self, user_id: str) -> str:
        """Give the name of a person, the id of one who is gone."""
        if user_id not in self._names:
            user = await self._people.get(user_id)
            self._names[user_id] = user_id if user is None else user.name
        return self._names[user_id]


def only_of(user_id: str) -> ShowAddress:
    """Make the rule of a person's own pages: they see their addresses, not those of others, such as admins."""
    return lambda attempt: attempt.address if attempt.user_id == user_id else ""


def masked_address(attempt: DeliveryAttempt) -> str:
    """Hide most of the address of a send."""
    return masked(attempt.address)


def masked(address: str) -> str:
    """Hide most of an address, so that a page that is looked at in company gives none away."""
    name, at, host = address.partition("@")
    if at:
        return f"{name[:1]}…@{host}"
    return address if len(address) <= 4 else f"…{address[-4:]}"
