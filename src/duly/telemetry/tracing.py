"""The span around a tick, through the OpenTelemetry API: next to nothing while nobody traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from opentelemetry import trace


@contextmanager
def tick_span() -> Iterator[Callable[..., None]]:
    """`butler.tick`, with `tasks_due` and `tasks_run`: how many were due, and how many runs succeeded."""
    with trace.get_tracer("duly").start_as_current_span("butler.tick") as span:
        yield lambda **attributes: span.set_attributes(attributes)
