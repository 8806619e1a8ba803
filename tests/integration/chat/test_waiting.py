"""What a person writes while a reminder waits for its answer, and is no answer of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.chat.room import room

TOO_FAR = {
    "en": ("in 3 weeks", "I can put it off for at most 7 days. Say an earlier time."),
    "de": ("in 3 Wochen", "Ich kann sie höchstens 7 Tage aufschieben. Nenn mir eine frühere Zeit."),
    "fr": ("dans 3 semaines", "Je peux le repousser de 7 jours au plus. Donne-moi une heure plus proche."),
}


@pytest.mark.parametrize("language", TOO_FAR)
async def test_a_snooze_for_too_long_says_for_how_long_it_may_be(tmp_path: Path, language: str) -> None:
    async with room(tmp_path, language) as here:
        made = await here.ask("Take it")
        said, answer = TOO_FAR[language]
        assert await here.hears(said) == answer
        assert await here.status(made) == "awaiting_ack"


async def test_a_moment_alone_puts_off_what_waits_and_nothing_else(tmp_path: Path) -> None:
    async with room(tmp_path, "de") as here:
        understood = "Die Zeit habe ich verstanden (am Montag, den 23. November um 09:00), aber nicht"
        assert (await here.hears("nächsten Montag um 9")).startswith(understood)
        made = await here.ask("Take it")
        assert (await here.hears("nächsten Montag um 9", quoted="other")).startswith(understood)
        assert await here.status(made) == "awaiting_ack"
        put_off = "⏰ Ich erinnere dich am Montag, den 23. November um 09:00: Take it"
        assert await here.hears("nächsten Montag um 9") == put_off
        assert await here.status(made) == "snoozed"
        assert (await here.hears("übernächsten Montag um 9")) != put_off
        assert await here.status(made) == "snoozed"


async def test_without_a_language_every_step_of_a_talk_is_in_that_of_the_person(tmp_path: Path) -> None:
    async with room(tmp_path, None) as here:
        assert await here.hears("podseti me da platim račun") == (
            "Kada da te podsetim na „platim račun“? Napiši na primer: „sutra u 9“."
        )
        assert await here.hears("sutra u 9") == "⏰ Podsetiću te sutra u 09:00 (Europe/Zagreb): „platim račun“"
        assert (await here.hears("dentista domani alle 5")).startswith("Quale orario")
        await here.ask("Prendi la pillola")
        assert await here.hears("fatto") == "✓ Fatto: Prendi la pillola"


async def test_thanks_are_answered_in_kind_and_change_nothing(tmp_path: Path) -> None:
    async with room(tmp_path, None) as here:
        made = await here.ask("Take it")
        assert await here.hears("Danke!") == "🙂 „Hilfe“ zeigt, was ich verstehe."
        assert await here.hears("hvala") == "🙂 „pomoć“ pokazuje što razumijem."
        assert await here.status(made) == "awaiting_ack"


async def test_one_time_of_a_series_is_left_out_and_comes_after_all(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears("remind me every day at 8am to take the pill, and an hour before")
        later = "I can only leave out the next time, tomorrow at 08:00: take the pill"
        assert await here.hears("skip the pill on friday") == later
        left_out = "⏭ Left out tomorrow at 08:00 (Europe/Zagreb): take the pill"
        goes_on = "It continues on Wednesday at 08:00 (Europe/Zagreb)."
        assert (await here.hears("skip the pill tomorrow")).splitlines()[:2] == [left_out, goes_on]
        await here.hears("remind me every day at 9am to stretch")
        skipped = await here.hears("lass stretch morgen aus")
        assert skipped.splitlines()[1:] == [goes_on.replace("08:00", "09:00"), "“undo” takes it back."]
        assert await here.hears("undo") == "↩ Taken back: ⏭ Left out tomorrow at 09:00 (Europe/Zagreb): stretch"
        assert "• 09:00: stretch" in await here.hears("what's on tomorrow?")
        assert (await here.hears("skip the gym tomorrow")).startswith("Should I remind you tomorrow")
