"""The inbox: a channel that is always there, because it is the store itself."""

from __future__ import annotations

from duly.clock import Clock
from duly.delivery.buttons import read_button
from duly.model.ids import RUN
from duly.planning.routes import INBOX
from duly.ports.channels import Address, Outgoing, Receipt, ReceiptStatus
from duly.ports.reminders import InboxItem, Reminders


class InboxChannel:
    """An address is a person's id. The same message again is kept once."""

    name = INBOX
    has_buttons = False

    def __init__(self, reminders: Reminders, clock: Clock) -> None:
        self._reminders = reminders
        self._clock = clock

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        pressed = [press for button in outgoing.buttons if (press := read_button(button.token))]
        run_id = outgoing.key.partition("/")[0]
        item = await self._reminders.put(
            InboxItem(
                user_id=address,
                run_id=run_id if run_id.startswith(RUN) else None,
                key=f"{outgoing.key}/{address}",
                text=outgoing.text,
                token=pressed[0].token if pressed else None,
                created_at=self._clock.now(),
            )
        )
        return Receipt(ReceiptStatus.DELIVERED, str(item.id))

    async def edit(self, address: Address, message_id: str, text: str) -> bool:  # noqa: ARG002  what was said stays
        return False

    async def check(self) -> str:
        return "in the store"

    async def close(self) -> None:
        """Nothing to let go of."""
