"""A channel that follows the script of a test, and keeps the messages it was given."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from itertools import count
from typing import NamedTuple

from duly.errors import ChannelUnknownError
from duly.ports.channels import Address, Button, Outgoing, Receipt

Outcome = Exception | Receipt | Callable[[], Awaitable[None]] | None
"""What a send does: raise an error, return a receipt, call a function first, or (None) just work."""


class Sent(NamedTuple):
    """A message that arrived."""

    address: Address
    outgoing: Outgoing
    message_id: str


class ScriptedChannel:
    """A channel whose sends work unless the script says otherwise.

    `script` has an outcome for each send, in order; after its end every send has the outcome `otherwise`. With
    `unknown_arrives`, a message arrives even if its send raises `ChannelUnknownError`.
    """

    has_buttons = True

    def __init__(
        self,
        name: str = "chat",
        script: Iterable[Outcome] = (),
        *,
        otherwise: Outcome = None,
        unknown_arrives: bool = False,
    ) -> None:
        self.name = name
        self.script = deque(script)
        self.otherwise = otherwise
        self.tries = 0
        self.arrived: list[Sent] = []
        self.edits: list[tuple[str, str]] = []
        self.edited_buttons: list[tuple[Button, ...]] = []
        self.closed = False
        self._unknown_arrives = unknown_arrives
        self._numbers = count(1)

    @property
    def texts(self) -> list[str]:
        """The texts of the messages that arrived."""
        return [each.outgoing.text for each in self.arrived]

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        self.tries += 1
        outcome = self.script.popleft() if self.script else self.otherwise
        message_id = f"{self.name}-{next(self._numbers)}"
        if isinstance(outcome, Exception):
            if self._unknown_arrives and isinstance(outcome, ChannelUnknownError):
                self.arrived.append(Sent(address, outgoing, message_id))
            raise outcome
        if callable(outcome):
            await outcome()
        receipt = outcome if isinstance(outcome, Receipt) else Receipt(message_id=message_id)
        self.arrived.append(Sent(address, outgoing, receipt.message_id or message_id))
        return receipt

    async def edit(
        self,
        address: Address,  # noqa: ARG002  the port's name
        message_id: str,
        text: str,
        buttons: tuple[Button, ...] = (),
    ) -> bool:
        self.edits.append((message_id, text))
        self.edited_buttons.append(buttons)
        return True

    async def check(self) -> str:
        return "a script"

    async def close(self) -> None:
        self.closed = True
