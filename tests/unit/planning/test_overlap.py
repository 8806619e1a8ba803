"""Overlap: every small count of runs, against the rule in words."""

from __future__ import annotations

from itertools import product

import pytest

from duly.model.policy import Overlap, Policy
from duly.model.run import Status
from duly.planning.overlap import decide_overlap, places, places_for_past

GRID = list(product(range(5), range(5)))


@pytest.mark.parametrize(("running", "waiting"), GRID)
def test_skip_runs_only_while_no_other_run_is_unfinished(running: int, waiting: int) -> None:
    decision = decide_overlap(Policy(overlap=Overlap.SKIP), running, waiting)
    assert decision.status is (Status.SKIPPED if running or waiting else Status.PENDING)
    assert (decision.reason is None) == (decision.status is Status.PENDING)


@pytest.mark.parametrize("limit", range(4))
@pytest.mark.parametrize(("running", "waiting"), GRID)
def test_queue_waits_in_order_up_to_its_limit(running: int, waiting: int, limit: int) -> None:
    decision = decide_overlap(Policy(overlap=Overlap.QUEUE, queue_limit=limit), running, waiting)
    if running == waiting == 0:
        expected = Status.PENDING
    elif waiting < limit:
        expected = Status.WAITING
    else:
        expected = Status.SKIPPED
    assert decision.status is expected
    assert (decision.reason is not None) == (expected is Status.SKIPPED)


@pytest.mark.parametrize(("running", "waiting"), GRID)
def test_parallel_without_a_limit_always_runs(running: int, waiting: int) -> None:
    assert decide_overlap(Policy(overlap=Overlap.PARALLEL), running, waiting).status is Status.PENDING


@pytest.mark.parametrize(("most", "limit"), list(product(range(1, 4), range(3))))
@pytest.mark.parametrize(("running", "waiting"), GRID)
def test_parallel_with_a_limit_waits_once_it_is_reached(running: int, waiting: int, most: int, limit: int) -> None:
    policy = Policy(overlap=Overlap.PARALLEL, max_parallel=most, queue_limit=limit)
    status = decide_overlap(policy, running, waiting).status
    if status is Status.PENDING:
        assert running < most  # never more at once than allowed
        assert running + waiting < most  # and no queued run is overtaken
    else:
        assert running + waiting >= most
        assert status is (Status.WAITING if waiting < limit else Status.SKIPPED)


@pytest.mark.parametrize(
    ("policy", "count"),
    [
        (Policy(), 1),
        (Policy(overlap=Overlap.QUEUE, max_parallel=5), 1),
        (Policy(overlap=Overlap.PARALLEL, max_parallel=5), 5),
        (Policy(overlap=Overlap.PARALLEL), float("inf")),
    ],
)
def test_how_many_runs_may_be_under_way(policy: Policy, count: float) -> None:
    assert places(policy) == count


def test_the_default_queue_holds_ten() -> None:
    policy = Policy(overlap=Overlap.QUEUE)
    assert decide_overlap(policy, 1, 9).status is Status.WAITING
    full = decide_overlap(policy, 1, 10)
    assert full.status is Status.SKIPPED
    assert full.reason == "overlap: the queue is full (10 waiting)"


@pytest.mark.parametrize(("running", "waiting"), GRID)
def test_a_backfill_takes_only_free_places(running: int, waiting: int) -> None:
    for policy in (Policy(), Policy(overlap=Overlap.QUEUE), Policy(overlap=Overlap.PARALLEL, max_parallel=3)):
        first = places_for_past(policy, running, waiting)
        assert first == max(0, places(policy) - running - waiting)


@pytest.mark.parametrize(("running", "waiting"), GRID)
def test_where_any_number_may_run_a_backfill_runs_one_by_one(running: int, waiting: int) -> None:
    assert places_for_past(Policy(overlap=Overlap.PARALLEL), running, waiting) == (0 if waiting else 1)
