"""The interface of a channel, and the records that pass through it: messages to people, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from duly.errors import InvalidInputError

Address = str
"""Where a channel reaches a person: a chat id, a telephone number, a mailbox, a URL. Only the channel reads it."""

MAX_TOKEN = 64
"""The largest button token, in bytes: Telegram's limit is the smallest."""


class ButtonKind(StrEnum):
    """The answer that a button gives."""

    DONE = "done"
    SNOOZE = "snooze"
    DISMISS = "dismiss"
    CHOICE = "choice"
    """One of the answers to a question that duly asked back in a chat."""


@dataclass(frozen=True, slots=True)
class Button:
    """An answer that a person can give with one press."""

    kind: ButtonKind
    label: str
    token: str
    """Comes back unchanged in `Incoming.token`. The sender chooses it; channels do not read it."""
    url: str | None = None
    """A signed link that gives the same answer, for channels whose buttons are links."""

    def __post_init__(self) -> None:
        size = len(self.token.encode())
        if not 1 <= size <= MAX_TOKEN:
            raise InvalidInputError(f"a button's token takes 1 to {MAX_TOKEN} bytes, got {size}: use a short id")
        if not self.label.strip():
            raise InvalidInputError(f"the {self.kind} button needs a label")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message to a person, as plain text: each channel escapes the markup of its vendor."""

    text: str
    key: str
    """The idempotency key: the same in every attempt to send this message on the same channel."""
    title: str | None = None
    buttons: tuple[Button, ...] = ()
    reply_to: str | None = None
    """The `Receipt.message_id` of the message this one belongs to."""
    language: str | None = None

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InvalidInputError("a message needs a text")
        if not self.key:
            raise InvalidInputError("a message needs a key: without one, a repetition cannot be recognised")


LATEST_REPETITION = timedelta(days=7)
"""So long after a message was sent, a vendor may still send it, or send it again. The ids of messages that came in are
kept longer than that, however soon other records are deleted; what is older is refused."""


class ReceiptStatus(StrEnum):
    """How far a message has come, as far as the vendor says."""

    SENT = "sent"
    DELIVERED = "delivered"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer of a vendor that accepted a message."""

    status: ReceiptStatus = ReceiptStatus.SENT
    message_id: str | None = None


class ProactiveDelivery(Protocol):
    """A channel that can send a message to a person who has not just written.

    A channel tries once and returns or raises the result. Other code decides when to try again, and where.
    """

    @property
    def name(self) -> str: ...

    @property
    def has_buttons(self) -> bool:
        """Tell whether the channel shows buttons. Otherwise buttons that have a URL are written as links."""
        ...

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        """Send a message. Raises `ChannelTemporaryError`, `ChannelPermanentError` or `ChannelUnknownError`."""
        ...

    async def edit(self, address: Address, message_id: str, text: str, buttons: tuple[Button, ...] = ()) -> bool:
        """Replace the text of a message, and its buttons by these; False when the vendor cannot edit this message."""
        ...

    async def check(self) -> str:
        """Ask the vendor who we are, without writing to any person; returns a text for people to read."""
        ...

    async def close(self) -> None:
        """Close connections. Idempotent."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A message or a button press of a person."""

    channel: str
    address: Address
    """Where to answer."""
    sender: str
    """The person, by the vendor's id: in a group, not the same as `address`."""
    message_id: str
    """The same when the vendor sends it twice, so that the repetition can be dropped."""
    text: str | None = None
    token: str | None = None
    """The token of the button that was pressed."""
    quoted: str | None = None
    """The `Receipt.message_id` of our message that the person replied to, if they did."""
    callback: str | None = None
    """The id that the channel's `answer` needs to confirm a press to the vendor."""
    reaction: str | None = None
    """The sign with which the person reacted to our message `quoted`, such as 👍."""
    to_us: bool = True
    """False for what people write to each other in a group: only an answer to a reminder counts there."""
    person: Address | None = None
    """The sender's own address, where people have one besides the chats they write in."""
    language: str | None = None
    """The language that the sender has chosen at the vendor, where it says so."""
    sent_at: datetime | None = None
    """When it was sent, where a request does not show its own age: by it, an old one that comes again is known."""


class StatusKind(StrEnum):
    """The later state of a message that a vendor accepted."""

    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryStatus:
    """A vendor's report on a message that was sent earlier. May come out of order, and more than once."""

    channel: str
    address: Address
    message_id: str
    status: StatusKind
    key: str | None = None
    """The `Outgoing.key`, when the vendor gives it back: finds messages whose receipt was lost."""
    code: int | None = None
    reason: str | None = None
    sent_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbound:
    """The content of one request of a vendor."""

    messages: tuple[Incoming, ...] = ()
    statuses: tuple[DeliveryStatus, ...] = ()
    response: Mapping[str, Any] | str | None = None
    """The answer that a handshake requires: an object as JSON, a string as plain text."""


@runtime_checkable
class Answering(Protocol):
    """A channel whose vendor expects a confirmation of each press."""

    async def answer(self, incoming: Incoming, text: str, *, closes: bool = True) -> None:
        """Show `text` to the person who pressed, where they pressed. Presses too old to answer are ignored.

        Without `closes` the buttons stay, because the person they are meant for may still press them.
        """
        ...


@runtime_checkable
class Resending(Protocol):
    """A channel that can deliver a message in another way after its vendor failed."""

    def can_resend(self, status: DeliveryStatus) -> bool:
        """Whether the message of a status would arrive if it were sent once more."""
        ...


@runtime_checkable
class Observing(Protocol):
    """A channel that keeps track of what comes in, such as how long it may still write freely."""

    def observe(self, inbound: Inbound) -> None:
        """Read a request of the vendor."""
        ...
