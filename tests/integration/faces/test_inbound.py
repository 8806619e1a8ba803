"""Answers from chats: each vendor's real requests, signed as it signs them, through the application."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.ports.records import ScheduleFilter
from duly.service.access.scopes import ADMIN, Caller
from duly.service.pruning import PruneUseCases
from duly.service.schedules.fields import ReminderView
from tests.channels.fakes import whatsapp as meta
from tests.channels.fakes.discord import FakeDiscord
from tests.channels.fakes.secrets import (
    DISCORD_TOKEN,
    SLACK_SIGNING_SECRET,
    SLACK_TOKEN,
    TELEGRAM_TOKEN,
    WHATSAPP_APP_SECRET,
    WHATSAPP_TOKEN,
)
from tests.channels.fakes.slack import FakeSlack
from tests.channels.fakes.telegram import FakeTelegram
from tests.channels.fakes.whatsapp import FakeWhatsApp
from tests.world import World, until, world

ENVIRONMENT = {
    "T": TELEGRAM_TOKEN,
    "TW": "the-webhook-secret",
    "D": DISCORD_TOKEN,
    "S": SLACK_TOKEN,
    "SS": SLACK_SIGNING_SECRET,
    "W": WHATSAPP_TOKEN,
    "WS": WHATSAPP_APP_SECRET,
    "WV": "verify-me",
}
SECRET = {"X-Telegram-Bot-Api-Secret-Token": "the-webhook-secret"}


@asynccontextmanager
async def telegram_world(folder: Path) -> AsyncIterator[tuple[World, FakeTelegram]]:
    async with FakeTelegram() as vendor:
        table = {"token": "env:T", "webhook_secret": "env:TW", "base_url": vendor.url}
        async with world(folder, {"telegram": table}, ENVIRONMENT) as here:
            yield here, vendor


@asynccontextmanager
async def slack_world(folder: Path) -> AsyncIterator[tuple[World, FakeSlack]]:
    async with FakeSlack() as vendor:
        table = {"token": "env:S", "signing_secret": "env:SS", "base_url": vendor.url, "response_url": vendor.url}
        async with world(folder, {"slack": table}, ENVIRONMENT) as here:
            yield here, vendor


@asynccontextmanager
async def discord_world(folder: Path) -> AsyncIterator[tuple[World, FakeDiscord]]:
    async with FakeDiscord() as vendor:
        table = {"token": "env:D", "public_key": vendor.public_key, "base_url": vendor.api}
        async with world(folder, {"discord": table}, ENVIRONMENT) as here:
            yield here, vendor


@asynccontextmanager
async def whatsapp_world(
    folder: Path, template: str | None = None, **more: Any
) -> AsyncIterator[tuple[World, FakeWhatsApp]]:
    async with FakeWhatsApp() as vendor:
        table = {"token": "env:W", "app_secret": "env:WS", "verify_token": "env:WV", "base_url": vendor.api}
        table |= {"phone_number_id": meta.PHONE_ID} | ({"template": template} if template else {})
        async with world(folder, {"whatsapp": table, **more}, ENVIRONMENT) as here:
            yield here, vendor


def told(update: dict[str, Any]) -> bytes:
    return json.dumps(update).encode()


async def reminded(
    here: World, user: str, vendor: FakeTelegram | FakeSlack | FakeDiscord | FakeWhatsApp
) -> ReminderView:
    """Create a reminder that was delivered and waits for an answer."""
    view = await here.remind(user, require_ack=True)
    await here.clock.travel(minutes=5)
    await until(lambda: vendor.messages, "the reminder")
    return view


# Telegram


async def test_a_chat_is_paired_by_a_code_and_a_button_answers_there(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", language="de")
        code = await here.runtime.services.reminder_service.people.make_code("Ana", "telegram")
        hello = told(vendor.say(17, f"/start {code}"))
        assert (await here.post("/inbound/telegram", hello, SECRET)).status_code == 200
        assert (await here.post("/inbound/telegram", hello, SECRET)).status_code == 200  # told twice
        assert [each["text"] for each in vendor.messages.values()] == [
            "Hallo Ana! Deine Erinnerungen kommen ab jetzt hier an."
        ]

        view = await here.remind(ana, "Nimm sie", require_ack=True)
        await here.clock.travel(minutes=5)
        await until(lambda: len(vendor.messages) == 2, "the reminder")
        buttons = vendor.messages[101]["reply_markup"]["inline_keyboard"][0]
        press = told(vendor.press(101, buttons[0]["callback_data"]))
        assert (await here.post("/inbound/telegram", press, SECRET)).status_code == 200
        assert vendor.answered == [{"callback_query_id": "q1", "text": "✓ Erledigt: Nimm sie"}]
        await until(lambda: vendor.messages[101]["text"] == "✓ Erledigt: Nimm sie", "the edit")
        assert "reply_markup" not in vendor.messages[101]
        assert await here.status(view) == "acked"

        assert (await here.post("/inbound/telegram", press, SECRET)).status_code == 200
        assert len(await here.runtime.store.reminders.answers((await here.latest(view)).run_id)) == 1


async def test_what_cannot_be_read_is_answered_too(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("telegram", "17"), language="de")
        view = await reminded(here, ana, vendor)
        number = 0

        async def send(**content: Any) -> str | None:
            nonlocal number
            number += 1
            before = len(vendor.messages)
            update = vendor.say(17, "", message_id=number)
            update["message"] |= content
            for _ in range(2):  # told twice
                assert (await here.post("/inbound/telegram", told(update), SECRET)).status_code == 200
            new = list(vendor.messages.values())[before:]
            assert len(new) <= 1
            return str(new[0]["text"]) if new else None

        only_text = "Ich kann nur Text lesen. Schreib mir bitte, was du sagen möchtest."
        for kind in ("photo", "sticker", "voice", "location"):
            assert await send(**{kind: {"file_id": "1"}}) == only_text
        assert await send(pinned_message={}) is None, "Telegram's own"
        too_long = "Das ist zu lang für eine Erinnerung. Sag es kürzer."
        assert await send(text="x" * 50_000) == too_long
        assert (await send(text="erinnere mich morgen um 10 an " + "das " * 600) or "").startswith(too_long)
        assert await here.status(view) == "awaiting_ack"
        assert await send(photo=[{"file_id": "1"}], caption="erledigt") == "✓ Erledigt: Take it"
        assert await here.status(view) == "acked"


async def test_a_request_repeated_at_once_counts_once(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("telegram", "17"))
        view = await reminded(here, ana, vendor)
        body = told(vendor.say(17, "done"))
        answers = await asyncio.gather(*(here.post("/inbound/telegram", body, SECRET) for _ in range(5)))
        assert [answer.status_code for answer in answers] == [200] * 5
        await until(lambda: len(vendor.messages) > 1, "the reply")
        assert [each["text"] for each in vendor.messages.values()][1:] == ["✓ Done: Take it"]
        assert await here.status(view) == "acked"


async def test_a_request_without_the_secret_is_refused(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("telegram", "17"))
        view = await reminded(here, ana, vendor)
        body = told(vendor.say(17, "done"))
        for headers in ({}, {"X-Telegram-Bot-Api-Secret-Token": "guess"}):
            assert (await here.post("/inbound/telegram", body, headers)).status_code == 401
        assert await here.status(view) == "awaiting_ack"


async def test_strangers_are_told_how_to_pair_once_and_codes_do_not_work_twice(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        await here.person("Ana")
        code = await here.runtime.services.reminder_service.people.make_code("Ana", "telegram")
        stranger = told(vendor.say(50, "done", message_id=1))
        await here.post("/inbound/telegram", stranger, SECRET)
        await here.post("/inbound/telegram", stranger, SECRET)
        assert len(vendor.messages) == 1
        assert "pairing code" in vendor.messages[100]["text"]
        german = vendor.say(51, "hallo", message_id=4)
        german["message"]["from"] = {"id": 51, "is_bot": False, "language_code": "de"}
        await here.post("/inbound/telegram", told(german), SECRET)
        said = vendor.messages.pop(101)["text"]
        assert said.startswith("Ich kenne diesen Chat noch nicht.")
        assert "duly user pair" not in said + vendor.messages[100]["text"], "a stranger has no terminal of ours"
        await here.post("/inbound/telegram", told(vendor.say(17, code, message_id=2)), SECRET)
        await here.post("/inbound/telegram", told(vendor.say(50, code, message_id=3)), SECRET)
        people = here.runtime.services.reminder_service.people
        assert await people.by_address("telegram", "50") is None
        assert await people.by_address("telegram", "17") is not None


async def test_a_reply_in_words_snoozes_and_the_quoted_one_is_meant(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("telegram", "17"), timezone="Europe/Zagreb")
        first = await here.remind(ana, "first", require_ack=True)
        second = await here.remind(ana, "second", at="6m", require_ack=True)
        await here.clock.travel(minutes=6)
        await until(lambda: len(vendor.messages) == 2, "both reminders")
        await until(lambda: here.status(second), "both")
        quoting = told(vendor.say(17, "in 20 minutes", reply_to=100, message_id=1))
        await here.post("/inbound/telegram", quoting, SECRET)
        assert (await here.status(first), await here.status(second)) == ("snoozed", "awaiting_ack")
        await here.post("/inbound/telegram", told(vendor.say(17, "done", message_id=2)), SECRET)
        assert await here.status(second) == "acked"
        await here.post("/inbound/telegram", told(vendor.say(17, "what a day", message_id=3)), SECRET)
        said = [each["text"] for each in vendor.messages.values()]
        assert said[2:4] == ["⏰ I will remind you at 13:26: first", "✓ Done: second"]


async def test_a_button_of_no_reminder_is_answered_too(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("telegram", "17"))
        view = await reminded(here, ana, vendor)
        for number, token in enumerate(["done:AAAAAAAAAAAAAAAA", "something else"]):
            await here.post("/inbound/telegram", told(vendor.press(100, token, query=f"q{number}")), SECRET)
        assert [each["text"] for each in vendor.answered] == [
            "This button belongs to no reminder of yours any more."
        ] * 2
        assert await here.status(view) == "awaiting_ack"


async def test_a_button_of_another_person_does_not_count(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("telegram", "17"))
        await here.person("Eve", ("telegram", "66"))
        view = await reminded(here, ana, vendor)
        press = vendor.press(100, vendor.messages[100]["reply_markup"]["inline_keyboard"][0][0]["callback_data"])
        press["callback_query"]["message"] = {**press["callback_query"]["message"], "chat": {"id": 66}}
        await here.post("/inbound/telegram", told(press), SECRET)
        assert await here.status(view) == "awaiting_ack"


async def test_a_code_in_a_paired_chat_is_always_answered(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        people = here.runtime.services.reminder_service.people
        await here.person("Ana", ("telegram", "-5"))
        await here.person("Bob")
        for number, name in enumerate(["Ana", "Bob"]):
            code = await people.make_code(name, "telegram")
            for _ in range(2):  # told twice
                await here.post("/inbound/telegram", told(vendor.say(-5, code, message_id=number)), SECRET)
        hello, refused = (each["text"] for each in vendor.messages.values())
        assert hello.startswith("Hello Ana!")
        assert "belongs to another person" in refused
        bound = await people.by_address("telegram", "-5")
        assert bound is not None
        assert bound.sender == "7"  # only the sender of the code, not the other members of the group


async def test_in_a_group_only_the_person_who_paired_it_answers(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana")
        code = await here.runtime.services.reminder_service.people.make_code("Ana", "telegram")
        await here.post("/inbound/telegram", told(vendor.say(-5, code, message_id=1)), SECRET)
        view = await here.remind(ana, require_ack=True)
        await here.clock.travel(minutes=5)
        await until(lambda: len(vendor.messages) == 2, "the reminder")
        token = vendor.messages[101]["reply_markup"]["inline_keyboard"][0][0]["callback_data"]
        eve = {"id": 66, "is_bot": False, "first_name": "Eve"}

        saying, quoting = vendor.say(-5, "done", message_id=2), vendor.say(-5, "done", reply_to=101, message_id=3)
        for update in (saying, quoting):
            update["message"]["from"] = eve
            assert (await here.post("/inbound/telegram", told(update), SECRET)).status_code == 200
        press = vendor.press(101, token, query="q1")
        press["callback_query"]["from"] = eve
        await here.post("/inbound/telegram", told(press), SECRET)
        assert await here.status(view) == "awaiting_ack"
        assert [each["text"] for each in vendor.answered] == ["This button belongs to no reminder of yours any more."]
        assert len(vendor.messages) == 2  # messages between members get no reply

        await here.post("/inbound/telegram", told(vendor.press(101, token, query="q2")), SECRET)
        assert await here.status(view) == "acked"


async def test_a_mention_and_a_number_in_a_group_are_understood(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        await here.person("Ana", ("telegram", "-5"), timezone="Europe/Zagreb", language="en")
        number = 0

        async def say(text: str) -> str | None:
            nonlocal number
            number += 1
            update = vendor.say(-5, text, message_id=number)
            update["message"]["chat"] = {"id": -5, "type": "group"}
            before = len(vendor.messages)
            await here.post("/inbound/telegram", told(update), SECRET)
            new = list(vendor.messages.values())[before:]
            return str(new[0]["text"]) if new else None

        assert await say("2") is None, "nothing was asked"
        assert (await say("@dulybot what's on tomorrow?") or "").startswith("Tomorrow")
        asked = await say("@dulybot, remind me tomorrow at 5 to swim")
        assert "2. tomorrow at 17:00" in (asked or "")
        assert await say("3") is None, "no such answer"
        assert "tomorrow at 17:00" in (await say("2") or "")
        assert await say("2") is None, "it is answered"
        made = await say("@dulybot remind me tomorrow at 18:00 to \u202eri\x01de\x1b[31m")
        assert (made or "").splitlines()[0].endswith(": ride")


async def test_a_group_with_a_new_id_can_still_answer(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("telegram", "-5"))
        vendor.moved = {"-5": -1005}
        first = await here.remind(ana, "first", require_ack=True)
        second = await here.remind(ana, "second", at="6m", require_ack=True)
        await here.clock.travel(minutes=6)
        await until(lambda: len(vendor.messages) == 2, "both reminders")
        await until(lambda: here.status(second), "both")
        token = vendor.messages[100]["reply_markup"]["inline_keyboard"][0][0]["callback_data"]
        await here.post("/inbound/telegram", told(vendor.press(100, token)), SECRET)
        await here.post("/inbound/telegram", told(vendor.say(-1005, "done", reply_to=101)), SECRET)
        assert (await here.status(first), await here.status(second)) == ("acked", "acked")


# Slack


async def test_in_a_slack_channel_buttons_stay_after_a_press_of_another_member(tmp_path: Path) -> None:
    async with slack_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana")
        await here.runtime.services.reminder_service.people.add_channel(ana, "slack", "C1", sender="U9")
        view = await reminded(here, ana, vendor)
        [(room, ts)] = vendor.messages
        body = vendor.press(room, ts, vendor.messages[room, ts]["blocks"][1]["elements"][0]["value"])
        assert (await here.post("/inbound/slack", body, here.slack_headers(body))).status_code == 200
        assert await here.status(view) == "awaiting_ack"
        [shown] = vendor.responses
        assert (shown["replace_original"], shown["response_type"]) == (False, "ephemeral")


async def test_a_person_reached_by_their_slack_id_answers_in_direct_messages(tmp_path: Path) -> None:
    async with slack_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("slack", "U7"))
        view = await reminded(here, ana, vendor)
        event = {"type": "message", "channel": "D1", "user": "U7", "ts": "1.2", "text": "done", "channel_type": "im"}
        body = told({"type": "event_callback", "event_id": "Ev1", "event": event})
        assert (await here.post("/inbound/slack", body, here.slack_headers(body))).status_code == 200
        assert await here.status(view) == "acked"


async def test_slack_presses_are_verified_and_answered_in_the_message(tmp_path: Path) -> None:
    async with slack_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("slack", "D1"))
        view = await reminded(here, ana, vendor)
        [(room, ts)] = vendor.messages
        [_, actions] = vendor.messages[room, ts]["blocks"]
        body = vendor.press(room, ts, actions["elements"][0]["value"])
        forged = {**here.slack_headers(body), "X-Slack-Signature": "v0=" + "0" * 64}
        old = here.slack_headers(body, here.clock.now() - timedelta(minutes=6))
        for headers in ({}, forged, old, here.slack_headers(body + b" ")):
            assert (await here.post("/inbound/slack", body, headers)).status_code == 401
        assert await here.status(view) == "awaiting_ack"

        signed = here.slack_headers(body)
        assert (await here.post("/inbound/slack", body, signed)).status_code == 200
        assert await here.status(view) == "acked"
        [shown] = vendor.responses
        assert shown["text"] == "✓ Done: Take it"
        assert shown["replace_original"] is True
        assert (await here.post("/inbound/slack", body, signed)).status_code == 401  # replayed
        here.clock.advance(2)
        assert (
            await here.post("/inbound/slack", body, here.slack_headers(body))
        ).status_code == 200  # repeated by Slack
        assert len(vendor.responses) == 1


async def test_slack_asks_whether_the_url_is_ours_and_pairs_by_direct_message(tmp_path: Path) -> None:
    async with slack_world(tmp_path) as (here, vendor):
        await here.person("Ana")
        question = told({"type": "url_verification", "challenge": "abc", "token": "x"})
        answer = await here.post("/inbound/slack", question, here.slack_headers(question))
        assert answer.json() == {"challenge": "abc"}
        code = await here.runtime.services.reminder_service.people.make_code("Ana", "slack")
        event = {"type": "message", "channel": "D1", "user": "U7", "ts": "1.2", "text": code, "channel_type": "im"}
        body = told({"type": "event_callback", "event_id": "Ev1", "event": event})
        assert (await here.post("/inbound/slack", body, here.slack_headers(body))).status_code == 200
        assert [each["text"] for each in vendor.messages.values()] == [
            "Hello Ana! Your reminders come here from now on."
        ]


# Discord


async def test_in_a_discord_channel_buttons_stay_after_a_press_of_another_member(tmp_path: Path) -> None:
    async with discord_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana")
        await here.runtime.services.reminder_service.people.add_channel(ana, "discord", "500", sender="9")
        view = await reminded(here, ana, vendor)
        [(known_as, message)] = vendor.messages.items()
        body = vendor.press(known_as, message["components"][0]["components"][0]["custom_id"])
        answer = await here.post("/inbound/discord", body, vendor.sign(body, int(here.clock.now().timestamp())))
        assert (answer.json()["type"], answer.json()["data"]["flags"]) == (4, 64)
        assert await here.status(view) == "awaiting_ack"


async def test_a_person_reached_by_their_discord_id_answers_in_the_opened_channel(tmp_path: Path) -> None:
    async with discord_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("discord", "user:7"))
        view = await reminded(here, ana, vendor)
        [(known_as, message)] = vendor.messages.items()
        body = vendor.press(known_as, message["components"][0]["components"][0]["custom_id"])
        answer = await here.post("/inbound/discord", body, vendor.sign(body, int(here.clock.now().timestamp())))
        assert answer.json()["data"]["content"] == "✓ Done: Take it"
        assert await here.status(view) == "acked"


async def test_discord_presses_are_answered_in_the_response(tmp_path: Path) -> None:
    async with discord_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("discord", "500"))
        view = await reminded(here, ana, vendor)
        [(known_as, message)] = vendor.messages.items()
        body = vendor.press(known_as, message["components"][0]["components"][0]["custom_id"])
        stamp = int(here.clock.now().timestamp())
        forged = {**vendor.sign(body, stamp), "X-Signature-Ed25519": "00" * 64}
        for headers in ({}, forged, vendor.sign(body, stamp - 400), vendor.sign(b"else", stamp)):
            assert (await here.post("/inbound/discord", body, headers)).status_code == 401
        answer = await here.post("/inbound/discord", body, vendor.sign(body, stamp))
        assert answer.json()["type"] == 7
        assert answer.json()["data"]["content"] == "✓ Done: Take it"
        assert answer.json()["data"]["components"] == []
        assert await here.status(view) == "acked"
        assert (await here.post("/inbound/discord", body, vendor.sign(body, stamp))).status_code == 401


async def test_discord_commands_pair_and_answer_and_always_get_a_reply(tmp_path: Path) -> None:
    async with discord_world(tmp_path) as (here, vendor):
        await here.person("Ana")
        ping = told({"type": 1, "id": "1"})
        stamp = int(here.clock.now().timestamp())
        assert (await here.post("/inbound/discord", ping, vendor.sign(ping, stamp))).json() == {"type": 1}

        async def says(text: str, number: str) -> str:
            option = {"name": "text", "type": 3, "value": text}
            data = {"id": "77", "name": "duly", "type": 1, "options": [option]}
            person = {"user": {"id": "7"}}
            sent = told({"type": 2, "id": number, "channel_id": "500", "member": person, "token": "t", "data": data})
            answer = (await here.post("/inbound/discord", sent, vendor.sign(sent, stamp))).json()
            assert answer["type"] == 4
            return str(answer["data"]["content"])

        assert "pairing code" in await says("hello", "10")
        code = await here.runtime.services.reminder_service.people.make_code("Ana", "discord")
        assert await says(code, "11") == "Hello Ana! Your reminders come here from now on."
        assert (await says("what time is it", "12")).startswith("Sorry, I did not understand that.")


# WhatsApp


async def test_whatsapp_asks_whether_the_url_is_ours(tmp_path: Path) -> None:
    async with whatsapp_world(tmp_path) as (here, _):
        query = {"hub.mode": "subscribe", "hub.verify_token": "verify-me", "hub.challenge": "42"}
        answer = await here.http.get("/inbound/whatsapp", params=query)
        assert (answer.status_code, answer.text) == (200, "42")
        wrong = await here.http.get("/inbound/whatsapp", params={**query, "hub.verify_token": "guess"})
        assert wrong.status_code == 403
        assert (await here.http.get("/inbound/slack")).status_code == 404


async def test_whatsapp_presses_count_once(tmp_path: Path) -> None:
    async with whatsapp_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("whatsapp", "491511234567"))
        view = await reminded(here, ana, vendor)
        token = vendor.messages[0]["interactive"]["action"]["sections"][0]["rows"][0]["id"]
        press = {**meta.PRESS, "interactive": {"type": "button_reply", "button_reply": {"id": token, "title": "Done"}}}
        body = meta.webhook(messages=[press])
        assert (await here.post("/inbound/whatsapp", body, {"X-Hub-Signature-256": "sha256=00"})).status_code == 401
        for _ in range(3):
            assert (await here.post("/inbound/whatsapp", body, vendor.sign(body))).status_code == 200
        assert await here.status(view) == "acked"
        await until(lambda: len(vendor.messages) == 2, "the reply")
        assert vendor.messages[1]["text"]["body"] == "✓ Done: Take it"


@pytest.mark.parametrize("ack", [False, True])
async def test_a_message_that_whatsapp_lost_goes_to_the_next_channel(tmp_path: Path, ack: bool) -> None:
    async with FakeTelegram() as other:
        spare = {"token": "env:T", "webhook_secret": "env:TW", "base_url": other.url}
        async with whatsapp_world(tmp_path, telegram=spare) as (here, vendor):
            ana = await here.person("Ana", ("whatsapp", "491511234567"), ("telegram", "17"))
            view = await here.remind(ana, "Take it", require_ack=ack)
            await here.clock.travel(minutes=5)
            await until(lambda: vendor.messages, "the first message")
            await until(lambda: here.status(view), "the record")
            body = meta.webhook(statuses=[meta.WINDOW_CLOSED])
            for _ in range(3):
                assert (await here.post("/inbound/whatsapp", body, vendor.sign(body))).status_code == 200
            await here.clock.travel(minutes=1)
            await until(lambda: other.messages, "the second message")
            assert [each["text"] for each in other.messages.values()] == ["Take it\nIs it done?" if ack else "Take it"]
            assert len(vendor.messages) == 1
            tried = [(each.channel, str(each.status), each.permanent) for each in await here.attempts(view)]
            assert tried[:2] == [("whatsapp", "failed", True), ("telegram", "sent", False)]
            assert len(tried) == 2


async def test_without_a_next_channel_a_lost_message_is_kept_in_the_inbox_once(tmp_path: Path) -> None:
    async with whatsapp_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("whatsapp", "491511234567"))
        view = await here.remind(ana)
        await here.clock.travel(minutes=5)
        await until(lambda: vendor.messages, "the message")
        await until(lambda: here.status(view), "the record")
        body = meta.webhook(statuses=[meta.WINDOW_CLOSED])
        for _ in range(3):
            await here.post("/inbound/whatsapp", body, vendor.sign(body))
            await here.clock.travel(hours=1)
        assert len(vendor.messages) == 1
        assert await here.status(view) == "failed"
        assert [item.text for item in (await here.runtime.services.reminder_service.lists.inbox(ana))[0]] == ["Take it"]


@pytest.mark.parametrize("ack", [False, True])
async def test_with_a_template_whatsapp_delivers_a_lost_message_itself(tmp_path: Path, ack: bool) -> None:
    async with whatsapp_world(tmp_path, "duly_reminder") as (here, vendor):
        ana = await here.person("Ana", ("whatsapp", "491511234567"))
        view = await here.remind(ana, require_ack=ack)
        await here.clock.travel(minutes=5)
        await until(lambda: vendor.messages, "the first message")
        await until(lambda: here.status(view), "the record")
        body = meta.webhook(statuses=[meta.WINDOW_CLOSED])
        await here.post("/inbound/whatsapp", body, vendor.sign(body))
        await here.clock.travel(minutes=1)
        await until(lambda: len(vendor.messages) == 2, "the template")
        assert [each["type"] for each in vendor.messages] == ["interactive", "template"]


async def test_a_delivered_status_is_recorded(tmp_path: Path) -> None:
    async with whatsapp_world(tmp_path) as (here, vendor):
        ana = await here.person("Ana", ("whatsapp", "491511234567"))
        view = await here.remind(ana)
        await here.clock.travel(minutes=5)
        await until(lambda: vendor.messages, "the message")
        body = meta.webhook(statuses=[meta.DELIVERED])
        assert (await here.post("/inbound/whatsapp", body, vendor.sign(body))).status_code == 200
        [attempt] = await here.attempts(view)
        assert str(attempt.status) == "delivered"
        assert attempt.delivered_at == here.clock.now()


async def test_unconfigured_channels_and_too_large_bodies_are_refused(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, _):
        assert (await here.post("/inbound/slack", b"{}")).status_code == 404
        assert (await here.post("/inbound/telegram", b"x" * 1_000_001, SECRET)).status_code == 413


async def test_an_invalid_public_key_is_a_configuration_error(tmp_path: Path) -> None:
    table = {"token": "env:D", "public_key": "nonsense"}
    async with world(tmp_path, {"discord": table}, ENVIRONMENT) as here:
        answer = await here.post("/inbound/discord", b"{}")
        assert answer.status_code == 503
        assert "public_key" in answer.text


# old requests that come again


async def _pass(here: World, days: int) -> None:
    """Let days pass while the machine sleeps, so that no poll of theirs has to be carried out."""
    here.clock.suspend(timedelta(days=days))
    await here.clock.travel(seconds=10)


async def _prune(here: World, older_than: str) -> None:
    await PruneUseCases(here.runtime.store, here.clock).prune(Caller(ADMIN), older_than)


@pytest.mark.parametrize("days", [6, 8])
async def test_a_whatsapp_request_is_acted_on_once_however_old_and_pruned_it_is(tmp_path: Path, days: int) -> None:
    """Its signature has no time: who once saw a request could send it again when its id was pruned."""
    async with whatsapp_world(tmp_path) as (here, vendor):
        await here.person("Ana", ("whatsapp", "491511234567"), language="en")
        body = meta.webhook(messages=[{**meta.TEXT, "text": {"body": "remind me on 5 May 2029 at 9 to call mum"}}])
        headers = vendor.sign(body)
        assert (await here.post("/inbound/whatsapp", body, headers)).status_code == 200
        made = len(await here.runtime.store.schedules(ScheduleFilter(limit=50)))
        assert made == 1
        await _pass(here, days)
        await _prune(here, "1d")
        again = await here.post("/inbound/whatsapp", body, headers)
        assert again.status_code == (200 if days < 7 else 401)
        assert len(await here.runtime.store.schedules(ScheduleFilter(limit=50))) <= made


async def test_an_old_message_beside_a_new_one_is_left_out(tmp_path: Path) -> None:
    async with whatsapp_world(tmp_path) as (here, vendor):
        await here.person("Ana", ("whatsapp", "491511234567"), language="en")
        await _pass(here, 8)
        old = {**meta.TEXT, "id": "wamid.old", "text": {"body": "remind me on 5 May 2029 at 9 to call mum"}}
        sent = str(int(here.clock.now().timestamp()))
        new = {
            **meta.TEXT,
            "id": "wamid.new",
            "timestamp": sent,
            "text": {"body": "remind me on 5 May 2029 at 9 to eat"},
        }
        body = meta.webhook(messages=[old, new], statuses=[meta.WINDOW_CLOSED])
        assert (await here.post("/inbound/whatsapp", body, vendor.sign(body))).status_code == 200
        [made] = await here.runtime.store.schedules(ScheduleFilter(limit=50))
        assert "eat" in f"{made.name} {made.action}"


async def test_an_old_telegram_message_is_not_acted_on_again(tmp_path: Path) -> None:
    async with telegram_world(tmp_path) as (here, vendor):
        await here.person("Ana", ("telegram", "17"), language="en")
        body = told(vendor.say(17, "remind me on 5 May 2029 at 9 to call mum"))
        assert (await here.post("/inbound/telegram", body, SECRET)).status_code == 200
        assert len(await here.runtime.store.schedules(ScheduleFilter(limit=50))) == 1
        await _pass(here, 8)
        await _prune(here, "1d")
        await here.post("/inbound/telegram", body, SECRET)
        assert len(await here.runtime.store.schedules(ScheduleFilter(limit=50))) <= 1


@pytest.mark.parametrize("channel", ["slack", "discord"])
async def test_slack_and_discord_refuse_what_is_older_than_minutes(tmp_path: Path, channel: str) -> None:
    """The signature of both has the time, and the ids of messages are kept much longer."""
    opened = slack_world(tmp_path) if channel == "slack" else discord_world(tmp_path)
    async with opened as (here, vendor):
        if isinstance(vendor, FakeDiscord):
            body = json.dumps({"type": 1}).encode()
            headers = vendor.sign(body, int(here.clock.now().timestamp()))
        else:
            body = json.dumps({"type": "event_callback", "event": {}}).encode()
            headers = here.slack_headers(body)
        assert (await here.post(f"/inbound/{channel}", body, headers)).status_code == 200
        assert (await here.post(f"/inbound/{channel}", body, headers)).status_code == 401  # at once
        await _pass(here, 2)
        await _prune(here, "1d")
        assert (await here.post(f"/inbound/{channel}", body, headers)).status_code == 401
