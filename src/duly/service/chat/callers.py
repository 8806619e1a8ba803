"""What is said to duly through a face that shows a token: for a person whom the caller may act for.

`Conversations` below takes a message for that of the person it names; chats, whose messages are signed by a vendor,
call it. A face gets to it from here, after the check of the caller's rights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duly.service.access.audit import acting_as
from duly.service.people.people import acts_for

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.chat.conversations import Conversations
    from duly.service.reminders.replies import Handled


class CallersChat:
    """Takes messages of a caller, or those that a caller passes on; refuses callers who may change no reminders."""

    def __init__(self, conversations: Conversations, caller: Caller, user: object = None) -> None:
        self._who = acts_for(caller, user)
        self._conversations = conversations
        self._caller = caller

    async def say(self, channel: str, text: str) -> Handled:
        """Handle what the caller says for a person, with the rights of the caller."""
        with acting_as(self._caller):
            return await self._conversations.handle(self._who, channel, text, caller=self._caller)

    async def pass_on(
        self,
        channel: str,
        text: str | None,
        *,
        quoted: str | None = None,
        button: str | None = None,
        message_id: str | None = None,
    ) -> Handled:
        """Handle what a person wrote to an agent in a chat, with the rights of the person."""
        with acting_as(self._caller):
            return await self._conversations.handle(
                self._who, channel, text, quoted=quoted, button=button, message_id=message_id, is_last=False
            )
