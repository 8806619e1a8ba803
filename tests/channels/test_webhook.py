"""Webhooks: requests are signed and repeatable, and go to no private address that is not allowed."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from duly.channels.webhook import WebhookChannel
from duly.errors import ChannelPermanentError, ChannelTemporaryError, ChannelUnknownError, InvalidInputError
from duly.outbound.addresses import networks
from duly.testing import VirtualClock
from tests.channels.fakes.certificates import certificate
from tests.channels.fakes.receiver import FakeReceiver
from tests.channels.fakes.secrets import WEBHOOK_SECRET
from tests.channels.fakes.server import Hang, HangUp, Reply
from tests.channels.samples import ASKING, NOW, PLAIN, QUICK

LOOPBACK = networks(["127.0.0.0/8"], "allow")


def channel(secret: str = WEBHOOK_SECRET, *, wait: float = 10.0) -> WebhookChannel:
    return WebhookChannel(secret, VirtualClock(NOW), allowed=LOOPBACK, timeout=wait)


async def test_a_receiver_can_verify_read_and_tell_repetitions() -> None:
    async with FakeReceiver() as fake:
        hook = channel()
        url = f"{fake.url}/hooks/a%2Fb?user=7"
        receipt = await hook.send(url, ASKING)
        assert (receipt.status, receipt.message_id) == ("delivered", "mine-1")
        await hook.send(url, ASKING)
        assert list(fake.taken) == [ASKING.key]
        body = fake.taken[ASKING.key]
        assert (body["title"], body["text"]) == ("Medicine", "Did you take it?")
        assert body["buttons"][0] == {
            "kind": "done",
            "label": "Done",
            "token": "tok-done",
            "url": "https://duly.example/a/done",
        }
        seen = fake.seen[0]
        assert seen.target == "/hooks/a%2Fb?user=7"
        assert seen.headers["host"] == f"127.0.0.1:{fake.port}"
        assert seen.headers["x-duly-timestamp"] == str(int(NOW.timestamp()))
        assert not await hook.edit(url, "mine-1", "no")
        await hook.send(url, replace(ASKING, key="run/1:ü"))
        assert fake.seen[-1].headers["idempotency-key"] == "run/1:%C3%BC"
        await hook.close()


async def test_each_status_is_the_right_result() -> None:
    async with FakeReceiver() as fake:
        hook = channel()
        fake.fail(Reply(503, None, {"Retry-After": "9"}), Reply(410, None), HangUp)
        with pytest.raises(ChannelTemporaryError) as trouble:
            await hook.send(fake.url, PLAIN)
        assert trouble.value.retry_after == 9
        with pytest.raises(ChannelPermanentError, match="did not take the message"):
            await hook.send(fake.url, PLAIN)
        with pytest.raises(ChannelUnknownError):
            await hook.send(fake.url, PLAIN)
        await hook.close()
        other = channel("another secret")
        with pytest.raises(ChannelPermanentError, match="HTTP 401"):
            await other.send(fake.url, PLAIN)
        await other.close()


async def test_a_url_may_hold_a_secret_and_is_not_repeated_in_errors() -> None:
    async with FakeReceiver() as fake:
        hook = channel(wait=2 * QUICK)
        fake.fail(Reply(500, None), Hang)
        for _ in range(2):
            with pytest.raises((ChannelTemporaryError, ChannelUnknownError)) as failed:
                await hook.send(f"{fake.url}/capability-url?key=hidden", PLAIN)
            assert "capability" not in str(failed.value)
            assert "hidden" not in str(failed.value)
        await hook.close()


async def test_a_forbidden_address_is_refused_before_anything_is_sent() -> None:
    async with FakeReceiver() as fake:
        hook = WebhookChannel(WEBHOOK_SECRET, VirtualClock(NOW))
        for url in (fake.url, f"http://localhost:{fake.port}/", f"http://2130706433:{fake.port}/"):
            with pytest.raises(ChannelPermanentError, match="not public"):
                await hook.send(url, PLAIN)
        assert fake.seen == []
        await hook.close()


async def test_an_invalid_host_name_is_a_permanent_error() -> None:
    hook = WebhookChannel(WEBHOOK_SECRET, VirtualClock(NOW))
    for host in ("a" * 64 + ".example", "exa‥mple.com", "\ud800.example"):
        with pytest.raises(ChannelPermanentError, match="is no name of a host"):
            await hook.send(f"http://{host}/", PLAIN)


async def test_one_bad_address_refuses_the_host() -> None:
    async def split(host: str, port: int) -> Sequence[str]:
        return ["93.184.216.34", "10.0.0.1"]

    hook = WebhookChannel(WEBHOOK_SECRET, VirtualClock(NOW), resolver=split)
    with pytest.raises(ChannelPermanentError, match=r"rebind\.example leads to 10\.0\.0\.1"):
        await hook.send("http://rebind.example/", PLAIN)


async def test_the_checked_address_is_the_one_connected_to() -> None:
    """The name is resolved once, so it cannot change between the check and the connection."""
    async with FakeReceiver() as fake:
        asked: list[str] = []

        async def once(host: str, port: int) -> Sequence[str]:
            asked.append(host)
            return ["127.0.0.1"]

        hook = WebhookChannel(WEBHOOK_SECRET, VirtualClock(NOW), allowed=LOOPBACK, resolver=once)
        await hook.send(f"http://name-that-does-not-exist.invalid:{fake.port}/x", PLAIN)
        assert asked == ["name-that-does-not-exist.invalid"]
        assert fake.seen[0].headers["host"] == f"name-that-does-not-exist.invalid:{fake.port}"
        await hook.close()


async def test_names_in_any_script_and_addresses_of_either_kind() -> None:
    async with FakeReceiver() as fake:

        async def here(host: str, port: int) -> Sequence[str]:
            return ["127.0.0.1"]

        hook = WebhookChannel(WEBHOOK_SECRET, VirtualClock(NOW), allowed=LOOPBACK, resolver=here)
        hosts = {"bücher.example": "xn--bcher-kva.example", "[2606:2800:220:1::1]": "[2606:2800:220:1::1]"}
        for written, sent in hosts.items():
            await hook.send(f"http://{written}:{fake.port}/ü?x=ä b", PLAIN)
            assert fake.seen[-1].headers["host"] == f"{sent}:{fake.port}"
            assert fake.seen[-1].target == "/%C3%BC?x=%C3%A4%20b"
        with pytest.raises(ChannelPermanentError, match="no name of a host"):
            await hook.send(f"http://{'ü' * 70}.example/", PLAIN)
        await hook.close()


async def test_a_name_without_an_address_is_tried_again() -> None:
    async def unknown(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    hook = WebhookChannel(WEBHOOK_SECRET, VirtualClock(NOW), resolver=unknown)
    with pytest.raises(ChannelTemporaryError, match="no address at the moment"):
        await hook.send("https://hooks.example/", PLAIN)


@pytest.mark.parametrize(
    "url",
    ["", "ftp://x.example/", "file:///etc/passwd", "http://", "https://u:p@x.example/", "http://[::1", "http://x:0/"],
)
async def test_an_invalid_url_is_a_permanent_error(url: str) -> None:
    with pytest.raises(ChannelPermanentError, match="webhook:"):
        await channel().send(url, PLAIN)


async def test_encryption_proves_the_name_and_not_the_address(tmp_path: Path) -> None:
    serving, trusting = certificate(tmp_path, "hooks.example")

    async def here(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    async with FakeReceiver(tls=serving) as fake:
        hook = WebhookChannel(WEBHOOK_SECRET, VirtualClock(NOW), allowed=LOOPBACK, resolver=here, tls=trusting)
        await hook.send(f"https://hooks.example:{fake.port}/", PLAIN)
        with pytest.raises(ChannelTemporaryError, match=r"[Cc]ertificate"):
            await hook.send(f"https://other.example:{fake.port}/", replace(PLAIN, key="other"))
        assert list(fake.taken) == [PLAIN.key]
        await hook.close()


def test_networks_are_read_with_their_key() -> None:
    with pytest.raises(InvalidInputError, match=r"channels\.webhook\.allow: '10\.0\.0\.0/99'"):
        networks(["10.0.0.0/99"], "channels.webhook.allow")
