"""The law of the sentence at the doors: what each makes of a sentence, and how each asks what a doubtful one means.

Nothing is stored before it is clear; to send a reading back is to say it without doubt.
"""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import Any

import pytest

from duly.cli import app
from duly.language.requests import read_request, read_sentence
from duly.service.access.scopes import Caller, Face, Scope
from duly.testing import VirtualClock
from duly.ws.frames import Conversation
from tests.integration.chat.room import room
from tests.integration.faces.test_mcp_reminders import agent_in
from tests.unit.language_requests.reading import NOW, ZONE
from tests.world import START, World, world

ASKED = ""
TABLE = [
    ("en", "remind me every day at 8 to take ramipril 10", "every day at 08:00: take ramipril 10"),
    ("de", "jeden Tag um 8 Uhr 20 Tropfen nehmen", "jeden Tag um 08:00 Uhr: 20 Tropfen nehmen"),
    ("en", "tomorrow at 8 30 drops", "2026-11-17T08:00:00: 30 drops"),
    ("en", "tomorrow at 8 30 dentist", "2026-11-17T08:30:00: dentist"),
    ("en", "every day at 8 30 minutes walk", ASKED),
    ("fr", "toutes les 12h l'antibiotique à 8h", "tous les jours à 08:00 et 20:00: l'antibiotique"),
    ("en", "every 2 hours to walk 10 minutes", "every 2 hours: walk 10 minutes"),
    ("en", "every evening to charge for 10 minutes", "every day at 19:00: charge for 10 minutes"),
    (
        "en",
        "every 8 hours to take antibiotics starting at 6am",
        "every day at 06:00, 14:00 and 22:00: take antibiotics",
    ),
    ("en", "my pill in the morning and in the evening", ASKED),
    ("en", "take 1 pill at 8 and 2 pills at 20 every day", ASKED),
    (
        "en",
        "every day at 8 the pill but on sundays at 10",
        "Mondays, Tuesdays, Wednesdays, Thursdays, Fridays and Saturdays at 08:00; Sundays at 10:00: the pill",
    ),
    ("de", "erinner mich morgen um 9 an den Abendkurs am Montag", "2026-11-17T09:00:00: Abendkurs am Montag"),
    ("de", "Tablette täglich dreimal", ASKED),
    ("en", "take the pill every day 3 times", ASKED),
    ("fr", "prendre le comprimé chaque jour 3 fois", ASKED),
    ("es", "entrenar 2 veces por semana", ASKED),
    ("it", "correre due volte a settimana", ASKED),
    ("de", "Tablette täglich 1x", "jeden Tag um 09:00 Uhr: Tablette"),
    ("en", "antibiotics every day at 8 for 3 days max", "every day at 08:00, until 19 November 2026: antibiotics"),
    ("en", "antibiotics every day at 8, 10 times", "every day at 08:00, in all 10 times: antibiotics"),
    ("en", "antibiotics for ten days at 8", ASKED),
    ("en", "antibiotics 10 days at 8", ASKED),
    ("en", "remind me saturday night at 1am to call", "2026-11-22T01:00:00: call"),
    ("de", "erinner mich samstagnacht um 1 ans Taxi", "2026-11-22T01:00:00: Taxi"),
    ("hr", "podsjeti me u subotu noću u 1 da nazovem", "2026-11-22T01:00:00: nazovem"),
    ("en", "antibiotics from monday at 8", ASKED),
    ("en", "remind me 2 hours after lunch to take the pill", ASKED),
    ("en", "remind me every day at 8 to take the pill until the pack is empty", ASKED),
]
IDS = [f"{lang} {text}" for lang, text, _ in TABLE]


def _reading(reading: dict[str, Any]) -> str:
    return f"{reading['words']}: {reading['message']}"


@pytest.mark.parametrize(("lang", "text", "said"), TABLE, ids=IDS)
def test_the_command_line_reads_or_asks(
    lang: str, text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "duly.toml").write_text('timezone = "Europe/Zagreb"\n', encoding="utf-8")
    clock = VirtualClock(START)

    def run(*words: str) -> tuple[int, str, str]:
        return app.run([*words, "--data-dir", str(tmp_path), "--dry-run"], clock), *capsys.readouterr()

    code, out, err = run("remind", text, "--lang", lang, "--json")
    if said:
        assert (code, err) == (0, "")
        assert json.loads(out)["message"] == said.rpartition(": ")[2]
        return
    assert (code, out) == (2, "")
    first, *commands = err.splitlines()
    assert "is not clear" in first
    assert commands or "name another time" in first, err
    for command in commands:  # each can be pasted, and is not asked again
        words = shlex.split(command)
        assert words[0] == "duly"
        code, out, err = run(*words[1:])
        assert (code, err) == (0, ""), command


@pytest.mark.parametrize(("lang", "text", "said"), TABLE, ids=IDS)
async def test_a_chat_reads_or_asks(lang: str, text: str, said: str, tmp_path: Path) -> None:
    async with room(tmp_path, language=lang) as here:
        answer = await here.say(text)
        if said:
            if not await here.reminders() and here.buttons:  # a note is offered first
                await here.say(token=here.buttons[0].token)
            assert await here.texts() == [said.rpartition(": ")[2]]
            return
        assert await here.reminders() == []
        assert answer.reply
        assert here.buttons or answer.question, answer.reply
        if here.buttons:
            await here.say(token=here.buttons[0].token)
            assert len(await here.reminders()) == 1


