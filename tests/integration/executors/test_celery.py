"""Celery with real workers: what duly hands over runs once, and is reported while it runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from datetime import timedelta

import pytest

from duly.executors.celery import CeleryExecutor
from duly.model.handover import HandoverState
from tests.integration.executors.conftest import World
from tests.integration.executors.door import later
from tests.integration.executors.parts import APP, Worker
from tests.leaks import lasting

Make = Callable[..., CeleryExecutor]


def test_runs_once_and_its_result_comes_back(world: World, executor: Make, prefork: Worker) -> None:
    order = world.door.order("run_add", f"{APP}.add", args={"y": 40}, positional=(2,))
    assert executor().hand_over([order])[0].error is None
    known = world.door.wait_for_end(order.key)
    assert (known.handover.state, known.handover.result) == (HandoverState.SUCCEEDED, "42")
    assert known.handover.worker == prefork.name
    assert len(world.begun(order.key)) == 1


def test_output_and_progress_arrive(world: World, executor: Make, prefork: Worker) -> None:
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    order = world.door.order("run_speak", f"{APP}.speak", traceparent=trace)
    executor().hand_over([order])
    known = world.door.wait_for_end(order.key)
    assert known.lines == ["first", "second", "printed"]
    assert known.progress == {"done": 1, "of": 2}
    assert known.handover.result == f'{{"trace": "{trace}", "key": "key-run_speak"}}'


def test_a_failure_comes_with_its_traceback(world: World, executor: Make, prefork: Worker) -> None:
    order = world.door.order("run_fail", f"{APP}.fail")
    executor().hand_over([order])
    known = world.door.wait_for_end(order.key)
    assert known.handover.error == "ValueError: no bread left"
    assert 'raise ValueError("no bread left")' in (known.traceback or "")


def test_a_result_that_is_no_json_is_kept_as_text(world: World, executor: Make, prefork: Worker) -> None:
    order = world.door.order("run_strange", f"{APP}.strange")
    executor().hand_over([order])
    assert world.door.wait_for_end(order.key).handover.state in (HandoverState.SUCCEEDED, HandoverState.FAILED)


def test_cancelled_while_queued_it_does_not_begin(world: World, executor: Make, prefork: Worker) -> None:
    order = world.door.order("run_cancelled", f"{APP}.add", args={"x": 1})
    world.door.cancel(order.key)
    executor().hand_over([order])
    world.door.wait(order.key, lambda known: known.refusals == ["begin: over"], "the refusal")
    assert world.begun(order.key) == []


def test_cancelled_while_running_it_hears_of_it(world: World, executor: Make, prefork: Worker) -> None:
    order = world.door.order("run_stopped", f"{APP}.wait", lease_seconds=2.0)
    executor().hand_over([order])
    world.door.wait_for_begin(order.key)
    world.door.cancel(order.key)
    known = world.door.wait(order.key, lambda known: "end: over" in known.refusals, "the refused end")
    assert known.refusals == ["beat: over", "end: over"]


def test_published_twice_it_begins_once(world: World, executor: Make, prefork: Worker) -> None:
    order = world.door.order("run_twice", f"{APP}.wait")
    executor().hand_over([order, order])
    known = world.door.wait(order.key, lambda known: known.refusals, "the refusal of the second")
    assert known.refusals == ["begin: beating"]
    world.let_go_on(order.key)
    assert world.door.wait_for_end(order.key).handover.state is HandoverState.SUCCEEDED
    assert len(world.begun(order.key)) == 1


def test_delivered_again_while_it_runs_it_begins_once(world: World, executor: Make, prefork: Worker) -> None:
    """What Redis does when a task runs longer than the visibility timeout."""
    order = world.door.order("run_visible", f"{APP}.wait")
    executor().hand_over([order])
    world.door.wait_for_begin(order.key)
    restore_unacknowledged(world)
    world.door.wait(order.key, lambda known: known.refusals == ["begin: beating"], "the refusal")
    world.let_go_on(order.key)
    world.door.wait_for_end(order.key)
    assert len(world.begun(order.key)) == 1


def test_delivered_again_after_its_success_it_does_not_begin(world: World, executor: Make, prefork: Worker) -> None:
    order = world.door.order("run_after", f"{APP}.add", args={"x": 1})
    executor().hand_over([order])
    world.door.wait_for_end(order.key)
    executor().hand_over([order])
    world.door.wait(order.key, lambda known: known.refusals == ["begin: ended"], "the refusal")
    assert len(world.begun(order.key)) == 1


def test_a_task_that_retries_goes_on_under_its_leave(world: World, executor: Make, prefork: Worker) -> None:
    order = world.door.order("run_retry", f"{APP}.retry_once")
    executor().hand_over([order])
    known = world.door.wait_for_end(order.key)
    assert known.handover.result == '"tried 2 times"'
    assert len(world.begun(order.key)) == len(known.starts) == 2
    assert "Celery begins retry 1" in known.lines


def test_a_killed_process_is_reported_at_once(world: World, executor: Make, prefork: Worker) -> None:
    order = world.door.order("run_killed", f"{APP}.wait")
    executor().hand_over([order])
    world.door.wait_for_begin(order.key)
    [process] = wait_for_witness(world, order.key)
    os.kill(process, signal.SIGKILL)
    known = world.door.wait_for_end(order.key)
    assert known.handover.state is HandoverState.FAILED
    assert (known.handover.error or "").startswith("WorkerLostError")
    world.wait_until_gone(process)


def test_a_time_limit_is_reported_at_once(world: World, executor: Make, prefork: Worker) -> None:
    order = world.door.order("run_slow", f"{APP}.wait")
    executor(time_limit=timedelta(seconds=3)).hand_over([order])
    known = world.door.wait_for_end(order.key)
    assert (known.handover.error or "").startswith(("TimeLimitExceeded", "WorkerLostError"))
    world.wait_until_gone(*world.begun(order.key))  # none, where asking for leave took all of the time


def test_a_frozen_process_falls_silent_and_is_lost(world: World, executor: Make, prefork: Worker) -> None:
    order = world.door.order("run_frozen", f"{APP}.wait", lease_seconds=5.0)
    executor().hand_over([order])
    world.door.wait(order.key, lambda known: known.beats > 1, "a sign of life")
    [process] = wait_for_witness(world, order.key)
    assert not world.door.gives_up(order.key)
    os.kill(process, signal.SIGSTOP)
    try:
        world.wait_until(lambda: world.door.gives_up(order.key))
        again = world.door.order("run_frozen", f"{APP}.add", number=2, args={"x": 1})
        executor().hand_over([again])
        assert world.door.wait_for_end(again.key).handover.state is HandoverState.SUCCEEDED
    finally:
        os.kill(process, signal.SIGCONT)
    known = world.door.wait(order.key, lambda known: "end: replaced" in known.refusals, "the late outcome")
    assert known.handover.state is HandoverState.LOST


def test_what_comes_too_late_does_not_begin(world: World, executor: Make, prefork: Worker) -> None:
    late = world.door.order("run_late", f"{APP}.add", args={"x": 1}, begin_by=later(-1))
    following = world.door.order("run_following", f"{APP}.add", args={"x": 1})
    executor().hand_over([late, following])
    world.door.wait_for_end(following.key)
    assert world.begun(late.key) == []
    assert world.door.known[late.key].handover.state is HandoverState.HANDED_OVER


def test_without_duly_a_task_waits_for_leave(world: World, executor: Make, prefork: Worker) -> None:
    world.door.is_down = True
    order = world.door.order("run_unheard", f"{APP}.add", args={"x": 1})
    try:
        executor().hand_over([order])
        with world.door.changed:
            assert world.door.changed.wait(60), "never asked for leave"
    finally:
        world.door.is_down = False
    world.door.wait_for_end(order.key)
    assert len(world.begun(order.key)) == 1


def test_an_outcome_that_does_not_arrive_is_sent_later(world: World, executor: Make, prefork: Worker) -> None:
    order = world.door.order("run_deaf", f"{APP}.wait")
    executor().hand_over([order])
    world.door.wait_for_begin(order.key)
    world.door.is_down = True
    try:
        world.let_go_on(order.key)
        with world.door.changed:
            assert world.door.changed.wait(60), "never reported"
    finally:
        world.door.is_down = False
    assert world.door.wait_for_end(order.key).handover.result == '"gone on"'


def test_messages_of_others_pass_untouched(world: World, prefork: Worker) -> None:
    with lasting():
        result = world.app.send_task(f"{APP}.add", [1, 2], queue="prefork")
        assert result.get(timeout=60) == 3


def test_a_lost_worker_does_not_make_its_task_begin_again(world: World, executor: Make, prefork: Worker) -> None:
    """A pool of threads, too: all of its processes are killed, and the message goes to another worker."""
    with lasting():
        worker = world.worker("threads", "-P", "threads", "-c", "2")
    order = world.door.order("run_lost", f"{APP}.wait", queue="threads", lease_seconds=1.0)
    executor().hand_over([order])
    world.door.wait(order.key, lambda known: known.beats > 0, "a sign of life")
    worker.kill()
    restore_unacknowledged(world)
    world.app.control.add_consumer("threads", reply=True, destination=[prefork.name], limit=1, timeout=10)
    known = world.door.wait(order.key, lambda known: known.refusals, "the refusal")
    assert known.refusals[0].startswith("begin: ")
    world.wait_until(lambda: world.door.gives_up(order.key))
    assert known.handover.state is HandoverState.LOST
    assert len(world.begun(order.key)) == 1


@pytest.mark.parametrize("count", [2000])
def test_a_batch_of_thousands_is_sent_at_once(world: World, executor: Make, count: int) -> None:
    orders = [world.door.order(f"run_many{n}", f"{APP}.add", queue="nowhere", args={"x": n}) for n in range(count)]
    made = executor()
    assert {each.error for each in made.hand_over(orders)} == {None}
    depths = {each.name: each.depth for each in executor(queue="nowhere").standing().queues}
    assert depths["nowhere"] == count
    with world.redis.client() as client:
        client.delete("nowhere")


def restore_unacknowledged(world: World) -> None:
    """Make Redis deliver again what was not acknowledged, as it does after the visibility timeout."""
    if world.broker != world.redis.url:
        return  # RabbitMQ does so by itself, as soon as the connection of the worker is gone
    with world.app.connection_for_read(transport_options={"visibility_timeout": -1}) as connection:
        connection.default_channel.qos.restore_visible(num=100)


def wait_for_witness(world: World, key: object) -> list[int]:
    world.wait_until(lambda: world.begun(key))
    return world.begun(key)
