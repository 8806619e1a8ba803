"""Runs that an executor carries out: handed over in batches, waited for, and settled by their outcome."""

from __future__ import annotations

from datetime import timedelta

import pytest

from duly import Overlap, Policy, Retry, failpoints
from duly.engine.settings import EngineSettings
from duly.model.handover import HandoverState
from duly.model.run import Status
from duly.planning.handovers import Refusal
from tests.executor_world import executor_world
from tests.scripted_executor import FixedTerms, failed, succeeded


async def test_a_run_is_handed_over_and_ends_with_the_result_of_its_worker() -> None:
    async with executor_world() as world:
        await world.schedule(args={"page": 7}, positional=("a", 2), queue="slow", task_priority=3)
        [order] = world.executor.waiting
        run = await world.run()
        assert (order.task, order.args, order.positional) == ("proj.tasks.report", {"page": 7}, ("a", 2))
        assert (order.queue, order.priority, order.attempt) == ("slow", 3, 1)
        assert (order.run_key, order.schedule, str(order.key)) == (run.key, "s1", f"{run.id}.1")
        assert (run.status, run.reason) == (Status.PENDING, "handed over to heavy, not begun yet")
        await world.door.begin(order, "one")
        await world.door.end(order, "one", succeeded({"pages": [1, 2]}))
        await world.pass_time(1)
        run = await world.run()
        assert (run.status, run.result, run.attempt) == (Status.SUCCEEDED, {"pages": [1, 2]}, 1)
        [handover] = await world.handovers()
        assert (handover.state, handover.worker, handover.sent) == (HandoverState.SUCCEEDED, "worker-1", 1)
        assert world.told("run.waits") == []
        assert [each.data["number"] for each in world.told("run.handed_over")] == [1]


async def test_a_failed_attempt_is_handed_over_again_under_a_higher_number() -> None:
    async with executor_world() as world:
        await world.schedule(policy=Policy(retry=Retry(max_attempts=2, delay=timedelta(seconds=30))))
        first = world.executor.take()
        await world.door.begin(first, "one")
        await world.door.end(first, "one", failed("ValueError: no such page"))
        await world.pass_time(1)
        assert (await world.run()).attempt == 1
        await world.pass_time(60)
        second = world.executor.take()
        assert (second.key.number, second.attempt, second.run_key) == (2, 2, first.run_key)
        late = await world.door.end(first, "one", succeeded("late"))
        assert late.refusal is Refusal.ENDED
        await world.door.begin(second, "two")
        await world.door.end(second, "two", failed("ValueError: still none"))
        await world.pass_time(1)
        run = await world.run()
        assert (run.status, run.attempt) == (Status.FAILED, 2)
        assert run.error is not None
        assert "ValueError: still none" in run.error
        assert len(await world.handovers()) == 2


async def test_many_that_are_due_at_once_are_published_in_batches() -> None:
    async with executor_world() as world:
        for _ in range(5):
            await world.schedule("5 0 * * *")
        await world.pass_time(5 * 60 + 1)
        assert [len(batch) for batch in world.executor.batches] == [5]
        assert len({order.token for order in world.executor.waiting}) == 5


async def test_while_the_executor_cannot_be_reached_no_attempt_is_lost() -> None:
    async with executor_world() as world:
        world.executor.reachable = False
        await world.schedule()
        run = await world.run()
        assert (run.status, run.attempt) == (Status.PENDING, 0)
        assert run.reason == "executor heavy cannot be reached: connection refused"
        await world.pass_time(600)
        assert [each.state for each in await world.handovers()] == [HandoverState.INTENDED]
        assert len(world.told("run.waits")) == 1
        world.executor.reachable = True
        await world.pass_time(120)
        [order] = world.executor.waiting
        assert (order.key.number, order.attempt) == (1, 1)


async def test_while_it_cannot_be_reached_one_run_tries_for_all() -> None:
    async with executor_world() as world:
        tries = list[int]()
        world.executor.before_sending = lambda: tries.append(1)
        world.executor.reachable = False
        for _ in range(20):
            await world.schedule()
        await world.pass_time(600)
        assert 5 < len(tries) < 40


async def test_what_it_does_not_take_now_is_tried_again() -> None:
    async with executor_world() as world:
        world.executor.busy = "too many requests"
        await world.schedule()
        assert (await world.run()).reason == "heavy does not take it: too many requests"
        world.executor.busy = None
        await world.pass_time(20)
        assert len(world.executor.waiting) == 1


async def test_what_it_will_never_take_fails_without_another_attempt() -> None:
    async with executor_world(refused={"proj.tasks.report": "task proj.tasks.report is not allowed"}) as world:
        await world.schedule(policy=Policy(retry=Retry(max_attempts=5, delay=timedelta(seconds=1))))
        await world.pass_time(60)
        run = await world.run()
        assert (run.status, run.attempt, world.executor.batches) == (Status.FAILED, 1, [])
        assert run.error is not None
        assert "not allowed" in run.error


async def test_what_is_refused_on_arrival_fails_for_good() -> None:
    async with executor_world() as world:
        world.executor.check = lambda *_: None  # type: ignore[method-assign]
        world.executor.refused = {"proj.tasks.report": "its arguments take 80 KiB"}
        await world.schedule(policy=Policy(retry=Retry(max_attempts=5, delay=timedelta(seconds=1))))
        await world.pass_time(60)
        assert ((await world.run()).status, (await world.run()).attempt) == (Status.FAILED, 1)
        assert [each.state for each in await world.handovers()] == [HandoverState.FAILED]


