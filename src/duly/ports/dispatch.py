"""How a run is carried out: the dispatcher port, and what a handler may know about its run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from duly.ports.records import Claimed


@dataclass(frozen=True, slots=True)
class Later:
    """What a dispatcher gives instead of a result when the run has more to do, but not now: it is called again then.

    No attempt was lost. Whatever it must remember until then it has to have written down itself.
    """

    at: datetime
    reason: str
    error: str | None = None
    """What has gone wrong so far. A run that the next fire replaces has failed with it, and is cancelled without."""


class RunContext(Protocol):
    """A handler's view of the run it carries out. Safe to use from the handler's thread."""

    @property
    def id(self) -> str: ...

    @property
    def key(self) -> str:
        """The idempotency key: the same over every attempt."""
        ...

    @property
    def name(self) -> str:
        """The name of the schedule."""
        ...

    @property
    def trigger_source(self) -> str:
        """What set the run off: `schedule:` and the name of its schedule."""
        ...

    @property
    def fire_at(self) -> datetime: ...

    @property
    def attempt(self) -> int: ...

    @property
    def timeout(self) -> float | None: ...

    @property
    def cancelled(self) -> bool:
        """Somebody asked the run to stop, or it is no longer ours."""
        ...

    def heartbeat(self) -> None:
        """A place to stop: raises `RunCancelledError` when the run should end."""
        ...

    def progress(self, data: Any) -> None:
        """Tell how far the run has got; whoever looks at it sees the latest."""
        ...

    def ask_to_stop(self) -> None:
        """From now on `cancelled` is true."""
        ...

    def report_stuck(self) -> None:
        """The timeout has passed, and what runs cannot be stopped."""
        ...


@runtime_checkable
class Tending(Protocol):
    """A dispatcher that has something to do for runs that ended without it."""

    async def tend(self) -> None:
        """See to what such runs have left behind; safe to repeat.

        An engine calls it when it has started, when it has given runs up, and now and then.
        """
        ...


class Dispatcher(Protocol):
    """Carries out runs of some kind."""

    def serves(self) -> Collection[str]:
        """The handlers whose runs this process can carry out."""
        ...

    async def dispatch(self, run: Claimed, context: RunContext) -> Any:
        """Carry it out, honouring `context.timeout`; gives the result or `Later`, raises what went wrong.

        When this returns or raises, nothing of the run is going on any more. Cancelled, it stops what can be stopped
        and waits for what cannot.
        """
        ...
