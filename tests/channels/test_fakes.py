"""The fake vendors work with the vendors' own clients."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import discord
import httpx
import pytest
import slack_sdk
import telegram
from discord.http import HTTPClient, Route, handle_message_parameters
from pywa import errors as pywa_errors
from pywa.client import WhatsApp
from pywa.types.callback import Button as PywaButton
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from tests.channels.fakes.discord import FakeDiscord
from tests.channels.fakes.discord import too_many as discord_too_many
from tests.channels.fakes.secrets import DISCORD_TOKEN, SLACK_TOKEN, TELEGRAM_TOKEN, WHATSAPP_TOKEN
from tests.channels.fakes.slack import TOO_MANY, FakeSlack
from tests.channels.fakes.telegram import FakeTelegram
from tests.channels.fakes.telegram import too_many as telegram_too_many
from tests.channels.fakes.whatsapp import PHONE_ID, FakeWhatsApp


async def test_telegram_by_python_telegram_bot() -> None:
    async with FakeTelegram() as fake, telegram.Bot(TELEGRAM_TOKEN, base_url=f"{fake.url}/bot") as bot:
        assert bot.username == "duly_test_bot"
        keyboard = telegram.InlineKeyboardMarkup([[telegram.InlineKeyboardButton("Done", callback_data="tok")]])
        sent = await bot.send_message(7, "hello", reply_markup=keyboard)
        fake.press(sent.message_id, "tok")
        fake.say(7, "later", reply_to=sent.message_id)
        pressed, said = await bot.get_updates(timeout=0)
        assert pressed.callback_query is not None
        assert pressed.callback_query.data == "tok"
        assert await pressed.callback_query.answer("noted")
        assert said.message is not None
        assert said.message.reply_to_message is not None
        assert said.message.reply_to_message.message_id == sent.message_id
        assert await bot.get_updates(offset=said.update_id + 1, timeout=0) == ()
        edited = await bot.edit_message_text("changed", 7, sent.message_id)
        assert isinstance(edited, telegram.Message)
        assert (edited.text, edited.reply_markup) == ("changed", None)


@pytest.fixture(autouse=True)
def _modern_telegram(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "true")  # without, it warns of the type it used to have


async def test_telegram_errors_by_python_telegram_bot() -> None:
    async with FakeTelegram() as fake, telegram.Bot(TELEGRAM_TOKEN, base_url=f"{fake.url}/bot") as bot:
        fake.blocked, fake.unknown, fake.moved = {"1"}, {"2"}, {"3": -100}
        with pytest.raises(telegram.error.Forbidden, match="blocked by the user"):
            await bot.send_message(1, "hello")
        with pytest.raises(telegram.error.BadRequest, match="Chat not found"):
            await bot.send_message(2, "hello")
        with pytest.raises(telegram.error.ChatMigrated) as moved:
            await bot.send_message(3, "hello")
        assert moved.value.new_chat_id == -100
        fake.fail(telegram_too_many(7))
        with pytest.raises(telegram.error.RetryAfter) as limited:
            await bot.send_message(4, "hello")
        assert limited.value.retry_after == timedelta(seconds=7)
        await bot.set_webhook("https://duly.example/telegram", secret_token="s")  # noqa: S106
        with pytest.raises(telegram.error.Conflict):
            await bot.get_updates(timeout=0)


async def test_discord_by_discord_py(monkeypatch: pytest.MonkeyPatch) -> None:
    async with FakeDiscord() as fake:
        monkeypatch.setattr(Route, "BASE", fake.api)
        client = HTTPClient(asyncio.get_running_loop())
        try:
            me = await client.static_login(DISCORD_TOKEN)
            assert me["username"] == "duly"
            view = discord.ui.View()
            view.add_item(discord.ui.Button(label="Done", custom_id="tok", style=discord.ButtonStyle.success))
            with handle_message_parameters("hello", nonce="n1", view=view) as params:
                first = await client.send_message(500, params=params)
            with handle_message_parameters("hello", nonce="n1", view=view) as params:
                again = await client.send_message(500, params=params)
            assert first["id"] == again["id"]
            assert first["components"][0]["components"][0]["custom_id"] == "tok"  # type: ignore[typeddict-item]
            with handle_message_parameters("changed", view=None) as params:
                edited: Any = await client.edit_message(500, first["id"], params=params)
            assert (edited["content"], edited["components"]) == ("changed", [])
        finally:
            await client.close()


async def test_discord_errors_by_discord_py(monkeypatch: pytest.MonkeyPatch) -> None:
    async with FakeDiscord() as fake:
        monkeypatch.setattr(Route, "BASE", fake.api)
        client = HTTPClient(asyncio.get_running_loop(), max_ratelimit_timeout=30.0)
        try:
            await client.static_login(DISCORD_TOKEN)
            fake.closed = {"501"}
            with pytest.raises(discord.Forbidden) as closed, handle_message_parameters("hello") as params:
                await client.send_message(501, params=params)
            assert closed.value.code == 50007
            with pytest.raises(discord.NotFound) as unknown, handle_message_parameters("hello") as params:
                await client.send_message(999, params=params)
            assert unknown.value.code == 10003
            fake.fail(discord_too_many(65.5))
            with pytest.raises(discord.RateLimited) as limited, handle_message_parameters("hello") as params:
                await client.send_message(500, params=params)
            assert limited.value.retry_after == 65.5
        finally:
            await client.close()


async def test_slack_by_slack_sdk() -> None:
    async with FakeSlack() as fake:

        def drive() -> None:
            client = slack_sdk.WebClient(SLACK_TOKEN, base_url=f"{fake.url}/api/")
            assert client.auth_test()["user"] == "duly"
            sent = client.chat_postMessage(channel="U7", text="hello")
            assert sent["channel"] == "D1"
            assert client.chat_update(channel="D1", ts=sent["ts"], text="changed")["ok"]
            with pytest.raises(SlackApiError) as unknown:
                client.chat_postMessage(channel="C404", text="hello")
            assert unknown.value.response["error"] == "channel_not_found"
            fake.fail(TOO_MANY)
            with pytest.raises(SlackApiError) as limited:
                client.chat_postMessage(channel="C1", text="hello")
            assert limited.value.response.headers["Retry-After"] == "30"
            answered = WebhookClient(f"{fake.url}/actions/T1/1/s").send(text="noted", replace_original=True)
            assert (answered.status_code, answered.body) == (200, "ok")

        await asyncio.to_thread(drive)
        assert fake.responses == [{"text": "noted", "replace_original": True}]


async def test_whatsapp_by_pywa() -> None:
    async with FakeWhatsApp() as fake:
        fake.closed = {"49999"}
        fake.unreachable = {"49000"}

        def drive() -> None:
            with httpx.Client() as session:
                client = WhatsApp(phone_id=PHONE_ID, token=WHATSAPP_TOKEN, session=session)
                session.base_url = httpx.URL(fake.api)
                button = PywaButton(title="Done", callback_data="tok-done")
                sent = client.send_message(to="49151", text="hello", buttons=[button], tracker="run_1")
                assert sent.id == "wamid.1"
                with pytest.raises(pywa_errors.ReEngagementMessage):
                    client.send_message(to="49999", text="hello")
                with pytest.raises(pywa_errors.MessageUndeliverable):
                    client.send_message(to="49000", text="hello")

        await asyncio.to_thread(drive)
        (message,) = fake.messages
        assert message["biz_opaque_callback_data"] == "run_1"
        assert message["interactive"]["action"]["buttons"][0]["reply"]["id"] == "tok-done"
