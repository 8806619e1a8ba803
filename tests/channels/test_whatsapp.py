"""WhatsApp, out: buttons, the 24 hours and the template that reaches beyond them, codes instead of statuses."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from duly.channels.whatsapp import Template, WhatsAppChannel, parse_whatsapp
from duly.errors import ChannelError, ChannelNotConfiguredError, ChannelPermanentError, ChannelTemporaryError
from duly.ports.channels import Button, ButtonKind
from tests.channels.fakes.secrets import WHATSAPP_TOKEN
from tests.channels.fakes.whatsapp import PHONE_ID, TEXT, WINDOW_CLOSED, FakeWhatsApp, error, webhook
from tests.channels.samples import ASKING, PLAIN

ANN = "491511234567"


def channel_of(fake: FakeWhatsApp, template: Template | None = None) -> WhatsAppChannel:
    return WhatsAppChannel(WHATSAPP_TOKEN, PHONE_ID, template=template, base_url=fake.api)


async def test_text_and_buttons_carry_our_key() -> None:
    async with FakeWhatsApp() as fake:
        channel = channel_of(fake)
        plain = await channel.send(ANN, PLAIN)
        await channel.send(ANN, replace(ASKING, reply_to=plain.message_id))
        text, asking = fake.messages
        assert (text["type"], text["text"]["body"]) == ("text", "Take your medicine")
        assert text["biz_opaque_callback_data"] == PLAIN.key
        assert asking["context"] == {"message_id": plain.message_id}
        assert [button["reply"] for button in asking["interactive"]["action"]["buttons"]] == [
            {"id": "tok-done", "title": "Done"},
            {"id": "tok-snooze", "title": "Later"},
            {"id": "tok-dismiss", "title": "Skip"},
        ]
        assert not await channel.edit(ANN, plain.message_id or "", "no such thing at WhatsApp")
        await channel.close()


async def test_outside_the_window_without_a_template_is_a_permanent_error() -> None:
    async with FakeWhatsApp() as fake:
        channel = channel_of(fake)
        fake.closed = {ANN}
        with pytest.raises(ChannelPermanentError, match="set template"):
            await channel.send(ANN, PLAIN)
        assert len(fake.seen) == 1
        await channel.close()


async def test_outside_the_window_the_template_goes_out_instead() -> None:
    async with FakeWhatsApp() as fake:
        channel = channel_of(fake, Template("duly_reminder", "de", buttons=2))
        fake.closed = {ANN}
        receipt = await channel.send(ANN, replace(ASKING, text="Did you\ntake   it?"))
        assert receipt.message_id == "wamid.1"
        template = fake.messages[0]["template"]
        assert (template["name"], template["language"]) == ("duly_reminder", {"code": "de"})
        body, *buttons = template["components"]
        assert body["parameters"][0]["text"] == "Medicine Did you take it?", "templates take no line breaks"
        assert [(b["sub_type"], b["index"], b["parameters"][0]["payload"]) for b in buttons] == [
            ("quick_reply", "0", "tok-done"),
            ("quick_reply", "1", "tok-snooze"),
        ]
        await channel.send(ANN, PLAIN)
        assert [seen.json["type"] for seen in fake.seen] == ["interactive", "template", "template"], "it remembers"
        await channel.close()


async def test_a_window_that_closed_is_learnt_from_a_late_status_and_opens_with_a_message() -> None:
    async with FakeWhatsApp() as fake:
        channel = channel_of(fake, Template("duly_reminder"))
        late = parse_whatsapp(webhook(statuses=[WINDOW_CLOSED]))
        channel.observe(late)
        assert channel.can_resend(late.statuses[0])
        await channel.send(ANN, PLAIN)
        channel.observe(parse_whatsapp(webhook(messages=[TEXT])))
        await channel.send(ANN, PLAIN)
        assert [message["type"] for message in fake.messages] == ["template", "text"]
        await channel.close()


async def test_a_number_may_be_written_as_people_do() -> None:
    async with FakeWhatsApp() as fake:
        channel = channel_of(fake)
        await channel.send("+49 (151) 123-4567", PLAIN)
        assert fake.messages[0]["to"] == ANN
        for wrong in ("", "ann", "49151x", "４９"):
            with pytest.raises(ChannelPermanentError, match="no telephone number"):
                await channel.send(wrong, PLAIN)
        await channel.close()


async def test_always_a_template() -> None:
    async with FakeWhatsApp() as fake:
        channel = channel_of(fake, Template("duly_reminder", always=True))
        await channel.send(ANN, PLAIN)
        assert [message["type"] for message in fake.messages] == ["template"]
        await channel.close()


@pytest.mark.parametrize(
    ("code", "status", "expected", "wait"),
    [
        (131026, 400, ChannelPermanentError, None),
        (131021, 400, ChannelPermanentError, None),
        (131056, 400, ChannelTemporaryError, 6.0),
        (130429, 400, ChannelTemporaryError, None),
        (131000, 500, ChannelTemporaryError, None),
        (131048, 400, ChannelTemporaryError, None),
        (190, 401, ChannelNotConfiguredError, None),
        (131042, 500, ChannelNotConfiguredError, None),
        (200, 403, ChannelNotConfiguredError, None),
    ],
)
async def test_each_code_is_the_right_channel_error(
    code: int, status: int, expected: type[ChannelError], wait: float | None
) -> None:
    async with FakeWhatsApp() as fake:
        channel = channel_of(fake)
        fake.fail(error(code, "because", status))
        with pytest.raises(ChannelError, match=f"because .code {code}") as failed:
            await channel.send(ANN, PLAIN)
        assert type(failed.value) is expected
        assert getattr(failed.value, "retry_after", None) == wait
        await channel.close()


async def test_check_tells_which_number_it_is() -> None:
    async with FakeWhatsApp() as fake:
        channel = channel_of(fake)
        assert await channel.check() == "Duly (+1 555 0100)"
        wrong = WhatsAppChannel("wrong", PHONE_ID, base_url=fake.api)
        with pytest.raises(ChannelNotConfiguredError):
            await wrong.check()
        await channel.close()
        await wrong.close()


async def test_more_than_three_answers_are_a_list() -> None:
    async with FakeWhatsApp() as fake:
        channel = channel_of(fake)
        many = tuple(
            Button(ButtonKind.SNOOZE, f"In {number} hours, perhaps later", f"tok-{number}") for number in range(5)
        )
        await channel.send(ANN, replace(PLAIN, buttons=many, language="de"))
        shown = fake.messages[-1]["interactive"]
        assert shown["type"] == "list"
        assert shown["action"]["button"] == "Antworten"
        [section] = shown["action"]["sections"]
        assert [row["id"] for row in section["rows"]] == [f"tok-{number}" for number in range(5)]
        assert all(len(row["title"]) <= 24 for row in section["rows"])
        await channel.close()


def _from_ann(**content: object) -> bytes:
    message = {"from": ANN, "id": "wamid.IN", "timestamp": "1770000000", **content}
    value = {"metadata": {"phone_number_id": PHONE_ID}, "messages": [message]}
    return json.dumps({"entry": [{"changes": [{"field": "messages", "value": value}]}]}).encode()


def test_a_choice_from_a_list_and_a_reaction_are_read() -> None:
    chosen = {"type": "list_reply", "list_reply": {"id": "tok-2", "title": "In 2 hours"}}
    [press] = parse_whatsapp(_from_ann(type="interactive", interactive=chosen)).messages
    assert press.token == "tok-2"  # noqa: S105
    [sign] = parse_whatsapp(_from_ann(type="reaction", reaction={"message_id": "wamid.7", "emoji": "👍"})).messages
    assert (sign.reaction, sign.quoted, sign.text) == ("👍", "wamid.7", None)
    assert parse_whatsapp(_from_ann(type="reaction", reaction={"message_id": "wamid.7", "emoji": ""})).messages == ()
