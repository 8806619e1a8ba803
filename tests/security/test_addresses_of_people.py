"""No address of any channel has a line break or another control character, at whatever door; mailboxes are checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.channels.apprise import AppriseChannel
from duly.channels.discord import DiscordChannel
from duly.channels.kinds import KINDS
from duly.channels.mail import EmailChannel, MailServer
from duly.channels.matrix import MatrixChannel
from duly.channels.ntfy import NtfyChannel
from duly.channels.slack import SlackChannel
from duly.channels.telegram import TelegramChannel
from duly.channels.webhook import WebhookChannel
from duly.channels.whatsapp import WhatsAppChannel
from duly.clock import SystemClock
from duly.errors import ChannelPermanentError, InvalidInputError
from duly.model.addresses import check_address
from duly.model.notice import NotifyRule
from tests.channels.samples import ASKING
from tests.integration.faces.test_rest import api
from tests.integration.web.browsing import browsing

CONTROLS = ["\r", "\n", "\r\n", "\0", "\t", "\x0b", "\x1b", "\x7f", "\x85", "\u2028", "\u2029"]
GOOD = {
    "email": "ann@example.org",
    "telegram": "4711",
    "slack": "U012AB3CD",
    "discord": "user:80351110224678912",
    "matrix": "!room:example.org",
    "ntfy": "my_topic",
    "whatsapp": "4915112345678",
    "webhook": "https://example.org/hook",
    "apprise": "phone",
}
NO_MAILBOX = ["ann", "ann@", "@example.org", "a b@example.org", "ann@example.org,ben@example.org", "<ann@example.org>",
              "änn@example.org", "ann@example.org (Ann)", "ann@@example.org", '"a b"@example.org']  # fmt: skip


def broken(address: str, control: str) -> list[str]:
    """Put control characters into an address: inside, as a further header, and around."""
    half = len(address) // 2
    return [
        address[:half] + control + address[half:],
        f"{address}{control}Bcc: eve@example.org",
        f"{address}{control}",
        f"{control}{address}",
    ]


def test_every_channel_has_an_address_here() -> None:
    assert set(GOOD) == set(KINDS)


@pytest.mark.parametrize("channel", GOOD)
async def test_the_api_takes_no_broken_address(tmp_path: Path, channel: str) -> None:
    async with api(tmp_path) as ask:
        for address in [each for control in CONTROLS for each in broken(GOOD[channel], control)]:
            way = [{"channel": channel, "address": address}]
            told = await ask.refused(422, "POST", "/people", {"name": "ann", "channels": way})
            assert "character" in told["detail"], told
            await ask.refused(422, "PATCH", "/people/local", {"channels": way})
        assert [each["name"] for each in (await ask.done("GET", "/people"))["items"]] in ([], ["local"])
        good = [{"channel": channel, "address": GOOD[channel]}]
        assert (await ask.done("PATCH", "/people/local", {"channels": good}))["channels"] == good


async def test_a_mailbox_is_checked_when_it_is_stored(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        service = ask.here.runtime.services.reminder_service.people
        for address in NO_MAILBOX:
            way = [{"channel": "email", "address": address}]
            told = await ask.refused(422, "POST", "/people", {"name": "ann", "channels": way})
            assert "email address" in told["detail"]
            with pytest.raises(InvalidInputError, match="email address"):
                await service.add_channel("local", "email", address)
            with pytest.raises(InvalidInputError, match="email address"):
                await service.set_channels("local", [("email", address)])
        assert (await service.get("local")).channels == ()


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("user@exämple.org", "has the character ä after the @: write the domain in ASCII, as it is registered (xn--…)"),
        ("üser@example.org", "has the character ü, which no mailbox that duly writes to has: write it without"),
        (
            "us\u200ber@example.org",
            "has the character U+200B, which no mailbox that duly writes to has: write it without",
        ),
        ("user@example.org\ufeff", "has the character U+FEFF, which no mailbox that duly writes to has"),
    ],
)
async def test_a_character_that_no_mailbox_has_is_named(tmp_path: Path, address: str, reason: str) -> None:
    async with api(tmp_path) as ask:
        way = [{"channel": "email", "address": address}]
        told = (await ask.refused(422, "POST", "/people", {"name": "ann", "channels": way}))["detail"]
        assert f"email address {address!r} {reason}" in told
        assert "codec" not in told


async def test_the_dashboard_takes_no_broken_address(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        for address in ("ann", "ann@example.org\r\nBcc: eve@example.org"):
            answer = await browser.post("/people/local/channels", channel="email", address=address)
            assert answer.status_code == 422
        assert (await browser.here.runtime.services.reminder_service.people.get("local")).channels == ()


def _channels(client: httpx.AsyncClient) -> dict[str, Callable[[], Any]]:
    more: dict[str, Any] = {"http": client}
    return {
        "telegram": lambda: TelegramChannel("1:abc", **more),
        "slack": lambda: SlackChannel("xoxb-1", **more),
        "discord": lambda: DiscordChannel("token", **more),
        "matrix": lambda: MatrixChannel("https://matrix.example", "token", **more),
        "ntfy": lambda: NtfyChannel(None, base_url="https://ntfy.example", **more),
        "whatsapp": lambda: WhatsAppChannel("token", "1", **more),
        "webhook": lambda: WebhookChannel("hush", clock=SystemClock()),
        "email": lambda: EmailChannel(MailServer("127.0.0.1", 1), "duly@example.org", clock=SystemClock()),
        "apprise": lambda: AppriseChannel({}),  # it sends to named services only
    }


@pytest.mark.parametrize("channel", GOOD)
async def test_a_channel_sends_nothing_to_an_address_that_was_stored_broken(channel: str) -> None:
    """An older duly stored what it was given."""
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json={"ok": True})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        made = _channels(client)[channel]()
        for control in CONTROLS:
            for address in broken(GOOD[channel], control):
                with pytest.raises(ChannelPermanentError):
                    await made.send(address, ASKING)
        await made.close()
    assert sent == []


@given(st.sampled_from(sorted(GOOD)), st.text(max_size=40), st.sampled_from(CONTROLS), st.text(max_size=40))
def test_no_text_with_a_control_character_is_an_address(channel: str, before: str, control: str, after: str) -> None:
    with pytest.raises(InvalidInputError, match="control character"):
        check_address(channel, f"{before}{control}{after}")


@pytest.mark.parametrize("control", CONTROLS)
def test_a_notice_goes_to_no_broken_address(control: str) -> None:
    with pytest.raises(InvalidInputError):
        NotifyRule(on="always", to=f"https://example.org/{control}hook")
