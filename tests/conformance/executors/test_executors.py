"""What every executor does, whoever is behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest

from duly.errors import ExecutorUnreachableError, InvalidInputError
from duly.model.handover import Handover, HandoverKey, HandoverState
from duly.ports.executors import WorkOrder
from tests.conformance.executors.bench import BENCHES, DOUBLE, FORBIDDEN, Bench

T = TypeVar("T")


def conformant(test: Callable[[Bench], Awaitable[None]]) -> Callable[[str, Path], Awaitable[None]]:
    """Run a test over each executor."""

    @pytest.mark.parametrize("kind", BENCHES)
    async def over_each(kind: str, tmp_path: Path) -> None:
        async with BENCHES[kind](tmp_path) as bench:
            await test(bench)

    over_each.__name__ = test.__name__
    return over_each


def order(number: int = 1, **facts: Any) -> WorkOrder:
    now = datetime.now(UTC)
    usual: dict[str, Any] = {
        "key": HandoverKey(f"run_{number:032}", 1),
        "token": f"token-{number}",
        "run_key": f"sched_1/schedule/{number}",
        "schedule": "report",
        "task": DOUBLE,
        "args": {"number": number},
        "attempt": 1,
        "fire_at": now,
        "begin_by": now + timedelta(hours=1),
        "lease_seconds": 60.0,
    }
    return WorkOrder(**{**usual, **facts})


def handover(of: WorkOrder, **facts: Any) -> Handover:
    usual: dict[str, Any] = {
        "run_id": of.key.run_id,
        "number": of.key.number,
        "schedule_id": "sched_1",
        "executor": "heavy",
        "task": of.task,
        "state": HandoverState.HANDED_OVER,
        "token_hash": "",
        "lease_seconds": of.lease_seconds,
        "intended_at": of.fire_at,
    }
    return Handover(**{**usual, **facts})


async def call(work: Callable[[], T]) -> T:
    """Call as duly does: in a thread, because it may block."""
    return await asyncio.to_thread(work)


@conformant
async def test_a_batch_arrives_with_what_each_worker_needs(bench: Bench) -> None:
    given = [order(number, attempt=number) for number in (1, 2, 3)]
    answers = await call(lambda: bench.executor.hand_over(given))
    assert [(each.error, each.final) for each in answers] == [(None, False)] * 3
    arrived = {each.key: each for each in await bench.arrived(3)}
    assert arrived.keys() == {each.key for each in given}
    for each in given:
        seen = arrived[each.key]
        assert (seen.token, seen.task, seen.args) == (each.token, each.task, each.args)
        said = {"run_key": each.run_key, "attempt": each.attempt, "schedule": "report", "lease_seconds": 60.0}
        assert {name: said[name] for name in seen.facts} == dict(seen.facts)


@conformant
async def test_arguments_without_names_and_the_queue_arrive(bench: Bench) -> None:
    if not bench.queues:
        return
    await call(lambda: bench.executor.hand_over([order(args={}, positional=(4, [None, "é"]), queue="slow")]))
    [seen] = await bench.arrived(1)
    assert (list(seen.positional), seen.queue) == ([4, [None, "é"]], "slow")


@conformant
async def test_what_is_not_allowed_is_refused_before_and_on_arrival(bench: Bench) -> None:
    with pytest.raises(InvalidInputError, match=FORBIDDEN):
        bench.executor.check(FORBIDDEN, {}, (), None)
    bench.executor.check(DOUBLE, {"number": 1}, (), None)
    answers = await call(lambda: bench.executor.hand_over([order(1), order(2, task=FORBIDDEN), order(3)]))
    assert [(each.error is None, each.final) for each in answers] == [(True, False), (False, True), (True, False)]
    assert [each.key for each in sorted(await bench.arrived(2), key=lambda each: each.key)] == [
        order(1).key,
        order(3).key,
    ]


@conformant
async def test_one_that_cannot_be_reached_says_so_and_works_again_afterwards(bench: Bench) -> None:
    await bench.cut_off()
    with pytest.raises(ExecutorUnreachableError):
        await call(lambda: bench.executor.hand_over([order(1)]))
    assert not (await call(bench.executor.standing)).reachable
    await bench.reconnect()
    [answer] = await call(lambda: bench.executor.hand_over([order(2)]))
    assert answer.error is None
    assert order(2).key in {each.key for each in await bench.arrived(1)}


@conformant
async def test_the_same_order_may_be_sent_again_with_another_token(bench: Bench) -> None:
    await call(lambda: bench.executor.hand_over([order(1)]))
    again = replace(order(1), token=f"{order(1).token}-again")
    [answer] = await call(lambda: bench.executor.hand_over([again]))
    assert answer.error is None


@conformant
async def test_what_it_does_not_know_of_it_says_nothing_about(bench: Bench) -> None:
    unknown = handover(order(9))
    seen = await call(lambda: bench.executor.observe([unknown]))
    assert [each for each in seen if each.is_at_work or each.outcome is not None] == []
    assert await call(lambda: bench.executor.observe([])) == []


@conformant
async def test_cancelling_is_a_hint_that_may_come_at_any_time(bench: Bench) -> None:
    await call(lambda: bench.executor.hand_over([order(1)]))
    for each in (handover(order(1)), handover(order(1)), handover(order(9))):
        await call(lambda each=each: bench.executor.cancel([each], terminate=False))  # type: ignore[misc]
    await call(lambda: bench.executor.cancel([], terminate=True))


@conformant
async def test_it_says_how_it_is(bench: Bench) -> None:
    await call(lambda: bench.executor.hand_over([order(1), order(2)]))
    await bench.arrived(2)
    standing = await call(bench.executor.standing)
    assert (standing.reachable, standing.error) == (True, None)
    depths = [each.depth for each in standing.queues if each.depth is not None]
    assert sum(depths) in (0, 2) or not bench.queues


@conformant
async def test_it_may_be_closed_twice(bench: Bench) -> None:
    await call(bench.executor.close)
    await call(bench.executor.close)
