"""What duly does about brokers that are gone, workers without duly, results that are gone, and messages of others."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.errors import ExecutorUnreachableError, InvalidInputError
from duly.executors.celery import CeleryExecutor
from duly.model.handover import HandoverKey, HandoverState
from duly.planning.handovers import Outcome
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.executors import Sighting
from tests.integration.executors.conftest import World
from tests.integration.executors.door import later
from tests.integration.executors.parts import APP, RedisServer, Worker, short_folder
from tests.leaks import lasting

Make = Callable[..., CeleryExecutor]


@pytest.fixture
def broker() -> Iterator[RedisServer]:
    """A broker that a test may stop."""
    folder = Path(short_folder())
    server = RedisServer(folder)
    yield server
    server.stop()
    for each in folder.iterdir():
        each.unlink()
    folder.rmdir()


@pytest.fixture
def plain(world: World) -> Worker:
    """A worker without duly."""
    with lasting():
        return world.worker("plain", "-P", "threads", "-c", "2", shim=False)


def test_a_broker_that_is_down_is_said_at_once(world: World, executor: Make, broker: RedisServer) -> None:
    broker.stop()
    made = executor(broker=broker.url)
    order = world.door.order("run_down", f"{APP}.add", args={"x": 1})
    with pytest.raises(ExecutorUnreachableError, match="the broker redis"):
        made.hand_over([order])
    standing = made.standing()
    assert not standing.reachable
    assert "cannot be reached" in (standing.error or "")


def test_a_broker_that_comes_back_gets_the_next_batch(world: World, executor: Make, broker: RedisServer) -> None:
    made = executor(broker=broker.url, queue="later")
    orders = [world.door.order(f"run_back{n}", f"{APP}.add", args={"x": n}) for n in range(3)]
    assert [each.error for each in made.hand_over(orders[:1])] == [None]
    broker.stop()
    with pytest.raises(ExecutorUnreachableError):
        made.hand_over(orders[1:2])
    broker.start()
    assert [each.error for each in made.hand_over(orders[1:])] == [None, None]
    with broker.client() as client:
        assert client.llen("later") == 2, "the first one was lost with the queue"


def test_a_broker_that_was_restarted_meanwhile_costs_no_attempt(
    world: World, executor: Make, broker: RedisServer
) -> None:
    made = executor(broker=broker.url, queue="later")
    orders = [world.door.order(f"run_restart{n}", f"{APP}.add", args={"x": n}) for n in range(2)]
    made.hand_over(orders[:1])
    broker.stop()
    broker.start()
    assert [each.error for each in made.hand_over(orders[1:])] == [None]


def test_a_message_says_what_the_worker_needs_and_hides_the_arguments(
    world: World, executor: Make, broker: RedisServer
) -> None:
    order = world.door.order(
        "run_seen", f"{APP}.add", args={"x": "secret"}, positional=("p",), begin_by=later(60), priority=3
    )
    executor(broker=broker.url, queue="seen", time_limit=timedelta(minutes=1)).hand_over([order])
    with broker.client() as client:
        [key] = client.keys("seen*")
        message = json.loads(client.lindex(key, 0))
    headers = message["headers"]
    assert message["content-type"] == "application/json"
    assert headers["id"] == "run_seen.1"
    assert headers["expires"] == order.begin_by.isoformat() if order.begin_by else None
    assert (headers["eta"], headers["timelimit"], message["properties"]["priority"]) == (None, [60, None], 3)
    assert {name: value for name, value in headers.items() if name.startswith("duly-")} == {
        "duly-run": "run_seen",
        "duly-number": 1,
        "duly-key": "key-run_seen",
        "duly-attempt": 1,
        "duly-schedule": "nightly",
        "duly-executor": "heavy",
        "duly-token": order.token,
        "duly-callback": world.door.url,
        "duly-lease": 60.0,
    }
    assert "secret" not in json.dumps(headers)


def test_what_can_never_be_sent_fails_alone(world: World, executor: Make) -> None:
    orders = [
        world.door.order("run_foreign", "os.system", args={}),
        world.door.order("run_large", f"{APP}.add", args={"x": "x" * 70_000}),
        world.door.order("run_good", f"{APP}.add", args={"x": 1}, queue="aside"),
    ]
    foreign, large, good = executor().hand_over(orders)
    assert foreign.final
    assert "may not run 'os.system'" in (foreign.error or "")
    assert large.final
    assert "70" in (large.error or "")
    assert "xxx" not in (large.error or "")
    assert good.error is None


def test_degraded_a_result_is_read_from_the_backend(world: World, executor: Make, plain: Worker) -> None:
    made = executor(queue="plain", reports=False)
    good = world.door.order("run_plain", f"{APP}.add", args={"x": 1, "y": 1}, reports=False)
    bad = world.door.order("run_plainly", f"{APP}.fail", reports=False)
    made.hand_over([good, bad])
    handovers = [world.door.known[each.key].handover for each in (good, bad)]
    outcomes: dict[HandoverKey, Outcome] = {}

    def have_ended() -> bool:
        outcomes.update({each.key: each.outcome for each in made.observe(handovers) if each.outcome is not None})
        return len(outcomes) == 2

    world.wait_until(have_ended)
    assert outcomes[good.key] == (HandoverState.SUCCEEDED, "2", None)
    assert outcomes[bad.key] == (HandoverState.FAILED, None, "ValueError: no bread left")


def test_degraded_only_a_worker_that_answers_is_a_sign_of_life(world: World, executor: Make, plain: Worker) -> None:
    """PENDING is what Celery says of tasks that it does not know, and STARTED stays when a worker is gone."""
    made = executor(queue="plain", reports=False)
    never = world.door.order("run_never", f"{APP}.add", reports=False)
    gone = world.door.order("run_gone", f"{APP}.add", reports=False)
    with world.redis.client() as client:
        client.set(f"celery-task-meta-{gone.key}", json.dumps({"status": "STARTED", "result": {"pid": 1}}))
    assert made.observe([world.door.known[each.key].handover for each in (never, gone)]) == []
    order = world.door.order("run_at_work", f"{APP}.wait", reports=False)
    made.hand_over([order])
    handover = world.door.known[order.key].handover
    at_work = Sighting(key=order.key, is_at_work=True, worker=plain.name)
    world.wait_until(lambda: made.observe([handover]) == [at_work])
    world.let_go_on(order.key)


def test_a_result_that_expired_or_is_a_pickle_is_not_known(world: World, executor: Make) -> None:
    order = world.door.order("run_expired", f"{APP}.add", args={"x": 1})
    handover = world.door.known[order.key].handover
    made = executor()
    assert made.observe([handover]) == []
    with world.redis.client() as client:
        client.set(f"celery-task-meta-{order.key}", pickle.dumps({"status": "SUCCESS", "result": 1}))
    assert made.observe([handover]) == []


def test_a_copy_that_was_discarded_is_no_outcome_of_what_has_begun(world: World, executor: Make) -> None:
    """Celery writes REVOKED for a message that is delivered again after its time, although the first one has begun.

    Only where workers do not report themselves that they discarded a message, this is how duly hears of it.
    """
    order = world.door.order("run_copied", f"{APP}.add", args={"x": 1})
    heard = replace(world.door.known[order.key].handover, state=HandoverState.BEGUN)
    with world.redis.client() as client:
        client.set(f"celery-task-meta-{order.key}", json.dumps({"status": "REVOKED", "result": None}))
    assert executor().observe([heard]) == []
    [sighting] = executor(reports=False).observe([replace(heard, reports=False)])
    assert sighting.outcome == (HandoverState.FAILED, None, "revoked in Celery")


def test_a_result_backend_that_is_gone_knows_nothing(world: World, executor: Make, broker: RedisServer) -> None:
    broker.stop()
    order = world.door.order("run_unread", f"{APP}.add", args={"x": 1})
    handover = world.door.known[order.key].handover
    assert executor(result_backend=broker.url).observe([handover]) == []
    with pytest.raises(ExecutorUnreachableError, match="result backend"):  # or what succeeded would count as lost
        executor(result_backend=broker.url).observe([replace(handover, reports=False)])


def test_standing_shows_workers_queues_and_what_is_set_up_badly(
    world: World, executor: Make, prefork: Worker, plain: Worker
) -> None:
    standing = executor(tasks=(f"{APP}.*", "other.*"), time_limit=timedelta(hours=2)).standing()
    assert standing.reachable
    assert set(standing.workers) >= {prefork.name, plain.name}
    assert standing.tasks is not None
    assert f"{APP}.add" in standing.tasks
    depth = {each.name: (each.depth, each.workers) for each in standing.queues}
    assert depth["prefork"] == (0, 1)
    text = "\n".join(standing.warnings)
    assert f"workers without duly: {plain.name}" in text
    assert "no worker knows a task 'other.*'" in text
    assert "visibility_timeout is 3600 s, and tasks of up to 7200 s" in text


def test_revoking_reaches_the_workers(world: World, executor: Make, prefork: Worker) -> None:
    made = executor()
    order = world.door.order("run_revoked", f"{APP}.wait")
    made.hand_over([order])
    known = world.door.wait_for_begin(order.key)
    world.wait_until(lambda: world.begun(order.key))
    made.cancel([known.handover], terminate=True)
    assert world.door.wait_for_end(order.key).handover.error == "terminated by signal 15"
    world.wait_until_gone(*world.begun(order.key))


@pytest.fixture
def named(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[CeleryExecutor]:
    """An executor that knows the app of the user."""
    monkeypatch.setenv("DULY_TEST_BROKER", world.broker)
    monkeypatch.setenv("DULY_TEST_BACKEND", world.redis.url)
    settings = ExecutorSettings(
        name="heavy", kind=ExecutorKind.CELERY, app=f"{APP}:app", tasks=(f"{APP}.*",), callback=world.door.url
    )
    made = CeleryExecutor(settings, str)
    yield made
    made.close()


def test_what_the_app_shows_is_refused_when_it_is_saved(named: CeleryExecutor) -> None:
    named.check(f"{APP}.add", {"y": 1}, [2], None)
    refused: list[tuple[str, dict[str, Any], list[Any], str]] = [
        ("os.system", {}, [], "may not run 'os.system': its tasks are"),
        (f"{APP}.ad", {}, [], f"did you mean {APP}.add"),
        (f"{APP}.add", {"z": 1}, [], "cannot be called so: .*'x'|unexpected"),
        (f"{APP}.add", {"x": "two"}, [], "x must be int"),
        (f"{APP}.add", {}, [1, 2, 3], "too many positional arguments"),
    ]
    for task, args, positional, reason in refused:
        with pytest.raises(InvalidInputError, match=reason):
            named.check(task, args, positional, None)


@pytest.mark.parametrize("task", ["retry_once", "retry_by_itself"])
def test_one_side_decides_about_retries(named: CeleryExecutor, task: str) -> None:
    named.check(f"{APP}.{task}", {}, [], None)
    with pytest.raises(InvalidInputError, match="both duly and Celery would try"):
        named.check(f"{APP}.{task}", {}, [], None, retries=True)
    named.check(f"{APP}.add", {"x": 1}, [], None, retries=True)


def test_an_unknown_queue_is_refused_where_the_app_lists_its_queues(named: CeleryExecutor) -> None:
    from kombu.entity import Queue

    from tests.integration.executors.proj import app

    named.check(f"{APP}.add", {"x": 1}, [], "anything")
    app.conf.task_queues = [Queue(name) for name in ("heavy", "light")]  # type: ignore[no-untyped-call]
    app.amqp.__dict__.pop("queues", None)
    try:
        with pytest.raises(InvalidInputError, match="has no queue 'anything': its queues are heavy, light"):
            named.check(f"{APP}.add", {"x": 1}, [], "anything")
        named.check(f"{APP}.add", {"x": 1}, [], "light")
    finally:
        app.conf.task_queues = None
        app.amqp.__dict__.pop("queues", None)


def test_the_routes_of_the_app_count(world: World, named: CeleryExecutor, prefork: Worker) -> None:
    order = world.door.order("run_routed", f"{APP}.add", args={"x": 1}, queue="prefork")
    named.hand_over([order])
    assert world.door.wait_for_end(order.key).handover.result == "3"


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"app": "no.such:app", "broker": None}, "cannot load 'no.such:app'"),
        ({"app": f"{__name__}:APP", "broker": None}, "is no Celery app"),
    ],
)
def test_an_app_that_cannot_be_used_says_why(world: World, executor: Make, facts: dict[str, Any], reason: str) -> None:
    made = executor(**facts)
    with pytest.raises(InvalidInputError, match=reason):
        made.check(f"{APP}.add", {}, [], None)
    with pytest.raises(ExecutorUnreachableError, match=reason):
        made.hand_over([world.door.order("run_unloaded", f"{APP}.add")])
    assert not made.standing().reachable
