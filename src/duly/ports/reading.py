"""For whom a store works: its connections are dealt out fairly among callers, and the engine has its own.

A face, or the engine, says once who asks; a store looks here with each call. Tasks that are started meanwhile work for
the same caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ENGINE = "engine"
"""The engine: it plans, claims and settles runs, and looks after the store."""
DELIVERIES = "deliveries"
"""Messages to people, with the notices of how runs ended. What handlers and agents ask is asked for everyone else."""
READERS = 4
"""How many calls of callers a store answers at once; those of the engine and of deliveries come in addition."""
OF_ENGINE = 3
"""How many of those it answers at once."""

_asking: ContextVar[str] = ContextVar("duly_store_works_for", default="")


def works_for() -> str:
    """Give for whom a store works in this task: the id of a token, one of the names above, or nothing."""
    return _asking.get()


def is_of_engine(who: str) -> bool:
    """Whether the engine's share of the connections is meant."""
    return who in (ENGINE, DELIVERIES)


def work_for(who: str) -> None:
    """Let stores work for a caller in this task from now on."""
    _asking.set(who)


@contextmanager
def working_for(who: str) -> Iterator[None]:
    """Let stores work for a caller during the block."""
    before = _asking.set(who)
    try:
        yield
    finally:
        _asking.reset(before)
