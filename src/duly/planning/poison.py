"""Which run is given up when processes keep dying: a pure decision about one death at a time.

A death says only that one of the runs under way may have caused it. So the deaths of a run are not counted by
themselves but against those of the runs that died with it: a run is given up when it has been in so many more deaths
than any of them. The run that kills is in every death; the others fall behind as soon as a death comes without them.

To bring that about, runs that would be given up at the next death are begun one after another instead of together. The
last one begun before a death comes first after it, because it is the most likely to have caused it: if it did, it is
now alone. The time over which they are spread doubles with each death, so that it exceeds the time that the run takes
to kill, however long that is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

SHORTEST_SPREAD = timedelta(seconds=5)
"""Over so much time the runs are spread that are begun apart for the first time."""
LONGEST_SPREAD = timedelta(days=1)
_MOST_DOUBLINGS = 20  # far beyond the longest spread, and small enough to multiply with
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

IsPoison = Callable[[str, int], bool]
"""Whether a run of this policy is given up after so many deaths; true even for none if the policy is unreadable."""


class UnderWay(NamedTuple):
    """A run that was under way when its process died."""

    run_id: str
    policy: str
    lost: int
    """The deaths it has been in before this one, since it was last cleared."""
    started_at: datetime | None

    @property
    def deaths(self) -> int:
        """The deaths it has been in, this one included."""
        return self.lost + 1


class Fate(NamedTuple):
    """What becomes of a run whose process died."""

    dead: bool
    """It is given up."""
    lost: int
    """The deaths that stay on its record."""
    wait: timedelta = timedelta()
    """How long it waits before it is begun again."""


def fates(left: Sequence[UnderWay], is_poison: IsPoison) -> list[Fate]:
    """Say what becomes of the runs that one process had under way when it died, in the order given.

    When one of them is given up, the others are cleared: it explains the deaths that they were in.
    """
    dead = {run.run_id for run in left if is_poison(run.policy, _lead(run, left))}
    if dead:
        return [Fate(dead=True, lost=run.deaths) if run.run_id in dead else Fate(dead=False, lost=0) for run in left]
    waits = _waits(left, is_poison)
    return [Fate(dead=False, lost=run.deaths, wait=waits.get(run.run_id, timedelta())) for run in left]


def _lead(run: UnderWay, left: Collection[UnderWay]) -> int:
    """In how many more deaths a run has been than any other one that died with it."""
    return run.deaths - max((other.deaths for other in left if other.run_id != run.run_id), default=0)


def _waits(left: Sequence[UnderWay], is_poison: IsPoison) -> dict[str, timedelta]:
    """How long each run waits: not at all, unless the next death could be one too many for a run among several."""
    close_calls = max((_close_calls(run, is_poison) for run in left), default=0)
    if not close_calls or len(left) == 1:
        return {}
    spread = min(SHORTEST_SPREAD * 2 ** min(close_calls - 1, _MOST_DOUBLINGS), LONGEST_SPREAD)
    last_first = sorted(left, key=lambda run: (run.started_at or _LONG_AGO, run.run_id), reverse=True)
    return {run.run_id: turn * spread / len(left) for turn, run in enumerate(last_first)}


def _close_calls(run: UnderWay, is_poison: IsPoison) -> int:
    """How many of its deaths left a run one death short of its limit, or beyond it."""
    return sum(is_poison(run.policy, deaths + 1) for deaths in range(1, run.deaths + 1))
