"""Medicine, wake-up words and what a person says make a reminder important, and let it want an answer (chats only)."""

from __future__ import annotations

from pathlib import Path

import pytest

from duly.language.requests.urgency import without_urgency
from tests.integration.chat.room import Room, room


async def _made(here: Room) -> tuple[str, str, bool]:
    [view], _ = await here.runtime.services.reminder_service.lists.page(here.user)
    return view.message, view.priority, view.require_ack


@pytest.mark.parametrize(
    ("language", "text", "message"),
    [
        ("en", "remind me in 5 minutes to take my medicine", "take my medicine"),
        ("en", "remind me to call the bank tomorrow at 10 and ask me until I answer", "call the bank"),
        ("en", "remind me to call the bank tomorrow at 10, it's urgent", "call the bank"),
        ("en", "remind me to call the bank tomorrow at 10 it's urgent", "call the bank"),
        ("en", "important: remind me to call the bank tomorrow at 10", "call the bank"),
        ("de", "erinner mich morgen um 9 an die Tablette", "Tablette"),
        ("de", "wichtig: erinner mich morgen um 9 an die Bank", "Bank"),
        ("de", "erinner mich morgen um 9 an die Bank, frag nach, bis ich antworte", "Bank"),
        ("hr", "podsjeti me sutra u 9 da popijem lijek", "popij lijek"),
        ("sr", "podseti me sutra u 9 da pozovem banku, hitno", "pozovi banku"),
        ("es", "recuérdame mañana a las 9 la pastilla", "la pastilla"),
        ("fr", "rappelle-moi demain à 9h d'appeler la banque, c'est urgent", "appeler la banque"),
        ("it", "ricordami domani alle 9 di chiamare la banca, è importante", "chiamare la banca"),
    ],
)
async def test_medicine_and_what_the_person_says_want_an_answer(
    tmp_path: Path, language: str, text: str, message: str
) -> None:
    async with room(tmp_path, language) as here:
        said = await here.hears(text)
        made, priority, require_ack = await _made(here)
        assert (priority, require_ack) == ("high", True)
        assert made.casefold().split()[-1] == message.casefold().split()[-1]
        assert len(said.split("\n")) > 1


@pytest.mark.parametrize(
    "text",
    [
        "remind me to take vitamins tomorrow at 10",
        "remind me of the important meeting tomorrow at 9",
        "remind me tomorrow at 9 about something important",
        "remind me tomorrow at 9 to buy a dozen eggs",
    ],
)
async def test_others_want_none(tmp_path: Path, text: str) -> None:
    async with room(tmp_path) as here:
        await here.hears(text)
        assert (await _made(here))[1:] == ("normal", False)


async def test_a_wake_up_call_is_important_and_wants_no_answer(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert (await here.hears("wake me at 7")).endswith("It is marked as important.")
        assert (await _made(here))[1:] == ("high", False)


async def test_the_confirmation_says_how_to_change_it_and_its_words_do_so(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        said = await here.hears("remind me to take my medicine tomorrow at 10")
        assert said.split("\n")[1] == "I will ask until you answer. To change that, say “never ask for answers”."
        await here.hears("undo")
        assert (await here.hears("never ask for answers")).startswith("OK, I will ask for an answer only")
        await here.hears("remind me to take my medicine tomorrow at 10")
        assert (await _made(here))[1:] == ("high", False)
        await here.hears("undo")
        await here.hears("always ask for answers")
        await here.hears("remind me to water the plants tomorrow at 10")
        assert (await _made(here))[1:] == ("normal", True)
        await here.hears("undo")
        await here.hears("ask for answers only for medicine")
        await here.hears("remind me to water the plants tomorrow at 10")
        assert (await _made(here))[1:] == ("normal", False)


@pytest.mark.parametrize("wants", ["medicine", "always", "never"])
async def test_what_is_said_counts_whatever_the_person_has_chosen(tmp_path: Path, wants: str) -> None:
    async with room(tmp_path, wants_answer=wants) as here:
        await here.hears("remind me to call the bank tomorrow at 10, ask me until I answer")
        assert (await _made(here))[1:] == ("high", True)


@pytest.mark.parametrize(
    "text", ["tell her it's urgent", "the important meeting", "important", "ask him until I answer the phone", ""]
)
def test_words_within_a_text_stay_there(text: str) -> None:
    assert without_urgency(text) == (text, False)
