"""What a chat spoke of last: the reminders that "it" may mean, for ten minutes.

A topic belongs to one person and one chat. A reminder that arrives after it ends it: "it" may then be that one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from duly.model.codec import from_plain, to_plain
from duly.ports.reminders import Reminders

if TYPE_CHECKING:
    from duly.service.chat.talk import Talk

LIFE = timedelta(minutes=10)
_MOST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTopic:
    """The reminders that a chat spoke of last."""

    ids: tuple[str, ...]
    at: datetime


class ChatTopics:
    """Keeps the topics of chats in the store."""

    def __init__(self, store: Reminders) -> None:
        self._store = store

    async def note(self, talk: Talk, schedule_ids: Sequence[str]) -> None:
        """Keep what a chat has just spoken of; without any reminders, forget what was before."""
        topic = ChatTopic(ids=tuple(schedule_ids[:_MOST]), at=talk.now)
        await self._store.set_cursor(_name(talk), json.dumps(to_plain(topic)) if schedule_ids else "")

    async def last(self, talk: Talk) -> ChatTopic | None:
        """Give what a chat spoke of last; None when that is too long ago, or a reminder came after it.

        A message that quotes another one is about that, and not about what was said last.
        """
        written = None if talk.answer_to is not None else await self._store.cursor(_name(talk))
        if not written:
            return None
        topic = from_plain(ChatTopic, json.loads(written), "topic")
        latest = await self._store.latest_for(talk.user.id)
        sent_at = None if latest is None else latest.last_sent_at
        is_over = talk.now - topic.at > LIFE or (sent_at is not None and sent_at > topic.at)
        return None if is_over else topic


def _name(talk: Talk) -> str:
    return f"chat.topic/{talk.user.id}/{talk.place}"
