"""Around every operation, once: the limits of what is given, the right to change anything, tracing, who hears of it.

No face can forget one of these: each hands a value of `duly.operations` to `Services.ask`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from duly.errors import AccessDeniedError
from duly.expansion import REQUEST, bounded
from duly.service.access.audit import acting_as
from duly.service.limits import check_given

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.operations.ask import Ask
    from duly.service.access.scopes import Caller
    from duly.service.services import Services

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Answered:
    """An ask that has ended, for those who count or watch."""

    operation: str
    caller: Caller
    seconds: float
    result: object = None
    error: BaseException | None = None


OnAnswered = Callable[[Answered], Awaitable[None]]


class Asking:
    """Answers what callers ask."""

    def __init__(self, services: Services, clock: Clock) -> None:
        self._services = services
        self._clock = clock
        self._listeners: list[OnAnswered] = []

    def hear(self, listener: OnAnswered) -> None:
        """Tell a listener of every ask that has ended."""
        self._listeners.append(listener)

    async def ask(self, caller: Caller, ask: Ask[R]) -> R:
        """Answer an ask of a caller, or raise the error that says why not."""
        from duly.outbound.tracing import span

        began = self._clock.monotonic()
        name = ask.operation.name
        with span("duly.ask", {"duly.operation": name, "duly.face": str(caller.face)}):
            try:
                result = await self._carried_out(caller, ask)
            except BaseException as error:
                await self._tell(Answered(name, caller, self._clock.monotonic() - began, error=error))
                raise
        await self._tell(Answered(name, caller, self._clock.monotonic() - began, result=result))
        return result

    async def _carried_out(self, caller: Caller, ask: Ask[R]) -> R:
        if ask.operation.changes and caller.scope.read_only:
            verb = ask.operation.name.replace("_", " ")
            raise AccessDeniedError(f"cannot {verb}: scope {caller.scope} may only look")
        check_given(_given(ask))
        with acting_as(caller), bounded(REQUEST):
            return await ask.carry_out(self._services, caller)

    async def _tell(self, answered: Answered) -> None:
        for listener in self._listeners:
            await listener(answered)


def _given(ask: Ask[Any]) -> Mapping[str, Any]:
    """Give the fields of an ask that were given; a file is bounded by whoever received it."""
    return {each.name: value for each in fields(ask) if not isinstance(value := getattr(ask, each.name), bytes)}
