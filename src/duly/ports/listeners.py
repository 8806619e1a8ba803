"""Listeners to events, and how they are told: each of them, in order, and none can stop the work by failing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from duly.model.events import Event

EventListener = Callable[[Event], None]

_log = logging.getLogger("duly")


def tell(listeners: Iterable[EventListener], events: Iterable[Event]) -> None:
    """Hand every event to every listener; one that raises is logged, and the others are told all the same."""
    heard = list(listeners)
    for event in events:
        for listener in heard:
            try:
                listener(event)
            except Exception:
                _log.exception("a listener failed on %s", event.kind.name)
