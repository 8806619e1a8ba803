"""A span around a tick, for whoever traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

TickSpan = Callable[[], AbstractContextManager[Callable[..., None]]]
"""Opens the span; what it gives takes the attributes `tasks_due` and `tasks_run`, the number that succeeded."""


@contextmanager
def no_span() -> Iterator[Callable[..., None]]:
    """Nobody traces."""
    yield lambda **_attributes: None
