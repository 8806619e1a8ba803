"""The law of questions: only the person who was asked ends one, in the same chat, and about no other message."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.integration.chat.room import Room, room

WORDS = (
    "yes",
    "ok",
    "no",
    "never mind",
    "1",
    "2",
    "done",
    "tomorrow at 9am",
    "ja",
    "fertig",
    "cancel it",
    "👍",
)
STRANGERS: tuple[dict[str, Any], ...] = (
    {"address": "99", "sender": "99"},
    {"address": "17", "sender": "stranger"},
    {"address": "99", "sender": "99", "quoted": "phone-1"},
    {"channel": "other"},
)
ELSEWHERE: tuple[dict[str, Any], ...] = ({"quoted": "another message"}, {"address": "18"})
"""Ana herself, but about another message, or in another chat of hers."""

Said = tuple[str, str, dict[str, Any]]
FOREIGN = st.tuples(st.just("stranger"), st.sampled_from(WORDS), st.sampled_from(STRANGERS))
OTHER = st.tuples(st.just("elsewhere"), st.sampled_from(WORDS), st.sampled_from(ELSEWHERE))
PRESS: st.SearchStrategy[Said] = st.tuples(
    st.just("press"),
    st.sampled_from(["choice:0123456789abcdef:1", "choice::", "choice:x:y", "done:00000000", "vote:42"]),
    st.just({}),
)


@given(st.lists(st.one_of(FOREIGN, OTHER, PRESS), min_size=1, max_size=8), st.sampled_from(["which", "when", "offer"]))
@settings(max_examples=15, deadline=None)
def test_no_message_of_another_person_or_about_another_message_ends_a_question(
    tmp_path_factory: pytest.TempPathFactory, said: list[Said], kind: str
) -> None:
    async def play() -> None:
        async with room(tmp_path_factory.mktemp("law")) as here:
            await _pair(here)
            asked_in = await _ask(here, kind)
            before = await here.texts()
            for who, text, more in said:
                if who == "press":
                    await here.say(None, token=text)
                else:
                    await here.say(text, **more)
            assert await here.texts() == before
            await _answer(here, kind, asked_in)
            assert await here.texts() != before  # the question was still open

    asyncio.run(play())


async def _pair(here: Room) -> None:
    """Ana's chat belongs to her as the sender; she has a second one."""
    people = here.runtime.services.reminder_service.people
    await people.set_channels(here.user, [])
    await people.add_channel(here.user, "phone", "17", sender="17")
    await people.add_channel(here.user, "phone", "18", sender="17")


async def _ask(here: Room, kind: str) -> str:
    """Have duly ask back; give the message that asks."""
    if kind == "which":
        for text in ("call mom", "call dad"):
            await here.say(f"remind me to {text} tomorrow at 9am")
    asked = {"which": "cancel call", "when": "remind me to call mom", "offer": "i will call mom tomorrow at 9am"}[kind]
    assert (await here.say(asked)).question is not None
    return here.asked_in


async def _answer(here: Room, kind: str, asked_in: str) -> None:
    quoting = {"quoted": asked_in} if kind == "when" else {}
    await here.say({"which": "1", "when": "tomorrow at 10am", "offer": "yes"}[kind], **quoting)


@given(st.lists(st.one_of(FOREIGN, PRESS), min_size=1, max_size=8))
@settings(max_examples=8, deadline=None)
def test_no_stranger_ends_the_question_of_a_reminder(
    tmp_path_factory: pytest.TempPathFactory, said: list[Said]
) -> None:
    async def play() -> None:
        async with room(tmp_path_factory.mktemp("law")) as here:
            await _pair(here)
            await here.runtime.engine.start()
            made = await here.runtime.services.reminder_service.create(
                here.user, {"type": "once", "at": "5m"}, "Take it", require_ack=True
            )
            await here.clock.travel(minutes=5)
            for who, text, more in said:
                await (here.say(None, token=text) if who == "press" else here.say(text, **more))
            [latest] = await here.runtime.store.reminders.of_schedule(made.id, 1)
            assert latest.status == "awaiting_ack"
            assert (await here.hears("done")).startswith("✓ Done")

    asyncio.run(play())


async def test_a_stranger_is_answered_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    async with room(tmp_path_factory.mktemp("law")) as here:
        first = await here.say("remind me to call mom tomorrow at 9am", address="99", sender="99")
        assert (first.reply or "").startswith("I do not know this chat yet.")
        assert (await here.say("help", address="99", sender="99")).reply is None
        assert await here.texts() == []