@pytest.mark.parametrize(("lang", "text", "said"), TABLE, ids=IDS)
async def test_an_agent_gets_a_reminder_or_the_readings(lang: str, text: str, said: str, tmp_path: Path) -> None:
    async with agent_in(tmp_path, "modern") as agent:
        ana = await agent.here.person("Ana", timezone="Europe/Zagreb", language=lang)
        answered = await (agent.ask if said else agent.failed)("remind", text=text, user=ana)
        if said:
            assert (answered["status"], answered["message"]) == ("scheduled", said.rpartition(": ")[2])
            return
        assert answered["status"] == "error"
        assert "is not clear" in answered["error"]
        for reading in answered.get("readings", []):
            chosen = {"schedule": reading["schedule"], "message": reading["message"]}
            made = await agent.ask("scheduler", action="add", user=ana, **chosen)
            assert made["job"]["message"] == reading["message"]
            assert made["job"]["next_run_at"] == reading["next_run_at"]


async def test_rest_answers_422_with_the_readings(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana", timezone="Europe/Zagreb")
        headers = {"Authorization": f"Bearer {await here.token(f'user:{ana}')}"}
        asked = await here.http.post("/api/v1/reminders", json={"text": "the pill 3 times a day"}, headers=headers)
        assert asked.status_code == 422
        problem = asked.json()
        assert problem["type"] == "urn:duly:problem:doubtful-sentence"
        assert [_reading(each) for each in problem["readings"]] == ["every day at 08:00, 14:00 and 20:00: the pill"]
        assert (await here.http.get("/api/v1/reminders", headers=headers)).json()["items"] == []
        [reading] = problem["readings"]
        body = {"schedule": reading["schedule"], "message": reading["message"]}
        made = await here.http.post("/api/v1/reminders", json=body, headers=headers)
        assert (made.status_code, made.json()["next_run_at"]) == (201, reading["next_run_at"])


async def test_the_websocket_answers_with_the_readings(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana", timezone="Europe/Zagreb")
        fault = (await _add(here, ana, text="antibiotics 10 days at 8"))["error"]
        assert fault["code"] == "INVALID_PARAMS"
        first, second = fault["readings"]
        assert _reading(first) == "every day at 08:00, until 26 November 2026: antibiotics"
        assert second["schedule"]["type"] == "once"
        job = (await _add(here, ana, schedule=first["schedule"], message=first["message"]))["payload"]["job"]
        assert job["next_run_at"] == first["next_run_at"]


async def _add(here: World, user: str, **params: Any) -> dict[str, Any]:
    caller = Caller(Scope.parse(f"user:{user}"), "tok_1", Face.API)
    conversation = Conversation(here.runtime.services, caller)
    return await conversation.answer(json.dumps({"id": 1, "method": "cron.add", "params": params}))


async def test_a_person_may_have_other_usual_hours(tmp_path: Path) -> None:
    async with room(tmp_path, day_parts="often=07:00 13:00 21:30") as here:
        assert "07:00, 13:00 and 21:30" in await here.hears("take the pill three times a day")
        await here.say(token=here.buttons[0].token)
        assert await here.texts() == ["take the pill"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("remind me by friday to pay", "“by friday” says until when, but not when I should remind you."),
        ("remind me yesterday at 9 to run", "“yesterday at 9” has passed already."),
        ("remind me on 31 november to pay", "There is no such time: “on 31 november”."),
        ("remind me 2 hours after lunch to walk", "I did not understand “2 hours after lunch to walk”."),
    ],
)
async def test_a_chat_says_why_a_time_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert (await here.hears(text)).splitlines()[0] == reason
        assert await here.reminders() == []


PRESCRIPTION = "\n".join(
    [
        "Ramipril 5 mg 1-0-1",
        "Metformin 500 mg 2x täglich",
        "L-Thyroxin 75 µg morgens nüchtern",
        "ASS 100 1-0-0",
        "Pantoprazol 40 mg vor dem Essen",
        "Vitamin D 20 Tropfen täglich",
        "Bisoprolol 2,5 mg 1x",
        "Simvastatin 20 mg abends",
        "Ibuprofen 400 bei Bedarf alle 8 Stunden",
        "Amoxicillin 3x1 für 7 Tage",
    ]
)
BAD = {
    "long": "remind me every day at 8 to take the pill and then " * 40,
    "numbers": " ".join(str(number) for number in range(1, 41)),
    "two languages": "remind me morgen um 9 to call mom demain à 10h",
    "emojis": "🙏 🙂 😊 😀 🎉 💊",
    "prescription": PRESCRIPTION,
}
_MOST_SECONDS = 0.01


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
async def test_bad_input_is_asked_back_quickly_and_nothing_is_stored(text: str, tmp_path: Path) -> None:
    def read() -> None:
        read_request(text, now=NOW, zone=ZONE, prefer="en")
        read_sentence(text, now=NOW, zone=ZONE, prefer="en")

    read()  # loads the languages
    taken = []
    for _ in range(5):
        began = time.process_time()
        read()
        taken.append(time.process_time() - began)
    assert min(taken) < _MOST_SECONDS
    async with room(tmp_path) as here:
        assert (await here.say(text)).reply
        assert await here.reminders() == []
