"""Reading requests: presses, replies, statuses, handshakes. No malformed body raises another error."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.channels.configuration import make_receiver
from duly.channels.discord import DiscordChannel, discord_response, parse_discord
from duly.channels.slack import SlackChannel, parse_slack
from duly.channels.telegram import parse_telegram
from duly.channels.whatsapp import parse_whatsapp
from duly.errors import ChannelNotConfiguredError, InboundRefusedError
from duly.ports.channels import Inbound, StatusKind
from tests.channels.fakes.discord import FakeDiscord
from tests.channels.fakes.secrets import DISCORD_TOKEN, SLACK_SIGNING_SECRET, SLACK_TOKEN, WHATSAPP_APP_SECRET
from tests.channels.fakes.slack import FakeSlack
from tests.channels.fakes.telegram import FakeTelegram
from tests.channels.fakes.whatsapp import (
    DELIVERED,
    PHONE_ID,
    PRESS,
    TEMPLATE_PRESS,
    TEXT,
    WINDOW_CLOSED,
    FakeWhatsApp,
    webhook,
)
from tests.channels.samples import ASKING, NOW, secrets_from
from tests.channels.test_signatures import slack_headers

STAMP = int(NOW.timestamp())


def test_telegram_messages_are_read_and_other_updates_ignored() -> None:
    fake = FakeTelegram()
    (said,) = parse_telegram(json.dumps(fake.say(7, "/start AB12"))).messages
    assert (said.text, said.address, said.sender, said.message_id) == ("AB12", "7", "7", "7:900")
    (in_group,) = parse_telegram(json.dumps(fake.say(-5, "/start@duly_test_bot AB12"))).messages
    assert in_group.text == "AB12", "in a group, a bot is shown little else"
    repeated = parse_telegram(json.dumps(fake.say(7, "/start AB12")))
    assert repeated.messages[0].message_id == said.message_id, "told twice, known twice"
    fake.messages[42] = {"message_id": 42, "chat": {"id": -1001}}
    (quoting,) = parse_telegram(json.dumps(fake.say(-1001, "done", reply_to=42))).messages
    (pressing,) = parse_telegram(json.dumps(fake.press(42, "tok-done"))).messages
    assert (quoting.quoted, pressing.quoted) == ("-1001:42", "-1001:42"), "each group counts for itself"
    others: list[dict[str, Any]] = [
        {"update_id": 1, "edited_message": {}},
        {"update_id": 1, "message": {"message_id": 1, "chat": {"id": 1}, "from": {"id": 1}, "new_chat_members": []}},
        {
            "update_id": 1,
            "message": {"message_id": 1, "chat": {"id": 1}, "from": {"id": 1, "is_bot": True}, "text": "x"},
        },
        {"update_id": 1, "callback_query": {"id": "1", "from": {"id": 1}, "data": "x"}},
    ]
    assert all(parse_telegram(json.dumps(update)) == Inbound() for update in others)


async def test_discord_from_the_button_to_the_changed_message() -> None:
    async with FakeDiscord() as fake:
        channel = DiscordChannel(DISCORD_TOKEN, base_url=fake.api)
        receipt = await channel.send("501", ASKING)
        await channel.close()
        receiver = make_receiver("discord", {"public_key": fake.public_key}, resolve=str)
        body = fake.press(receipt.message_id or "", "tok-done")
        (press,) = receiver.receive(fake.sign(body, STAMP), body, now=NOW).messages
        assert (press.token, press.quoted, press.address, press.sender) == ("tok-done", receipt.message_id, "501", "7")
        assert receiver.respond(press, "Well done") == {
            "type": 7,
            "data": {"content": "Well done", "components": [], "allowed_mentions": {"parse": []}},
        }
        with pytest.raises(InboundRefusedError, match="came before"):
            receiver.receive(fake.sign(body, STAMP), body, now=NOW)
        ping = b'{"type":1}'
        assert receiver.receive(fake.sign(ping, STAMP), ping, now=NOW).response == {"type": 1}
        with pytest.raises(InboundRefusedError):
            receiver.receive(fake.sign(ping, STAMP), body, now=NOW)
        with pytest.raises(InboundRefusedError, match="does not ask by GET"):
            receiver.challenge({})


def test_discord_text_comes_by_the_slash_command() -> None:
    body = {
        "type": 2,
        "id": "9",
        "channel_id": "500",
        "token": "t",
        "member": {"user": {"id": "7"}},
        "data": {"name": "duly", "options": [{"name": "text", "type": 3, "value": "in 10 minutes"}]},
    }
    (said,) = parse_discord(json.dumps(body)).messages
    assert (said.text, said.token, said.sender) == ("in 10 minutes", None, "7")
    answer = discord_response(said, "x" * 3000)
    assert (answer["type"], answer["data"]["flags"], len(answer["data"]["content"])) == (4, 64, 2000)


async def test_slack_from_the_button_to_the_changed_message() -> None:
    async with FakeSlack() as fake:
        channel = SlackChannel(SLACK_TOKEN, base_url=fake.url, response_url=fake.url)
        receipt = await channel.send("U7", ASKING)
        receiver = make_receiver(
            "slack", {"signing_secret": "env:S"}, resolve=secrets_from({"S": SLACK_SIGNING_SECRET})
        )
        body = fake.press("D1", "1770000000.000000", "tok-done")
        (press,) = receiver.receive(slack_headers(body), body, now=NOW).messages
        assert (press.token, press.quoted, press.address, press.sender) == ("tok-done", receipt.message_id, "D1", "U7")
        assert receiver.respond(press, "Well done") is None
        await channel.answer(press, "Well done")
        assert fake.responses[0]["text"] == "Well done"
        with pytest.raises(InboundRefusedError, match="came before"):
            receiver.receive(slack_headers(body), body, now=NOW)
        await channel.close()


def slack_event(**event: Any) -> bytes:
    told = {"type": "message", "channel": "C1", "user": "U7", "ts": "1770000001.5", "text": "done", **event}
    return json.dumps({"type": "event_callback", "event_id": "Ev1", "event": told}).encode()


def test_slack_events() -> None:
    hello = parse_slack(b'{"type":"url_verification","challenge":"3eZbrw1a","token":"x"}')
    assert hello.response == {"challenge": "3eZbrw1a"}
    (said,) = parse_slack(slack_event(text="&lt;done&gt; &amp;lt;", thread_ts="1770000000.000000")).messages
    assert (said.text, said.quoted, said.address) == ("<done> &lt;", "C1:1770000000.000000", "C1")
    (mention,) = parse_slack(slack_event(type="app_mention", text="<@U1> snooze 10m")).messages
    assert mention.text == "snooze 10m"
    assert mention.message_id == said.message_id, "a mention comes as two events about one message"
    for not_ours in ({"bot_id": "B1"}, {"subtype": "message_changed"}, {"user": None}, {"type": "reaction_added"}):
        assert parse_slack(slack_event(**not_ours)) == Inbound()


def test_slack_hands_on_what_people_send_besides_text() -> None:
    clip = {"id": "F1", "mimetype": "audio/webm", "subtype": "slack_audio", "url_private": "https://files.example/F1"}
    shared = {"channel": "D1", "subtype": "file_share", "files": [clip]}
    (silent,) = parse_slack(slack_event(**shared, text="")).messages
    assert (silent.text, silent.to_us, silent.person) == (None, True, "U7")
    (said,) = parse_slack(slack_event(**shared, text="done")).messages
    assert said.text == "done"
    (forwarded,) = parse_slack(slack_event(channel="D1", text="", attachments=[{"is_share": True}])).messages
    assert forwarded.text is None
    (among_others,) = parse_slack(slack_event(**{**shared, "channel": "C1"}, text="")).messages
    assert not among_others.to_us
    assert parse_slack(slack_event(**shared, text="", bot_id="B1")) == Inbound()
    assert parse_slack(slack_event(channel="D1", text="", files=[])) == Inbound()


def test_in_slack_channels_only_mentions_count_for_the_person() -> None:
    events = ({"channel": "C1"}, {"channel": "C1", "type": "app_mention"}, {"channel": "D1"})
    assert [parse_slack(slack_event(**each)).messages[0].person for each in events] == [None, "U7", "U7"]


def test_whatsapp_messages_presses_and_statuses_in_one_request() -> None:
    inbound = parse_whatsapp(
        webhook(messages=[PRESS, TEMPLATE_PRESS, TEXT, {"type": "image"}], statuses=[DELIVERED, WINDOW_CLOSED, {}])
    )
    press, template, said = inbound.messages
    assert (press.token, press.quoted, press.text, press.address) == ("tok-done", "wamid.1", None, "491511234567")
    assert (template.token, template.quoted) == ("tok-done", "wamid.1")
    assert (said.text, said.token, said.message_id) == ("took it", None, "wamid.in3")
    delivered, failed = inbound.statuses
    assert (delivered.status, delivered.key) == (StatusKind.DELIVERED, "run_1:telegram:1")
    assert (failed.status, failed.code) == (StatusKind.FAILED, 131047)
    assert failed.reason is not None
    assert "24 hours" in failed.reason


def test_whatsapp_receiver() -> None:
    receiver = make_receiver(
        "whatsapp",
        {"app_secret": "env:A", "verify_token": "env:V", "phone_number_id": PHONE_ID},
        resolve=secrets_from({"A": WHATSAPP_APP_SECRET, "V": "mine"}),
    )
    body = webhook(messages=[PRESS])
    first = receiver.receive(FakeWhatsApp.sign(body), body, now=NOW)
    again = receiver.receive(FakeWhatsApp.sign(body), body, now=NOW)
    assert first == again, "Meta repeats what it thinks was lost; the message's id tells"
    query = {"hub.mode": "subscribe", "hub.verify_token": "mine", "hub.challenge": "42"}
    assert receiver.challenge(query) == "42"
    foreign = body.replace(PHONE_ID.encode(), b"1")
    assert receiver.receive(FakeWhatsApp.sign(foreign), foreign, now=NOW) == Inbound()
    with pytest.raises(InboundRefusedError):
        receiver.receive(FakeWhatsApp.sign(body), body + b" ", now=NOW)


def test_telegram_receiver() -> None:
    receiver = make_receiver("telegram", {"webhook_secret": "env:W"}, resolve=secrets_from({"W": "geheim"}))
    body = json.dumps(FakeTelegram().say(7, "hello")).encode()
    headers = {"X-Telegram-Bot-Api-Secret-Token": "geheim"}
    assert receiver.receive(headers, body, now=NOW).messages[0].text == "hello"
    with pytest.raises(InboundRefusedError):
        receiver.receive({}, body, now=NOW)


def test_a_receiver_needs_its_keys() -> None:
    with pytest.raises(ChannelNotConfiguredError, match=r"channels\.slack\.signing_secret: is missing"):
        make_receiver("slack", {}, resolve=str)
    with pytest.raises(ChannelNotConfiguredError, match="takes no requests"):
        make_receiver("email", {}, resolve=str)


PARSERS: list[Callable[[bytes], Inbound]] = [parse_telegram, parse_discord, parse_slack, parse_whatsapp]
SHAPES = [
    webhook(messages=[PRESS, TEXT], statuses=[WINDOW_CLOSED]),
    slack_event(),
    json.dumps(FakeTelegram().say(7, "hello")).encode(),
    json.dumps({"type": 3, "id": "1", "channel_id": "2", "data": {"custom_id": "x"}, "user": {"id": "7"}}).encode(),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def spoil(value: Any, path: list[int], by: Any) -> Any:
    """The same value with something else at one place in it."""
    if not path or not isinstance(value, dict | list) or not value:
        return by
    if isinstance(value, dict):
        names = sorted(value)
        name = names[path[0] % len(names)]
        return {**value, name: spoil(value[name], path[1:], by)}
    at = path[0] % len(value)
    return [*value[:at], spoil(value[at], path[1:], by), *value[at + 1 :]]


def test_characters_that_no_store_can_keep_become_question_marks() -> None:
    told = {"update_id": 1, "message": {"message_id": 1, "chat": {"id": 1}, "from": {"id": 1}, "text": "a\0b\ud800"}}
    (said,) = parse_telegram(json.dumps(told)).messages
    assert said.text == "a?b?"


@settings(deadline=None)
@given(shape=st.sampled_from(SHAPES), path=st.lists(st.integers(0, 20), max_size=8), by=VALUES)
def test_a_malformed_body_is_refused_or_empty_and_never_a_crash(shape: bytes, path: list[int], by: Any) -> None:
    body = json.dumps(spoil(json.loads(shape), path, by)).encode()
    for parse in PARSERS:
        try:
            found = parse(body)
        except InboundRefusedError:
            continue
        assert all(message.text or message.token for message in found.messages)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"\xff\xfe", b"null", b"[" * 100_000, b"payload=%7B", b"payload=", b"a=b"]
)
def test_a_body_that_is_no_json_is_refused(body: bytes) -> None:
    for parse in PARSERS:
        with pytest.raises(InboundRefusedError):
            parse(body)
