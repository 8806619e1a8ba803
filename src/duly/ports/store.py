"""The interface of a store: everything durable goes through it, one transaction per call.

SQLite, PostgreSQL and the dict-backed store of the tests implement it, and one conformance suite checks all three.
Calls raise `StoreUnavailableError` if the database does not answer: they may have taken effect, and may be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from duly.model.events import Event
from duly.ports.changes import Change, EditResult, Merge, Recorder, nothing_beside
from duly.ports.faults import HasFaults
from duly.ports.records import (
    Claimed,
    Cycle,
    CycleResult,
    EventFilter,
    NodeRecord,
    Plan,
    Planner,
    Rescued,
    RunFilter,
    ScheduleFilter,
    Standing,
    StoredSchedule,
)
from duly.ports.upkeep import FIRST_PLACE, Correct, DueAgain, Overview, Pruned, PrunePlace, Troubled

if TYPE_CHECKING:
    from duly.model.run import Run
    from duly.planning.clock_marks import Corrected, Correction
    from duly.ports.audit import Audit
    from duly.ports.calendar import CalendarLinks
    from duly.ports.executors import Handovers
    from duly.ports.live import LiveRuns
    from duly.ports.notices import Notices
    from duly.ports.observers import EventListener
    from duly.ports.people import People
    from duly.ports.quotas import QuotaCounts, Room
    from duly.ports.remembered import Remembered
    from duly.ports.reminders import Reminders
    from duly.ports.run_history import RunHistory
    from duly.ports.targets import Targets
    from duly.ports.timeline import Timeline
    from duly.ports.tokens import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation:
    """The changes that bring the schedules of a namespace in line with a definition."""

    rows: Iterable[StoredSchedule]
    """Made when they are asked for: without those that a glance was enough for."""
    merge: Merge
    events: Sequence[Event]
    call_off: Sequence[str]
    """Runs that have not begun; they are cancelled first, so that no new run waits for them."""
    at: datetime
    reason: str
    """Why these runs are cancelled."""
    glance: Glance | None = None
    """A shorter way for very many schedules, which a store may take instead of `merge`."""


class Glimpse(NamedTuple):
    """The columns of a stored schedule that a glance needs."""

    name: str
    trigger: str
    action: str
    policy: str
    handler: str
    enabled: bool
    disabled_by: str | None
    quarantine: str | None
    until_at: datetime | int | None
    max_runs: int | None
    last_status: str | None


Glance = Callable[[Glimpse, datetime | None], datetime | None]
"""Gives the next fire of a schedule of which nothing else changes, from some of its columns and its watermark; None if
`merge` has to decide."""

Decide = Callable[[Sequence[Standing], Collection[str]], Reconciliation]
"""Decides what to change, given how the schedules of a namespace stand and which nodes are alive."""


class Pulse(Protocol):
    """The connection of the heartbeat, used from the heartbeat's thread while all other connections may be busy."""

    def beat(self, node_id: str) -> bool:
        """Renew the lease. Returns False when another node has already marked this one as lost."""
        ...

    def is_undoubted(self, node_id: str) -> bool:
        """Tell, without writing, whether the node is registered and no other node doubts it.

        Then no node takes over its runs before a doubt has been in the store for `Lease.time_to_answer`. A store that
        marks silent nodes as lost without doubting them first returns False.
        """
        ...

    def close(self) -> None: ...


