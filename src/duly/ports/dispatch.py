"""The interface of a dispatcher, which carries out runs, and the context that a handler gets."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from duly.ports.records import Claimed


@dataclass(frozen=True, slots=True)
class Later:
    """Returned by a dispatcher instead of a result when the run has more to do later: it is called again at that time.

    No attempt is lost. The dispatcher has to store everything it needs until then.
    """

    at: datetime
    reason: str
    error: str | None = None
    """The error so far. A run that the next fire replaces then counts as failed with it, and as cancelled without."""
    waits: bool = False
    """It could not get on and waits: the same attempt goes on then, with its number, and the journal has the reason."""
    quiet: bool = False
    """With `waits`: the journal has nothing, because the wait is the usual course of such a run."""


@dataclass(frozen=True, slots=True)
class Remarked:
    """Returned by a dispatcher instead of a result about which people should hear something."""

    result: Any
    reason: str
    """What the run shows beside its result."""


class RunContext(Protocol):
    """The run as its handler sees it. Safe to use from the handler's thread."""

    @property
    def id(self) -> str: ...

    @property
    def key(self) -> str:
        """The idempotency key: the same in every attempt."""
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
    def traceparent(self) -> str | None:
        """The trace context of the run, as the header `traceparent` has it; None when nothing is traced."""
        ...

    @property
    def cancelled(self) -> bool:
        """Whether the run was asked to stop, or another node owns it now."""
        ...

    def heartbeat(self) -> None:
        """Raise `RunCancelledError` if the run should end; long handlers call it now and then."""
        ...

    def progress(self, data: Any) -> None:
        """Report how far the run has got; callers who read the run see the latest report."""
        ...

    def ask_to_stop(self) -> None:
        """Make `cancelled` true."""
        ...

    def report_stuck(self) -> None:
        """Report that the timeout has passed and the handler cannot be stopped."""
        ...


@runtime_checkable
class Tending(Protocol):
    """A dispatcher that has work left from runs that ended without it."""

    async def tend(self) -> None:
        """Do the work that such runs have left; safe to repeat.

        An engine calls it when it has started, when runs have become dead, and now and then.
        """
        ...


class Dispatcher(Protocol):
    """Carries out the runs of one kind of action."""

    def serves(self) -> Collection[str]:
        """Return the handlers whose runs this process can carry out."""
        ...

    async def dispatch(self, run: Claimed, context: RunContext) -> Any:
        """Carry out a run within `context.timeout`; returns the result, `Remarked` or `Later`, or raises the error.

        When this returns or raises, no part of the run is still going on. When cancelled, it stops what can be stopped
        and waits for the rest.
        """
        ...
