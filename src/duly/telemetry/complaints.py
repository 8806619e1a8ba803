"""What the HTTP server, the event loop and the MCP library complain about, as events: what repeats itself is counted.

A stranger can make them complain as often as he likes, each time with a stack trace. Complaints that differ only in
numbers, such as ports and ids, count as the same.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from duly.clock import Clock
from duly.model.events import SERVER_FAULT, SERVER_WARNING, Event

LOGGERS = ("asyncio", "mcp", "uvicorn", "websockets")
_LONGEST = 200
_NUMBERS = re.compile(r"0x[0-9a-f]+|[0-9a-f]{32}|\d+")


@contextmanager
def counting_complaints(tell: Callable[[Event], None], clock: Clock) -> Iterator[None]:
    """Turn the warnings and errors of these loggers into events as long as the block lasts."""
    handler = _Complaints(tell, clock)
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


class _Complaints(logging.Handler):
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
        except Exception:  # a line of the log is no reason for anything to fail
            self.handleError(record)


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")[:_LONGEST]
