"""Reminders for other people, asked for in a chat: the owner of the machine makes them, any other person is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from duly.config.settings import Settings
from duly.ports.people import LOCAL_USER
from duly.testing.clock import VirtualClock
from tests.integration.chat.room import room
from tests.world import START, VirtualRuntime

ASKED = {
    "en": (
        "remind ana and bob to call mom tomorrow at 10",
        "⏰ I will remind Ana, Bob tomorrow at 10:00 (UTC): call mom",
    ),
    "de": ("erinnere Ana und Bob morgen um 10 an den Müll", "⏰ Ich erinnere Ana, Bob morgen um 10:00 (UTC): Müll"),
    "hr": ("podsjeti Anu i Boba sutra u 10 da plate", "⏰ Podsjetnik sutra u 10:00 (UTC) za Ana, Bob: „plate“"),
    "sr": ("podseti Anu i Boba sutra u 10 da plate", "⏰ Podsetnik sutra u 10:00 (UTC) za Ana, Bob: „plate“"),
    "es": (
        "recuérdales a Ana y a Bob pagar mañana a las 10",
        "⏰ Se lo recordaré a Ana, Bob mañana a las 10:00 (UTC): pagar",
    ),
    "fr": (
        "rappelle à Ana et Bob de payer demain à 10h",
        "⏰ Je le rappellerai à Ana, Bob demain à 10:00 (UTC) : payer",
    ),
    "it": (
        "ricorda a Ana e Bob di pagare domani alle 10",
        "⏰ Lo ricorderò a Ana, Bob domani alle 10:00 (UTC): pagare",
    ),
}


async def test_the_owner_reminds_several_people_and_takes_it_back(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, store=str(tmp_path / "duly.db"), timezone="UTC")
    runtime = VirtualRuntime(settings, clock=VirtualClock(START), environment={})
    await runtime.open()
    try:
        people = runtime.services.reminder_service.people
        ana = (await people.add("Ana")).user.id
        bob = (await people.add("Bob")).user.id
        chat = runtime.services.chat

        async def hears(text: str) -> str:
            return (await chat.handle(LOCAL_USER, "terminal", text)).reply or ""

        for asked, answer in ASKED.values():
            assert await hears(asked) == answer
            [made], _ = await runtime.services.reminder_service.lists.page(ana)
            assert (made.shared_with, made.created_via, made.original_text) == ((bob,), "chat", asked)
            await hears("undo")
            assert await runtime.services.reminder_service.lists.page(ana) == ([], None)
        assert (await hears("remind me and bob every day at 8am to stretch")).startswith(
            "⏰ I will remind local, Bob every day"
        )
        assert (await hears("remind ana to call mom")).startswith("When should I remind you of “call mom”?")
        assert await hears("tomorrow at 9am") == "⏰ I will remind Ana tomorrow at 09:00 (UTC): call mom"
        unknown = "I do not know a person called “Zoe”, so I made no reminder."
        assert await hears("remind Ana and Zoe to call mom tomorrow at 9am") == unknown
        assert (await hears("remind Zoe to call mom tomorrow at 9am")).startswith("Should I remind you")
    finally:
        await runtime.close()


@pytest.mark.parametrize("language", ASKED)
async def test_another_person_is_refused_and_does_not_learn_who_there_is(tmp_path: Path, language: str) -> None:
    async with room(tmp_path, language) as here:
        await here.runtime.services.reminder_service.people.add("Bob")
        asked, _ = ASKED[language]
        refused = await here.hears(asked)
        assert "duly" in refused
        assert await here.hears(asked.replace("ana", "Zoe").replace("Ana", "Zoe")) == refused
        assert await here.reminders() == []
        [bob] = [each for each in await here.runtime.store.people.all() if each.name == "Bob"]
        assert await here.runtime.services.reminder_service.lists.page(bob.id) == ([], None)
