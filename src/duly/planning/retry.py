"""Retry: when a failed run is tried again, and which run is given up when processes keep dying. Pure.

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
from typing import TYPE_CHECKING, NamedTuple

from duly.model.policy import Backoff

if TYPE_CHECKING:
    from duly.model.policy import Retry

SHORTEST = timedelta(seconds=1)
"""The least delay: zero is legal, but a run that fails at once must not keep the engine busy."""

MAX_LOST_ATTEMPTS = 3
"""A run is given up after so many attempts that were lost with their process, unless its policy allows more."""

SHORTEST_SPREAD = timedelta(seconds=5)
"""The time over which suspected runs are spread the first time."""
LONGEST_SPREAD = timedelta(days=1)
_MOST_DOUBLINGS = 20  # far beyond the longest spread, and small enough to multiply with
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

IsPoison = Callable[[str, int], bool]
"""Says whether a run of this policy is given up after so many deaths; of a damaged policy, even after none."""


def next_attempt(retry: Retry, attempt: int, failed_at: datetime, chance: float) -> datetime | None:
    """Give the time of the next attempt after this one (counted from 1); None when it was the last.

    `chance`, from 0 to less than 1, spreads the jitter.
    """
    if retry.max_attempts is not None and attempt >= retry.max_attempts:
        return None
    return failed_at + max(wait_before(retry, attempt) * (1 + retry.jitter * chance), SHORTEST)


def wait_before(retry: Retry, attempt: int) -> timedelta:
    """Give the wait after this attempt, without jitter."""
    if retry.backoff is Backoff.CONSTANT:
        return retry.delay
    doublings = min(attempt - 1, 60)  # far beyond every cap, and small enough to shift by
    if retry.delay.total_seconds() * (1 << doublings) >= retry.cap.total_seconds():
        return retry.cap
    return retry.delay * (1 << doublings)


def longest_wait(retry: Retry, attempt: int) -> timedelta:
    """Give the longest possible wait after this attempt, jitter included."""
    return max(wait_before(retry, max(1, attempt)) * (1 + retry.jitter), SHORTEST)


def is_poison(retry: Retry, lost: int) -> bool:
    """Say whether to give up a run that lost so many attempts with their process; failures do not count."""
    return lost >= max(MAX_LOST_ATTEMPTS, retry.max_attempts or 0)


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
    """The decision about a run whose process died: given up, or begun again after a wait."""

    dead: bool
    lost: int
    """The deaths that stay on its record."""
    wait: timedelta = timedelta()


def fates(left: Sequence[UnderWay], is_poison: IsPoison) -> list[Fate]:
    """Decide about the runs that one process had under way when it died, in the order given.

    When one of them is given up, the others are cleared: it explains the deaths that they were in.
    """
    dead = {run.run_id for run in left if is_poison(run.policy, _lead(run, left))}
    if dead:
        return [Fate(dead=True, lost=run.deaths) if run.run_id in dead else Fate(dead=False, lost=0) for run in left]
    waits = _waits(left, is_poison)
    return [Fate(dead=False, lost=run.deaths, wait=waits.get(run.run_id, timedelta())) for run in left]


def _lead(run: UnderWay, left: Collection[UnderWay]) -> int:
    """Count in how many more deaths a run has been than any other run that died with it."""
    return run.deaths - max((other.deaths for other in left if other.run_id != run.run_id), default=0)


def _waits(left: Sequence[UnderWay], is_poison: IsPoison) -> dict[str, timedelta]:
    """Give the waits: none, unless the next death could be one too many for a run among several."""
    close_calls = max((_close_calls(run, is_poison) for run in left), default=0)
    if not close_calls or len(left) == 1:
        return {}
    spread = min(SHORTEST_SPREAD * 2 ** min(close_calls - 1, _MOST_DOUBLINGS), LONGEST_SPREAD)
    last_first = sorted(left, key=lambda run: (run.started_at or _LONG_AGO, run.run_id), reverse=True)
    return {run.run_id: turn * spread / len(left) for turn, run in enumerate(last_first)}


def _close_calls(run: UnderWay, is_poison: IsPoison) -> int:
    """Count the deaths that left a run one death short of its limit, or beyond it."""
    return sum(is_poison(run.policy, deaths + 1) for deaths in range(1, run.deaths + 1))
