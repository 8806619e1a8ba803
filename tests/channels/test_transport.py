"""Every channel over HTTP tells four results apart (sent, temporary, permanent, unknown) and shows no secrets."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass

import httpx
import pytest

from duly.channels.discord import DiscordChannel
from duly.channels.matrix import MatrixChannel
from duly.channels.ntfy import NtfyChannel
from duly.channels.slack import SlackChannel
from duly.channels.telegram import TelegramChannel
from duly.channels.transport import Transport, seconds
from duly.channels.whatsapp import WhatsAppChannel
from duly.errors import ChannelError, ChannelTemporaryError, ChannelUnknownError
from duly.ports.channels import ProactiveDelivery
from tests.channels.fakes.discord import FakeDiscord
from tests.channels.fakes.matrix import ROOM, FakeMatrix
from tests.channels.fakes.ntfy import FakeNtfy
from tests.channels.fakes.secrets import (
    DISCORD_TOKEN,
    MATRIX_TOKEN,
    NTFY_TOKEN,
    SLACK_TOKEN,
    TELEGRAM_TOKEN,
    WHATSAPP_TOKEN,
)
from tests.channels.fakes.server import FakeServer, Hang, HangUp, Reply
from tests.channels.fakes.slack import FakeSlack
from tests.channels.fakes.telegram import FakeTelegram
from tests.channels.fakes.whatsapp import PHONE_ID, FakeWhatsApp
from tests.channels.samples import ASKING, PLAIN, QUICK


@dataclass(frozen=True)
class Vendor:
    fake: type[FakeServer]
    make: Callable[..., ProactiveDelivery]
    address: str
    token: str


VENDORS = {
    "telegram": Vendor(
        FakeTelegram,
        lambda url, wait=60.0: TelegramChannel(TELEGRAM_TOKEN, base_url=url, timeout=wait),
        "7",
        TELEGRAM_TOKEN,
    ),
    "discord": Vendor(
        FakeDiscord,
        lambda url, wait=60.0: DiscordChannel(DISCORD_TOKEN, base_url=f"{url}/api/v10", timeout=wait),
        "500",
        DISCORD_TOKEN,
    ),
    "slack": Vendor(
        FakeSlack, lambda url, wait=60.0: SlackChannel(SLACK_TOKEN, base_url=url, timeout=wait), "C1", SLACK_TOKEN
    ),
    "whatsapp": Vendor(
        FakeWhatsApp,
        lambda url, wait=60.0: WhatsAppChannel(WHATSAPP_TOKEN, PHONE_ID, base_url=f"{url}/v26.0", timeout=wait),
        "49151",
        WHATSAPP_TOKEN,
    ),
    "matrix": Vendor(
        FakeMatrix, lambda url, wait=60.0: MatrixChannel(url, MATRIX_TOKEN, timeout=wait), ROOM, MATRIX_TOKEN
    ),
    "ntfy": Vendor(
        FakeNtfy, lambda url, wait=60.0: NtfyChannel(NTFY_TOKEN, base_url=url, timeout=wait), "topic", NTFY_TOKEN
    ),
}
EVERY = pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS)


@EVERY
async def test_a_sent_message_has_an_id(vendor: Vendor) -> None:
    async with vendor.fake() as fake:
        channel = vendor.make(fake.url)
        first, second = await channel.send(vendor.address, PLAIN), await channel.send(vendor.address, ASKING)
        assert first.message_id
        assert second.message_id
        assert first.message_id != second.message_id
        assert first.status == "sent"
        await channel.close()
        await channel.close()


@EVERY
async def test_5xx_and_429_are_temporary_errors(vendor: Vendor) -> None:
    async with vendor.fake() as fake:
        channel = vendor.make(fake.url)
        for status in (500, 502, 503):
            fake.fail(Reply(status, "<html>Bad Gateway</html>", {"Retry-After": "12"}))
            with pytest.raises(ChannelTemporaryError) as trouble:
                await channel.send(vendor.address, PLAIN)
            assert trouble.value.retry_after == 12
        assert (await channel.send(vendor.address, PLAIN)).message_id
        await channel.close()


@EVERY
@pytest.mark.parametrize("fault", [Hang, HangUp], ids=["hang", "hang-up"])
async def test_no_response_after_sending_is_an_unknown_result(vendor: Vendor, fault: type[Hang | HangUp]) -> None:
    async with vendor.fake() as fake:
        channel = vendor.make(fake.url, QUICK if fault is Hang else 60.0)
        fake.fail(fault)
        with pytest.raises(ChannelUnknownError, match="after the message had left"):
            await channel.send(vendor.address, PLAIN)
        assert len(fake.seen) == 1
        await channel.close()


@EVERY
async def test_a_success_without_an_id_is_an_unknown_result(vendor: Vendor) -> None:
    """A hotel's login portal answers every request with a page and HTTP 200."""
    async with vendor.fake() as fake:
        channel = vendor.make(fake.url)
        fake.fail(Reply(200, "<html>Welcome to the hotel</html>"), Reply(200, [1]))
        for _ in range(2):
            with pytest.raises(ChannelUnknownError, match="not the answer expected"):
                await channel.send(vendor.address, PLAIN)
        await channel.close()


