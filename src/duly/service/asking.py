"""Around every operation, once: the limits of what is given, the right to change anything, tracing, who hears of it.

No face can forget one of these: each hands a value of `duly.operations` to `Services.ask`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from duly.errors import AccessDeniedError
from duly.expansion import REQUEST, bounded
from duly.service.access.audit import acting_as
from duly.service.limits import check_given

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.operations.ask import Ask, Operation
    from duly.service.access.scopes import Caller
    from duly.service.services import Services

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class AskEnded:
    """An ask that has ended, for those who count or watch."""

    operation: Operation
    caller: Caller
    seconds: float
    result: object = None
    error: BaseException | None = None


OnAskEnded = Callable[[AskEnded], None]


class Asking:
    """Answers what callers ask."""

    def __init__(self, services: Services, clock: Clock) -> None:
        self._services = services
        self._clock = clock
        self._listeners: list[OnAskEnded] = []

    def hear(self, listener: OnAskEnded) -> None:
        """Call a listener with every ask that has ended."""
        self._listeners.append(listener)

    async def ask(self, caller: Caller, ask: Ask[R]) -> R:
        """Answer an ask of a caller, or raise the error that says why not."""
        began = self._clock.monotonic()
        operation = ask.operation
        with _span(operation.name, caller):
            try:
                result = await self._carried_out(caller, ask)
            except BaseException as error:
                self._tell(AskEnded(operation, caller, self._clock.monotonic() - began, error=error))
                raise
        self._tell(AskEnded(operation, caller, self._clock.monotonic() - began, result=result))
        return result

    async def _carried_out(self, caller: Caller, ask: Ask[R]) -> R:
        if ask.operation.changes and caller.scope.read_only:
            verb = ask.operation.name.replace("_", " ")
            raise AccessDeniedError(f"cannot {verb}: scope {caller.scope} may only look")
        _check(ask)
        with acting_as(caller), bounded(REQUEST):
            return await ask.carry_out(self._services, caller)

    def _tell(self, answered: AskEnded) -> None:
        for listener in self._listeners:
            listener(answered)


def _span(operation: str, caller: Caller) -> AbstractContextManager[object]:
    """Open a span around an ask; where nothing has loaded OpenTelemetry, nothing traces, and nothing need load it."""
    if "opentelemetry.trace" not in sys.modules:
        return nullcontext()
    from duly.outbound.tracing import span

    return span("duly.ask", {"duly.operation": operation, "duly.face": str(caller.face)})


def _check(ask: Ask[Any]) -> None:
    """Refuse what is too long, each field of an object by its own limit; a face bounds the files that it receives."""
    for each in fields(ask):
        value = getattr(ask, each.name)
        if not isinstance(value, bytes):
            check_given(value if isinstance(value, Mapping) else {each.name: value})
