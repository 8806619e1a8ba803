"""What the shim does around a task."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from celery import Celery, Task
from celery.exceptions import Ignore

import duly.celery
from duly.celery import worker
from duly.celery.door import Door
from duly.celery.start import Start
from duly.model.handover import HandoverState
from tests.integration.executors.door import StubDoor, later
from tests.unit.celery.conftest import Deliver, FakeRequest, message


def test_a_task_of_others_asks_nothing(app: Celery, door: StubDoor, deliver: Deliver) -> None:
    seen: list[object] = []

    @app.task(name="unit.free", shared=False)
    def free() -> None:
        duly.celery.say("nothing")
        duly.celery.progress(1)
        seen.append(duly.celery.cancelled())

    assert deliver("unit.free") == "SUCCESS"
    assert seen == [False]


def test_leave_comes_before_anything_of_the_task(app: Celery, door: StubDoor, deliver: Deliver) -> None:
    order = door.order("run_refused", "unit.own")
    door.cancel(order.key)
    seen: list[str] = []

    class Own(Task):  # type: ignore[misc]
        def before_start(self, *_: Any) -> None:
            seen.append("before_start")

        def __call__(self, *_: Any) -> None:
            seen.append("call")

    @app.task(name="unit.own", base=Own, shared=False)
    def own() -> None:
        seen.append("run")

    assert deliver("unit.own", message(order, door.url)) == "IGNORED"
    assert seen == []
    allowed = door.order("run_allowed", "unit.own")
    assert deliver("unit.own", message(allowed, door.url)) == "SUCCESS"
    assert seen == ["before_start", "call"]


def test_what_a_task_prints_and_says_arrives_in_order(app: Celery, door: StubDoor, deliver: Deliver) -> None:
    @app.task(name="unit.talk", shared=False)
    def talk() -> dict[Any, Any]:
        print("one")
        duly.celery.say("two\nthree")
        print("four", end="")
        thread = threading.Thread(target=lambda: duly.celery.say("five"))
        thread.start()
        thread.join()
        duly.celery.progress({"done": 3})
        return {"n": 1}

    order = door.order("run_talk", "unit.talk")
    deliver("unit.talk", message(order, door.url))
    known = door.wait_for_end(order.key)
    assert known.lines == ["one", "two", "three", "five", "four"]
    assert known.progress == {"done": 3}
    assert known.handover.state is HandoverState.SUCCEEDED


def test_lines_that_come_too_fast_are_counted(app: Celery, door: StubDoor, deliver: Deliver) -> None:
    @app.task(name="unit.flood", shared=False)
    def flood() -> str:
        with door.changed:  # no report is answered meanwhile
            for n in range(5000):
                duly.celery.say(f"line {n}")
        return "x" * 100_000

    order = door.order("run_flood", "unit.flood")
    deliver("unit.flood", message(order, door.url))
    known = door.wait_for_end(order.key)
    assert known.lines[-1] == "line 4999"
    assert any("lines left out" in line for line in known.lines)
    assert "too large to keep" in (known.handover.result or "")
    with pytest.raises(ValueError, match="progress may have"):
        Start(Door("", "", "", ""), "s", lease=1).progress("x" * 20_000)


def test_an_end_by_other_means_is_told(app: Celery, door: StubDoor, deliver: Deliver) -> None:
    @app.task(name="unit.ignores", shared=False)
    def ignores() -> None:
        raise Ignore("replaced by another task")

    order = door.order("run_ignored", "unit.ignores")
    assert deliver("unit.ignores", message(order, door.url)) == "IGNORED"
    assert "the task ended as IGNORED" in (door.wait_for_end(order.key).handover.error or "")


@pytest.mark.parametrize("missing", ["duly-token", "duly-callback"])
def test_a_message_that_lacks_something_does_not_run(
    app: Celery, door: StubDoor, deliver: Deliver, missing: str
) -> None:
    ran: list[int] = []

    @app.task(name="unit.lacking", shared=False)
    def lacking() -> None:
        ran.append(1)

    headers = message(door.order("run_lacking", "unit.lacking"), door.url)
    headers[missing] = None
    assert deliver("unit.lacking", headers) == "IGNORED"
    assert ran == []


def test_where_duly_is_known_no_address_of_a_message_counts(
    app: Celery, door: StubDoor, deliver: Deliver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DULY_URL", door.url + "/")
    worker.install(app)

    @app.task(name="unit.forged", shared=False)
    def forged() -> None: ...

    order = door.order("run_forged", "unit.forged")
    assert deliver("unit.forged", message(order, "http://127.0.0.1:1")) == "SUCCESS"
    door.wait_for_end(order.key)
    with pytest.raises(ValueError, match="must begin with http"):
        worker.install(app, url="file:///etc/passwd")


@pytest.mark.parametrize(("acks_late", "state"), [(True, "REJECTED"), (False, "IGNORED")])
def test_when_duly_cannot_be_asked_in_time_the_message_goes_back(
    app: Celery, door: StubDoor, deliver: Deliver, acks_late: bool, state: str
) -> None:
    @app.task(name="unit.unasked", acks_late=acks_late, shared=False)
    def unasked() -> None: ...

    door.is_down = True
    order = door.order("run_unasked", "unit.unasked", begin_by=later(0.1))
    assert deliver("unit.unasked", message(order, door.url)) == state


def test_the_main_process_reports_for_one_that_is_gone(app: Celery, door: StubDoor) -> None:
    app.finalize()
    orders = [door.order(f"run_gone{n}", "unit.gone") for n in range(3)]
    requests = [FakeRequest(message(each, door.url)) for each in orders]
    for order, request in zip(orders[:2], requests[:2], strict=True):
        worker._on_received(request=request)
        start = request.request_dict[worker.START]
        door.answer(
            f"/api/v1/executions/{order.key.run_id}/1/begin", f"Bearer {order.token}", {"start": start, "worker": "w"}
        )
    worker._on_failure(task_id=requests[0].id, exception=MemoryError("killed"))
    worker._on_revoked(request=requests[1].request_dict, terminated=True, signum=15)
    worker._on_revoked(request=requests[2].request_dict)
    errors = [door.wait_for_end(each.key).handover.error for each in orders]
    assert errors == ["MemoryError: killed", "terminated by signal 15", "revoked before it began"]


def test_a_retry_that_expired_is_told_and_a_first_delivery_is_not(app: Celery, door: StubDoor) -> None:
    fresh = door.order("run_fresh", "unit.gone")
    worker._on_revoked(request=message(fresh, door.url), expired=True)
    retried = door.order("run_retried", "unit.gone")
    door.answer("/api/v1/executions/run_retried/1/begin", f"Bearer {retried.token}", {"start": "a", "worker": "w"})
    worker._on_revoked(request={**message(retried, door.url), worker.START: "a"}, expired=True)
    assert door.wait_for_end(retried.key).handover.error == "its retry expired"
    assert door.known[fresh.key].handover.state is HandoverState.HANDED_OVER


def test_a_report_is_sent_before_the_process_ends(app: Celery, door: StubDoor, deliver: Deliver) -> None:
    @app.task(name="unit.last", shared=False)
    def last() -> int:
        door.is_down = True
        return 7

    order = door.order("run_last", "unit.last")
    deliver("unit.last", message(order, door.url))
    door.is_down = False
    worker._on_process_end()
    assert door.known[order.key].handover.result == "7"
    assert worker._tell_version(None)["ok"]
