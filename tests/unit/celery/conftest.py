"""The shim in this process: tasks are traced as a worker traces them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from celery import Celery
from celery.app.trace import build_tracer

from duly.celery import beating, worker
from duly.ports.executors import WorkOrder
from tests.integration.executors.door import StubDoor
from tests.leaks import lasting


@pytest.fixture
def door() -> Iterator[StubDoor]:
    made = StubDoor()
    yield made
    made.close()


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Iterator[Celery]:
    monkeypatch.delenv("DULY_URL", raising=False)
    monkeypatch.setattr(worker, "_installation", worker._Installation())
    made = Celery("unit", broker="memory://", backend="cache+memory://", set_as_current=False)
    worker.install(made, capture_output=True)
    with lasting():
        beating.beats().start()
    yield made
    made.close()


class FakeRequest:
    """What a worker makes of a message, as far as the signals show it."""

    def __init__(self, headers: dict[str, Any]) -> None:
        self.id = headers["id"]
        self.request_dict = headers


def message(order: WorkOrder, callback: str) -> dict[str, Any]:
    """The headers of a message, as the executor writes them."""
    return {
        "id": str(order.key),
        "hostname": "unit@test",
        "delivery_info": {},
        "duly-run": order.key.run_id,
        "duly-number": order.key.number,
        "duly-token": order.token,
        "duly-callback": callback,
        "expires": order.begin_by.isoformat() if order.begin_by else None,
    }


Deliver = Callable[..., str]


@pytest.fixture
def deliver(app: Celery) -> Deliver:
    """Delivers a message to a task, as often as it is called; gives the state in which the task ended."""

    def run(name: str, headers: dict[str, Any] | None = None, *args: Any) -> str:
        given = dict(headers or {"id": uuid.uuid4().hex, "delivery_info": {}})
        worker._on_received(request=FakeRequest(given))
        worker._put_before_all(app)  # as `worker_init` does
        ended = build_tracer(name, app.tasks[name], app=app)(given["id"], args, {}, given)
        return str(ended.info.state) if ended.info else "SUCCESS"

    return run
