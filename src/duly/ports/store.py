"""The store port: everything durable goes through here, one transaction per call.

Two real stores and the simulator's implement it, and one conformance suite holds them to it. Calls raise
`StoreUnavailableError` when the database cannot be reached or written; whether a call that failed that way took
effect is then unknown, and every call is safe to repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from duly.model.events import Event
from duly.model.run import Run
from duly.planning.correction import Corrected, Correction
from duly.ports.audit import Audit
from duly.ports.corrections import Correct, DueAgain
from duly.ports.listeners import EventListener
from duly.ports.people import People
from duly.ports.quotas import QuotaCounts, Room
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
from duly.ports.reminders import Reminders
from duly.ports.targets import Targets
from duly.ports.tokens import Tokens
from duly.ports.upkeep import Overview, Pruned, PrunePlace, Troubled

Merge = Callable[[StoredSchedule | None, StoredSchedule], StoredSchedule | None]
"""What to store, given what is there under the same name and what was handed in; None leaves it as it is."""

Change = Callable[[StoredSchedule], StoredSchedule | None]
"""What to store instead; None leaves it as it is. May raise, and then nothing changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation:
    """What is to become of the schedules of a namespace."""

    rows: Sequence[StoredSchedule]
    merge: Merge
    events: Sequence[Event]
    call_off: Sequence[str]
    """Runs that nobody has begun, cancelled first, so that they stand in nobody's way."""
    at: datetime
    reason: str
    """Why they are called off."""


Decide = Callable[[Sequence[Standing], Collection[str]], Reconciliation]
"""Told how the schedules of a namespace stand and which nodes are alive, says what is to become of them."""


FIRST_PLACE = PrunePlace()


class Pulse(Protocol):
    """The heartbeat's own connection, used from its own thread: it beats while everything else is busy."""

    def beat(self, node_id: str) -> bool:
        """Renew the lease. False when others have already taken the node for dead."""
        ...

    def is_undoubted(self, node_id: str) -> bool:
        """Whether the node is there and no other node doubts it, found out without writing.

        Then nobody takes over from it before a doubt has stood in the store for `Lease.time_to_answer`. A store in
        which silence counts without a doubt says no.
        """
        ...

    def close(self) -> None: ...


