"""Links to calendar feeds: found by the hash of their secret, replaced under their id, removed for good."""

from __future__ import annotations

from dataclasses import replace

from duly.ports.calendar import CalendarLink
from tests.conformance.stores.builders import at
from tests.conformance.stores.harness import StoreHarness, conformant, full


def link(name: str = "phone", token: str | None = None, seconds: float = 0) -> CalendarLink:
    return CalendarLink(id=f"cal_{name}", name=name, hash=f"hash of {name}", token_id=token, created_at=at(seconds))


@conformant
async def test_a_link_is_found_by_its_id_and_its_hash(full_harness: StoreHarness) -> None:
    links = full(full_harness.store).calendar_links
    for each in (link(), link("laptop", "tok_1", 1)):
        await links.put(each)
        assert await links.get(each.id) == each
        assert await links.by_hash(each.hash) == each
    assert await links.get("cal_other") is None
    assert await links.by_hash("") is None


@conformant
async def test_links_are_listed_by_their_maker(full_harness: StoreHarness) -> None:
    links = full(full_harness.store).calendar_links
    mine, first, second = link("local"), link("b", "tok_1", 1), link("a", "tok_1", 2)
    for each in (second, mine, first):
        await links.put(each)
    assert await links.all() == [mine, first, second]
    assert await links.of_token("tok_1") == [first, second]
    assert await links.of_token(None) == [mine]


@conformant
async def test_a_link_gets_another_secret_and_notes_its_use(full_harness: StoreHarness) -> None:
    links = full(full_harness.store).calendar_links
    await links.put(link())
    renewed = replace(link(), hash="another", created_at=at(5))
    await links.put(renewed)
    assert await links.by_hash("hash of phone") is None
    await links.note_use(renewed.id, at(7.000001))
    assert await links.get(renewed.id) == replace(renewed, last_used_at=at(7.000001))


@conformant
async def test_a_removed_link_is_gone(full_harness: StoreHarness) -> None:
    links = full(full_harness.store).calendar_links
    await links.put(link())
    assert await links.remove("cal_phone")
    assert not await links.remove("cal_phone")
    assert await links.all() == []
