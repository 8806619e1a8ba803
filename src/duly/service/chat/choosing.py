"""Choose the reminder that a person means in a chat, by its name or by "it"; ask which, where it may be several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeGuard

from duly.language.requests import IT, Cancel, LeaveOut, Move, Request
from duly.service.chat.doing import ChatActions
from duly.service.chat.finding import Meant, matching, nearest
from duly.service.chat.listing import when
from duly.service.chat.questions import ChatOption, ChatStep
from duly.service.chat.talk import ChatAnswer, Talk
from duly.service.chat.topics import ChatTopics

_MOST_OPTIONS = 8
MakeStep = Callable[[Meant], ChatStep]
"""Makes the step for the reminder that is meant."""


class Choosing:
    """Finds the reminders that are meant, and does something to the only one."""

    def __init__(self, actions: ChatActions, topics: ChatTopics) -> None:
        self._actions = actions
        self._topics = topics

    async def meant(self, talk: Talk, target: str) -> list[Meant]:
        """List the reminders that a name may mean; "it" means what the chat spoke of last."""
        return await self._among(talk, target, await self._actions.all_of(talk))

    async def speaks_of_last(self, talk: Talk) -> bool:
        """Tell whether a message asks for something to be done to what the chat spoke of last."""
        if await self._topics.last(talk) is None:
            return False
        return speaks_of_it(talk.request())

    async def on_target(self, talk: Talk, target: str, make: MakeStep) -> ChatAnswer:
        """Do something to the reminder that a name means; ask which, where it may mean several.

        Where it is not known what "it" is, all are offered: the only one there is may not be meant.
        """
        texts = talk.texts
        reminders = await self._actions.all_of(talk)
        found = await self._among(talk, target, reminders)
        if len(found) == 1:
            return ChatAnswer(text=await self._actions.perform(talk, make(found[0])))
        if found or (target == IT and reminders):
            return _which(talk, found or reminders, make)
        if target == IT:
            return ChatAnswer(text=texts.none_yet)
        lines = [texts.not_found.format(target=target)]
        near = nearest(target, reminders)
        if near is not None:
            lines.append(texts.nearest.format(text=near.shown))
        elif not reminders:
            lines.append(texts.none_yet)
        return ChatAnswer(text=" ".join(lines))

    async def _among(self, talk: Talk, target: str, reminders: list[Meant]) -> list[Meant]:
        if target != IT:
            return matching(target, reminders)
        topic = await self._topics.last(talk)
        return [] if topic is None else [each for each in reminders if each.id in topic.ids]


def speaks_of_it(request: Request | None) -> bool:
    """Tell whether a request names its reminder only as "it"."""
    return isinstance(request, Cancel | LeaveOut | Move) and request.target == IT


def is_about_it(request: Request | None) -> bool:
    """Tell whether a request is "cancel it": after a question it means what was asked, and nothing is done."""
    return isinstance(request, Cancel) and request.target == IT


def is_weak(request: Request | None, talk: Talk) -> TypeGuard[Cancel | LeaveOut | Move]:
    """Tell whether words are a request only if there is such a reminder.

    "Cancel it" may be meant for an agent behind the chat, if duly spoke of no reminder.
    """
    if isinstance(request, LeaveOut | Move) and request.weak:
        return True
    return isinstance(request, Cancel | Move) and request.target == IT and not talk.is_last


def _which(talk: Talk, found: Sequence[Meant], make: MakeStep) -> ChatAnswer:
    options: list[ChatOption] = []
    for each in found:
        with suppress(OverflowError):  # an hour earlier is in the past for this one
            options.append(ChatOption(label=f"{each.shown} ({when(talk, each)})", step=make(each)))
    if not options:
        raise OverflowError("that is in the past")
    return talk.choice(talk.texts.asks_which, tuple(options[:_MOST_OPTIONS]))
