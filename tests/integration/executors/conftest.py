"""One Redis, one door and one worker of each kind for all tests of a process.

`DULY_TEST_AMQP` names a broker to use in place of Redis, which then only keeps results.
"""

from __future__ import annotations

import gc
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from celery import Celery

from duly.executors.celery import CeleryExecutor
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from tests.integration.executors.door import PATIENCE, StubDoor
from tests.integration.executors.parts import RedisServer, Worker, short_folder
from tests.leaks import lasting


class World:
    """What the tests of this folder share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.redis = RedisServer(folder)
        self.door = StubDoor()
        self.broker = os.environ.get("DULY_TEST_AMQP") or self.redis.url
        self.app = Celery("watcher", broker=self.broker, backend=self.redis.url, set_as_current=False)
        self.workers: dict[str, Worker] = {}

    def worker(
        self, name: str, *options: str, shim: bool = True, environment: Mapping[str, str] | None = None
    ) -> Worker:
        """Give the worker of a queue of the same name; it is started when it is needed first."""
        if name not in self.workers:
            self.workers[name] = Worker(
                self.broker,
                self.redis.url,
                self.folder,
                name,
                *options,
                queues=name,
                shim=shim,
                environment=environment,
            )
            self.workers[name].wait(self.app)
        return self.workers[name]

    def begun(self, key: object) -> list[int]:
        """The processes in which code of the user has begun for a handover."""
        path = self.folder / f"{key}.begun"
        return [int(line) for line in path.read_text().split()] if path.exists() else []

    def let_go_on(self, key: object) -> None:
        (self.folder / f"{key}.go").touch()

    def wait_until(self, is_so: Callable[[], object]) -> None:
        """Wait for a fact, looking again after each report of a worker and now and then."""
        until = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < until, "it never came to be"
            with self.door.changed:
                self.door.changed.wait(0.05)

    def wait_until_gone(self, *processes: int) -> None:
        """Wait until a worker has seen that its processes are gone: it gives the next task to one of them otherwise."""
        self.wait_until(lambda: not any(Path(f"/proc/{each}").exists() for each in processes))

    def close(self) -> None:
        """End everything, the last one first, also after a worker that does not stop."""
        with ExitStack() as ending:
            ending.callback(shutil.rmtree, self.folder)
            ending.callback(self.redis.stop)
            ending.callback(self.door.close)
            ending.callback(gc.collect)  # results of Celery 5.5 unsubscribe from Redis when they go
            ending.callback(self.app.close)
            for each in self.workers.values():
                ending.callback(each.stop)


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    with lasting():
        made = World(short_folder())
    yield made
    made.close()


@pytest.fixture
def executor(world: World) -> Iterator[Callable[..., CeleryExecutor]]:
    """Makes executors, which are closed after the test."""
    made: list[CeleryExecutor] = []

    def make(**facts: object) -> CeleryExecutor:
        settings: dict[str, object] = {
            "name": "heavy",
            "kind": ExecutorKind.CELERY,
            "broker": world.broker,
            "result_backend": world.redis.url,
            "tasks": ("tests.integration.executors.proj.*",),
            "queue": "prefork",
            "callback": world.door.url,
        }
        made.append(CeleryExecutor(ExecutorSettings(**(settings | facts)), str))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def prefork(world: World) -> Worker:
    with lasting():
        return world.worker("prefork", "-P", "prefork", "-c", "3")