class Store(Protocol):
    """Keeps schedules, runs, nodes and events."""

    @property
    def url(self) -> str:
        """The file name or URL, without secrets."""
        ...

    @property
    def audit(self) -> Audit:
        """The audit; every call that takes events with a caller writes to it."""
        ...

    @property
    def history(self) -> RunHistory:
        """What is kept beside runs: attempts that failed or were lost, and output."""
        ...

    @property
    def handovers(self) -> Handovers: ...

    async def open(self, *, create: bool = True) -> None:
        """Connect and bring the schema up to date; a newer schema than this code knows is refused.

        Without `create` a missing store is an error.
        """
        ...

    async def close(self) -> None: ...

    # schedules

    async def save(
        self,
        rows: Sequence[StoredSchedule],
        merge: Merge,
        beside: Recorder = nothing_beside,
        room: Room | None = None,
    ) -> list[str]:
        """Create or change many schedules at once; returns the id each name has now. All or nothing.

        The runs of a schedule that `merge` returns as deleted are cancelled as by `edit`. With `room`, schedules beyond
        the quota of the namespace are refused.
        """
        ...

    async def edit(self, ids: Collection[str], change: Change, beside: Recorder = nothing_beside) -> EditResult:
        """Read, change and write schedules in one transaction, with what `beside` says; those not found are left out.

        If `change` returns a schedule as deleted, its runs that have not started are cancelled, and the others are
        asked to stop.
        """
        ...

    async def get(self, schedule_id: str) -> StoredSchedule | None: ...

    async def find(self, namespace: str, name: str) -> StoredSchedule | None: ...

    async def schedules(self, wanted: ScheduleFilter) -> list[StoredSchedule]: ...

    async def to_review(self, *, resting: bool, after: str = "", limit: int = 500) -> list[StoredSchedule]:
        """List jobs and prompts that came from a file or through a face, in order of ids, beginning after one of them.

        Either those that rest, or those that are planned. A schedule that an application made through the library is
        left out: the application is responsible for it.
        """
        ...

    async def reconcile(self, namespace: str, decide: Decide) -> None:
        """Change the schedules of a namespace as `decide` says, while no other process can plan them.

        All or nothing. `decide` may be called more than once; the last answer counts.
        """
        ...

    # runs

    async def cycle(self, turn: Cycle) -> CycleResult:
        """Settle, then plan what is due, then claim, all in one transaction.

        Nothing is planned while the store holds decisions that a wrong wall clock made about times after the turn: the
        result says so, and planning goes on after the correction.
        """
        ...

    async def plan(self, ids: Collection[str], planner: Planner) -> Plan:
        """Plan these schedules whether or not they are due; returns the plan with the runs that were recorded."""
        ...

    async def adopt(self, node_id: str, known: Collection[str]) -> list[Claimed]:
        """Return runs that this node owns and does not know of: the answer to their claim was lost."""
        ...

    async def get_run(self, run_id: str) -> Run | None: ...

    async def runs(self, wanted: RunFilter) -> list[Run]: ...

    async def cancel(self, run_id: str, now: datetime, reason: str, events: Sequence[Event] = ()) -> Run | None:
        """Cancel a run that has not started, or ask one that has started to stop; returns the run as it is afterwards.

        The events are written unless the run had ended before.
        """
        ...

    async def cancellations(self, node_id: str) -> list[str]:
        """Return the runs of this node that were asked to stop."""
        ...

    async def progress(self, run_id: str, fence: int, data: str) -> bool:
        """Record the progress of a run. Returns False when another node owns the run now."""
        ...

    # nodes

    async def register(self, node: NodeRecord) -> None: ...

    async def deregister(self, node_id: str, now: datetime, keep: Collection[str] = ()) -> None:
        """Remove a node that stops in good order: the runs it still owns become pending again, without a lost attempt.

        Runs in `keep` cannot be stopped; they stay with the node, and the node stays registered.
        """
        ...

    async def rescue(self, now: datetime, is_poison: Callable[[str, int], bool]) -> list[Rescued]:
        """Take back the runs of nodes whose lease has expired, and those that are running without an owner.

        `is_poison(policy, lost)` says whether a run may be given up after so many lost attempts; `planning.poison`
        decides. Other writers have their turn between batches of very many runs. Where a busy store can keep a node
        from beating, one whose process may be alive is doubted first: then none of its runs are taken back, and
        `look_again_in` says when to call again.
        """
        ...

    async def rest(self, handler: str) -> None:
        """Stop planning the schedules of a handler until they are saved again, unless a living node serves it.

        A node that registers before it saves its schedules is never overlooked.
        """
        ...

    async def serving(self) -> dict[str, frozenset[str]]:
        """Return the handlers that each living node serves, by the id of the node."""
        ...

    def pulse(self) -> Pulse:
        """Return a connection for the heartbeat thread."""
        ...

    # correcting a wall clock that was wrong

    async def server_time(self) -> datetime | None:
        """Return the time by the clock of the database server; None where the store uses the clock of this machine."""
        ...

    async def begin_correction(self, now: datetime) -> Correction | None:
        """Begin to undo what was decided ahead of the corrected time, or join a correction that another process began.

        None when nothing was decided ahead. Until the correction ends, no turn plans anything. A process that dies in
        the middle leaves it unended, and the next turn of any engine finds it.
        """
        ...

    async def placed_ahead(self, now: datetime, *, after: str = "", limit: int = 500) -> list[str]:
        """Return ids of schedules that were planned or changed at a time after `now`, in order, after the id `after`.

        Finished schedules are included: a wrong clock may have ended them.
        """
        ...

    async def place_again(self, ids: Collection[str], step: Correction, correct: Correct) -> int:
        """Let schedules go on from the corrected time, in one transaction; returns how many fire earlier than before.

        Records of fires that were not carried out get another origin, so that the fires can come at their time.
        Nothing happens when another process has ended the correction.
        """
        ...

    async def hasten(self, step: Correction, due_again: DueAgain) -> int:
        """Make runs that wait for a future time due when `due_again` says; returns how many are due earlier.

        Times of reminders that lie in the future are set to now. Nothing happens when another process has ended the
        correction.
        """
        ...

    async def end_correction(self, step: Correction, node_id: str) -> Corrected | None:
        """Let planning go on, and write the event; None when another process has ended the correction.

        The result is the sum of what `place_again` and `hasten` have done in all processes.
        """
        ...

    # maintenance

    async def overview(self, now: datetime, at_most: int | None = None) -> Overview:
        """Return the figures that health is judged by.

        With `at_most` every count stops there, so that the time of the call does not grow with the store.
        """
        ...

    async def troubled(self, now: datetime, served: Collection[str], *, ended_after: datetime, limit: int) -> Troubled:
        """Find schedules that fail, that failed at their end after a time, that are quarantined, that are due, or that
        come next and have a handler that is not served: at most `limit` of each.

        The time of the call does not grow with the number of schedules and runs.
        """
        ...

    async def hindered(self, now: datetime, *, limit: int) -> Troubled:
        """Find which schedules are held up or disowned, as `troubled` does, without the rows of any."""
        ...

    async def prune(self, before: datetime, limit: int, place: PrunePlace = FIRST_PLACE) -> Pruned:
        """Delete finished runs, deleted schedules without runs, old events and lost nodes from before a time.

        One batch of a round: at most `limit` rows, and no more are read of a table. It costs little when no row is old.
        """
        ...

    async def record(self, events: Sequence[Event]) -> None: ...

    async def journal(self, after: int, limit: int) -> list[tuple[int, Event]]:
        """Return durable events with their sequence numbers, oldest first."""
        ...

    async def events(self, wanted: EventFilter) -> list[tuple[int, Event]]:
        """Return a page of the journal with its sequence numbers, newest entries first."""
        ...

    def on_event(self, listener: EventListener) -> None:
        """Call back, in the event loop, for every durable event that this handle writes, once it is committed.

        In the order they were written, and before the call that wrote them returns. Events of a transaction that was
        rolled back, or that may not have been committed, are left out.
        """
        ...

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call back, in the event loop, when another process changed something. A hint: some changes bring no call."""
        ...

    def on_replaced(self, callback: Callable[[str], None]) -> None:
        """Call back, in the event loop, with a message, when another file is found in the place of this store.

        Everything that was read before is out of date. Calls fail until the other file is open, and then use it.
        """
        ...


class FullStore(Store, HasFaults, Protocol):
    """A store that also keeps tokens, targets of prompts, people, quotas and reminders, and gives views over all."""

    async def prunable(self, before: datetime) -> dict[str, int]:
        """Count what `prune` would delete, by kind. This grows with the number of old rows."""
        ...

    @property
    def calendar_links(self) -> CalendarLinks: ...

    @property
    def live_runs(self) -> LiveRuns: ...

    @property
    def tokens(self) -> Tokens: ...

    @property
    def targets(self) -> Targets: ...

    @property
    def people(self) -> People: ...

    @property
    def quotas(self) -> QuotaCounts: ...

    @property
    def reminders(self) -> Reminders: ...

    @property
    def timeline(self) -> Timeline: ...

    @property
    def remembered(self) -> Remembered: ...

    @property
    def notices(self) -> Notices: ...
