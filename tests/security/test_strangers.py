"""A stranger gets one answer, for any number of messages and restarts of duly."""

from __future__ import annotations

from pathlib import Path

from duly.channels.kinds import INBOUND_KEYS
from duly.ports.channels import Incoming
from tests.world import World, world


async def said(here: World, channel: str, address: str, sender: str, number: int) -> str | None:
    """What duly answers to a message."""
    incoming = Incoming(channel=channel, address=address, sender=sender, message_id=f"m{number}", text="hello")
    return (await here.runtime.services.intake.handle(incoming)).reply


async def test_a_stranger_is_answered_once(tmp_path: Path) -> None:
    channels = (*INBOUND_KEYS, "matrix", "mail")
    async with world(tmp_path) as here:
        for channel in channels:
            answers = [await said(here, channel, "chat", "eve", number) for number in range(5)]
            assert answers[0] is not None
            assert "I do not know this chat yet" in answers[0]
            assert answers[1:] == [None] * 4
            assert await said(here, channel, "another chat", "eve", 20) is None  # the same sender elsewhere
            assert await said(here, channel, "chat", "mallory", 21) is None  # another member of the same chat
            assert await said(here, channel, "chat of bob", "bob", 22) is not None
    async with world(tmp_path) as here:  # started again
        assert [await said(here, channel, "chat", "eve", 30) for channel in channels] == [None] * len(channels)


async def test_a_stranger_who_pairs_is_answered(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.person("Eve")
        assert await said(here, "telegram", "chat", "eve", 1) is not None
        assert await said(here, "telegram", "chat", "eve", 2) is None
        code = await here.runtime.services.reminder_service.people.make_code("Eve", "telegram")
        incoming = Incoming(channel="telegram", address="chat", sender="eve", message_id="m3", text=code)
        paired = await here.runtime.services.intake.handle(incoming)
        assert paired.reply is not None
        assert "Eve" in paired.reply
