"""The context of a run: its handler, in any thread, reports progress through it and learns of a cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from datetime import datetime
from typing import Any

from duly.clock import Cancel
from duly.errors import DulyError, RunCancelledError
from duly.model.run import Fire, trigger_source
from duly.outbound.tracing import trace_headers
from duly.planning.places import lane_of, pool_kind
from duly.ports.codec import encode_json
from duly.ports.records import Claimed

_current: ContextVar[Context] = ContextVar("duly_run")


class Context:
    """Implements `duly.ports.dispatch.RunContext`."""

    __slots__ = (
        "_cancelled",
        "_note",
        "abandoned",
        "begun_at",
        "handed_back",
        "id",
        "kind",
        "lane",
        "run",
        "stuck",
        "task",
        "timeout",
        "timer",
        "waits_since",
    )

    def __init__(self, run: Claimed, note: Callable[[Context, str, Any], None]) -> None:
        self.run = run
        self.id = run.run_id
        self.kind = pool_kind(run.handler)
        self.lane = lane_of(run.namespace)
        self.task: asyncio.Task[None] | None = None
        """The task that carries it out, once it has begun."""
        self.timer: Cancel | None = None
        """Calls off the timer that begins it, while its time has not come."""
        self.waits_since: float | None = None
        """Since when it waits for a place, by the monotonic clock."""
        self.timeout: float | None = None
        self.begun_at: float | None = None
        """When the handler was called, by the monotonic clock."""
        self.abandoned = False
        """This node no longer owns the run; its outcome will not be recorded."""
        self.handed_back = False
        """The engine stops; another engine will carry the run out."""
        self.stuck = False
        self._cancelled = False
        self._note = note

    @property
    def key(self) -> str:
        return Fire(self.run.schedule_id, self.run.origin, self.run.fire_at).key

    @property
    def name(self) -> str:
        return self.run.name

    @property
    def trigger_source(self) -> str:
        return trigger_source(self.run.name)

    @property
    def fire_at(self) -> datetime:
        return self.run.fire_at

    @property
    def attempt(self) -> int:
        return self.run.attempt

    @property
    def traceparent(self) -> str | None:
        return trace_headers().get("traceparent")

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def heartbeat(self) -> None:
        if self._cancelled:
            raise RunCancelledError(f"run {self.id} of {self.name} was asked to stop")

    def progress(self, data: Any) -> None:
        self.heartbeat()
        self._note(self, "progress", encode_json(data, "progress"))

    def ask_to_stop(self) -> None:
        self._cancelled = True

    def report_stuck(self) -> None:
        if not self.stuck:
            self.stuck = True
            self._note(self, "stuck", None)

    @property
    def is_here(self) -> bool:
        """Whether the caller is the handler of this run, or a task or thread that the handler started."""
        return _current.get(None) is self

    def enter(self, at: float) -> None:
        """Begin the run: from now on `current_run` finds this context in this task and in threads of the handler."""
        self.begun_at = at
        _current.set(self)


def current_run() -> Context:
    """Give the context of the run that the calling handler carries out."""
    try:
        return _current.get()
    except LookupError:
        raise DulyError("no run is being carried out here: current_run() works inside handlers only") from None
