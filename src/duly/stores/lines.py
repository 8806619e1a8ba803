"""Lines: the runs of a schedule that wait for each other. What the stores have in common about who comes forward."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from duly.errors import DecodeError
from duly.model.policy import Policy
from duly.model.run import Status
from duly.planning.overlap import coming_forward, places
from duly.ports.codec import decode_policy
from duly.ports.records import NewRun

_ONE_BY_ONE = Policy()


def may_come_forward(policy: str, placed: int, in_line: int, waiting: int) -> int:
    """How many of those in line may begin under the policy as it is stored now, whatever it was when they were put."""
    return coming_forward(_read(policy), placed, in_line, waiting)


def lines_behind(policies: Mapping[str, str], runs: Iterable[NewRun], recorded: Container[str]) -> list[str]:
    """Schedules in which a new run waits for whatever is under way: its end is what the line waits for.

    Not where any number may run: there the line is only the past, which waits for nobody but itself.
    """
    waiting = {run.schedule_id for run in runs if run.status is Status.WAITING and run.id in recorded}
    return sorted(each for each in waiting if places(_read(policies[each])) < float("inf"))


def untaken_places(planned: Iterable[NewRun], recorded: Container[str]) -> list[str]:
    """Schedules with places that were meant for fires known before: the next in line may have them."""
    known = (run for run in planned if run.id not in recorded)
    return sorted({run.schedule_id for run in known if run.status in (Status.PENDING, Status.RUNNING)})


def _read(policy: str) -> Policy:
    try:
        return decode_policy(policy)
    except DecodeError:  # the line moves all the same; what cannot be read is told by whoever carries the run out
        return _ONE_BY_ONE
