"""Reading Matrix rooms: what people write after duly began to listen is handed on once, in order."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from duly.channels.listening import Pauses
from duly.channels.matrix import MatrixChannel
from duly.channels.matrix_sync import MatrixSync
from duly.ports.channels import Incoming
from tests.channels.fakes.matrix import ROOM, FakeMatrix
from tests.channels.fakes.secrets import MATRIX_TOKEN

ANN = "@ann:example.org"
ME = "@duly:example.org"


class Rooms:
    """A homeserver, and what duly read there."""

    def __init__(self, fake: FakeMatrix, **options: Any) -> None:
        self.fake = fake
        self.channel = MatrixChannel(fake.url, MATRIX_TOKEN, **options)
        self.heard: list[Incoming] = []
        self.places: dict[str, str] = {}
        self.broken = 0

    def sync(self) -> MatrixSync:
        return MatrixSync(self.channel, self.take, load=self.load, save=self.save, wait=0)

    async def take(self, incoming: Incoming) -> None:
        if self.broken:
            self.broken -= 1
            raise OSError("the store is away")
        self.heard.append(incoming)

    async def load(self, account: str) -> str | None:
        return self.places.get(account)

    async def save(self, account: str, place: str) -> None:
        self.places[account] = place


@asynccontextmanager
async def rooms(**options: Any) -> AsyncIterator[Rooms]:
    async with FakeMatrix() as fake:
        world = Rooms(fake, **options)
        yield world
        await world.channel.close()


async def test_what_was_written_before_duly_listened_is_not_read() -> None:
    async with rooms() as world:
        world.fake.say(ANN, "long ago")
        sync = world.sync()
        await sync.listen(Pauses())
        world.fake.say(ANN, "took it")
        await sync.listen(Pauses())
        [incoming] = world.heard
        assert (incoming.text, incoming.address, incoming.sender) == ("took it", ROOM, ANN)
        assert world.places == {ME: "s2"}


async def test_another_process_goes_on_at_the_saved_place() -> None:
    async with rooms() as world:
        await world.sync().listen(Pauses())
        world.fake.say(ANN, "while duly was away")
        await world.sync().listen(Pauses())
        assert [each.text for each in world.heard] == ["while duly was away"]


async def test_a_message_that_could_not_be_handled_is_read_again() -> None:
    async with rooms() as world:
        sync = world.sync()
        await sync.listen(Pauses())
        world.fake.say(ANN, "took it")
        world.broken = 1
        with pytest.raises(OSError, match="store is away"):
            await sync.listen(Pauses())
        await sync.listen(Pauses())
        assert [each.text for each in world.heard] == ["took it"]


async def test_replies_and_reactions_name_their_message_and_our_own_edits_and_notices_are_left_out() -> None:
    async with rooms() as world:
        sync = world.sync()
        await sync.listen(Pauses())
        reply = {"m.relates_to": {"m.in_reply_to": {"event_id": "$event0"}}}
        world.fake.say(ANN, "> <@duly:example.org> Take it\n\nin 10 minutes", **reply)
        world.fake.say(ME, "⏰ I will remind you")
        edit = {"m.relates_to": {"rel_type": "m.replace", "event_id": "$said1"}}
        world.fake.say(ANN, "* in 20 minutes", **edit)
        world.fake.event(ANN, "m.room.message", {"msgtype": "m.notice", "body": "from a bot"})
        relation = {"rel_type": "m.annotation", "event_id": "$event0", "key": "👍️"}
        world.fake.event(ANN, "m.reaction", {"m.relates_to": relation})
        for _ in range(5):
            await sync.listen(Pauses())
        said, reacted = world.heard
        assert (said.text, said.quoted) == ("in 10 minutes", "$event0")
        assert (reacted.reaction, reacted.quoted, reacted.text) == ("👍️", "$event0", None)


async def test_pictures_and_voice_messages_come_without_words_and_captions_with_theirs() -> None:
    async with rooms() as world:
        sync = world.sync()
        await sync.listen(Pauses())
        picture = {"msgtype": "m.image", "body": "IMG_1.jpg", "url": "mxc://example.org/abc", "info": {"w": 1}}
        voice = {
            "msgtype": "m.audio",
            "body": "Voice message",
            "url": "mxc://example.org/d",
            "org.matrix.msc3245.voice": {},
        }
        sent: list[tuple[str, dict[str, Any]]] = [
            ("m.room.message", picture),
            ("m.room.message", voice),
            ("m.sticker", {"body": "a cat", "url": "mxc://example.org/e"}),
            ("m.room.message", {**picture, "filename": "IMG_1.jpg"}),
            ("m.room.message", {**picture, "filename": "IMG_1.jpg", "body": "done"}),
            ("m.room.message", {"msgtype": "m.emote", "body": "waves"}),
        ]
        for kind, content in sent:
            world.fake.event(ANN, kind, content)
            await sync.listen(Pauses())
        assert [each.text for each in world.heard] == [None, None, None, None, "done", "waves"]
        assert all(each.to_us for each in world.heard)


async def test_an_encrypted_room_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    async with rooms() as world:
        sync = world.sync()
        await sync.listen(Pauses())
        for _ in range(2):
            world.fake.event(ANN, "m.room.encrypted", {"algorithm": "m.megolm.v1.aes-sha2", "ciphertext": "x"})
            await sync.listen(Pauses())
        assert len([each for each in caplog.messages if "is encrypted" in each]) == 1


@pytest.mark.parametrize("allowed", [True, False])
async def test_rooms_are_entered_only_where_that_is_allowed(allowed: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "duly")
    async with rooms(joins_invites=allowed) as world:
        sync = world.sync()
        await sync.listen(Pauses())
        world.fake.news.append({"invite": {"!new:example.org": {"invite_state": {"events": []}}}})
        await sync.listen(Pauses())
        assert world.fake.joined == (["!new:example.org"] if allowed else [])
        assert any("join_invites = true" in each for each in caplog.messages) is not allowed


async def test_in_a_room_of_many_only_replies_and_mentions_are_for_us() -> None:
    async with rooms() as world:
        world.fake.members.append("@ben:example.org")
        sync = world.sync()
        await sync.listen(Pauses())
        world.fake.say(ANN, "see you tomorrow at 5")
        world.fake.say(ANN, "duly: what's on today?", **{"m.mentions": {"user_ids": [ME]}})
        world.fake.say(ANN, "done", **{"m.relates_to": {"m.in_reply_to": {"event_id": "$event0"}}})
        for _ in range(3):
            await sync.listen(Pauses())
        assert [each.to_us for each in world.heard] == [False, True, True]


async def test_in_a_room_of_two_everything_is_for_us() -> None:
    async with rooms() as world:
        sync = world.sync()
        await sync.listen(Pauses())
        world.fake.say(ANN, "what's on today?")
        await sync.listen(Pauses())
        assert [each.to_us for each in world.heard] == [True]
