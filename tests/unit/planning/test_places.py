"""Places are shared out fairly: no owner holds too many, none waits while there is a place that it may have."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.planning.places import (
    SHARED_LANE,
    Pool,
    PoolKind,
    Ready,
    full_lanes,
    lane_of,
    may_begin,
    pool_kind,
    pools_of,
    share_out,
)

ADA, BEN, CY = "user:ada", "user:ben", "project:cy"
LANES = st.sampled_from([SHARED_LANE, ADA, BEN, CY, "user:dan", "project:eve"])
SHARES = st.sampled_from([0.1, 0.25, 0.5, 0.75, 1.0])
POOLS = st.builds(
    lambda size, held, share: Pool(handlers=(), size=size, held=held, owner_share=share),
    st.integers(1, 40),
    st.dictionaries(LANES, st.integers(1, 12), max_size=6),
    SHARES,
)
READY = st.lists(st.tuples(st.integers(0, 20), LANES), max_size=80).map(
    lambda drawn: [Ready(due_at, f"run_{number:03}", lane) for number, (due_at, lane) in enumerate(drawn)]
)


def ready(*lanes: str) -> list[Ready]:
    """Runs in the order in which they were due."""
    return [Ready(number, f"{lane}#{number}", lane) for number, lane in enumerate(lanes)]


def lanes_of(begun: list[str]) -> list[str]:
    return [run_id.partition("#")[0] for run_id in begun]


@given(POOLS, READY)
def test_no_more_begin_than_there_are_places_and_each_once(pool: Pool, runs: list[Ready]) -> None:
    begun = share_out(pool, runs)
    assert len(begun) == len(set(begun)) <= pool.free
    assert set(begun) <= {run.run_id for run in runs}


@given(POOLS, READY)
def test_a_lane_is_begun_in_the_order_of_its_times(pool: Pool, runs: list[Ready]) -> None:
    begun = share_out(pool, runs)
    for lane in {run.lane for run in runs}:
        in_order = [run.run_id for run in sorted(runs) if run.lane == lane]
        mine = [run_id for run_id in begun if run_id in in_order]
        assert mine == in_order[: len(mine)]


@given(POOLS, READY)
def test_a_run_waits_only_while_its_lane_may_not_have_a_free_place(pool: Pool, runs: list[Ready]) -> None:
    begun = set(share_out(pool, runs))
    after = pool.with_held([run.lane for run in runs if run.run_id in begun])
    for lane in {run.lane for run in runs if run.run_id not in begun}:
        assert not may_begin(after, lane)


@given(POOLS, READY)
def test_an_owner_gets_no_place_while_one_who_holds_fewer_waits(pool: Pool, runs: list[Ready]) -> None:
    begun = set(share_out(pool, runs))
    taken = Counter(run.lane for run in runs if run.run_id in begun)
    waits = {run.lane for run in runs if run.run_id not in begun} - {SHARED_LANE}
    for poor in waits:
        for rich in taken.keys() - {SHARED_LANE, poor}:
            assert pool.held.get(rich, 0) + taken[rich] - 1 <= pool.held.get(poor, 0) + taken[poor]


@given(st.integers(1, 40), SHARES, READY)
def test_no_owner_holds_more_than_the_share_and_a_newcomer_finds_a_place(
    size: int, share: float, runs: list[Ready]
) -> None:
    pool = Pool(handlers=(), size=size, owner_share=share)
    begun = set(share_out(pool, runs))
    taken = Counter(run.lane for run in runs if run.run_id in begun and run.lane != SHARED_LANE)
    assert all(number <= max(1, -(-size * share // 1)) for number in taken.values())
    if len(begun) < size:
        assert may_begin(pool.with_held([run.lane for run in runs if run.run_id in begun]), "user:newcomer")


@given(POOLS, READY)
def test_every_run_gets_its_turn_in_the_end(pool: Pool, runs: list[Ready]) -> None:
    """Where runs end one by one, no run waits for ever."""
    left, under_way = list(runs), [lane for lane, number in pool.held.items() for _ in range(number)]
    while left:
        now = Pool(handlers=(), size=pool.size, held=Counter(under_way), owner_share=pool.owner_share)
        begun = set(share_out(now, left))
        assert begun or under_way
        under_way += [run.lane for run in left if run.run_id in begun]
        left = [run for run in left if run.run_id not in begun]
        under_way.pop(0)


def test_one_owner_leaves_half_of_what_others_leave() -> None:
    pool = Pool(handlers=(), size=8, owner_share=0.5)
    begun = lanes_of(share_out(pool, ready(*[ADA] * 110)))
    assert begun == [ADA] * 4
    pool = pool.with_held(begun)
    assert (full_lanes(pool), may_begin(pool, BEN)) == ([ADA], True)
    pool = pool.with_held(begun := lanes_of(share_out(pool, ready(*[ADA] * 9, *[BEN] * 9))))
    assert begun == [BEN] * 2
    assert lanes_of(share_out(pool, ready(*[ADA] * 9, *[BEN] * 9, CY))) == [CY]


def test_owners_who_come_together_take_turns() -> None:
    pool = Pool(handlers=(), size=8, owner_share=0.5)
    assert lanes_of(share_out(pool, ready(*[ADA] * 50, BEN, CY, CY))) == [ADA, BEN, CY, ADA, CY, ADA]


def test_the_shared_lane_has_no_limit_and_waits_its_turn_behind_owners_without_a_place() -> None:
    pool = Pool(handlers=(), size=6, owner_share=0.5, held={ADA: 1})
    begun = lanes_of(share_out(pool, ready(BEN, ADA, *[SHARED_LANE] * 9)))
    assert begun == [BEN, *[SHARED_LANE] * 4]


@pytest.mark.parametrize(
    ("namespace", "lane"),
    [("user:ada", ADA), ("project:cy", CY), ("default", ""), ("butler", ""), ("declarative:user", ""), ("users", "")],
)
def test_persons_and_projects_have_lanes(namespace: str, lane: str) -> None:
    assert lane_of(namespace) == lane


def test_each_kind_of_handler_has_a_pool_of_its_own() -> None:
    assert [pool_kind(each) for each in ("message", "prompt:claude", "job:message", "job:prompt:x")] == [
        PoolKind.MESSAGES,
        PoolKind.PROMPTS,
        PoolKind.JOBS,
        PoolKind.JOBS,
    ]
    sizes = {PoolKind.JOBS: 3, PoolKind.PROMPTS: 2, PoolKind.MESSAGES: 1}
    pools = pools_of(
        ["job:a", "message", "job:b"], sizes, {PoolKind.JOBS: {ADA: 2}}, 0.5, {PoolKind.JOBS: 9, PoolKind.MESSAGES: 5}
    )
    assert [(sorted(pool.handlers), pool.size, pool.free) for pool in pools] == [
        (["job:a", "job:b"], 3, 1),
        (["message"], 1, 1),
    ]
    assert [pool.free_or_ahead for pool in pools] == [1, 6]  # an owner has runs under way in the first
