"""What is written down while a simulation runs, apart from what the store itself says.

Every call of a handler is an `Entry`; every change of a row is a `RunStep` or a `ScheduleStep`, in the order the
transactions took effect. The checker reads nothing else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from duly.engine.context import Context
from duly.model.events import Event
from duly.model.run import Run
from duly.planning.clock_marks import Correction
from duly.ports.records import Cycle, CycleResult, Settlement, StoredSchedule
from duly.testing.clock import VirtualClock

Rows = tuple[Mapping[str, Run], Mapping[str, StoredSchedule]]
View = Callable[[], Awaitable[Rows]]
"""Everything in the store: its runs and its schedules, by id."""


@dataclass(slots=True)
class Entry:
    """One call of a handler."""

    key: str
    run_id: str
    attempt: int
    fence: int
    process: str
    entered: float
    left: float | None = None
    how: str = "under way"
    """`returned`, `raised`, `cancelled`, or `vanished` with its process."""


@dataclass(frozen=True, slots=True)
class RunStep:
    """A run changed. Steps of one transaction share their number."""

    number: int
    at: float
    process: str
    call: str
    before: Run | None
    after: Run | None


@dataclass(frozen=True, slots=True)
class ScheduleStep:
    """A schedule changed."""

    number: int
    at: float
    wall: datetime
    process: str
    call: str
    before: StoredSchedule | None
    after: StoredSchedule | None


@dataclass(frozen=True, slots=True)
class Settled:
    """The end of an attempt was handed in, and accepted or refused."""

    number: int
    process: str
    settlement: Settlement
    refused: bool


@dataclass(slots=True)
class Record:
    """Everything that happened."""

    entries: list[Entry] = field(default_factory=list)
    run_steps: list[RunStep] = field(default_factory=list)
    schedule_steps: list[ScheduleStep] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)
    events: list[tuple[str, Event]] = field(default_factory=list)
    journal: list[Event] = field(default_factory=list)
    """What the store had written down of events when all was over."""
    steps: list[str] = field(default_factory=list)
    """What the store kept for undo when all was over."""
    complaints: list[str] = field(default_factory=list)
    """What was found wrong on the way."""
    trace: list[str] = field(default_factory=list)
    transactions: int = 0
    planned_at: dict[int, datetime] = field(default_factory=dict)
    """What time it was for the engine, by the number of its turn."""
    placed_at: dict[int, datetime] = field(default_factory=dict)
    """The corrected time from which schedules go on, by the number of the transaction."""
    corrections: list[tuple[int, Correction]] = field(default_factory=list)
    """Corrections of a clock that was ahead, with the number of the transaction in which each began."""
    quiet_since: datetime | None = None
    """By the wall clock: from here on nothing went wrong any more."""
    silent_since: datetime | None = None
    """By the wall clock: every schedule was paused, and what was under way ran out."""


class Witness:
    """Writes the record."""

    def __init__(self, clock: VirtualClock, view: View) -> None:
        self.record = Record()
        self._clock = clock
        self._view = view
        self._runs: Mapping[str, Run] = {}
        self._schedules: Mapping[str, StoredSchedule] = {}

    def say(self, who: str, what: str) -> None:
        """A line of the trace."""
        at = self._clock.monotonic()
        self.record.trace.append(f"{at:12.3f}  {self._clock.now():%a %d %H:%M:%S}  {who:<6} {what}")

    def complain(self, what: str) -> None:
        self.say("!!", what)
        self.record.complaints.append(what)

    # handlers

    def enter(self, process: str, context: Context) -> Entry:
        """A handler was called."""
        run = context.run
        entry = Entry(context.key, run.run_id, run.attempt, run.fence, process, self._clock.monotonic())
        self.record.entries.append(entry)
        self.say(process, f"enters {run.name} {short(run.run_id)} attempt {run.attempt} fence {run.fence}")
        return entry

    def leave(self, entry: Entry, how: str) -> None:
        """A handler came to its end."""
        if entry.left is None:
            entry.left, entry.how = self._clock.monotonic(), how
            self.say(entry.process, f"leaves {short(entry.run_id)} attempt {entry.attempt}: {how}")

    def vanish(self, process: str) -> None:
        """A process is gone, and its handlers with it."""
        self.say(process, "is gone")
        for entry in self.record.entries:
            if entry.process == process:
                self.leave(entry, "vanished")

    # the store

    def settle(self, process: str, turn: Cycle, result: CycleResult) -> None:
        """A turn took effect, and handed in how attempts ended; called before `look` for the same transaction."""
        number = self.record.transactions + 1
        self.record.planned_at[number] = turn.now
        newest = {each.run_id: each.fence for each in sorted(turn.settlements, key=lambda each: each.fence)}
        for each in turn.settlements:
            # Refusals name runs: of two settlements of one run, only the older can have come too late.
            alone = sum(other.run_id == each.run_id for other in turn.settlements) == 1
            refused = each.run_id in result.refused and (alone or each.fence < newest[each.run_id])
            self.record.settled.append(Settled(number, process, replace(each), refused))
            if refused:
                self.say(process, f"settling {short(each.run_id)} fence {each.fence} was refused")

    def correct(self, process: str, step: Correction) -> None:
        """A correction begins, or a process joins it; called before `look` for the same transaction."""
        self.record.corrections.append((self.record.transactions + 1, step))
        ahead = (step.decided_until - step.now).total_seconds()
        self.say(process, f"puts right what was decided up to {ahead:.0f} s ahead")

    def place(self, step: Correction) -> None:
        """Schedules go on from the corrected time; called before `look` for the same transaction."""
        self.record.placed_at[self.record.transactions + 1] = step.now

    async def look(self, process: str, call: str) -> None:
        """A transaction took effect: see what it changed."""
        runs, schedules = await self._view()
        self.record.transactions += 1
        number, at = self.record.transactions, self._clock.monotonic()
        if runs is not self._runs:
            for before, after in _changes(self._runs, runs):
                step = RunStep(number, at, process, call, before, after)
                self.record.run_steps.append(step)
                self.say(process, f"{call}: {_told_run(step)}")
        if schedules is not self._schedules:
            for was, now in _changes(self._schedules, schedules):
                if _stands(was) == _stands(now):
                    continue  # only what it remembers of its last run
                changed = ScheduleStep(number, at, self._clock.now(), process, call, was, now)
                self.record.schedule_steps.append(changed)
                self.say(process, f"{call}: {_told_schedule(changed)}")
        self._runs, self._schedules = runs, schedules

    def hear(self, process: str, event: Event) -> None:
        """An engine told of something."""
        self.record.events.append((process, event))
        self.say(process, f"{event.kind.name} {short(event.run_id or event.node_id or '')}".rstrip())


T = TypeVar("T", Run, StoredSchedule)


def _changes(before: Mapping[str, T], after: Mapping[str, T]) -> list[tuple[T | None, T | None]]:
    """Rows that differ, in order of their ids; identical objects need no comparison."""
    pairs = [(before.get(key), row) for key, row in after.items() if before.get(key) is not row]
    changed: list[tuple[T | None, T | None]] = [(was, row) for was, row in pairs if was != row]
    changed += [(row, None) for key, row in before.items() if key not in after]
    return sorted(changed, key=lambda pair: (pair[1] or pair[0]).id)  # type: ignore[union-attr]


def _stands(row: StoredSchedule | None) -> tuple[object, ...]:
    """Definition and state of a schedule."""
    if row is None:
        return ()
    definition = row.trigger, row.policy, row.action, row.until_at, row.max_runs, row.version
    state = row.enabled, row.next_fire_at, row.next_run_at, row.watermark, row.fires, row.disabled_by
    return *definition, *state, row.quarantine, row.deleted_at


def short(identifier: str) -> str:
    """The end of an id: enough to tell them apart in a trace."""
    return identifier[-6:]


def _told_run(step: RunStep) -> str:
    run = step.after or step.before
    if run is None:
        return ""
    became = "forgotten" if step.after is None else run.status.value
    came = f"{step.before.status.value} -> " if step.before is not None else ""
    more = f" by {short(run.owner)}" if run.owner else ""
    more += " (asked to stop)" if run.cancel_requested else ""
    more += f" ({run.reason})" if run.reason else ""
    return (
        f"{run.name} {short(run.id)} {run.fire.origin.value} {run.fire.fire_at:%d %H:%M:%S}: {came}{became}, "
        f"attempt {run.attempt}, fence {run.fence}, due {run.due_at:%d %H:%M:%S}{more}"
    )


def _told_schedule(step: ScheduleStep) -> str:
    row = step.after or step.before
    if row is None or step.after is None:
        return f"{row.name if row else ''} is forgotten"
    next_run = f"{row.next_run_at:%d %H:%M:%S}" if row.next_run_at else "never"
    state = "deleted" if row.deleted_at else row.disabled_by or "enabled"
    return f"{row.name} v{row.version}: {state}, {row.fires} fires, next {next_run}"
