"""Observers of the engine: listeners to events, and the span around a tick."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

from duly.model.events import Event

EventListener = Callable[[Event], None]

TickSpan = Callable[[], AbstractContextManager[Callable[..., None]]]
"""Opens a span; its value takes the attributes `tasks_due` and `tasks_run`, the number of runs that succeeded."""

_log = logging.getLogger("duly")


def tell(listeners: Iterable[EventListener], events: Iterable[Event]) -> None:
    """Hand every event to every listener, in order; an error of a listener is logged and does not stop the others."""
    heard = list(listeners)
    for event in events:
        for listener in heard:
            try:
                listener(event)
            except Exception:
                _log.exception("a listener failed on %s", event.kind.name)


@contextmanager
def no_span() -> Iterator[Callable[..., None]]:
    """Open no span: tracing is off."""
    yield lambda **_attributes: None
