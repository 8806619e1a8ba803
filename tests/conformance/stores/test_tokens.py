"""Tokens: stored as hashes, found by their hashes, revoked for good."""

from __future__ import annotations

from dataclasses import replace

import pytest

from duly.errors import InvalidInputError
from duly.planning.attention import EndedToken
from duly.ports.records import ScheduleFilter
from duly.ports.tokens import TokenRecord
from tests.conformance.stores.builders import at, schedule
from tests.conformance.stores.harness import StoreHarness, conformant, full


def token(name: str = "laptop", seconds: float = 0) -> TokenRecord:
    return TokenRecord(
        id=f"tok_{name}", name=name, hash=f"hash of {name}", scope='{"all":true}', created_at=at(seconds)
    )


@conformant
async def test_a_token_is_found_by_its_id_and_by_its_hash(full_harness: StoreHarness) -> None:
    tokens = full(full_harness.store).tokens
    used = replace(token("phone"), last_used_at=at(1.000001), revoked_at=at(2))
    for each in (token(), used):
        await tokens.add(each)
        assert await tokens.get(each.id) == each
        assert await tokens.by_hash(each.hash) == each


@conformant
async def test_what_is_not_there_is_not_found(full_harness: StoreHarness) -> None:
    tokens = full(full_harness.store).tokens
    await tokens.add(token())
    assert await tokens.get("tok_nobody") is None
    assert await tokens.by_hash("") is None
    assert await tokens.by_hash("HASH OF LAPTOP") is None
    assert await tokens.revoke("tok_nobody", at(1)) is None
    await tokens.note_use("tok_nobody", at(1))
    assert await tokens.all() == [token()]


@conformant
async def test_all_come_the_oldest_first_revoked_ones_too(full_harness: StoreHarness) -> None:
    tokens = full(full_harness.store).tokens
    assert await tokens.all() == []
    for each in (token("c", 5), token("b", 1), token("a", 5), token("d", 3)):
        await tokens.add(each)
    await tokens.revoke("tok_b", at(9))
    assert [each.name for each in await tokens.all()] == ["b", "d", "a", "c"]


@conformant
async def test_names_may_repeat(full_harness: StoreHarness) -> None:
    tokens = full(full_harness.store).tokens
    await tokens.add(token())
    await tokens.add(replace(token(), id="tok_second", hash="another"))
    assert {each.name for each in await tokens.all()} == {"laptop"}


@conformant
async def test_a_token_added_again_stays_as_it_has_become(full_harness: StoreHarness) -> None:
    tokens = full(full_harness.store).tokens
    await tokens.add(token())
    await tokens.revoke("tok_laptop", at(1))
    await tokens.add(token())
    assert await tokens.all() == [replace(token(), revoked_at=at(1))]


@conformant
async def test_an_id_or_hash_that_is_taken_is_refused(full_harness: StoreHarness) -> None:
    tokens = full(full_harness.store).tokens
    await tokens.add(token())
    for other in (replace(token(), id="tok_new"), replace(token(), hash="new")):
        with pytest.raises(InvalidInputError, match="taken") as caught:
            await tokens.add(other)
        assert token().hash not in str(caught.value)
    assert await tokens.all() == [token()]


@conformant
async def test_the_first_revocation_counts(full_harness: StoreHarness) -> None:
    tokens = full(full_harness.store).tokens
    await tokens.add(token())
    revoked = replace(token(), revoked_at=at(10))
    assert await tokens.revoke("tok_laptop", at(10)) == revoked
    assert await tokens.revoke("tok_laptop", at(20)) == revoked
    assert await tokens.by_hash(token().hash) == revoked


@conformant
async def test_the_latest_use_is_recorded_in_any_order(full_harness: StoreHarness) -> None:
    tokens = full(full_harness.store).tokens
    await tokens.add(token())
    for seconds in (5, 20, 10):
        await tokens.note_use("tok_laptop", at(seconds))
    assert await tokens.get("tok_laptop") == replace(token(), last_used_at=at(20))


@conformant
async def test_another_process_sees_a_revocation(full_harness: StoreHarness) -> None:
    other = full(await full_harness.another())
    await full(full_harness.store).tokens.add(token())
    await other.tokens.revoke("tok_laptop", at(1))
    found = await full(full_harness.store).tokens.by_hash(token().hash)
    assert found is not None
    assert found.revoked_at == at(1)


@conformant
async def test_grants_and_ends_are_kept(full_harness: StoreHarness) -> None:
    tokens = full(full_harness.store).tokens
    kept = replace(token(), grants=("gates:drafts", "prompts:*"), expires_at=at(90.000001))
    await tokens.add(kept)
    assert await tokens.get(kept.id) == kept
    assert await tokens.all() == [kept]


@conformant
async def test_a_change_replaces_all_but_the_id_and_the_old_secret_is_found_as_well(full_harness: StoreHarness) -> None:
    tokens = full(full_harness.store).tokens
    await tokens.add(token())
    await tokens.add(token("phone"))
    rotated = replace(token(), hash="new", old_hash=token().hash, old_until=at(60), scope="admin", grants=("gates:x",))
    assert await tokens.change("tok_laptop", lambda _before: rotated) == rotated
    for shown in ("new", token().hash):
        assert await tokens.by_hash(shown) == rotated
    assert await tokens.get("tok_phone") == token("phone")
    assert await tokens.change("tok_nobody", lambda before: before) is None


@conformant
async def test_a_change_that_is_refused_changes_nothing(full_harness: StoreHarness) -> None:
    tokens = full(full_harness.store).tokens
    await tokens.add(token())

    def refuse(_before: TokenRecord) -> TokenRecord:
        raise InvalidInputError("no")

    with pytest.raises(InvalidInputError, match="no"):
        await tokens.change("tok_laptop", refuse)
    assert await tokens.get("tok_laptop") == token()


@conformant
async def test_what_an_ended_token_made_or_changed_is_in_trouble(full_harness: StoreHarness) -> None:
    store = full(full_harness.store)
    for name, fields in (
        ("revoked", {"revoked_at": at(5)}),
        ("expired", {"expires_at": at(10)}),
        ("later", {"expires_at": at(10.000001)}),
    ):
        await store.tokens.add(replace(token(name), **fields))  # type: ignore[arg-type]
    made = schedule("made", created_by="tok_revoked")
    changed = schedule("changed", created_by="local", changed_by="tok_expired")
    fine = schedule("fine", created_by="tok_later", changed_by="local")
    paused = schedule("paused", created_by="tok_revoked", enabled=False)
    await full_harness.add(made, changed, fine, paused)
    found = await store.troubled(at(10), [], ended_after=at(0), limit=10)
    assert found.disowned == {
        made.id: EndedToken(id="tok_revoked", changed=False, expired=False, since=at(5)),
        changed.id: EndedToken(id="tok_expired", changed=True, expired=True, since=at(10)),
    }
    assert {row.id for row in found.rows} >= {made.id, changed.id}


@conformant
async def test_schedules_are_found_by_the_token_that_made_or_changed_them(harness: StoreHarness) -> None:
    rows = [
        schedule("a", created_by="tok_1"),
        schedule("b", created_by="local", changed_by="tok_1"),
        schedule("c", created_by="tok_2", changed_by="local"),
    ]
    await harness.add(*rows)
    for wanted, names in (("tok_1", ["a", "b"]), ("tok_2", ["c"]), ("tok_3", [])):
        assert [row.name for row in await harness.store.schedules(ScheduleFilter(token=wanted))] == names
