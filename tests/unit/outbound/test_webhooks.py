"""Webhooks of users: what is signed, and how repetitions are told."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from duly.outbound.addresses import HostRefusedError, UserUrl, networks
from duly.outbound.webhooks import WebhookClient, sign
from duly.testing import VirtualClock
from tests.channels.fakes.server import FakeServer, Seen
from tests.channels.samples import NOW

SECRET = "hush"  # noqa: S105  of the test
LOOPBACK = networks(["127.0.0.0/8"], "allow")


async def posted(fake: FakeServer, *, key: str = "run_1", secret: str | None = SECRET, **payload: object) -> Seen:
    client = WebhookClient(clock=VirtualClock(NOW), timeout=10.0, allowed=LOOPBACK)
    async with client.post(UserUrl.parse(f"{fake.url}/hook"), payload, key=key, secret=secret) as response:
        await response.aread()
    return fake.seen[-1]


async def test_the_time_and_the_body_are_signed() -> None:
    async with FakeServer() as fake:
        seen = await posted(fake, text="grüße")
        assert json.loads(seen.body) == {"text": "grüße"}
        assert seen.headers["x-duly-timestamp"] == str(int(NOW.timestamp()))
        assert seen.headers["x-duly-signature"] == sign(SECRET, seen.headers["x-duly-timestamp"], seen.body)
        assert seen.headers["content-type"] == "application/json"


def test_a_signature_is_of_the_version_the_time_and_the_body() -> None:
    signature = sign("secret", "1767225600", b"{}")
    assert signature == "v1=fa7eaa06bf97d7815f3f456e97cde70c9e50cb005f01660c8d10b10c21964887"
    assert signature != sign("other", "1767225600", b"{}")
    assert signature != sign("secret", "1767225601", b"{}")
    assert signature != sign("secret", "1767225600", b"{ }")


async def test_without_a_secret_nothing_is_signed() -> None:
    async with FakeServer() as fake:
        seen = await posted(fake, secret=None)
        assert "x-duly-signature" not in seen.headers
        assert "x-duly-timestamp" in seen.headers


async def test_the_key_of_a_request_survives_its_header() -> None:
    async with FakeServer() as fake:
        key = "sched_1/schedule/2026-03-01T09:00:00+00:00#api"
        assert (await posted(fake, key=key)).headers["idempotency-key"] == key
        assert (await posted(fake, key="run/1:ü b")).headers["idempotency-key"] == "run/1:%C3%BC%20b"


async def test_a_refused_address_is_refused_before_anything_is_sent() -> None:
    async with FakeServer() as fake:

        async def inside(host: str, port: int) -> Sequence[str]:
            return ["93.184.216.34", "127.0.0.1"]

        client = WebhookClient(clock=VirtualClock(NOW), timeout=10.0, resolver=inside)
        with pytest.raises(HostRefusedError, match=r"rebind\.example leads to 127\.0\.0\.1"):
            async with client.post(
                UserUrl.parse(f"http://rebind.example:{fake.port}/"), {}, key="run_1", secret=SECRET
            ):
                raise AssertionError("it was sent")
        assert fake.seen == []
