"""Time travel for tests: ours, and those of everyone who schedules with duly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duly.testing.clock import VirtualClock

__all__ = ["VirtualClock"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from duly.testing import clock  # late: pytest loads this package with every test run, whatever it tests

    return getattr(clock, name)