class Store(Protocol):
    """What duly remembers."""

    @property
    def url(self) -> str:
        """Where it is, without secrets."""
        ...

    @property
    def audit(self) -> Audit:
        """Who changed what: written by every call that is handed events which say who asked."""
        ...

    async def open(self, *, create: bool = True) -> None:
        """Connect and bring the schema up to date; a newer schema than this code knows is refused.

        Without `create` a store that is not there is an error, not a reason to make one.
        """
        ...

    async def close(self) -> None: ...

    # schedules

    async def save(
        self, rows: Sequence[StoredSchedule], merge: Merge, events: Sequence[Event] = (), room: Room | None = None
    ) -> list[str]:
        """Create or change many schedules at once; gives the id each name has now. All or nothing.

        A schedule that comes back deleted is called off as by `edit`. With `room`, schedules that its namespace has no
        room for are refused.
        """
        ...

    async def edit(self, ids: Collection[str], change: Change, events: Sequence[Event] = ()) -> list[StoredSchedule]:
        """Read, change and write schedules in one transaction; those not found are left out of the answer.

        A schedule that comes back deleted has its runs that have not started cancelled, and the others asked to stop.
        """
        ...

    async def get(self, schedule_id: str) -> StoredSchedule | None: ...

    async def find(self, namespace: str, name: str) -> StoredSchedule | None: ...

    async def schedules(self, wanted: ScheduleFilter) -> list[StoredSchedule]: ...

    async def to_review(self, *, resting: bool, after: str = "", limit: int = 500) -> list[StoredSchedule]:
        """Jobs and prompts that came from a file or through a face, in order of ids, after one of them.

        Either those that rest, or those that are planned. A schedule that an application made through the library is
        not among them: the application answers for it.
        """
        ...

    async def reconcile(self, namespace: str, decide: Decide) -> None:
        """Bring the schedules of a namespace in line with a decision, made while nobody else can plan them.

        All or nothing. `decide` may be asked more than once, and the last answer counts.
        """
        ...

    # runs

    async def cycle(self, turn: Cycle) -> CycleResult:
        """Settle, then plan what is due, then claim: the one transaction everything hangs on.

        Nothing is planned while the store holds decisions about times after the turn, made by a wall clock that was
        wrong: the result says so, and planning goes on after the correction.
        """
        ...

    async def plan(self, ids: Collection[str], planner: Planner) -> Plan:
        """Plan these schedules whether or not they are due; gives what was recorded."""
        ...

    async def adopt(self, node_id: str, known: Collection[str]) -> list[Claimed]:
        """Runs this node owns without knowing: those of a claim whose answer got lost."""
        ...

    async def get_run(self, run_id: str) -> Run | None: ...

    async def runs(self, wanted: RunFilter) -> list[Run]: ...

    async def cancel(self, run_id: str, now: datetime, reason: str, events: Sequence[Event] = ()) -> Run | None:
        """Cancel a run that has not started; ask one that has to stop. Gives the run as it is afterwards.

        The events are written unless the run had ended before.
        """
        ...

    async def cancellations(self, node_id: str) -> list[str]:
        """Runs of this node that somebody asked to stop."""
        ...

    async def progress(self, run_id: str, fence: int, data: str) -> bool:
        """Note how far a run has got. False when it is no longer ours."""
        ...

    # nodes

    async def register(self, node: NodeRecord) -> None: ...

    async def deregister(self, node_id: str, now: datetime, keep: Collection[str] = ()) -> None:
        """Leave in good order: what the node still owns becomes pending again, without a lost attempt.

        Runs in `keep` cannot be stopped and stay with the node, which then stays too.
        """
        ...

    async def rescue(self, now: datetime, is_poison: Callable[[str, int], bool]) -> list[Rescued]:
        """Take back the runs of nodes that fell silent, and those that are under way without an owner.

        `is_poison(policy, lost)` says whether so many attempts lost that way are too many for a run; which runs are
        given up, and when the others are begun again, `planning.poison` says. A node whose process may be there is
        doubted first, where a busy store can make it silent: then nothing of it is taken back, and `look_again_in` says
        when to ask again.
        """
        ...

    async def rest(self, handler: str) -> None:
        """Let the schedules of a handler sleep: nobody plans them until they are saved again.

        Not while a living node serves it. One that joins before it saves is never overlooked.
        """
        ...

    async def serving(self) -> dict[str, frozenset[str]]:
        """What each living node serves, by the id of the node."""
        ...

    def pulse(self) -> Pulse:
        """A connection for the heartbeat thread."""
        ...

    # a wall clock that was wrong

    async def server_time(self) -> datetime | None:
        """The time by the store's own clock; None where the store has none but the machine's."""
        ...

    async def begin_correction(self, now: datetime) -> Correction | None:
        """Begin to undo what was decided ahead of the corrected time, or join a correction that another process began.

        None when nothing was decided ahead. Until the correction ends, no turn plans anything. A process that dies in
        the middle leaves it unended, and the next turn of any engine finds it.
        """
        ...

    async def placed_ahead(self, now: datetime, *, after: str = "", limit: int = 500) -> list[str]:
        """Ids of schedules that were planned or changed at a time after `now`, in order, from `after` on.

        Finished schedules are among them: a wrong clock may have ended them.
        """
        ...

    async def place_again(self, ids: Collection[str], step: Correction, correct: Correct) -> int:
        """Let schedules go on from the corrected time, in one transaction; gives how many fire earlier than they stood.

        Records of fires that were not carried out get another origin, so that the fires can come at their time.
        Nothing happens when another process has ended the correction.
        """
        ...

    async def hasten(self, step: Correction, due_again: DueAgain) -> int:
        """Let runs that wait for a time to come wait only as long as `due_again` says; gives how many are due earlier.

        What was written down about reminders at a time to come counts as written down now. Nothing happens when
        another process has ended the correction.
        """
        ...

    async def end_correction(self, step: Correction, node_id: str) -> Corrected | None:
        """Let planning go on, and tell so; None when another process has ended the correction.

        What it came to is the sum of what `place_again` and `hasten` have done in all processes.
        """
        ...

    # looking after itself

    async def overview(self, now: datetime, at_most: int | None = None) -> Overview:
        """The figures health is judged by.

        With `at_most` every count stops there, and the call takes no longer however much the store holds.
        """
        ...

    async def troubled(self, now: datetime, served: Collection[str], *, ended_after: datetime, limit: int) -> Troubled:
        """Schedules that fail, that failed at their end after a time, that cannot be read, that are due, or that come
        next and have a handler which is not among the served ones: at most `limit` of each.

        Takes no longer however many schedules and runs there are.
        """
        ...

    async def prune(self, before: datetime, limit: int, place: PrunePlace = FIRST_PLACE) -> Pruned:
        """Forget finished runs, deleted schedules without runs, old events and dead nodes from before a time.

        One batch of a round: it forgets at most `limit` rows, looks at no more of each kind, and says where the next
        one begins. It costs nearly nothing when nothing is old, however much the store holds.
        """
        ...

    async def record(self, events: Sequence[Event]) -> None: ...

    async def journal(self, after: int, limit: int) -> list[tuple[int, Event]]:
        """Durable events with their sequence numbers, oldest first."""
        ...

    async def events(self, wanted: EventFilter) -> list[tuple[int, Event]]:
        """A page of the journal with its sequence numbers, the newest entries first."""
        ...

    def on_event(self, listener: EventListener) -> None:
        """Call back, in the event loop, for every durable event that this handle writes, once it is committed.

        In the order they were written, and before the call that wrote them returns. Events of a transaction that was
        rolled back, or of which nobody knows whether it was committed, are not told.
        """
        ...

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call back, in the event loop, when another process changed something: a hint, never a promise."""
        ...

    def on_replaced(self, callback: Callable[[str], None]) -> None:
        """Call back, in the event loop, with what is wrong, when another store is found where this one was.

        Nothing that was read from it holds any more. Calls fail until the other one is open, and then go there.
        """
        ...


class FullStore(Store, Protocol):
    """A store that also remembers who may do what, what prompts did where, and whom to remind."""

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
