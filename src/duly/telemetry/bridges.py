"""Bridges to the telemetry of libraries: their log records become events of duly, and a tick becomes a span.

Any client can make the HTTP server, the event loop and the MCP library log warnings as often as it likes, each with a
stack trace. As events they are counted by the log. Warnings that differ only in numbers count as the same.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from opentelemetry import trace

from duly.clock import Clock
from duly.model.events import SERVER_FAULT, SERVER_WARNING, Event

LOGGERS = ("asyncio", "mcp", "opentelemetry", "uvicorn", "websockets")
_LONGEST = 200
_NUMBERS = re.compile(r"0x[0-9a-f]+|[0-9a-f]{32}|\d+")


@contextmanager
def library_warnings_as_events(tell: Callable[[Event], None], clock: Clock) -> Iterator[None]:
    """Turn the warnings and errors of `LOGGERS` into events during the block."""
    handler = _EventHandler(tell, clock)
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [each.propagate for each in loggers]
    for each in loggers:
        each.addHandler(handler)
        each.propagate = False
    try:
        yield
    finally:
        for each, propagate in zip(loggers, before, strict=True):
            each.removeHandler(handler)
            each.propagate = propagate


class _EventHandler(logging.Handler):
    """A log handler that makes an event of each record."""

    def __init__(self, tell: Callable[[Event], None], clock: Clock) -> None:
        super().__init__(logging.WARNING)
        self._tell = tell
        self._clock = clock

    def emit(self, record: logging.LogRecord) -> None:
        try:
            said = record.getMessage()
            kind = SERVER_FAULT if record.levelno >= logging.ERROR else SERVER_WARNING
            data = {"source": record.name.partition(".")[0], "error": _NUMBERS.sub("#", _first_line(said))}
            if record.exc_info and (error := record.exc_info[1]) is not None:
                data["error"] += f" ({type(error).__name__})"
                data["traceback"] = "".join(traceback.format_exception(error))
            self._tell(Event(kind, self._clock.now(), data=data))
        except Exception:  # as every log handler: the code that logs must not fail
            self.handleError(record)


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")[:_LONGEST]


@contextmanager
def tick_span() -> Iterator[Callable[..., None]]:
    """Open the OpenTelemetry span `butler.tick`: almost free while no tracer is installed.

    Its attributes `tasks_due` and `tasks_run` count due runs and succeeded ones.
    """
    with trace.get_tracer("duly").start_as_current_span("butler.tick") as span:
        yield lambda **attributes: span.set_attributes(attributes)
