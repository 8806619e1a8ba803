"""The one path on which schedules change: decided, checked and written with audit and undo in one transaction.

A verb is a function from a row to the row it becomes (`planning.lifecycle`); the path calls it inside the transaction,
counts a new version, writes who did what and the step that takes it back, and wakes the engine. What it was asked to do
is done with all of its records, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from duly.clock import Clock
from duly.errors import DulyError, NotFoundError
from duly.model.events import SCHEDULE_CREATED, SCHEDULE_DELETED, SCHEDULE_RESTORED, Event
from duly.planning import lifecycle
from duly.ports.changes import Change, Edited, Merge, Recorder, Records
from duly.ports.quotas import Room
from duly.ports.records import NewRun, StoredSchedule
from duly.ports.store import Store
from duly.service.access.audit import Asked, asked_by, audited, change_events
from duly.service.access.scopes import Caller
from duly.service.steps import WayBack, new_token, step_of_changes

Tell = Callable[[datetime, Asked, Edited], Sequence[Event]]
"""Makes the events of a changed schedule."""


def tell_change(now: datetime, by: Asked, edited: Edited) -> Sequence[Event]:
    """Say that a schedule was made, changed, paused, resumed, deleted or restored, with what differs."""
    before, after = edited
    if before is None:
        return [audited(SCHEDULE_CREATED, now, by, None, after)]
    if (before.deleted_at is None) != (after.deleted_at is None):
        kind = SCHEDULE_RESTORED if after.deleted_at is None else SCHEDULE_DELETED
        return [audited(kind, now, by, before, after)]
    return change_events(now, by, before, after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What is written beside a change besides its new rows."""

    tell: Tell = tell_change
    way: WayBack | None = None
    """How the change can be taken back; None keeps no step."""
    skips: Callable[[Edited], Sequence[NewRun]] = lambda _edited: ()
    """Makes the records of fires that the change leaves out."""
    undone: str | None = None
    """The token of the step that the change takes back."""
    unskipped: Mapping[str, Sequence[str]] | None = None
    """By schedule: the records of skips that go when that schedule is put back."""
    counts: bool = True
    """Whether it is a new version of the definition; what moves the next fire alone is none."""
    more: Sequence[Event] = ()
    """Events of what happened besides."""


USUAL = Recording()


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What came of a change."""

    rows: list[StoredSchedule]
    """The schedules that were found, changed or not, in the order asked for."""
    edited: list[Edited]
    undo: str | None = None
    """The token that takes it back; None when nothing changed, or no step was wanted."""

    @property
    def ids(self) -> set[str]:
        """Those of the schedules that changed."""
        return {each.after.id for each in self.edited}


class Changes:
    """Changes schedules in a store; every use case does it through this class."""

    def __init__(self, store: Store, clock: Clock, wake: Callable[..., None] = lambda *_: None) -> None:
        self._store = store
        self._clock = clock
        self._wake = wake

    async def edit(
        self, ids: Collection[str], decide: Change, by: Caller | Asked, recording: Recording = USUAL
    ) -> Changed:
        """Change schedules, all or none: an error of `decide` leaves every row as it is.

        `decide` checks the rights of the caller as well, because a row may have changed since it was found.
        """
        now = self._clock.now()

        def change(row: StoredSchedule) -> StoredSchedule | None:
            after = decide(row)
            return lifecycle.revised(row, after, now) if after is not None and recording.counts else after

        found = await self._store.edit(ids, change, self._recorder(by, now, recording))
        if found.changed:
            self._wake()
        undo = None if found.records.undo is None else found.records.undo.token
        return Changed(rows=found.rows, edited=found.changed, undo=undo)

    async def one(
        self, schedule_id: str, decide: Change, by: Caller | Asked, recording: Recording = USUAL, *, named: str = ""
    ) -> tuple[StoredSchedule, str | None]:
        """Change a schedule that is not deleted; give its row, and the token that takes the change back."""

        def living(row: StoredSchedule) -> StoredSchedule | None:
            if row.deleted_at is not None:
                raise NotFoundError(f"there is no schedule {named or schedule_id!r}")
            return decide(row)

        changed = await self.edit([schedule_id], living, by, recording)
        if not changed.rows:
            raise NotFoundError(f"there is no schedule {named or schedule_id!r}")
        return changed.rows[0], changed.undo

    async def each(
        self,
        ids: Sequence[str],
        decide: Change,
        by: Caller | Asked,
        recording: Recording = USUAL,
        *,
        refusal: type[DulyError] = DulyError,
    ) -> tuple[Changed, dict[str, DulyError]]:
        """Change schedules, and leave those alone that `decide` refuses; give the refusals by id.

        An error of another kind than `refusal` leaves every row as it is.
        """

        def lenient(row: StoredSchedule) -> StoredSchedule | None:
            try:
                return decide(row)
            except refusal:
                return None

        changed = await self.edit(ids, lenient, by, recording)
        left = (row for row in changed.rows if row.id not in changed.ids)
        return changed, _refusals(left, decide)

    async def make(
        self, row: StoredSchedule, by: Caller | Asked, recording: Recording = USUAL, room: Room | None = None
    ) -> None:
        """Make a schedule."""
        await self._store.save([row], lifecycle.create, self._recorder(by, self._clock.now(), recording), room)
        self._wake(row.next_run_at)

    async def save(
        self,
        rows: Sequence[StoredSchedule],
        merge: Merge,
        by: Caller | Asked,
        recording: Recording = USUAL,
        room: Room | None = None,
    ) -> list[str]:
        """Make schedules, or change those of the same names as `merge` says, all or none; give their ids."""
        now = self._clock.now()

        def merged(before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule | None:
            after = merge(before, incoming)
            return after if before is None or after is None else lifecycle.revised(before, after, now)

        return await self._store.save(rows, merged, self._recorder(by, now, recording), room)

    def _recorder(self, by: Caller | Asked, now: datetime, recording: Recording) -> Recorder:
        asked = asked_by(by) if isinstance(by, Caller) else by
        way = recording.way
        token = (way and way.token) or new_token(now)

        def beside(edited: Sequence[Edited]) -> Records:
            skips = [run for each in edited for run in recording.skips(each)]
            unskipped = recording.unskipped or {}
            events = [event for each in edited for event in recording.tell(now, asked, each)]
            return Records(
                at=now,
                events=[*events, *recording.more],
                undo=None if way is None else step_of_changes(way, token, edited, skips, now),
                skips=skips,
                unskipped=[run_id for each in edited for run_id in unskipped.get(each.after.id, ())],
                undone=recording.undone if edited else None,
            )

        return beside


def _refusals(rows: Iterable[StoredSchedule], decide: Change) -> dict[str, DulyError]:
    """Ask again why rows were left as they are: a decision is pure, so it gives the same answer."""
    found: dict[str, DulyError] = {}
    for row in rows:
        try:
            decide(row)
        except DulyError as error:
            found[row.id] = error
    return found
