"""What the conformance tests need of an executor and those behind it.

To have another executor tested, write a `Bench` for it and add it to `BENCHES`: every test runs over each of them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from duly.model.handover import HandoverKey
from duly.ports.executors import Executor, WorkOrder
from tests.scripted_executor import ScriptedExecutor

DOUBLE = "tests.double"
"""A task with the argument `number`, which gives twice as much."""
FORBIDDEN = "tests.forbidden"
"""A task that the executor may not be given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """A message as the other side got it."""

    key: HandoverKey
    token: str
    task: str
    args: Mapping[str, Any]
    positional: tuple[Any, ...]
    queue: str | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    """`run_key`, `attempt`, `schedule` and `lease_seconds`, as far as the message says them."""


class Bench(Protocol):
    """An executor, and a look at the other side."""

    @property
    def executor(self) -> Executor: ...

    @property
    def queues(self) -> bool:
        """Whether orders wait in named queues."""
        ...

    async def arrived(self, number: int) -> list[Arrived]:
        """Wait until so many messages have arrived and wait there, and return them; none is taken away."""
        ...

    async def cut_off(self) -> None:
        """Make it unreachable."""
        ...

    async def reconnect(self) -> None:
        """Make it reachable again."""
        ...


class ScriptedBench:
    """The executor in memory."""

    queues = True

    def __init__(self) -> None:
        self.executor = ScriptedExecutor(refused={FORBIDDEN: f"task {FORBIDDEN} is not allowed"})

    async def arrived(self, number: int) -> list[Arrived]:
        assert len(self.executor.waiting) == number
        return [_seen(each) for each in self.executor.waiting]

    async def cut_off(self) -> None:
        self.executor.reachable = False

    async def reconnect(self) -> None:
        self.executor.reachable = True


def _seen(order: WorkOrder) -> Arrived:
    return Arrived(
        key=order.key,
        token=order.token,
        task=order.task,
        args=order.args,
        positional=order.positional,
        queue=order.queue,
        facts={
            "run_key": order.run_key,
            "attempt": order.attempt,
            "schedule": order.schedule,
            "lease_seconds": order.lease_seconds,
        },
    )


@asynccontextmanager
async def _scripted(_folder: Path) -> AsyncIterator[Bench]:
    yield ScriptedBench()


BENCHES: dict[str, Callable[[Path], AbstractAsyncContextManager[Bench]]] = {"scripted": _scripted}
