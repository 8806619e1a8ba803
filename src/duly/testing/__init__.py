"""Time travel for tests: ours, and those of everyone who schedules with duly."""

from duly.testing.clock import VirtualClock

__all__ = ["VirtualClock"]
