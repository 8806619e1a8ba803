"""How a claim shares out places: pools by handler, a lane for each owner, and tokens with the runs that need them."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from duly.engine.planner import TickPlanner
from duly.entropy import random_bits
from duly.model.run import Status
from duly.planning.places import SHARED_LANE, Pool
from duly.ports.records import Claimed, Cycle, StoredSchedule
from duly.ports.tokens import TokenRecord
from duly.stores.upcoming import REACH
from tests.conformance.stores.builders import JOB, START, at, due_job, ended, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant, full

ADA, BEN, CY = "user:ada", "user:ben", "project:cy"


def owned(owner: str, **fields: str) -> StoredSchedule:
    """A schedule in the namespace of an owner."""
    return schedule(f"of {owner} {fields}", namespace=owner, **fields)


async def waiting(
    harness: StoreHarness, owner: str, number: int, seconds: float = -100, **fields: str
) -> StoredSchedule:
    """A schedule of an owner with pending runs, a second apart, the first due so many seconds after the start."""
    await harness.add(row := owned(owner, **fields))
    await harness.put(*(new_run(row, seconds + each) for each in range(number)))
    return row


def pool(size: int, handlers: tuple[str, ...] = (JOB,), share: float = 0.5, **held: int) -> Pool:
    return Pool(handlers=handlers, size=size, owner_share=share, held=held)


def owners(claimed: list[Claimed]) -> Counter[str]:
    return Counter(run.namespace for run in claimed)


@conformant
async def test_one_owner_leaves_places_to_others(harness: StoreHarness) -> None:
    await waiting(harness, ADA, 30)
    turn = await harness.turn(pools=[pool(8)])
    assert owners(turn.claimed) == {ADA: 4}
    assert [run.fire_at for run in turn.claimed] == [at(-100 + each) for each in range(4)]
    await waiting(harness, BEN, 9, seconds=-1)
    held = Pool(handlers=(JOB,), size=8, owner_share=0.5, held={ADA: 4})
    assert owners((await harness.turn(pools=[held])).claimed) == {BEN: 2}


@conformant
async def test_a_lane_behind_very_many_runs_of_another_is_found(harness: StoreHarness) -> None:
    await waiting(harness, ADA, REACH * 8 + 5, seconds=-900)
    await waiting(harness, BEN, 1, seconds=-2)
    await waiting(harness, CY, 1, seconds=-1)
    filled = Pool(handlers=(JOB,), size=8, owner_share=0.5, held={ADA: 4})
    assert owners((await harness.turn(pools=[filled])).claimed) == {BEN: 1, CY: 1}
    assert owners((await harness.turn(pools=[pool(8)])).claimed) == {ADA: 4}


@conformant
async def test_owners_take_turns_with_the_shared_lane(harness: StoreHarness) -> None:
    await waiting(harness, ADA, 9)
    await waiting(harness, "default", 9, seconds=-50)
    turn = await harness.turn(pools=[pool(6)])
    assert owners(turn.claimed) == {ADA: 1, "default": 5}


@conformant
async def test_without_pools_the_longest_due_of_all_lanes_comes_first(harness: StoreHarness) -> None:
    for seconds, owner in ((-30, ADA), (-20, "default"), (-10, BEN)):
        await waiting(harness, owner, 1, seconds)
    claimed = []
    while batch := await harness.claim(limit=1):
        claimed += [run.namespace for run in batch]
    assert claimed == [ADA, "default", BEN]


@conformant
async def test_a_full_pool_does_not_keep_another_from_claiming(harness: StoreHarness) -> None:
    await waiting(harness, ADA, 5, handler="prompt:claude")
    await waiting(harness, ADA, 1, handler="message")
    handlers = ("message", "prompt:claude")
    filled = Pool(handlers=("prompt:claude",), size=2, held={SHARED_LANE: 2})
    turn = await harness.turn(handlers=handlers, pools=[filled, pool(1, ("message",))])
    assert [run.handler for run in turn.claimed] == ["message"]
    assert turn.next_wake is None  # the end of a prompt makes room, and tells of it


@conformant
async def test_the_next_wake_is_when_a_run_can_begin(harness: StoreHarness) -> None:
    await waiting(harness, ADA, 3)
    await harness.add(later := owned(BEN))
    await harness.put(new_run(later, 60))
    filled = Pool(handlers=(JOB,), size=2, owner_share=0.5, held={ADA: 1})
    turn = await harness.turn(pools=[filled])
    assert (turn.claimed, turn.next_wake) == ([], at(60))
    assert (await harness.turn(pools=[pool(1)])).claimed
    assert (await harness.turn(pools=[replace(filled, held={ADA: 2})])).next_wake is None


@conformant
async def test_what_waits_in_the_shared_lane_is_told(harness: StoreHarness) -> None:
    await waiting(harness, "default", 2, seconds=-9)
    turn = await harness.turn(pools=[pool(1)])
    assert len(turn.claimed) == 1
    assert at(-9) <= turn.waiting[JOB] <= at(-8)
    assert (await harness.turn(pools=[pool(2)])).waiting == {}


@conformant
async def test_only_the_shared_lane_is_claimed_at_birth_and_not_past_an_older_run(harness: StoreHarness) -> None:
    rows = [due_job(name, -5) for name in ("a", "b", "c")]
    mine = [replace(due_job(f"mine-{number}", -5), namespace=ADA) for number in range(3)]
    await harness.add(*rows, *mine)
    pools = [pool(6)]
    planner = TickPlanner(harness.now, pools, random_bits)
    turn = await harness.turn(planner=planner, plan_limit=9, pools=pools)
    assert owners(turn.claimed) == {"default": 3, ADA: 2}

    await harness.add(due_job("late", -5))
    planner = TickPlanner(harness.now, pools, random_bits, {JOB: at(-6)})
    older = await waiting(harness, "butler", 1, seconds=-6)
    turn = await harness.turn(planner=planner, plan_limit=9, pools=[pool(1)])
    assert [run.schedule_id for run in turn.claimed] == [older.id]


@conformant
async def test_a_run_stays_in_its_lane_over_its_attempts(harness: StoreHarness) -> None:
    await waiting(harness, ADA, 1)
    [run] = (await harness.turn(pools=[pool(4)])).claimed
    again = ended(run, 0, Status.FAILED, error="boom", retry_at=at(0))
    held = Pool(handlers=(JOB,), size=4, owner_share=0.5, held={ADA: 2})
    assert (await harness.turn(again, pools=[held])).claimed == []
    assert [each.run_id for each in (await harness.turn(pools=[pool(4)])).claimed] == [run.run_id]


@conformant
async def test_two_nodes_take_different_runs_of_the_same_owners(shared_harness: StoreHarness) -> None:
    for owner in (ADA, BEN, CY):
        await waiting(shared_harness, owner, 40)
    other = await shared_harness.another()
    stores = (shared_harness.store, other)
    claimed: list[str] = []
    for _ in range(4):
        turns = [
            store.cycle(Cycle(f"node_{number}", shared_harness.now, handlers=(JOB,), pools=[pool(12)]))
            for number, store in enumerate(stores)
        ]
        claimed += [run.run_id for turn in await asyncio.gather(*turns) for run in turn.claimed]
    assert len(claimed) == len(set(claimed)) > 0


def token(name: str) -> TokenRecord:
    return TokenRecord(id=f"tok_{name}", name=name, hash=name * 8, scope="admin", created_at=START)


@pytest.mark.parametrize("at_birth", [True, False])
@conformant
async def test_a_run_comes_with_the_tokens_whose_rights_count(full_harness: StoreHarness, at_birth: bool) -> None:
    harness = full_harness
    await full(harness.store).tokens.add(token("maker"))
    await full(harness.store).tokens.add(token("changer"))
    people = {
        "alone": ("tok_maker", None),
        "both": ("tok_maker", "tok_changer"),
        "same": ("tok_maker", "tok_maker"),
        "gone": ("tok_gone", "local"),
        "local": (None, "tok_changer"),
        "free": ("usr_1", None),
    }
    rows = [replace(due_job(name, -1), created_by=by, changed_by=last) for name, (by, last) in people.items()]
    await harness.add(*rows)
    planner = TickPlanner(harness.now, [pool(9 if at_birth else 0)], random_bits)
    turn = await harness.turn(planner=planner, plan_limit=9, pools=[pool(9)])
    maker, changer = token("maker"), token("changer")
    expected = {
        "alone": (["tok_maker"], {maker.id: maker}),
        "both": (["tok_maker", "tok_changer"], {maker.id: maker, changer.id: changer}),
        "same": (["tok_maker"], {maker.id: maker}),
        "gone": (["tok_gone"], {}),
        "local": (["tok_changer"], {changer.id: changer}),
        "free": ([], {}),
    }
    assert {run.name: (run.token_ids, dict(run.tokens)) for run in turn.claimed} == expected
    adopted = await harness.store.adopt("node_a", ())
    assert {run.name: (run.token_ids, dict(run.tokens)) for run in adopted} == expected


@conformant
async def test_a_token_revoked_meanwhile_comes_as_revoked(full_harness: StoreHarness) -> None:
    await full(full_harness.store).tokens.add(token("maker"))
    await full_harness.add(row := schedule(created_by="tok_maker"))
    await full_harness.put(new_run(row))
    await full(full_harness.store).tokens.revoke("tok_maker", at(-1))
    [run] = await full_harness.claim()
    assert run.tokens["tok_maker"].revoked_at == at(-1)
