"""Usage limits: how long a run waits when an agent's usage window is spent. Pure.

A tool that names the time at which its limit resets is asked again then. One that names none is asked again after a
wait that grows. Either ends once the run has waited for the longest time without the agent getting on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from duly.model.codec import from_plain, to_plain

FIRST_WAIT = timedelta(minutes=15)
LONGEST_WAIT = timedelta(hours=1)
"""The waits where no reset is named: the first one, doubled up to the longest."""
SHORTEST_WAIT = timedelta(seconds=5)
"""Where a reset is named it is waited for at least so long, doubled with each time it was not yet true."""
_JITTER = timedelta(seconds=30)
"""Up to so much is added: all runs of an account learn of the same reset."""
_MOST_DOUBLINGS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitWait:
    """A wait for the reset of a limit."""

    since: datetime
    """When the agent was first refused, of the refusals with no work in between."""
    until: datetime
    tries: int
    """How often it was refused since then."""

    def plain(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return to_plain(self)

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> LimitWait:
        """Read it from JSON, which may have more beside it."""
        return from_plain(cls, {name: plain.get(name) for name in cls.__slots__}, "waits")


def wait_for_limit(
    now: datetime, reset: datetime | None, *, before: LimitWait | None, longest: timedelta, chance: float
) -> LimitWait | None:
    """Decide how long to wait after a refusal; None when that would take longer than the longest time.

    `reset` is the time that the tool has named, `before` the wait that this refusal follows, unless the agent has
    worked in between. `chance`, from 0 to less than 1, spreads the jitter.
    """
    since = now if before is None else before.since
    tries = 1 if before is None else before.tries + 1
    named = reset is not None and reset > now
    if reset is not None and named:
        wait = max(reset - now, _doubled(SHORTEST_WAIT, tries, FIRST_WAIT))
    else:
        wait = _doubled(FIRST_WAIT, tries, LONGEST_WAIT)
    end = since + longest
    if not longest or now >= end or (reset is not None and named and reset > end):
        return None
    jitter = min(_JITTER, wait / 10) * chance
    # The last try comes when the longest time is over, and not before: the reset may be close to it.
    return LimitWait(since=since, until=min(now + wait, end) + jitter, tries=tries)


def _doubled(first: timedelta, tries: int, longest: timedelta) -> timedelta:
    return min(first * (1 << min(tries - 1, _MOST_DOUBLINGS)), longest)
