"""How fast what is old may be forgotten: in batches that keep others waiting for a moment at most, with pauses between.

A store may have one write lock for everybody, and whoever waits for it only gets in when it is free. So a batch is
measured, and the next one is made as large as fits the time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

LONGEST_HOLD = 0.05
"""Seconds for which a batch may keep others from writing."""
_AIM = 0.02
_FIRST, _LEAST, _MOST = 100, 10, 2000
_GROWTH = 2.0
_SHORTEST_PAUSE = 0.02
_PAUSE_PER_SECOND_HELD = 4.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How many rows the next batch may forget, and for how many seconds the store is left to others before it."""

    rows: int = _FIRST
    pause: float = _SHORTEST_PAUSE

    def after(self, seconds: float, forgotten: int) -> Pace:
        """The pace after a batch that held others up for so long and has forgotten so many rows.

        Only a full batch says how many rows fit: rows that are passed over cost next to nothing.
        """
        pause = max(_SHORTEST_PAUSE, _PAUSE_PER_SECOND_HELD * seconds)
        fits = min(_GROWTH, _AIM / seconds) if seconds > 0 else _GROWTH
        if fits > 1 and forgotten < self.rows:
            return replace(self, pause=pause)
        return Pace(min(_MOST, max(_LEAST, round(self.rows * fits))), pause)
