"""The law of the reply in a chat: what may be meant is asked, and answered by a button, a number or words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.chat.room import Room, room

MEDICINE = "Take your medicine"


@pytest.mark.parametrize(
    "text",
    [
        "took it 3 weeks ago",
        "mum took it",
        "my wife took it",
        "I've eaten",
        "took my vitamins",
        "took it at 23:00",
        "took it yesterday",
        "I think I took it",
        "took half",
        "they're finished",
        "all good thanks",
    ],
)
async def test_a_claim_that_may_be_another_is_asked(tmp_path: Path, text: str) -> None:
    async with room(tmp_path) as here:
        made = await here.ask(MEDICINE)
        said = await here.hears(text)
        assert said == f"Do you mean that “{MEDICINE}” is done?\n1. Yes\n2. No\nAnswer with the number."
        assert await here.status(made) == "awaiting_ack"
        assert await here.hears("no") == "OK, nothing was changed."
        assert await here.status(made) == "awaiting_ack"
        assert await here.hears(text) == said
        assert await here.hears("yes") == f"✓ Done: {MEDICINE}"
        assert await here.status(made) == "acked"


@pytest.mark.parametrize("text", ["all good thanks and you", "I'm fine", "what's the weather?"])
async def test_what_claims_nothing_answers_nothing(tmp_path: Path, text: str) -> None:
    async with room(tmp_path) as here:
        made = await here.ask(MEDICINE)
        assert (await here.hears(text)).startswith("Sorry, I did not understand that.")
        assert await here.status(made) == "awaiting_ack"


@pytest.mark.parametrize(
    ("language", "text", "asks"),
    [
        ("en", "I don't want to", "Skip “{}” this time?"),
        ("en", "doctor told me to stop", "Skip “{}” this time?"),
        ("de", "keine Lust", "Soll ich „{}“ diesmal auslassen?"),
        ("hr", "neću", "Da ovaj put preskočimo „{}“?"),
        ("sr", "нећу", "Да овог пута прескочимо „{}“?"),
        ("es", "no quiero", "¿Dejamos «{}» por esta vez?"),
        ("fr", "oublie", "On laisse tomber « {} » pour cette fois ?"),
        ("it", "non mi va", "Saltiamo «{}» per questa volta?"),
    ],
)
async def test_unwillingness_is_asked(tmp_path: Path, language: str, text: str, asks: str) -> None:
    async with room(tmp_path, language) as here:
        made = await here.ask("Pille 1")
        said = (await here.hears(text)).split("\n")[0]
        assert said == asks.format("Пилле 1" if language == "sr" and "П" in said else "Pille 1")
        assert await here.status(made) == "awaiting_ack"
        await here.hears("1")
        assert await here.status(made) == "dismissed"


async def test_a_no_to_the_question_leaves_it_open_and_clear_words_drop_it(tmp_path: Path) -> None:
    async with room(tmp_path, "fr") as here:
        made = await here.ask("Prends ton cachet")
        await here.hears("oublie")
        assert await here.hears("non") == "D'accord, rien n'a changé."
        assert await here.status(made) == "awaiting_ack"
        await here.hears("plus la peine, oublie")
        assert await here.status(made) == "dismissed"


async def _two(here: Room) -> tuple[str, str]:
    pill = await here.ask(MEDICINE)
    vitamins = await here.runtime.services.reminder_service.create(
        here.user, {"type": "once", "at": "1m"}, "Vitamins", require_ack=True
    )
    await here.clock.travel(minutes=1)
    return pill, vitamins.id


@pytest.mark.parametrize(
    ("text", "status"),
    [("done", "acked"), ("ok", "acked"), ("later", "snoozed"), ("no", "snoozed"), ("skip it", "dismissed")],
)
async def test_of_two_reminders_it_is_asked_which(tmp_path: Path, text: str, status: str) -> None:
    async with room(tmp_path) as here:
        pill, vitamins = await _two(here)
        said = await here.hears(text)
        assert said == f"Which one do you mean?\n1. Vitamins\n2. {MEDICINE}\nAnswer with the number."
        assert (await here.status(pill), await here.status(vitamins)) == ("awaiting_ack", "awaiting_ack")
        await here.hears("2")
        assert (await here.status(pill), await here.status(vitamins)) == (status, "awaiting_ack")


async def test_the_question_is_answered_by_a_name_as_well(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        pill, vitamins = await _two(here)
        await here.hears("in 20 minutes")
        assert await here.hears("the vitamins") == "⏰ I will remind you at 13:26: Vitamins"
        assert (await here.status(pill), await here.status(vitamins)) == ("awaiting_ack", "snoozed")


async def test_what_is_named_is_answered_without_a_question(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        pill, vitamins = await _two(here)
        assert await here.hears("took the pill") == f"✓ Done: {MEDICINE}"
        assert (await here.status(pill), await here.status(vitamins)) == ("acked", "awaiting_ack")
        assert await here.hears("took my vitamins") == "✓ Done: Vitamins"


async def test_a_button_of_the_question_answers_it(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        pill, vitamins = await _two(here)
        asked = await here.say("done")
        assert [each.label for each in asked.buttons] == ["Vitamins", MEDICINE]
        await here.say(token=asked.buttons[0].token)
        assert (await here.status(pill), await here.status(vitamins)) == ("awaiting_ack", "acked")
