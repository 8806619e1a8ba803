"""Apprise: addresses are names of URLs, it retries nothing itself, and reports at most `sent`."""

from __future__ import annotations

import pytest

from duly.channels.apprise import AppriseChannel
from duly.errors import ChannelNotConfiguredError, ChannelPermanentError, ChannelTemporaryError
from tests.channels.fakes.server import FakeServer, Reply, Seen
from tests.channels.samples import ASKING, PLAIN


class FakeJson(FakeServer):
    """A server to which `json://` posts."""

    async def respond(self, _: Seen) -> Reply:
        return Reply(200, {})


@pytest.mark.usefixtures("apprise_threads")
async def test_a_message_goes_to_the_url_behind_the_name() -> None:
    async with FakeJson() as fake:
        channel = AppriseChannel({"phone": f"json://127.0.0.1:{fake.port}/hook"})
        receipt = await channel.send("phone", ASKING)
        assert (receipt.status, receipt.message_id) == ("sent", None)
        body = fake.seen[0].json
        assert body["title"] == "Medicine"
        assert body["message"].startswith("Did you take it?\n\nDone: https://duly.example/a/done")
        assert await channel.check() == "1 URLs understood: phone"
        assert not await channel.edit("phone", "1", "no")
        await channel.close()


@pytest.mark.usefixtures("apprise_threads")
async def test_a_failure_is_reported_once_and_without_the_url() -> None:
    async with FakeJson() as fake:
        channel = AppriseChannel({"phone": f"json://user:geheim@127.0.0.1:{fake.port}/?retry=5"})
        fake.fail(Reply(500, {}))
        with pytest.raises(ChannelTemporaryError, match="phone did not take") as failed:
            await channel.send("phone", PLAIN)
        assert len(fake.seen) == 1
        assert "geheim" not in f"{failed.value} {channel!r}"
        with pytest.raises(ChannelPermanentError, match="no URL named 'json://x'"):
            await channel.send("json://x", PLAIN)


def test_an_invalid_url_is_refused_with_its_key() -> None:
    with pytest.raises(ChannelNotConfiguredError, match=r"channels\.apprise\.urls\.phone"):
        AppriseChannel({"phone": "nonsense://geheim"})
