"""Records that pass between the engine and a store. Definitions travel as JSON text.

A store keeps triggers and actions without understanding them, and asks `planning` about policies; the code that needs
their meaning decodes them (see `ports.codec`). So a damaged row can be shown, and does not end the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from duly.model.ids import TOKEN
from duly.model.run import Origin, Run, Status
from duly.planning.places import Pool

if TYPE_CHECKING:
    from duly.errors import DecodeError
    from duly.model.events import Event
    from duly.ports.tokens import TokenRecord

_NO_TOKENS: Mapping[str, TokenRecord] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Damage:
    """Columns of a row that cannot be decoded. A store that writes the row leaves them as they are."""

    error: DecodeError
    """Names the first of them."""
    values: Mapping[str, Any]
    """What the store found, by column."""


@dataclass(slots=True, kw_only=True)
class StoredSchedule:
    """A schedule as a store keeps it."""

    id: str
    namespace: str
    name: str
    trigger: str
    action: str
    policy: str
    handler: str
    description: str | None = None
    source: str = "db"
    created_by: str | None = None
    max_runs: int | None = None
    start_at: datetime | None = None
    end_at: datetime | None = None
    until_at: datetime | None = None
    timezone: str | None = None
    display_title: str | None = None
    calendar_event_id: str | None = None
    enabled: bool = True
    next_fire_at: datetime | None = None
    next_run_at: datetime | None = None
    watermark: datetime | None = None
    fires: int = 0
    version: int = 1
    last_run_at: datetime | None = None
    last_status: str | None = None
    last_result: str | None = None
    consecutive_failures: int = 0
    total_runs: int = 0
    quarantine: str | None = None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None
    disabled_by: str | None = None
    """Why it does not fire: `person`, `finished`, `file` or `quarantine`; None while it is enabled."""
    token_scope: str | None = None
    """The scope of the token that created it."""
    created_via: str | None = None
    """The face it came through: `mcp`, `cli`, `api`, `chat`, `gui`."""
    original_text: str | None = None
    """The phrase it was made from, if it was made from one."""
    resting: str | None = None
    """Why it rests: the folder, program or job that is missing; None while it does not rest."""
    resting_since: datetime | None = None
    failing_since: datetime | None = None
    """When the first of its failures in a row ended; None after a success."""
    changed_by: str | None = None
    """Who last changed what it runs: the id of a token, or `local`; None while it runs what its creator made."""
    damage: Damage | None = field(default=None, compare=False)
    """Not a column: which columns cannot be decoded."""


SCHEDULE_COLUMNS = tuple(each for each in fields(StoredSchedule) if each.name != "damage")


@dataclass(slots=True)
class Due:
    """A due schedule, with everything the planner needs to know about it."""

    id: str
    namespace: str
    name: str
    trigger: str
    action: str
    policy: str
    handler: str
    next_fire_at: datetime | None
    next_run_at: datetime | None
    until_at: datetime | None
    max_runs: int | None
    fires: int
    enabled: bool
    running: int = 0
    """Runs under way or about to be, those between two attempts included."""
    retrying: int = 0
    """Of these, the ones that wait for another attempt."""
    waiting: int = 0
    taken: frozenset[datetime] = frozenset()
    """Instants from its next fire on that have runs already, made while the wall clock was ahead."""
    created_by: str | None = None
    changed_by: str | None = None


@dataclass(slots=True)
class NewRun:
    """A run to record. With status `running`, the node that records it also claims it."""

    id: str
    schedule_id: str
    origin: Origin
    fire_at: datetime
    due_at: datetime
    handler: str
    status: Status
    reason: str | None = None
    skipped: int = 0
    first_skipped_at: datetime | None = None
    in_line: bool = False
    """Its end lets the next waiting run of the schedule come forward."""


@dataclass(slots=True)
class Advance:
    """The new state of a schedule after planning."""

    schedule_id: str
    enabled: bool
    next_fire_at: datetime | None
    next_run_at: datetime | None
    watermark: datetime | None
    fires: int
    quarantine: str | None = None
    supersede: bool = False
    """Close the runs of this schedule that wait for another attempt: a new fire takes their place."""
    come_forward: int = 0
    """How many waiting runs take the places that closed runs leave."""

    @property
    def disabled_by(self) -> str | None:
        if self.enabled:
            return None
        return "finished" if self.quarantine is None else "quarantine"


@dataclass(slots=True)
class Plan:
    """The decision of a planner about a batch of schedules."""

    advances: list[Advance] = field(default_factory=list)
    runs: list[NewRun] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


Planner = Callable[[Sequence[Due]], Plan]
"""Called inside the transaction that holds the schedules; must be pure and quick."""


@dataclass(slots=True)
class Claimed:
    """A run this node owns now."""

    run_id: str
    schedule_id: str
    namespace: str
    name: str
    origin: Origin
    fire_at: datetime
    due_at: datetime
    handler: str
    attempt: int
    fence: int
    action: str
    policy: str
    created_by: str | None = None
    changed_by: str | None = None
    tokens: Mapping[str, TokenRecord] = field(default_factory=lambda: _NO_TOKENS)
    """Those of `token_ids` that there are, as they were when the run was claimed."""

    @property
    def token_ids(self) -> list[str]:
        """Return the tokens whose rights count: that of the creator, and of the last caller who changed the action."""
        if self.created_by is None and self.changed_by is None:
            return []
        people = dict.fromkeys((self.created_by, self.changed_by))
        return [each for each in people if each is not None and each.startswith(TOKEN)]

    def give(self, tokens: Mapping[str, TokenRecord]) -> None:
        """Keep those of `tokens` whose rights count for this run."""
        if wanted := self.token_ids:
            self.tokens = {each: tokens[each] for each in wanted if each in tokens}


def wanted_tokens(runs: Iterable[Claimed]) -> list[str]:
    """Return the tokens whose rights count for some of the runs."""
    people = (run for run in runs if run.created_by is not None or run.changed_by is not None)  # most have neither
    return sorted({each for run in people for each in run.token_ids})


@dataclass(slots=True)
class Settlement:
    """How an attempt ended. With `retry_at` the run becomes pending again: to be retried if it failed; with the status
    `PENDING` because it goes on, or because it was never begun.
    """

    run_id: str
    schedule_id: str
    fence: int
    status: Status
    finished_at: datetime
    result: str | None = None
    error: str | None = None
    reason: str | None = None
    retry_at: datetime | None = None
    goes_on: bool = False
    """With `retry_at`: nothing failed, the run has more to do then. Attempts lost with a process count anew."""
    same_attempt: bool = False
    """With `goes_on`: the attempt keeps its number when the run goes on."""
    events: Sequence[Event] = ()
    """Events of the attempt, written only if the settlement is accepted."""

    @property
    def is_unbegun(self) -> bool:
        """Whether the run was claimed and never begun: it becomes pending as it was, and the attempt does not count."""
        return self.status is Status.PENDING and not self.goes_on


@dataclass(slots=True)
class Cycle:
    """One turn of the engine: settle, plan and claim, all in one transaction."""

    node_id: str
    now: datetime
    settlements: Sequence[Settlement] = ()
    planner: Planner | None = None
    plan_limit: int = 0
    claim_limit: int = 0
    handlers: Sequence[str] = ()
    """The handlers this node serves; runs of other handlers are left alone."""
    pools: Sequence[Pool] = ()
    """The places of this node for these handlers. Without, there are `claim_limit` places for all of them."""
    events: Sequence[Event] = ()
    asked_at: datetime | None = None
    """The wall time of the call, where it is later than `now`: a tick by hand plans for the time at which it began."""
    plan_until: datetime | None = None
    """Schedules that fall due until then are handed to the planner, too, where that is later than `now`."""

    @property
    def places(self) -> Sequence[Pool]:
        """Return the places for the runs that are planned and claimed."""
        return self.pools or (Pool(handlers=self.handlers, size=self.claim_limit),)

    @property
    def due_until(self) -> datetime:
        """Return the latest time at which a schedule is due that this turn may plan."""
        return self.plan_until or self.now

    @property
    def wall(self) -> datetime:
        """Return the wall time of the call."""
        return self.asked_at or self.now

    @property
    def decides_until(self) -> datetime:
        """Return the latest time by which it decides: an attempt may have ended while the clock was still ahead."""
        return max(self.now, self.wall, *(each.finished_at for each in self.settlements))


@dataclass(slots=True)
class CycleResult:
    """The result of one turn."""

    refused: list[str] = field(default_factory=list)
    """Runs whose settlement came too late: another node owns them now."""
    claimed: list[Claimed] = field(default_factory=list)
    planned: int = 0
    """Schedules planned; as many as `plan_limit` means that there may be more."""
    recorded: int = 0
    next_wake: datetime | None = None
    """When the next schedule or pending run is due; runs that wait for a place are left out."""
    waiting: Mapping[str, datetime] = field(default_factory=dict)
    """By handler: since when the first run in the shared lane may have been waiting for a place."""
    planned_ahead: bool = False
    """Nothing was planned: the store holds decisions that a wrong wall clock made about times still to come."""


@dataclass(slots=True)
class NodeRecord:
    """An engine, as the others see it."""

    id: str
    host: str
    pid: int
    pid_started: str
    boot_id: str
    """See `planning.lease.Place`."""
    lease_seconds: float
    handlers: tuple[str, ...]
    started_at: datetime
    version: str | None = None
    """The version of duly that it runs."""


@dataclass(slots=True)
class Rescued:
    """Runs taken back from an owner that fell silent; without a node, those that had no owner."""

    node_id: str | None
    requeued: list[str] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)
    look_again_in: float | None = None
    """Nothing was taken back yet: the node is doubted, and has so many seconds to beat."""


@dataclass(slots=True, kw_only=True)
class ScheduleFilter:
    """Which schedules to list, in order of namespace and name."""

    namespace: str | None = None
    enabled: bool | None = None
    handler: str | None = None
    source: str | None = None
    text: str | None = None
    project: str | None = None
    """Only those with a target in this project."""
    quarantined: bool | None = None
    resting: bool | None = None
    token: str | None = None
    """Only those that the token of this id made or last changed."""
    deleted: bool = False
    after: tuple[str, str] | None = None
    """Namespace and name of the last one seen."""
    limit: int = 100


@dataclass(slots=True, kw_only=True)
class RunFilter:
    """Which runs to list, the newest first."""

    schedule_id: str | None = None
    statuses: tuple[Status, ...] = ()
    before: str | None = None
    """Id of the last one seen."""
    ids: tuple[str, ...] | None = None
    """These runs, and no others; then nothing else is asked."""
    limit: int = 100


@dataclass(slots=True, kw_only=True)
class EventFilter:
    """Which entries of the journal to list, the newest first."""

    schedule_id: str | None = None
    run_id: str | None = None
    names: tuple[str, ...] = ()
    """Names of events; empty means all."""
    namespace: str | None = None
    """Only those about schedules in this namespace."""
    project: str | None = None
    """Only those about schedules with a target in this project."""
    since: datetime | None = None
    until: datetime | None = None
    """Exclusive."""
    after: int = 0
    """Only entries with larger numbers."""
    before: int = 2**63 - 1
    """Only entries with smaller numbers."""
    limit: int = 100


@dataclass(slots=True)
class Standing:
    """How a schedule stands: its last attempt, its last success, and its unfinished runs."""

    schedule_id: str
    name: str
    last_attempt_at: datetime | None = None
    """When the latest of its runs that were carried out began, as far back as the history goes."""
    last_success_at: datetime | None = None
    """When a run of it last succeeded."""
    unfinished: Sequence[Run] = ()