@EVERY
async def test_a_refused_connection_is_a_temporary_error(vendor: Vendor) -> None:
    with socket.socket() as placeholder:
        placeholder.bind(("127.0.0.1", 0))
        channel = vendor.make(f"http://127.0.0.1:{placeholder.getsockname()[1]}")
        with pytest.raises(ChannelTemporaryError, match="cannot be reached"):
            await channel.send(vendor.address, PLAIN)
        await channel.close()


@EVERY
async def test_a_redirect_is_not_followed(vendor: Vendor) -> None:
    async with vendor.fake() as fake, vendor.fake() as elsewhere:
        channel = vendor.make(fake.url)
        fake.fail(Reply(307, None, {"Location": f"{elsewhere.url}/stolen"}))
        with pytest.raises(ChannelError):
            await channel.send(vendor.address, PLAIN)
        assert elsewhere.seen == []
        await channel.close()


@EVERY
async def test_secrets_stay_secret(vendor: Vendor, caplog: pytest.LogCaptureFixture) -> None:
    """Not in logs at any level, not in errors or what they were raised from, not in a repr."""
    caplog.set_level(logging.DEBUG)
    told: list[str] = []

    async with vendor.fake() as fake:
        channel = vendor.make(fake.url)
        await channel.send(vendor.address, PLAIN)
        fake.fail(Reply(400, {"description": vendor.token, "error": vendor.token, "message": vendor.token}), HangUp)
        for _ in range(2):
            with pytest.raises(ChannelError) as failed:
                await channel.send(vendor.address, PLAIN)
            told.extend([repr(failed.value), repr(failed.value.__cause__), repr(failed.value.__context__)])
        told.extend([repr(channel), repr(vars(channel).get("_wire"))])
        await channel.close()
    assert caplog.messages
    secret_part = vendor.token.rpartition(":")[2]
    assert not [line for line in [*caplog.messages, *told] if secret_part in line]


async def test_a_client_that_was_lent_is_not_closed() -> None:
    async with FakeTelegram() as fake, httpx.AsyncClient() as http:
        channel = TelegramChannel(TELEGRAM_TOKEN, base_url=fake.url, http=http)
        await channel.send("7", PLAIN)
        await channel.close()
        assert not http.is_closed


async def test_an_endless_response_is_cut() -> None:
    async with FakeServer() as fake:
        fake.fail(Reply(200, "x" * 3_000_000))
        wire = Transport("test", fake.url)
        assert len((await wire.request("GET", "/")).body) < 1_500_000
        await wire.close()


def test_waiting_times_are_numbers_or_nothing() -> None:
    told = {"7": 7.0, 1.5: 1.5, 0: 0.0, "-1": None, "nan": None, "inf": None, None: None, "Wed, 21 Oct": None}
    assert {value: seconds(value) for value in told} == told
