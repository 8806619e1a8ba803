"""Helpers for tests of code that uses duly: a virtual clock, a scripted channel, fake command lines, fixtures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duly.testing.clock import VirtualClock

__all__ = ["VirtualClock"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from duly.testing import clock  # late: pytest loads this package in every test run, also without duly

    return getattr(clock, name)
