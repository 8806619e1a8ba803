"""How messages leave for people and how answers come back: the channel port and the values that pass through it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from duly.errors import InvalidInputError

Address = str
"""Where a channel reaches somebody: a chat id, a telephone number, a mailbox, a URL. Only its channel reads it."""

MAX_TOKEN = 64
"""The largest button token, in bytes: Telegram's limit is the smallest."""


class ButtonKind(StrEnum):
    """What pressing a button says."""

    DONE = "done"
    SNOOZE = "snooze"
    DISMISS = "dismiss"


@dataclass(frozen=True, slots=True)
class Button:
    """An answer somebody can give with one press."""

    kind: ButtonKind
    label: str
    token: str
    """Comes back verbatim in `Incoming.token`. Whoever sends decides what it says; channels do not read it."""
    url: str | None = None
    """A signed link that says the same, for channels whose buttons are links."""

    def __post_init__(self) -> None:
        size = len(self.token.encode())
        if not 1 <= size <= MAX_TOKEN:
            raise InvalidInputError(f"a button's token takes 1 to {MAX_TOKEN} bytes, got {size}: use a short id")
        if not self.label.strip():
            raise InvalidInputError(f"the {self.kind} button needs a label")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message to a person, as plain text: channels escape what their vendor would take for markup."""

    text: str
    key: str
    """The idempotency key: the same over every attempt at the same message on the same channel."""
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


class ReceiptStatus(StrEnum):
    """How far a message is known to have come."""

    SENT = "sent"
    DELIVERED = "delivered"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a vendor said when it took a message."""

    status: ReceiptStatus = ReceiptStatus.SENT
    message_id: str | None = None


class ProactiveDelivery(Protocol):
    """A channel: it carries a message to somebody who did not just ask for one.

    A channel tries once and says what came of it. When to try again, and where else, is not its business.
    """

    @property
    def name(self) -> str: ...

    @property
    def has_buttons(self) -> bool:
        """Whether buttons look like buttons there. Elsewhere those that have a URL are written out as links."""
        ...

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        """Hand a message over. Raises `ChannelTemporaryError`, `ChannelPermanentError` or `ChannelUnknownError`."""
        ...

    async def edit(self, address: Address, message_id: str, text: str) -> bool:
        """Replace the text of a message and take its buttons away; False when this vendor or this message cannot."""
        ...

    async def check(self) -> str:
        """Ask the vendor who we are, without writing to anybody; the answer is for people to read."""
        ...

    async def close(self) -> None:
        """Let go of connections. Idempotent."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """Something a person said or pressed."""

    channel: str
    address: Address
    """Where to answer."""
    sender: str
    """Who it was, by the vendor's id: in a group, not the same as `address`."""
    message_id: str
    """The same when the vendor tells it twice: whoever remembers these drops the repetition."""
    text: str | None = None
    token: str | None = None
    """The token of the button that was pressed."""
    quoted: str | None = None
    """The `Receipt.message_id` of our message that this is about, when the person showed which."""
    callback: str | None = None
    """What the channel's `answer` needs to tell the vendor that a press was heard."""
    person: Address | None = None
    """The sender's own address, where people have one besides the chats they write in."""


class StatusKind(StrEnum):
    """What a vendor says later about a message it took."""

    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryStatus:
    """News of a message that left earlier. May come out of order, and more than once."""

    channel: str
    address: Address
    message_id: str
    status: StatusKind
    key: str | None = None
    """The `Outgoing.key`, when the vendor gives it back: finds messages whose receipt was lost."""
    code: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbound:
    """What one request of a vendor held."""

    messages: tuple[Incoming, ...] = ()
    statuses: tuple[DeliveryStatus, ...] = ()
    response: Mapping[str, Any] | str | None = None
    """A handshake wants exactly this as its answer: an object as JSON, a string as plain text."""


@runtime_checkable
class Answering(Protocol):
    """A channel whose vendor waits to hear that a press was understood."""

    async def answer(self, incoming: Incoming, text: str, *, closes: bool = True) -> None:
        """Show `text` to whoever pressed, where they pressed. Presses too old to answer are let go.

        Unless it `closes` the matter, the buttons stay for whom they are meant.
        """
        ...


@runtime_checkable
class Observing(Protocol):
    """A channel that learns from what comes in: how long it may still write freely, for one."""

    def observe(self, inbound: Inbound) -> None:
        """Look at a request of the vendor's."""
        ...
