"""An executor without a network, for tests of what is around it: it answers as it was scripted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from duly.errors import ExecutorUnreachableError, InvalidInputError
from duly.model.handover import Handover
from duly.ports.executor_settings import ExecutorSettings
from duly.ports.executors import ExecutorStanding, SendResult, Sighting, WorkOrder
from duly.runtime.runtime import Runtime

PLACE = ("tests.configured_executor", "ConfiguredExecutor")


@dataclass
class ConfiguredExecutor:
    """Every instance is in `MADE`; what it was sent is kept."""

    settings: ExecutorSettings
    resolve: Callable[[str], str]
    answer: ExecutorStanding = field(default_factory=lambda: ExecutorStanding(reachable=True))
    refuses: str | None = None
    retries_itself: bool = False
    is_closed: bool = False
    sent: list[WorkOrder] = field(default_factory=list)

    def __post_init__(self) -> None:
        MADE.append(self)

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def reports(self) -> bool:
        return self.settings.reports

    def check(
        self,
        task: str,
        _args: Mapping[str, Any],
        _positional: Sequence[Any],
        _queue: str | None,
        *,
        retries: bool = False,
    ) -> None:
        if retries and self.retries_itself:
            raise InvalidInputError(f"both duly and the executor would try {task} again")
        if self.refuses is not None:
            raise InvalidInputError(f"{task}: {self.refuses}")

    def hand_over(self, orders: Sequence[WorkOrder]) -> list[SendResult]:
        if not self.answer.reachable:
            raise ExecutorUnreachableError(self.answer.error or "unreachable")
        self.sent += orders
        return [SendResult() for _ in orders]

    def observe(self, _handovers: Sequence[Handover]) -> list[Sighting]:
        return []

    def cancel(self, handovers: Sequence[Handover], *, terminate: bool) -> None:
        pass

    def standing(self) -> ExecutorStanding:
        return self.answer

    def close(self) -> None:
        self.is_closed = True


MADE: list[ConfiguredExecutor] = []


def stand_in(runtime: Runtime, name: str, answer: ExecutorStanding | None = None) -> ConfiguredExecutor:
    """Put a scripted executor in the place of a configured one."""
    executors = runtime.capabilities.executors
    made = ConfiguredExecutor(executors.settings[name], str)
    if answer is not None:
        made.answer = answer
    executors._made[name] = made
    executors.looks.clear()
    return made
