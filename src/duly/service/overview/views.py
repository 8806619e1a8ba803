"""What the overview shows: a day, coming fires, the load of a day, figures of schedules, and nodes.

Times are aware; `plain` renders them in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from duly.service.overview.figure_views import RunMark


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCounts:
    """Runs by what has become of them."""

    succeeded: int = 0
    failed: int = 0
    skipped: int = 0
    missed: int = 0
    cancelled: int = 0
    dead: int = 0
    running: int = 0
    waiting: int = 0
    """Not begun yet, or between two attempts."""
    awaiting: int = 0
    """Delivered, and waiting for a person's answer."""
    searched: int | None = None
    """Counted with a text, when the search takes long: how many of the newest runs were searched."""
    searched_of: int | None = None
    """How many runs there are to search."""

    @property
    def total(self) -> int:
        return (
            self.succeeded
            + self.failed
            + self.skipped
            + self.missed
            + self.cancelled
            + self.dead
            + self.running
            + self.waiting
            + self.awaiting
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FireMark:
    """A coming fire: its nominal time, and when it is dispatched."""

    fire_at: datetime
    run_at: datetime
    note: str | None = None
    """How a clock change moves it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Many runs of one outcome, drawn as one."""

    start: datetime
    end: datetime
    status: str | None
    """None for fires that are to come."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayRow:
    """One schedule on the timeline of a day."""

    schedule_id: str
    name: str
    namespace: str
    kind: str
    """`agent`, `job` or `person`."""
    detail: str
    state: str
    zone: str
    next_run_at: datetime | None = None
    runs: list[RunMark] = field(default_factory=list)
    coming: list[FireMark] = field(default_factory=list)
    often: bool = False
    """It fires oftener than every ten minutes: `bands` has its runs and fires."""
    bands: list[Band] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class OthersColumn:
    """A stretch of time in the row of the other schedules."""

    start: datetime
    end: datetime
    status: str | None
    """None for fires that are to come."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OthersRow:
    """The schedules that have no row of their own, as small columns."""

    schedules: int
    counts: OutcomeCounts
    columns: list[OthersColumn] = field(default_factory=list)
    unfold_after: str | None = None
    """Hand it back to get rows of the next ones."""
    is_exact: bool = True
    """False when there are so many schedules that only the next fire of some of them is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentSpan:
    """A span in which no node lived."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendView:
    """The cost of the prompts of a span, and what they may cost in a day."""

    spent_usd: float
    limit_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NextUp:
    """The next run of a schedule."""

    schedule_id: str
    name: str
    kind: str
    run_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DayView:
    """A span of time, usually a day: what happened, what runs, and what comes."""

    start: datetime
    end: datetime
    now: datetime
    zone: str
    sentence_counts: OutcomeCounts
    """Fires rather than records: a record of seven missed fires counts as seven."""
    running: int
    groups: list[DayRow]
    others: OthersRow | None
    silent: list[SilentSpan]
    spend: SpendView
    next_up: list[NextUp]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledFire:
    """A coming fire of a schedule."""

    schedule_id: str
    name: str
    namespace: str
    display_title: str | None
    kind: str
    fire_at: datetime
    run_at: datetime
    note: str | None = None
    duration_seconds: float | None = None
    """How long its runs typically take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FireRhythm:
    """A schedule that fires more than four times a day, as numbers by local day."""

    schedule_id: str
    name: str
    kind: str
    per_day: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FiresPage:
    """The coming fires of a span."""

    fires: list[ScheduledFire]
    truncated: bool
    rhythms: list[FireRhythm]


@dataclass(frozen=True, slots=True, kw_only=True)
class MinuteLoad:
    """A minute and what fires in it."""

    at: datetime
    fires: int
    schedule_ids: list[str]
    names: list[str] = field(default_factory=list)
    """The names of the first six of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadView:
    """How many runs are dispatched in each minute of a day."""

    day: date
    zone: str
    minutes: list[int]
    """From local midnight, in instants: 1440, or fewer or more on the day of a clock change."""
    total: int
    busiest: list[MinuteLoad]
    concurrency_peak: int
    """How many would run at once, by their typical durations."""
    max_concurrency: int
    at_once: list[int]
    """How many would run at once at most in each quarter of an hour of a coming day."""
    peak_at: datetime | None = None
    """The minute in which most would run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadView:
    """The fires of a minute before and after they are spread."""

    before: list[int]
    after: list[int]
    changed: list[str]
    """Ids of the schedules that are, or would be, changed."""
    from_file: list[str]
    """Lines for `duly.toml`: what comes from the file is changed there."""

    @property
    def gains(self) -> bool:
        """Whether fewer would start at once than now."""
        return max(self.after, default=0) < max(self.before, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleCounts:
    """Schedules by state and by kind."""

    all: int
    failing: int
    awaiting: int
    running: int
    paused: int
    agents: int
    jobs: int
    people: int
    is_exact: bool = True
    """False when there are more schedules than are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeView:
    """An engine that carries out runs."""

    id: str
    host: str
    pid: int
    started_at: datetime
    last_beat_at: datetime
    lease_left_seconds: float
    handlers: list[str]
    under_way: int
    version: str | None = None
    sign_ins: dict[str, str] = field(default_factory=dict)
    """How the tool of a spawner is signed in: by `key`, by `file`, or `none` was found; left out if unknown."""
