"""Slack, out: blocks, edits, the answer by response_url, and errors that come as HTTP 200."""

from __future__ import annotations

from dataclasses import replace

import pytest

from duly.channels.slack import SlackChannel
from duly.errors import (
    ChannelError,
    ChannelNotConfiguredError,
    ChannelPermanentError,
    ChannelTemporaryError,
    ChannelUnknownError,
)
from duly.ports.channels import Answering, Incoming
from tests.channels.fakes.secrets import SLACK_TOKEN
from tests.channels.fakes.server import Reply
from tests.channels.fakes.slack import TOO_MANY, FakeSlack, refused
from tests.channels.samples import ASKING, BUTTONS, PLAIN


def channel_of(fake: FakeSlack) -> SlackChannel:
    return SlackChannel(SLACK_TOKEN, base_url=fake.url, response_url=fake.url)


async def test_a_message_with_buttons_is_edited_where_it_landed() -> None:
    async with FakeSlack() as fake:
        channel = channel_of(fake)
        receipt = await channel.send("U7", ASKING)
        assert receipt.message_id == "D1:1770000000.000000", "a person's messages are in a channel of another name"
        message = fake.messages["D1", "1770000000.000000"]
        section, actions = message["blocks"]
        assert section["text"] == {"type": "plain_text", "text": "Medicine\n\nDid you take it?", "emoji": False}
        assert [(button["text"]["text"], button["value"]) for button in actions["elements"]] == [
            ("Done", "tok-done"),
            ("Later", "tok-snooze"),
            ("Skip", "tok-dismiss"),
        ]
        assert len({button["action_id"] for button in actions["elements"]}) == 3
        assert await channel.edit("U7", receipt.message_id, "Done ✓")
        assert (message["text"], len(message["blocks"])) == ("Done ✓", 1)
        assert not await channel.edit("U7", "D1:1.1", "Done ✓")
        fake.fail(refused("channel_not_found"))
        with pytest.raises(ChannelPermanentError):
            await channel.edit("U7", receipt.message_id, "Done ✓")
        await channel.close()


async def test_text_mentions_no_one_and_a_reply_stays_in_its_thread() -> None:
    async with FakeSlack() as fake:
        channel = channel_of(fake)
        await channel.send("C1", replace(PLAIN, text="<!channel> take & go", reply_to="C1:1770000000.000009"))
        sent = fake.seen[-1].json
        assert sent["text"] == "&lt;!channel&gt; take &amp; go"
        assert sent["blocks"][0]["text"]["text"] == "<!channel> take & go"
        assert sent["blocks"][0]["text"]["type"] == "plain_text"
        assert sent["thread_ts"] == "1770000000.000009"
        await channel.close()


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (refused("channel_not_found"), ChannelPermanentError),
        (refused("is_archived"), ChannelPermanentError),
        (refused("not_in_channel"), ChannelPermanentError),
        (refused("account_inactive"), ChannelNotConfiguredError),
        (refused("missing_scope", needed="chat:write"), ChannelNotConfiguredError),
        (refused("ratelimited"), ChannelTemporaryError),
        (refused("service_unavailable"), ChannelTemporaryError),
        (refused("internal_error"), ChannelUnknownError),
        (Reply(200, {"hello": 1}), ChannelUnknownError),
    ],
    ids=lambda value: value.body.get("error", "no answer") if isinstance(value, Reply) else value.__name__,
)
async def test_each_slack_error_is_the_right_channel_error(reply: Reply, expected: type[ChannelError]) -> None:
    async with FakeSlack() as fake:
        channel = channel_of(fake)
        fake.fail(reply)
        with pytest.raises(ChannelError) as failed:
            await channel.send("C1", PLAIN)
        assert type(failed.value).__mro__[1 if expected is ChannelPermanentError else 0] is expected
        await channel.close()


async def test_the_wait_that_the_vendor_names_is_passed_on() -> None:
    async with FakeSlack() as fake:
        channel = channel_of(fake)
        fake.fail(TOO_MANY)
        with pytest.raises(ChannelTemporaryError) as limited:
            await channel.send("C1", PLAIN)
        assert limited.value.retry_after == 30
        await channel.close()


async def test_a_press_is_answered_in_place_and_only_at_slack() -> None:
    async with FakeSlack() as fake, FakeSlack() as elsewhere:
        channel = channel_of(fake)
        assert isinstance(channel, Answering)
        url = f"{fake.url}/actions/T1/1/secret"
        press = Incoming(
            channel="slack", address="D1", sender="U7", message_id="1", token=BUTTONS[0].token, callback=url
        )
        await channel.answer(press, "Well <done>")
        (answer,) = fake.responses
        assert (answer["replace_original"], answer["text"]) == (True, "Well &lt;done&gt;")
        assert "authorization" not in fake.seen[-1].headers
        fake.fail(Reply(404, "expired_url"))
        await channel.answer(press, "too late, and no matter")
        for forged in (elsewhere.url, f"{fake.url}.evil.example/x", f"{fake.url}@evil.example/"):
            with pytest.raises(ChannelPermanentError, match="response_url is not at"):
                await channel.answer(replace(press, callback=f"{forged}/x"), "Well done")
        await channel.answer(replace(press, callback=None), "Well done")
        assert elsewhere.seen == []
        assert len(fake.seen) == 2
        await channel.close()


async def test_check_tells_who_we_are() -> None:
    async with FakeSlack() as fake:
        channel = channel_of(fake)
        assert await channel.check() == "duly in Test"
        wrong = SlackChannel("xoxb-wrong", base_url=fake.url)
        with pytest.raises(ChannelNotConfiguredError, match="invalid_auth"):
            await wrong.check()
        await channel.close()
        await wrong.close()
