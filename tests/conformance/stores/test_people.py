"""People, their channels, and the codes that pair a chat with a person."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from duly.errors import InvalidInputError
from duly.ports.people import People, User, UserChannel
from duly.ports.store import FullStore
from duly.ports.tokens import TokenRecord
from tests.conformance.stores.builders import START, at
from tests.conformance.stores.harness import StoreHarness, conformant, full

ANA = User(id="user_a", name="Ana", created_at=START)
BEN = User(id="user_b", name="ben", created_at=at(1))


def people_of(harness: StoreHarness) -> People:
    return cast(FullStore, harness.store).people


async def with_two(harness: StoreHarness) -> People:
    people = people_of(harness)
    await people.save(ANA)
    await people.save(BEN)
    return people


@conformant
async def test_a_person_comes_back_as_they_are(shared_harness: StoreHarness) -> None:
    people = people_of(shared_harness)
    full = User(
        id="user_c",
        name="Čedomir",
        timezone="Europe/Zagreb",
        language="hr",
        is_admin=True,
        quiet_from="22:00",
        quiet_to="07:00",
        created_at=at(0.000001),
    )
    await people.save(full)
    assert await people.get("user_c") == full
    assert await people.find("Čedomir") == full
    assert (await people.get("user_d"), await people.find("čedomir")) == (None, None)


@conformant
async def test_saving_again_changes_everything_but_the_birthday(shared_harness: StoreHarness) -> None:
    people = await with_two(shared_harness)
    await people.save(User(id="user_a", name="Anna", language="de", created_at=at(99)))
    assert await people.get("user_a") == User(id="user_a", name="Anna", language="de", created_at=START)
    assert [each.name for each in await people.all()] == ["Anna", "ben"]


@conformant
async def test_a_name_belongs_to_one(shared_harness: StoreHarness) -> None:
    people = await with_two(shared_harness)
    with pytest.raises(InvalidInputError, match="the name 'ben' is taken"):
        await people.save(User(id="user_c", name="ben", created_at=START))
    with pytest.raises(InvalidInputError, match="the name 'Ana' is taken"):
        await people.save(User(id="user_b", name="Ana", created_at=START))
    assert await people.all() == [ANA, BEN]


@conformant
async def test_channels_come_in_order_of_preference(shared_harness: StoreHarness) -> None:
    people = await with_two(shared_harness)
    email, chat, second = (
        UserChannel(user_id="user_a", channel="email", address="a@example.org", preference=2),
        UserChannel(user_id="user_a", channel="telegram", address="17", preference=1),
        UserChannel(user_id="user_a", channel="telegram", address="18", preference=3),
    )
    for channel in (email, chat, second):
        await people.add_channel(channel)
    assert await people.channels("user_a") == [chat, email, second]
    await people.add_channel(UserChannel(user_id="user_a", channel="email", address="a@example.org", preference=0))
    assert [each.channel for each in await people.channels("user_a")] == ["email", "telegram", "telegram"]
    assert await people.by_address("telegram", "18") == second
    assert await people.by_address("email", "18") is None
    assert await people.remove_channel("user_a", "telegram", "18")
    assert not await people.remove_channel("user_a", "telegram", "18")
    assert not await people.remove_channel("user_b", "telegram", "17")
    assert [each.address for each in await people.channels("user_a")] == ["a@example.org", "17"]


@conformant
async def test_an_address_belongs_to_one(shared_harness: StoreHarness) -> None:
    people = await with_two(shared_harness)
    await people.add_channel(UserChannel(user_id="user_a", channel="telegram", address="17"))
    with pytest.raises(InvalidInputError, match="telegram '17' belongs to another person"):
        await people.add_channel(UserChannel(user_id="user_b", channel="telegram", address="17"))
    with pytest.raises(InvalidInputError, match="no user 'user_x'"):
        await people.add_channel(UserChannel(user_id="user_x", channel="telegram", address="18"))
    found = await people.by_address("telegram", "17")
    assert found is not None
    assert found.user_id == ANA.id


@conformant
async def test_who_paired_an_address_stays_known(shared_harness: StoreHarness) -> None:
    people = await with_two(shared_harness)
    group = UserChannel(user_id="user_a", channel="telegram", address="-5", sender="7")
    await people.add_channel(group)
    assert await people.by_address("telegram", "-5") == group
    await people.add_channel(replace(group, preference=3, sender=None))
    assert await people.channels("user_a") == [replace(group, preference=3)]
    await people.add_channel(replace(group, sender="8"))
    assert await people.by_address("telegram", "-5") == replace(group, sender="8")


@conformant
async def test_who_is_removed_is_not_reached_any_more(shared_harness: StoreHarness) -> None:
    people = await with_two(shared_harness)
    await people.add_channel(UserChannel(user_id="user_a", channel="telegram", address="17"))
    await people.add_code("digest", "user_a", "slack", at(60))
    assert await people.remove("user_a", at(1)) == []
    assert await people.remove("user_a", at(1)) is None
    assert await people.by_address("telegram", "17") is None
    assert await people.take_code("digest", "slack", at(0)) is None
    await people.add_channel(UserChannel(user_id="user_b", channel="telegram", address="17"))


@conformant
async def test_a_code_works_once_in_its_channel_and_in_time(shared_harness: StoreHarness) -> None:
    people = await with_two(shared_harness)
    for code in ("one", "two"):
        await people.add_code(code, "user_a", "telegram", at(60))
    assert await people.take_code("one", "slack", at(0)) is None
    assert await people.take_code("none", "telegram", at(0)) is None
    assert await people.take_code("one", "telegram", at(59)) == ANA
    assert await people.take_code("one", "telegram", at(59)) is None
    assert await people.take_code("two", "telegram", at(60)) is None


@conformant
async def test_removing_a_person_revokes_only_their_tokens(full_harness: StoreHarness) -> None:
    store = full(full_harness.store)
    await store.people.save(ANA)
    for number, scope in enumerate(["user:user_a", "user:user_a:ro", "user:user_ab", "project:user_a", "admin"]):
        record = TokenRecord(id=f"tok_{number}", name="x", hash=str(number), scope=scope, created_at=at(0))
        await store.tokens.add(record)
    await store.tokens.revoke("tok_1", at(1))
    gone = await store.people.remove("user_a", at(9))
    assert [(each.id, each.revoked_at) for each in gone or []] == [("tok_0", at(9))]
    revoked = {each.id: each.revoked_at for each in await store.tokens.all() if each.revoked_at is not None}
    assert revoked == {"tok_0": at(9), "tok_1": at(1)}
