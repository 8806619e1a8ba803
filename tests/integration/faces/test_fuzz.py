"""Any input to any face gets an answer: never a server error, never a stack trace."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from duly.mcp.server import make_server
from duly.service.access.scopes import Caller, Face
from duly.ws.frames import Conversation
from tests.channels.fakes.discord import FakeDiscord
from tests.channels.fakes.secrets import (
    DISCORD_TOKEN,
    SLACK_SIGNING_SECRET,
    SLACK_TOKEN,
    TELEGRAM_TOKEN,
    WHATSAPP_APP_SECRET,
    WHATSAPP_TOKEN,
)
from tests.channels.fakes.whatsapp import PHONE_ID, FakeWhatsApp
from tests.support import tries
from tests.world import World, world

quickly = settings(max_examples=tries(120), deadline=None, suppress_health_check=list(HealthCheck))
NOWHERE = "http://127.0.0.1:9"
METHODS = ("cron.list", "cron.add", "cron.update", "cron.remove", "cron.ack", "cron.snooze", "cron.dismiss")
NAMES = (
    "id",
    "name",
    "schedule",
    "message",
    "action",
    "enabled",
    "minutes",
    "user",
    "priority",
    "require_ack",
    "channel",
)
PARTS = ("type", "at", "every", "time", "days", "expr", "text", "timezone")
SAMPLES = (
    "once",
    "interval",
    "daily",
    "weekly",
    "cron",
    "smart",
    "5m",
    "08:00",
    "mon",
    "* * * * *",
    "every day at 8",
    "local",
)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(SAMPLES)
    | st.just("\ud800")
    | st.sampled_from(["9" * 400, "9999-12-31T23:59:59-12:00", "0001-01-01T00:00+14:00", "9999-12-31T23:59", "3650d"])
)


def anything(names: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """JSON in which the names that mean something are frequent."""
    keys = st.sampled_from(names) | st.text(max_size=5)
    return st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5))


@contextmanager
def kept(
    folder: Path, inside: Callable[[World], AbstractAsyncContextManager[Any]] = nullcontext, **options: Any
) -> Iterator[tuple[Any, Callable[[Awaitable[Any]], Any]]]:
    """One daemon for many examples, or what is made of it, and a way to wait for it."""
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        ready = loop.create_future()
        over = loop.create_future()

        async def keep() -> None:
            async with world(folder, **options) as here, inside(here) as made:
                ready.set_result(made)
                await over

        async def waited(for_what: Awaitable[Any]) -> Any:
            return await for_what

        keeping = loop.create_task(keep())
        made = runner.run(waited(ready))
        try:
            yield made, lambda for_what: runner.run(waited(for_what))
        finally:
            over.set_result(None)
            runner.run(waited(keeping))


def test_conversations_have_an_answer_to_everything(tmp_path: Path) -> None:
    schedules = st.dictionaries(st.sampled_from(PARTS), scalars | st.lists(scalars, max_size=3), max_size=5)
    params = st.dictionaries(st.sampled_from(NAMES), scalars | schedules | anything(NAMES), max_size=5)
    frames = st.fixed_dictionaries({"id": scalars, "method": st.sampled_from(METHODS), "params": params | scalars})
    texts = (frames | anything(("id", "method", "params"))).map(json.dumps) | st.text() | st.binary()

    with kept(tmp_path) as (here, wait):
        conversation = Conversation(here.runtime.services, Caller(face=Face.API))

        @quickly
        @given(texts)
        def check(text: str | bytes) -> None:
            answer = wait(conversation.answer(text))
            json.dumps(answer, allow_nan=False).encode()
            assert answer["ok"] is True or answer["error"]["code"] in ("INVALID_PARAMS", "NOT_FOUND", "UNAUTHORIZED")

        check()


def test_tools_have_an_answer_to_everything(tmp_path: Path) -> None:
    actions = st.sampled_from(["add", "list", "update", "remove", "snooze", "ack"])
    schedules = st.dictionaries(st.sampled_from(PARTS), scalars | st.lists(scalars, max_size=3), max_size=5)
    texts = st.text(max_size=8) | st.sampled_from(["\ud800", "\0", *SAMPLES])
    numbers = st.integers(-5, 10**13)
    common = {"message": texts, "user": texts | st.none(), "channel": texts | st.none()}
    reminds = {**common, "delay_minutes": numbers | st.none(), "remind_at": scalars | texts}
    options = {"schedule": schedules | scalars, "job_id": texts, "name": texts, "snooze_minutes": numbers}
    options |= {"max_retries": numbers, "ack_prompt": texts, "require_ack": st.booleans()}
    asked = st.tuples(st.just("remind"), st.fixed_dictionaries({}, optional=reminds)) | st.tuples(
        st.just("scheduler"), st.fixed_dictionaries({"action": actions}, optional={**common, **options})
    )

    def agent(here: World) -> Client:
        return Client(make_server(here.runtime.services, lambda _request: Caller(face=Face.MCP)))

    with kept(tmp_path, agent) as (client, wait):

        @quickly
        @given(asked)
        def check(question: tuple[str, dict[str, Any]]) -> None:
            answer = wait(client.call_tool(*question))
            assert not answer.is_error or "Error executing tool" not in answer.content[0].text

        check()


TELEGRAM = (
    "update_id",
    "message",
    "callback_query",
    "message_id",
    "chat",
    "id",
    "from",
    "text",
    "data",
    "reply_to_message",
)
SLACK = ("type", "event", "channel", "user", "ts", "text", "thread_ts", "actions", "container", "value", "challenge")
DISCORD = ("type", "id", "channel_id", "member", "user", "data", "custom_id", "options", "value", "token", "message")
WHATSAPP = ("entry", "changes", "value", "messages", "statuses", "from", "id", "text", "body", "status", "recipient_id")


def _telegram(_: World, body: bytes) -> dict[str, str]:
    return {"X-Telegram-Bot-Api-Secret-Token": "hook"}


def _slack(here: World, body: bytes) -> dict[str, str]:
    return here.slack_headers(body)


def _whatsapp(_: World, body: bytes) -> dict[str, str]:
    return FakeWhatsApp.sign(body)


_vendor = FakeDiscord()


def _discord(here: World, body: bytes) -> dict[str, str]:
    return _vendor.sign(body, int(here.clock.now().timestamp()))


CHANNELS = {
    "telegram": {"token": "env:T", "webhook_secret": "env:HOOK", "base_url": NOWHERE},
    "slack": {"token": "env:S", "signing_secret": "env:SS", "base_url": NOWHERE, "response_url": NOWHERE},
    "discord": {"token": "env:D", "public_key": _vendor.public_key, "base_url": NOWHERE},
    "whatsapp": {"token": "env:W", "app_secret": "env:WS", "verify_token": "env:WS", "phone_number_id": PHONE_ID},
}
ENVIRONMENT = {"T": TELEGRAM_TOKEN, "HOOK": "hook", "S": SLACK_TOKEN, "SS": SLACK_SIGNING_SECRET, "D": DISCORD_TOKEN}
ENVIRONMENT |= {"W": WHATSAPP_TOKEN, "WS": WHATSAPP_APP_SECRET}
SIGNED = {
    "telegram": (_telegram, anything(TELEGRAM)),
    "slack": (_slack, anything(SLACK)),
    "discord": (_discord, anything(DISCORD)),
    "whatsapp": (_whatsapp, anything(WHATSAPP)),
}


@pytest.mark.parametrize("channel", SIGNED)
def test_what_a_vendor_signs_may_be_anything(tmp_path: Path, channel: str) -> None:
    sign, contents = SIGNED[channel]
    as_form = contents.map(lambda value: urlencode({"payload": json.dumps(value)}).encode())
    bodies = contents.map(lambda value: json.dumps(value).encode()) | as_form | st.binary()

    with kept(tmp_path, channels=CHANNELS, environment=ENVIRONMENT) as (here, wait):

        @quickly
        @given(bodies)
        def check(body: bytes) -> None:
            answer = wait(here.post(f"/inbound/{channel}", body, sign(here, body)))
            assert answer.status_code in (200, 401)
            assert "Traceback" not in answer.text

        check()


def test_every_unsigned_request_is_refused(tmp_path: Path) -> None:
    paths = st.sampled_from([f"/inbound/{name}" for name in SIGNED])
    headers = st.sampled_from(
        ["X-Telegram-Bot-Api-Secret-Token", "X-Slack-Signature", "X-Signature-Ed25519", "X-Hub-Signature-256"]
    )
    printable = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=40)

    with kept(tmp_path, channels=CHANNELS, environment=ENVIRONMENT) as (here, wait):

        @quickly
        @given(paths, st.binary(max_size=200), st.dictionaries(headers, printable, max_size=4))
        def check(path: str, body: bytes, told: dict[str, str]) -> None:
            sent = {name: value.encode("latin-1") for name, value in told.items()}
            answer = wait(here.post(path, body, sent))
            assert answer.status_code == 401
            asked = wait(here.http.get(path, params={"hub.mode": "subscribe", "hub.verify_token": "é"}))
            assert asked.status_code == 403

        check()


def test_messages_and_links_have_an_answer_to_everything(tmp_path: Path) -> None:
    names = ("user", "channel", "text", "quoted", "button", "message_id")
    bodies = anything(names).map(lambda value: json.dumps(value).encode()) | st.binary()
    texts = st.text(st.characters(codec="utf-8", exclude_characters="/"), min_size=1, max_size=30)

    with kept(tmp_path) as (here, wait):
        token = wait(here.token("admin"))

        @quickly
        @given(bodies, texts)
        def check(body: bytes, text: str) -> None:
            answer = wait(here.post("/messages", body, {"Authorization": f"Bearer {token}"}))
            assert answer.status_code in (200, 404, 422)
            assert wait(here.http.post(f"/answer/{_quoted(text)}")).status_code in (403, 404)

        check()


def _quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def test_the_signatures_here_are_the_vendors() -> None:
    """Otherwise nothing above would get past the gate."""
    mac = hmac.new(WHATSAPP_APP_SECRET.encode(), b"{}", hashlib.sha256).hexdigest()
    assert FakeWhatsApp.sign(b"{}") == {"X-Hub-Signature-256": f"sha256={mac}"}
