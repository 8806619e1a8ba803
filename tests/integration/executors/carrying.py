"""Work that is carried out in threads of the test, by what any worker does: ask for leave, report, and end.

It does the same tasks as `proj` for Celery.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from duly.ports.executor_settings import ExecutorSettings, Resolve
from duly.ports.executors import SendResult, WorkOrder
from tests.channels.fakes.server import FakeServer, Reply, Seen
from tests.integration.executors.door import PATIENCE
from tests.scripted_executor import ScriptedExecutor

NO_WORKER = "no-worker"
"""A queue from which no worker takes anything."""


THREADS: list[threading.Thread] = []


def all_have_ended() -> bool:
    """Whether all work has ended: also that which nobody wants any more, because its worker was told so."""
    return not any(each.is_alive() for each in THREADS)


class Carrier:
    """Carries out one order."""

    def __init__(self, base: str, token: str, key: str, task: str, args: Mapping[str, Any]) -> None:
        self._base = base
        self._token = token
        self._key = key
        self._args = args
        self._task = getattr(self, task.rpartition(".")[2])
        thread = threading.Thread(target=self._work, daemon=True)
        THREADS.append(thread)
        thread.start()

    def _work(self) -> None:
        with httpx.Client(
            headers={"Authorization": f"Bearer {self._token}"}, trust_env=False, timeout=PATIENCE
        ) as http:
            self._http = http
            if self._tell("begin", worker="carrier") is None:
                outcome = self._task(**self._args)
                if outcome is not None:
                    self._tell("end", **outcome)

    def _tell(self, what: str, **facts: Any) -> str | None:
        """Report; gives the refusal, if it was refused."""
        answer = self._http.post(f"{self._base}/{what}", json={"start": self._key, **facts})
        return None if answer.status_code == 200 else str(answer.json().get("refusal"))

    # tasks

    def add(self, x: int, y: int = 2) -> Mapping[str, Any]:
        return {"state": "succeeded", "result": x + y}

    def speak(self) -> Mapping[str, Any]:
        lines = [{"text": text} for text in ("first", "second")]
        self._tell("beat", lines=lines, progress={"done": 1, "of": 2})
        return {"state": "succeeded", "result": {"key": self._key}}

    def fail(self) -> Mapping[str, Any]:
        return {"state": "failed", "error": "ValueError: no bread left"}

    def wait(self) -> None:
        while self._tell("beat") is None:
            time.sleep(0.1)


class Service(FakeServer):
    """A service of orders over HTTP."""

    async def respond(self, seen: Seen) -> Reply:
        order = seen.json
        if order["queue"] != NO_WORKER:
            base = order["callback"]["end"].removesuffix("/end")
            Carrier(base, order["token"], order["key"], order["task"], order["args"])
        return Reply(202, {"state": "queued"})


class InProcess(ScriptedExecutor):
    """The scripted executor with its workers. It stands where one of kind `http` would."""

    def __init__(self, settings: ExecutorSettings, _resolve: Resolve) -> None:
        super().__init__(settings.name)
        self._callback = settings.callback

    def hand_over(self, orders: Sequence[WorkOrder]) -> list[SendResult]:
        for each in orders:
            if each.queue != NO_WORKER:
                base = f"{self._callback}/api/v1/executions/{each.key.run_id}/{each.key.number}"
                Carrier(base, each.token, each.run_key, each.task, each.args)
        return super().hand_over(orders)