async def test_an_executor_that_answers_at_once_ends_the_run_at_once() -> None:
    async with executor_world() as world:
        world.executor.answers["proj.tasks.report"] = succeeded([1])
        await world.schedule()
        assert ((await world.run()).status, (await world.run()).result) == (Status.SUCCEEDED, [1])


async def test_each_failure_that_an_executor_answers_at_once_is_one_attempt() -> None:
    async with executor_world() as world:
        world.executor.answers["proj.tasks.report"] = failed("no such page")
        await world.schedule(policy=Policy(retry=Retry(max_attempts=3, delay=timedelta(seconds=10))))
        await world.pass_time(600)
        assert ((await world.run()).status, (await world.run()).attempt) == (Status.FAILED, 3)
        assert [(each.key.number, each.attempt) for batch in world.executor.batches for each in batch] == [
            (1, 1),
            (2, 2),
            (3, 3),
        ]
        assert [each.state for each in await world.handovers()] == [HandoverState.FAILED] * 3


async def test_a_failure_between_two_that_were_waited_for_is_one_attempt() -> None:
    async with executor_world() as world:
        await world.schedule(policy=Policy(retry=Retry(max_attempts=3, delay=timedelta(seconds=10))))
        first = world.executor.take()
        await world.door.begin(first, "one")
        await world.door.end(first, "one", failed("later"))
        world.executor.answers["proj.tasks.report"] = failed("at once")
        await world.pass_time(15)
        world.executor.answers.clear()
        await world.pass_time(60)
        third = world.executor.take()
        assert (third.key.number, third.attempt) == (3, 3)
        await world.door.begin(third, "one")
        await world.door.end(third, "one", failed("later"))
        await world.pass_time(1)
        assert ((await world.run()).status, (await world.run()).attempt) == (Status.FAILED, 3)
        assert len(await world.handovers()) == 3


async def test_a_worker_that_is_quicker_than_the_note_of_sending_is_heard() -> None:
    async with executor_world() as world:

        async def work() -> None:
            for order in world.executor.waiting:
                world.executor.take(order.key)
                assert (await world.door.begin(order, "one")).refusal is None
                assert (await world.door.end(order, "one", succeeded(1))).refusal is None

        world.after_call = work
        await world.schedule()
        assert (await world.run()).status is Status.SUCCEEDED
        assert world.executor.waiting == []


@pytest.mark.parametrize("failpoint", ["handover.intended", "handover.published", "handover.noted"])
async def test_whatever_ends_a_process_between_two_steps_the_run_is_carried_out_once(failpoint: str) -> None:
    async with executor_world() as world:
        failpoints.arm(failpoint)
        await world.schedule(policy=Policy(retry=Retry(max_attempts=3, delay=timedelta(seconds=1))))
        await world.pass_time(10)
        given = world.executor.waiting
        leaves = [await world.door.begin(order, str(number)) for number, order in enumerate(given)]
        assert [each.refusal for each in leaves].count(None) == 1
        assert {each.refusal for each in leaves} <= {None, Refusal.UNKNOWN}


async def test_an_attempt_that_nobody_begins_in_time_is_missed() -> None:
    async with executor_world(terms=FixedTerms(expires=timedelta(minutes=10))) as world:
        await world.schedule(policy=Policy(retry=Retry(max_attempts=5, delay=timedelta(seconds=1))))
        [order] = world.executor.waiting
        assert order.begin_by == world.clock.now() + timedelta(minutes=10)
        await world.pass_time(11 * 60)
        run = await world.run()
        assert (run.status, run.reason) == (Status.MISSED, "no worker of heavy began it in time")
        assert (await world.door.begin(order, "one")).refusal is Refusal.EXPIRED
        assert world.executor.cancelled == [order.key]
        assert [each.data["reason"] for each in world.told("run.missed")] == [run.reason]


async def test_one_that_never_left_expires_too() -> None:
    async with executor_world(terms=FixedTerms(expires=timedelta(minutes=10))) as world:
        world.executor.reachable = False
        await world.schedule()
        await world.pass_time(12 * 60)
        assert (await world.run()).status is Status.MISSED


@pytest.mark.parametrize("overlap", Overlap)
@pytest.mark.parametrize("begins", [False, True], ids=["waiting", "begun"])
async def test_a_run_that_goes_on_elsewhere_counts_for_overlap(overlap: Overlap, begins: bool) -> None:
    """Three fires of a schedule whose first run is elsewhere all the time, and then the end of that run."""
    async with executor_world() as world:
        await world.schedule("* * * * *", policy=Policy(overlap=overlap))
        await world.pass_time(60)
        [first] = world.executor.waiting
        if begins:
            await world.door.begin(world.executor.take(first.key), "one")
        for _ in range(5):
            await world.pass_time(24)
            assert not begins or (await world.door.beat(first, "one")).refusal is None
        if not begins:
            await world.door.begin(world.executor.take(first.key), "one")
        assert len(world.executor.waiting) == (2 if overlap is Overlap.PARALLEL else 0)
        assert len(world.told("run.skipped")) == (2 if overlap is Overlap.SKIP else 0)
        await world.door.end(first, "one", succeeded(1))
        await world.pass_time(1)
        assert len(world.executor.waiting) == {Overlap.SKIP: 0, Overlap.QUEUE: 1, Overlap.PARALLEL: 2}[overlap]


async def test_runs_that_are_elsewhere_hold_no_place() -> None:
    settings = EngineSettings(threads=False, poll=5, lease=15, grace=1, max_concurrency=1)
    async with executor_world(settings=settings) as world:
        for _ in range(3):
            await world.schedule()
        assert len(world.executor.waiting) == 3
