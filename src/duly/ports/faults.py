"""What those who look after a store have to know of how it is reached."""

from __future__ import annotations

from typing import Protocol


class HasFaults(Protocol):
    """Works, and may have something to complain of."""

    @property
    def faults(self) -> list[str]:
        """What is wrong with how the store is reached, although it can be used: sentences for its operator."""
        ...
