"""Rows of the dict-backed store that the port has no record for: a node with its beats, and what the clock did."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from duly.planning.correction import Corrected, Mark
from duly.ports.records import NodeRecord


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node, and the boot time of its last beat."""

    record: NodeRecord
    beat_at: float
    state: str = "alive"
    doubted_at: float | None = None
    """Since when another node has found it silent, if it has not beaten since."""


@dataclass(frozen=True, slots=True)
class ClockRow:
    """By which times things were decided, and what the correction under way has come to so far."""

    mark: Mark = field(default_factory=Mark)
    schedules: int = 0
    runs: int = 0
    corrected: Corrected | None = None

    def decided(self, at: datetime) -> ClockRow:
        """The same after something was decided at a time."""
        if self.mark.decided_until is not None and self.mark.decided_until >= at:
            return self
        return replace(self, mark=self.mark._replace(decided_until=at))
