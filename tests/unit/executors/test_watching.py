"""The watch over handovers: silence, lateness, cancelled runs, lost queues, and executors whose workers say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from duly import Policy, Retry
from duly.clock import Clock
from duly.errors import StoreUnavailableError
from duly.model.handover import Handover, HandoverState
from duly.model.run import Status
from duly.planning.handovers import Refusal
from duly.ports.executors import Sighting
from tests.executor_world import ExecutorWorld, executor_world
from tests.scripted_executor import FixedTerms, ScriptedExecutor, failed, succeeded

RETRY = Policy(retry=Retry(max_attempts=3, delay=timedelta(seconds=1)))


async def beats(world: ExecutorWorld, order: object, seconds: float) -> None:
    for _ in range(int(seconds // 20)):
        await world.pass_time(20)
        assert (await world.door.beat(order, "one")).refusal is None  # type: ignore[arg-type]


async def test_a_worker_that_falls_silent_is_lost_and_its_late_result_refused() -> None:
    async with executor_world() as world:
        await world.schedule(policy=RETRY)
        first = world.executor.take()
        await world.door.begin(first, "one")
        await beats(world, first, 200)
        assert (await world.run()).status is Status.PENDING
        await world.pass_time(75)
        second = world.executor.take()
        assert second.key.number == 2
        assert (await world.door.end(first, "one", succeeded("late"))).refusal is Refusal.REPLACED
        await world.door.begin(second, "two")
        await world.door.end(second, "two", succeeded("in time"))
        await world.pass_time(1)
        assert (await world.run()).result == "in time"
        lost, _ = await world.handovers()
        assert (lost.state, lost.error) == (HandoverState.LOST, "worker-1 gave no sign of life for 60 s")


async def test_what_was_not_heard_because_nobody_listened_is_no_silence() -> None:
    async with executor_world() as world:
        await world.schedule(policy=RETRY)
        order = world.executor.take()
        await world.door.begin(order, "one")
        node = world.nodes.pop()
        await node.stop()
        await world.pass_time(3600)
        await world.node()
        await world.pass_time(40)
        assert (await world.door.beat(order, "one")).refusal is None
        await world.pass_time(40)
        assert [each.state for each in await world.handovers()] == [HandoverState.BEGUN]


async def test_after_an_outage_of_the_store_leases_begin_anew() -> None:
    async with executor_world() as world:
        await world.schedule(policy=RETRY)
        order = world.executor.take()
        await world.door.begin(order, "one")

        async def unavailable(*_args: object) -> object:
            raise StoreUnavailableError("no connection")

        real = world.first.watch._handovers
        world.first.watch._handovers = Broken(real, unavailable)  # type: ignore[assignment]
        await world.pass_time(300)
        world.first.watch._handovers = real
        await world.pass_time(50)
        assert (await world.door.beat(order, "one")).refusal is None


class Broken:
    """Handovers of a store that cannot be reached."""

    def __init__(self, _real: object, answer: object) -> None:
        self._answer = answer

    def __getattr__(self, _name: str) -> object:
        return self._answer


async def test_a_clock_that_was_set_forward_is_no_silence() -> None:
    async with executor_world() as world:
        await world.schedule(policy=RETRY)
        order = world.executor.take()
        await world.door.begin(order, "one")
        world.clock.step(timedelta(hours=2))
        await world.pass_time(30)
        assert (await world.door.beat(order, "one")).refusal is None


async def test_one_that_runs_too_long_has_failed_and_is_asked_to_stop() -> None:
    async with executor_world() as world:
        await world.schedule(policy=Policy(timeout=timedelta(minutes=2)))
        order = world.executor.take()
        assert order.run_seconds == 120
        await world.door.begin(order, "one")
        await beats(world, order, 120)
        await world.pass_time(10)
        run = await world.run()
        assert (run.status, world.executor.cancelled) == (Status.FAILED, [order.key])
        assert run.error is not None
        assert "it ran longer than 120 s on worker-1" in run.error


async def test_a_cancelled_run_refuses_its_worker_and_takes_its_message_back() -> None:
    async with executor_world() as world:
        await world.schedule()
        order = world.executor.take()
        await world.first.store.cancel(order.key.run_id, world.clock.now(), "not needed")
        assert (await world.door.begin(order, "one")).refusal is Refusal.OVER
        await world.pass_time(6)
        assert world.executor.cancelled == [order.key]
        assert [each.state for each in await world.handovers()] == [HandoverState.CANCELLED]


async def test_a_cancelled_run_stops_its_worker_and_is_cancelled_there_once() -> None:
    async with executor_world(nodes=2) as world:
        await world.schedule(policy=RETRY)
        order = world.executor.take()
        await world.door.begin(order, "one")
        await beats(world, order, 20)
        await world.first.store.cancel(order.key.run_id, world.clock.now(), "not needed")
        assert (await world.door.beat(order, "one")).refusal is Refusal.OVER
        await world.pass_time(60)
        assert world.executor.cancelled == [order.key]
        assert (await world.door.end(order, "one", succeeded(1))).refusal is Refusal.OVER
        run = await world.run()
        assert (run.status, run.reason, run.result) == (Status.CANCELLED, "not needed", None)
        assert world.executor.waiting == []


async def test_people_hear_once_that_no_worker_has_begun_it() -> None:
    async with executor_world(nodes=2, terms=FixedTerms(not_begun_after=timedelta(minutes=2))) as world:
        await world.schedule(queue="slow")
        await world.pass_time(110)
        assert world.told("run.not_begun") == []
        await world.pass_time(600)
        [event] = world.told("run.not_begun")
        assert event.data | {"seconds": 0} == {
            "executor": "heavy",
            "queue": "slow",
            "task": "proj.tasks.report",
            "number": 1,
            "seconds": 0,
        }


async def test_what_was_lost_with_its_queue_is_sent_again_with_another_token() -> None:
    async with executor_world(nodes=2) as world:
        await world.schedule(queue="slow")
        [first] = world.executor.waiting
        world.executor.lose_queues()
        await world.pass_time(20)
        assert world.executor.waiting == []
        await world.pass_time(40)
        [second] = world.executor.waiting
        assert (second.key, second.attempt) == (first.key, 1)
        assert (await world.door.begin(first, "one")).refusal is Refusal.UNKNOWN
        assert (await world.door.begin(second, "two")).refusal is None
        [handover] = await world.handovers()
        assert (handover.sent, handover.state) == (2, HandoverState.BEGUN)


async def test_what_still_waits_in_a_queue_is_not_sent_again() -> None:
    async with executor_world() as world:
        await world.schedule()
        await world.pass_time(3600)
        assert len(world.executor.batches) == 1


async def test_an_executor_whose_workers_say_nothing_is_asked() -> None:
    async with executor_world(reports=False) as world:
        await world.schedule(policy=RETRY)
        first = world.executor.take()
        world.executor.sightings[first.key] = Sighting(key=first.key, is_at_work=True, worker="celery@a")
        await world.pass_time(300)
        [handover] = await world.handovers()
        assert (handover.state, handover.worker) == (HandoverState.BEGUN, "celery@a")
        world.executor.sightings[first.key] = Sighting(key=first.key, outcome=failed("boom"))
        await world.pass_time(10)
        second = world.executor.take()
        world.executor.sightings[second.key] = Sighting(key=second.key, outcome=succeeded({"rows": 3}))
        await world.pass_time(10)
        assert ((await world.run()).status, (await world.run()).result) == (Status.SUCCEEDED, {"rows": 3})


async def test_one_whose_workers_say_nothing_is_asked_once_more_before_it_is_given_up() -> None:
    """What it knows counts, however late it is asked; before it can be asked, nothing is given up."""
    async with executor_world(reports=False, terms=FixedTerms(expires=timedelta(minutes=10))) as world:
        for _ in range(5):
            await world.schedule(policy=RETRY)
        done, at_work, lost, silent, late = (order.key for order in world.executor.waiting)
        for key in (lost, silent):
            world.executor.sightings[key] = Sighting(key=key, is_at_work=True)
        await world.pass_time(10)
        world.executor.reachable = False
        world.executor.sightings = {
            done: Sighting(key=done, outcome=succeeded("done")),
            at_work: Sighting(key=at_work, is_at_work=True),
            silent: Sighting(key=silent, outcome=failed("boom")),
        }
        await world.pass_time(900)
        assert {each.state.final for number in range(5) for each in await world.handovers(number)} == {False}
        watch = world.first.watch
        watch._poll = nothing  # type: ignore[method-assign, assignment]
        watch._known["heavy"].hearing.since = world.clock.now() - timedelta(hours=1)
        world.executor.reachable = True
        await world.first.watch.look()
        states = {each.key: each.state for number in range(5) for each in await world.handovers(number)}
        assert {key: states[key] for key in (done, at_work, lost, silent, late)} == {
            done: HandoverState.SUCCEEDED,
            at_work: HandoverState.BEGUN,
            lost: HandoverState.LOST,
            silent: HandoverState.FAILED,
            late: HandoverState.EXPIRED,
        }


async def nothing(*_given: object) -> None:
    """In the place of a look that comes too early for the test."""


async def test_one_that_cannot_be_asked_has_not_fallen_silent() -> None:
    async with executor_world(reports=False) as world:
        await world.schedule(policy=RETRY)
        order = world.executor.take()
        world.executor.sightings[order.key] = Sighting(key=order.key, is_at_work=True, worker="celery@a")
        await world.pass_time(10)
        world.executor.reachable = False
        await world.pass_time(600)
        world.executor.reachable = True
        await world.pass_time(50)
        [handover] = await world.handovers()
        assert handover.state is HandoverState.BEGUN
        del world.executor.sightings[order.key]
        await world.pass_time(80)
        assert (await world.handovers())[0].state is HandoverState.LOST


async def test_a_silent_worker_whose_result_was_kept_has_succeeded() -> None:
    async with executor_world() as world:
        await world.schedule(policy=RETRY)
        order = world.executor.take()
        await world.door.begin(order, "one")
        world.executor.sightings[order.key] = Sighting(key=order.key, outcome=succeeded("kept"))
        await world.pass_time(75)
        assert ((await world.run()).status, (await world.run()).result) == (Status.SUCCEEDED, "kept")


class SlowExecutor(ScriptedExecutor):
    """Its answers take half a minute."""

    def __init__(self, clock: Clock) -> None:
        super().__init__("slow", reports=False)
        self._clock = clock
        self._is_asked = False

    def observe(self, handovers: Sequence[Handover]) -> list[Sighting]:
        self._is_asked = True
        return super().observe(handovers)

    async def answer(self) -> None:
        if self._is_asked:
            self._is_asked = False
            await self._clock.sleep(30)


async def test_the_watch_of_one_executor_goes_on_while_another_blocks() -> None:
    async with executor_world() as world:
        slow = SlowExecutor(world.clock)
        world.executors.made["slow"] = slow
        world.executors.settings["slow"] = FixedTerms()
        world.after_call = slow.answer
        await world.schedule(executor="slow")
        await world.schedule()
        order = world.executor.take()
        await world.pass_time(6)
        await world.first.store.cancel(order.key.run_id, world.clock.now(), "not needed")
        await world.pass_time(6)
        assert world.executor.cancelled == [order.key]


async def test_the_watch_of_one_executor_goes_on_while_another_fails() -> None:
    async with executor_world() as world:
        await world.schedule()
        order = world.executor.take()
        world.executors.settings["broken"] = FixedTerms()  # one that cannot be made
        await world.first.store.cancel(order.key.run_id, world.clock.now(), "not needed")
        await world.pass_time(6)
        assert [each.state for each in await world.handovers()] == [HandoverState.CANCELLED]
