"""The interface for views over many schedules: their runs in a span, their figures, and their coming fires."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from duly.model.run import Origin, Status
    from duly.ports.records import StoredSchedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Which schedules a caller may see who may not see all of them."""

    namespace: str
    """Those in this namespace that have no targets, or one of them in `projects`."""
    projects: tuple[str, ...]
    beyond: bool = False
    """Also those of other namespaces that have a target in `projects`."""


class Reached(NamedTuple):
    """A schedule that a caller may see."""

    schedule_id: str
    hides: bool
    """It has a target which the caller may not see, so the output of its runs is hidden."""


@dataclass(frozen=True, slots=True)
class Visible:
    """The schedules that a question is about: all, or those with these ids."""

    ids: tuple[str, ...] | None = None
    hidden: tuple[str, ...] = ()
    """Those of them whose output is not searched."""


EVERYTHING = Visible()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunQuery:
    """Which runs to find, by the time at which they were recorded; the newest first."""

    visible: Visible = EVERYTHING
    statuses: tuple[Status, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    """Exclusive."""
    project: str | None = None
    handlers: tuple[str, ...] = ()
    """How the handler begins, in one of at most two ways: `prompt:`, `job:`, `executor:` or `message`."""
    origin: Origin | None = None
    text: str | None = None
    """Part of the schedule's name, of the error or of the reason."""
    before: str | None = None
    """Id of the last one seen."""
    limit: int = 100


@dataclass(frozen=True, slots=True)
class Mark:
    """The part of a run that a mark on a line needs; the fields are columns, in this order."""

    run_id: str
    schedule_id: str
    status: str
    origin: str
    fire_at: datetime
    due_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    skipped: int
    first_skipped_at: datetime | None
    attempt: int
    reason: str | None
    reminder_status: str | None


class FoundRun(NamedTuple):
    """A run that a search has found."""

    run_id: str
    outcome: str
    """Its status; `awaiting` if its reminder waits for an answer."""


class RunStretch(NamedTuple):
    """A part of a search for runs."""

    found: list[FoundRun]
    searched: int
    """How many runs were looked at; fewer than asked for when there are no more."""
    end: str | None
    """Id of the last one that was looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleSearch:
    """Which schedules to search for a text, in order of namespace and name."""

    text: str
    """Part of the name, of the description or of the action."""
    namespace: str | None = None
    enabled: bool | None = None
    project: str | None = None
    handlers: tuple[str, ...] = ()
    after: tuple[str, str] | None = None
    """Namespace and name of the last one that was searched."""


class FoundSchedule(NamedTuple):
    """A schedule that a search has found."""

    schedule_id: str
    namespace: str
    name: str


class ScheduleStretch(NamedTuple):
    """A part of a search for schedules."""

    found: list[FoundSchedule]
    searched: int
    """How many schedules were looked at; fewer than asked for when there are no more."""
    end: tuple[str, str] | None
    """Namespace and name of the last one that was looked at."""


class Tally(NamedTuple):
    """Runs of one outcome in one stretch of time."""

    stretch: int
    """Number of the stretch, from 0; what was due before the first one may have a negative number."""
    status: str
    runs: int
    fires: int
    """A record of missed or skipped fires stands for several."""


class StretchCount(NamedTuple):
    """Runs of one schedule with one outcome in one stretch of time."""

    schedule_id: str
    stretch: int
    status: str
    fires: int


@dataclass(frozen=True, slots=True)
class Planned:
    """When a schedule fires next, and where its series ends; the fields are columns, in this order."""

    schedule_id: str
    version: int
    next_fire_at: datetime
    next_run_at: datetime
    until_at: datetime | None
    max_runs: int | None
    fires: int


class Doing(NamedTuple):
    """What a schedule is doing."""

    running: bool = False
    awaiting: bool = False
    snoozed_until: datetime | None = None
    """When a reminder comes that was put off."""


class ScheduleTally(NamedTuple):
    """Numbers of schedules."""

    all: int
    paused: int
    agents: int
    jobs: int
    people: int
    failing: int
    running: int
    awaiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Which schedules to list by another order than their names, or of one state."""

    visible: Visible = EVERYTHING
    order: str = "name"
    """`name`, `attention` (what needs a person first, then by name) or `next` (by the next run)."""
    state: str | None = None
    """`failing`, `awaiting`, `running`, `paused`, `ok` …: see the statement `ranked_of`."""
    handlers: tuple[str, ...] = ()
    project: str | None = None
    text: str | None = None
    enabled: bool | None = None
    namespace: str | None = None
    after: tuple[int, str, str] | None = None
    """The place of the last one seen."""
    limit: int = 50


LAST_RANK = 9_000_000_000_000_000_000
"""By the next run, the rank of what has none; there is none above it."""


class RankedId(NamedTuple):
    """A schedule and its place in an order."""

    schedule_id: str
    place: tuple[int, str, str]
    """Its rank, and two texts that put those of the same rank in order: mostly namespace and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLife:
    """The life of a node, as far as the store knows it."""

    id: str
    host: str
    pid: int
    handlers: tuple[str, ...]
    lease_seconds: float
    started_at: datetime
    seen_at: datetime
    """Its last sign of life by its wall clock."""
    ended: bool
    """It stopped in good order, or was found lost."""
    version: str | None
    under_way: int


class Timeline(Protocol):
    """Questions over many schedules. Each costs by what is asked, not by what is stored."""

    async def reached(self, reach: Reach) -> list[Reached]:
        """Find the schedules within a reach, deleted ones too."""
        ...

    async def within(self, project: str) -> list[str]:
        """Find the schedules that have a target in a project."""
        ...

    async def find_runs(self, wanted: RunQuery) -> list[str]:
        """Return ids of runs, newest first."""
        ...

    async def count_runs(self, wanted: RunQuery) -> dict[str, int]:
        """Count the same runs by status; a run whose reminder waits for an answer counts as `awaiting`."""
        ...

    async def search_runs(self, wanted: RunQuery, most: int) -> RunStretch:
        """Search the next so many runs of all schedules, newest first, and give all that is found among them.

        The limit of the query does not count. Visible must be everything.
        """
        ...

    async def size_of_runs(self, wanted: RunQuery, down_to: str | None = None) -> int:
        """Count the runs that a search has to look at, down to a run. This grows with their number."""
        ...

    async def search_schedules(self, wanted: ScheduleSearch, most: int) -> ScheduleStretch:
        """Search the next so many schedules, and give all that is found among them."""
        ...

    async def size_of_schedules(self, namespace: str | None, most: int | None = None) -> int:
        """Count the schedules that a search has to look at; up to `most`. This grows with their number."""
        ...

    async def schedules_between(self, after: tuple[str, str], upto: tuple[str, str]) -> int:
        """Count the schedules from one to another, by namespace and name, the first one left out."""
        ...

    async def tally(
        self, visible: Visible, start: datetime, end: datetime, *, width: float, origin: datetime | None = None
    ) -> list[Tally]:
        """Count runs that were recorded in a span, by outcome and by the stretch of their fires.

        A stretch has `width` seconds; the first one begins at `origin`, without it at the beginning of the span.
        """
        ...

    async def still_open(
        self, visible: Visible, start: datetime, end: datetime
    ) -> frozenset[tuple[str, str, str | None]]:
        """Return the unfinished ones of the runs that were recorded in a span: id, status, status of its reminder."""
        ...

    async def count_running(self, visible: Visible) -> int: ...

    async def marks(self, ids: Collection[str], start: datetime, end: datetime, limit: int) -> list[Mark]:
        """Return runs of these schedules with a fire in the span, and all unfinished ones, in order of their fires."""
        ...

    async def stretches(
        self, ids: Collection[str], start: datetime, end: datetime, *, width: float
    ) -> list[StretchCount]:
        """Count the runs of these schedules with a fire in the span, by outcome and stretch."""
        ...

    async def last_marks(self, ids: Collection[str], count: int) -> list[Mark]:
        """Return the last runs of each of these schedules, oldest fire first, with one statement."""
        ...

    async def costs(self, ids: Collection[str], since: datetime) -> dict[str, float]:
        """Return the cost of the fires of each schedule since a time; schedules without cost are left out."""
        ...

    async def spent(self, visible: Visible, start: datetime, end: datetime) -> float:
        """Return the cost of all runs that were recorded in a span."""
        ...

    async def planned(self, visible: Visible, until: datetime, limit: int) -> list[Planned]:
        """Return the schedules that fire before a time, the next one first."""
        ...

    async def schedules(self, ids: Sequence[str]) -> list[StoredSchedule]:
        """Read schedules by id, in the order asked for."""
        ...

    async def named(self, name: str) -> list[str]:
        """Find the schedules that have a name, in any namespace. This grows with the number of namespaces."""
        ...

    async def doing(self, ids: Collection[str]) -> dict[str, Doing]:
        """Say what these schedules are doing; those that do nothing are left out."""
        ...

    async def busy(self, visible: Visible, limit: int) -> dict[str, Doing]:
        """Find schedules of which a run is under way, or waits for an answer."""
        ...

    async def count_schedules(self, visible: Visible, most: int) -> ScheduleTally:
        """Count schedules; the time of the call does not grow once there are more than `most`."""
        ...

    async def lives(self, since: datetime) -> list[NodeLife]:
        """Return the nodes that have not ended, and those that lived after a time; the first one that started first."""
        ...

    async def first_life(self) -> datetime | None:
        """Return when the first node started that the store knows of."""
        ...

    async def ranked(self, wanted: Ranked) -> list[RankedId]:
        """Return a page of schedules in an order."""
        ...
