"""Overlap: the whole of a small world, against the rule in words."""

from __future__ import annotations

from itertools import product

import pytest

from duly.model.policy import Overlap, Policy
from duly.planning.overlap import Verdict, decide_overlap, places, places_for_past

GRID = list(product(range(5), range(5)))


@pytest.mark.parametrize(("running", "waiting"), GRID)
def test_skip_runs_only_when_nobody_else_does(running: int, waiting: int) -> None:
    verdict = decide_overlap(Policy(overlap=Overlap.SKIP), running, waiting)
    assert verdict.verdict is (Verdict.SKIP if running or waiting else Verdict.RUN)
    assert (verdict.reason is None) == (verdict.verdict is Verdict.RUN)


@pytest.mark.parametrize("limit", range(4))
@pytest.mark.parametrize(("running", "waiting"), GRID)
def test_queue_waits_in_order_up_to_its_limit(running: int, waiting: int, limit: int) -> None:
    verdict = decide_overlap(Policy(overlap=Overlap.QUEUE, queue_limit=limit), running, waiting)
    if running == waiting == 0:
        expected = Verdict.RUN
    elif waiting < limit:
        expected = Verdict.WAIT
    else:
        expected = Verdict.SKIP
    assert verdict.verdict is expected
    assert (verdict.reason is not None) == (expected is Verdict.SKIP)


@pytest.mark.parametrize(("running", "waiting"), GRID)
def test_parallel_without_a_limit_always_runs(running: int, waiting: int) -> None:
    assert decide_overlap(Policy(overlap=Overlap.PARALLEL), running, waiting).verdict is Verdict.RUN


@pytest.mark.parametrize(("most", "limit"), list(product(range(1, 4), range(3))))
@pytest.mark.parametrize(("running", "waiting"), GRID)
def test_parallel_with_a_limit_waits_once_it_is_reached(running: int, waiting: int, most: int, limit: int) -> None:
    policy = Policy(overlap=Overlap.PARALLEL, max_parallel=most, queue_limit=limit)
    verdict = decide_overlap(policy, running, waiting).verdict
    if verdict is Verdict.RUN:
        assert running < most  # never more at once than allowed
        assert running + waiting < most  # and nobody is overtaken
    else:
        assert running + waiting >= most
        assert verdict is (Verdict.WAIT if waiting < limit else Verdict.SKIP)


@pytest.mark.parametrize(
    ("policy", "count"),
    [
        (Policy(), 1),
        (Policy(overlap=Overlap.QUEUE, max_parallel=5), 1),
        (Policy(overlap=Overlap.PARALLEL, max_parallel=5), 5),
        (Policy(overlap=Overlap.PARALLEL), float("inf")),
    ],
)
def test_places(policy: Policy, count: float) -> None:
    assert places(policy) == count


def test_the_default_line_holds_ten() -> None:
    policy = Policy(overlap=Overlap.QUEUE)
    assert decide_overlap(policy, 1, 9).verdict is Verdict.WAIT
    full = decide_overlap(policy, 1, 10)
    assert full.verdict is Verdict.SKIP
    assert full.reason == "overlap: the queue is full (10 waiting)"


@pytest.mark.parametrize(("running", "waiting"), GRID)
def test_fires_of_the_past_take_the_places_that_are_free_and_no_more(running: int, waiting: int) -> None:
    for policy in (Policy(), Policy(overlap=Overlap.QUEUE), Policy(overlap=Overlap.PARALLEL, max_parallel=3)):
        first = places_for_past(policy, running, waiting)
        assert first == max(0, places(policy) - running - waiting)


@pytest.mark.parametrize(("running", "waiting"), GRID)
def test_where_any_number_may_run_fires_of_the_past_stand_behind_each_other_alone(running: int, waiting: int) -> None:
    assert places_for_past(Policy(overlap=Overlap.PARALLEL), running, waiting) == (0 if waiting else 1)
