"""Slack's Socket Mode and Discord's gateway: nothing that people write is lost, and connections are opened again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from duly.channels.discord import DiscordChannel
from duly.channels.discord_gateway import DiscordGateway
from duly.channels.listening import LONGEST_PAUSE, Pauses, keep_listening
from duly.channels.slack import SlackChannel
from duly.channels.slack_socket import SlackSocket
from duly.ports.channels import Incoming
from duly.testing import VirtualClock
from tests.channels.fakes.discord import FakeDiscord
from tests.channels.fakes.secrets import DISCORD_TOKEN, SLACK_APP_TOKEN, SLACK_TOKEN
from tests.channels.fakes.slack import FakeSlack
from tests.channels.fakes.sockets import FakeSocket

HELLO = {"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A1"}}
GREETING = {"op": 10, "d": {"heartbeat_interval": 41250}, "s": None, "t": None}
READY = {
    "op": 0,
    "t": "READY",
    "s": 1,
    "d": {"v": 10, "session_id": "session-1", "resume_gateway_url": "", "user": {"id": "1", "bot": True}},
}


class ImpatientClock(VirtualClock):
    """Virtual time in which the pauses before another try take none; heartbeats wait until the test travels."""

    async def sleep(self, seconds: float) -> None:
        if seconds > LONGEST_PAUSE / 2:
            await super().sleep(seconds)
        else:
            await asyncio.sleep(0)


class Listeners:
    """What was heard, and what to do about it."""

    def __init__(self) -> None:
        self.clock = ImpatientClock()
        self.heard: asyncio.Queue[Incoming] = asyncio.Queue()
        self.replied: asyncio.Queue[str] = asyncio.Queue()
        self.broken = 0

    async def take(self, incoming: Incoming) -> None:
        if self.broken:
            self.broken -= 1
            raise OSError("the store is away")
        self.heard.put_nowait(incoming)

    async def handle(self, incoming: Incoming) -> str:
        await self.take(incoming)
        return f"heard {incoming.message_id}"

    async def reply(self, _incoming: Incoming, result: str) -> None:
        self.replied.put_nowait(result)


@asynccontextmanager
async def listening(name: str, listen: Callable[[Pauses], Awaitable[None]], clock: VirtualClock) -> AsyncIterator[None]:
    going = asyncio.create_task(keep_listening(name, listen, clock))
    try:
        yield
    finally:
        going.cancel()
        with suppress(asyncio.CancelledError):
            await going


# Slack


@asynccontextmanager
async def slack(world: Listeners) -> AsyncIterator[tuple[FakeSlack, FakeSocket]]:
    async with FakeSlack() as fake, FakeSocket(HELLO) as socket:
        fake.socket_url = socket.url
        channel = SlackChannel(SLACK_TOKEN, app_token=SLACK_APP_TOKEN, base_url=fake.url, response_url=fake.url)
        async with listening("slack", SlackSocket(channel, world.handle, world.reply).listen, world.clock):
            await socket.opened.get()
            yield fake, socket
        await channel.close()


def envelope(number: str, event: dict[str, Any]) -> dict[str, Any]:
    payload = {"type": "event_callback", "team_id": "T1", "event": event, "event_id": f"Ev{number}"}
    return {"type": "events_api", "envelope_id": number, "payload": payload, "accepts_response_payload": False}


def said(text: str, ts: str = "1770000000.1") -> dict[str, Any]:
    return {"type": "message", "channel_type": "im", "channel": "D1", "user": "U7", "text": text, "ts": ts}


async def test_slack_is_heard_acknowledged_and_then_answered() -> None:
    world = Listeners()
    async with slack(world) as (_, socket):
        await socket.send(envelope("e1", said("took it")))
        incoming = await world.heard.get()
        assert (incoming.text, incoming.address, incoming.sender) == ("took it", "D1", "U7")
        assert await socket.got.get() == {"envelope_id": "e1"}
        assert await world.replied.get() == "heard D1:1770000000.1"


async def test_presses_and_reactions_come_over_the_socket_as_well() -> None:
    world = Listeners()
    async with slack(world) as (_, socket):
        press = {
            "type": "block_actions",
            "user": {"id": "U7"},
            "container": {"type": "message", "message_ts": "1770000000.1", "channel_id": "D1"},
            "response_url": "https://hooks.slack.com/actions/T1/1/secret",
            "actions": [{"type": "button", "value": "done:token", "action_ts": "1770000000.5"}],
        }
        await socket.send({"type": "interactive", "envelope_id": "e2", "payload": press})
        pressed = await world.heard.get()
        assert (pressed.token, pressed.quoted) == ("done:token", "D1:1770000000.1")
        item = {"type": "message", "channel": "D1", "ts": "1770000000.1"}
        await socket.send(envelope("e3", {"type": "reaction_added", "user": "U7", "reaction": "+1", "item": item}))
        reacted = await world.heard.get()
        assert (reacted.reaction, reacted.quoted, reacted.text) == ("👍", "D1:1770000000.1", None)


async def test_a_message_that_could_not_be_recorded_is_not_acknowledged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "duly")
    world = Listeners()
    world.broken = 1
    async with slack(world) as (_, socket):
        await socket.send(envelope("e1", said("took it")))
        await socket.opened.get()
        await socket.send(envelope("e1", said("took it")))  # Slack sends it again
        assert (await world.heard.get()).text == "took it"
        assert await socket.got.get() == {"envelope_id": "e1"}
        assert socket.got.empty()
    assert "slack: listening failed, going on in 1 seconds: OSError: the store is away" in caplog.messages
    assert "slack: listening again" in caplog.messages


async def test_slack_may_ask_for_another_connection() -> None:
    world = Listeners()
    async with slack(world) as (_, socket):
        await socket.send({"type": "disconnect", "reason": "refresh_requested"})
        await socket.opened.get()
        await socket.send(envelope("e9", said("still there?")))
        assert (await world.heard.get()).text == "still there?"


async def test_a_wrong_app_token_is_said_once_and_ends_the_listening(caplog: pytest.LogCaptureFixture) -> None:
    world = Listeners()
    async with FakeSlack() as fake:
        channel = SlackChannel(SLACK_TOKEN, app_token=SLACK_TOKEN, base_url=fake.url)
        await keep_listening("slack", SlackSocket(channel, world.handle, world.reply).listen, world.clock)
        await channel.close()
    assert ["not_allowed_token_type: check the token" in message for message in caplog.messages] == [True]


async def test_the_fake_socket_works_with_slacks_own_client() -> None:
    got: asyncio.Queue[SocketModeRequest] = asyncio.Queue()

    async def listener(client: Any, request: SocketModeRequest) -> None:
        await client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))
        got.put_nowait(request)

    async with FakeSlack() as fake, FakeSocket(HELLO) as socket:
        fake.socket_url = socket.url
        web = AsyncWebClient(token=SLACK_APP_TOKEN, base_url=f"{fake.url}/api/")
        client = SocketModeClient(app_token=SLACK_APP_TOKEN, web_client=web)
        client.socket_mode_request_listeners.append(listener)
        await client.connect()  # type: ignore[no-untyped-call]  # slack_sdk's
        await socket.opened.get()
        await socket.send(envelope("e1", said("hello")))
        assert (await got.get()).payload["event"]["text"] == "hello"
        assert await socket.got.get() == {"envelope_id": "e1"}
        await client.close()  # type: ignore[no-untyped-call]  # slack_sdk's


# Discord


@asynccontextmanager
async def discord(world: Listeners, *, ready: bool = True) -> AsyncIterator[tuple[FakeDiscord, FakeSocket]]:
    async with FakeDiscord() as fake, FakeSocket(GREETING) as socket:
        fake.gateway = socket.url
        channel = DiscordChannel(DISCORD_TOKEN, base_url=fake.api)
        gateway = DiscordGateway(channel, world.take, world.clock)
        async with listening("discord", gateway.listen, world.clock):
            await socket.opened.get()
            if ready:
                identify = await socket.got.get()
                assert (identify["op"], identify["d"]["token"]) == (2, DISCORD_TOKEN)
                await socket.send(
                    {**READY, "d": {**READY["d"], "resume_gateway_url": socket.url}}  # type: ignore[dict-item]
                )
            yield fake, socket
        await channel.close()


def dispatch(number: int, kind: str, **data: Any) -> dict[str, Any]:
    return {"op": 0, "s": number, "t": kind, "d": data}


def written(text: str, number: int, **more: Any) -> dict[str, Any]:
    author = {"id": "7", "username": "ann"}
    return dispatch(
        number, "MESSAGE_CREATE", id=str(8000 + number), channel_id="501", author=author, content=text, **more
    )


async def test_discord_is_heard_in_direct_messages_and_mentions_only() -> None:
    world = Listeners()
    async with discord(world) as (_, socket):
        await socket.send(written("not for us", 2, guild_id="9", mentions=[]))
        await socket.send(written("in 10 minutes", 3, message_reference={"message_id": "7000"}))
        await socket.send(written("<@1> done", 4, guild_id="9", mentions=[{"id": "1"}]))
        direct, mention = await world.heard.get(), await world.heard.get()
        assert (direct.text, direct.quoted, direct.person) == ("in 10 minutes", "7000", "user:7")
        assert mention.text == "done"


async def test_discord_hands_on_what_people_send_besides_text() -> None:
    world = Listeners()
    picture = {
        "id": "1",
        "filename": "a.png",
        "size": 9,
        "url": "https://cdn.example/a.png",
        "content_type": "image/png",
    }
    voice = {
        **picture,
        "filename": "voice-message.ogg",
        "content_type": "audio/ogg",
        "duration_secs": 2.1,
        "waveform": "A",
    }
    async with discord(world) as (_, socket):
        await socket.send(written("", 2, type=7))  # Discord's own: a new member
        await socket.send(written("", 3, type=0, attachments=[picture]))
        await socket.send(written("", 4, type=0, flags=8192, attachments=[voice]))
        await socket.send(written("", 5, type=0, sticker_items=[{"id": "2", "name": "Wave", "format_type": 1}]))
        await socket.send(written("done", 6, type=0, attachments=[picture]))
        await socket.send(written("<@1>", 7, guild_id="9", mentions=[{"id": "1"}]))
        await socket.send(written("", 8, guild_id="9", mentions=[], attachments=[picture]))
        await socket.send(written("", 9, type=0, poll={"question": {"text": "?"}}))
        heard = [await world.heard.get() for _ in range(6)]
    assert [each.text for each in heard] == [None, None, None, "done", "<@1>", None]


async def test_a_press_over_the_gateway_is_answered_at_its_interaction() -> None:
    world = Listeners()
    async with discord(world) as (fake, socket):
        await socket.send(
            dispatch(
                2,
                "INTERACTION_CREATE",
                id="9001",
                type=3,
                token="interaction-token",  # noqa: S106
                channel_id="501",
                user={"id": "7"},
                message={"id": "7000"},
                data={"component_type": 2, "custom_id": "done:token"},
            )
        )
        incoming = await world.heard.get()
        assert (incoming.token, incoming.quoted) == ("done:token", "7000")
        channel = DiscordChannel(DISCORD_TOKEN, base_url=fake.api)
        await channel.answer(incoming, "✓ Done")
        assert fake.responses == [
            {"type": 7, "data": {"content": "✓ Done", "allowed_mentions": {"parse": []}, "components": []}}
        ]
        await channel.close()


async def test_a_reaction_names_the_message_it_is_about() -> None:
    world = Listeners()
    async with discord(world) as (_, socket):
        emoji = {"id": None, "name": "✅"}
        await socket.send(
            dispatch(2, "MESSAGE_REACTION_ADD", user_id="1", channel_id="501", message_id="7000", emoji=emoji)
        )
        await socket.send(
            dispatch(3, "MESSAGE_REACTION_ADD", user_id="7", channel_id="501", message_id="7000", emoji=emoji)
        )
        reacted = await world.heard.get()
        assert (reacted.reaction, reacted.quoted, reacted.sender) == ("✅", "7000", "7")


async def test_a_lost_connection_is_resumed_after_the_last_event_that_was_handled() -> None:
    world = Listeners()
    async with discord(world) as (_, socket):
        await socket.send(written("first", 2))
        assert (await world.heard.get()).text == "first"
        world.broken = 1
        await socket.send(written("second", 3))
        await socket.opened.get()
        resume = await socket.got.get()
        assert resume == {"op": 6, "d": {"token": DISCORD_TOKEN, "session_id": "session-1", "seq": 2}}
        await socket.send(written("second", 3))
        assert (await world.heard.get()).text == "second"


async def test_a_session_that_is_over_begins_anew() -> None:
    world = Listeners()
    async with discord(world) as (_, socket):
        await socket.send({"op": 9, "d": False, "s": None, "t": None})
        await socket.opened.get()
        assert (await socket.got.get())["op"] == 2


async def test_heartbeats_carry_the_last_event_and_a_silent_gateway_is_left() -> None:
    world = Listeners()
    async with discord(world) as (_, socket):
        await socket.send(written("first", 2))
        await world.heard.get()
        await world.clock.travel(seconds=41.25)
        assert await socket.got.get() == {"op": 1, "d": 2}
        await world.clock.travel(seconds=41.25)  # no confirmation came
        await socket.opened.get()
        assert (await socket.got.get())["op"] == 6


async def test_a_refused_token_is_said_and_ends_the_listening(caplog: pytest.LogCaptureFixture) -> None:
    world = Listeners()
    async with FakeDiscord() as fake, FakeSocket(GREETING) as socket:
        fake.gateway = socket.url
        channel = DiscordChannel(DISCORD_TOKEN, base_url=fake.api)
        gateway = DiscordGateway(channel, world.take, world.clock)
        going = asyncio.create_task(keep_listening("discord", gateway.listen, world.clock))
        opened = await socket.opened.get()
        await opened.close(4004)
        await going
        await channel.close()
    assert "it refuses the token: check it on the Bot page" in caplog.messages[-1]


@given(st.lists(st.floats(min_value=0, max_value=300) | st.none(), max_size=20))
def test_pauses_grow_to_a_limit_and_keep_what_the_vendor_asked_for(asked: list[float | None]) -> None:
    pauses = Pauses()
    taken = [pauses.take(each) for each in asked]
    assert all(pause >= (wish or 0) for pause, wish in zip(taken, asked, strict=True))
    assert all(pause <= max(LONGEST_PAUSE, wish or 0) for pause, wish in zip(taken, asked, strict=True))
    pauses.reset()
    assert pauses.take(None) == 1
