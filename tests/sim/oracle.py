"""Which fires there must be: the slow way, walking from one occurrence to the next, with nothing remembered.

The engine leaps over what was missed and keeps books; this does neither. It shares `get_next_occurrence` with it, the
meaning of a trigger, and the policies as values, but no decision.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice

from duly.model.policy import CatchUp, Overlap, Policy
from duly.model.run import ACTIVE, Run, Status
from duly.model.trigger import Trigger
from duly.ports.codec import decode_policy, decode_trigger
from duly.ports.records import StoredSchedule
from duly.recurrence import RecurringTask
from tests.sim.witness import ScheduleStep

MOST_FIRES = 5_000
PLACED_AGAIN = "place_again"
"""The call that lets schedules go on from the corrected time."""


def walk(trigger: Trigger, first: datetime | None, until: datetime | None = None) -> Iterator[datetime]:
    """Occurrences one by one, from the first one on."""
    at = first
    while at is not None and (until is None or at <= until):
        yield at
        at = trigger.get_next_occurrence(at)


# stretches: one definition, enabled, between two edits


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time during which a schedule fired by one definition. `begins` and `ends` are numbers of transactions."""

    row: StoredSchedule
    before: StoredSchedule | None
    """What was there before it."""
    begins: int
    first: datetime
    """Where the store says it starts."""
    ends: int = 0
    stands_at: datetime | None = None
    """The next fire according to the store when it ended; None when the series was finished."""
    fires: int = 0
    placed: bool = False
    """It began with the correction of a clock that had been ahead."""

    @property
    def trigger(self) -> Trigger:
        return decode_trigger(self.row.trigger)

    @property
    def begun_at(self) -> datetime:
        return self.row.updated_at

    def occurrences(self, last_recorded: datetime | None) -> list[datetime]:
        """What must be accounted for: everything before where it stood, or to the end of a finished series.

        A series that `max_runs` finished ends with what was recorded last.
        """
        limited = self.stands_at is None and self.row.max_runs is not None and self.fires >= self.row.max_runs
        found = []
        for at in islice(walk(self.trigger, self.first, self.row.until_at), MOST_FIRES):
            if self.stands_at is not None and at >= self.stands_at:
                break
            if limited and (last_recorded is None or at > last_recorded):
                break
            found.append(at)
        return found


def stretches(steps: Sequence[ScheduleStep], client: str) -> Iterator[Stretch]:
    """The stretches of one schedule; the last one is open if it still fires."""
    current: Stretch | None = None
    for step in steps:
        before, after = step.before, step.after
        is_new = before is None or after is None or after.version != before.version  # a skip is no new version
        by_hand = step.process == client and step.call in ("save", "edit") and is_new
        placed = step.call == PLACED_AGAIN
        if current is not None and before is not None and (placed or _breaks(before, after, by_hand=by_hand)):
            stands_at = before.next_fire_at if by_hand or placed or after is None else None
            fires = before.fires if by_hand or placed or after is None else after.fires
            yield replace(current, ends=step.number, stands_at=stands_at, fires=fires)
            current = None
        if current is None and after is not None and after.next_fire_at is not None:
            current = Stretch(after, before, step.number, after.next_fire_at, placed=placed)
    if current is not None:
        yield replace(current, ends=2**63, stands_at=steps[-1].after.next_fire_at if steps[-1].after else None)


def _breaks(before: StoredSchedule, after: StoredSchedule | None, *, by_hand: bool) -> bool:
    if after is None or after.next_fire_at is None:
        return True
    if not by_hand:
        return False
    return (before.trigger, before.until_at, before.max_runs) != (after.trigger, after.until_at, after.max_runs)


def first_fire(row: StoredSchedule, before: StoredSchedule | None) -> datetime | None:
    """When a definition that comes into force fires first: a first run counts only where nothing has run yet."""
    now, trigger = row.updated_at, decode_trigger(row.trigger)
    first = trigger.calculate_next_run(now, 0) if isinstance(trigger, RecurringTask) else None
    following = trigger.get_next_occurrence(now)
    if before is None or before.trigger != row.trigger:
        return first or following
    if before.next_fire_at is not None:
        return before.next_fire_at
    resumed = before.disabled_by == "person"
    at = first if resumed and before.fires == 0 and first is not None and first >= now else following
    if at is not None and before.watermark is not None and at <= before.watermark:  # skipped ahead
        return trigger.get_next_occurrence(before.watermark)
    return at


def first_after_correction(
    row: StoredSchedule, before: StoredSchedule, now: datetime, known: Collection[datetime], undone: datetime | None
) -> datetime | None:
    """When a schedule fires first after a clock that was ahead was set right: at the first time that was undone, as if
    it began now, or when it stood, whichever is earliest; at no time that has its run."""
    if before.next_fire_at is not None and before.next_fire_at <= now:
        return before.next_fire_at
    trigger = decode_trigger(row.trigger)
    first = trigger.calculate_next_run(now, 0) if isinstance(trigger, RecurringTask) and row.fires == 0 else None
    times = [before.next_fire_at, first if first is not None and first >= now else trigger.get_next_occurrence(now)]
    if before.updated_at <= now:
        times.append(undone)
    at = min((each for each in times if each is not None), default=None)
    while at is not None and at in known:
        at = trigger.get_next_occurrence(at)
    return at


def first_to_come(row: StoredSchedule, now: datetime, known: Collection[datetime]) -> datetime | None:
    """The first occurrence after now that has no run yet and lies before the end of the series.

    A series that counts from its last fire may have gone on from the last run, or from any time up to now: the later
    of the two counts.
    """
    trigger = decode_trigger(row.trigger)
    last = max((at for at in known if at <= now), default=now)
    first: datetime | None = None
    for since in (now, last):
        following = islice(walk(trigger, trigger.get_next_occurrence(since)), MOST_FIRES)
        at = next((each for each in following if each > now and each not in known), None)
        if at is None or (row.until_at is not None and at > row.until_at):
            return None
        first = at if first is None else max(first, at)
    return first


# decisions


@dataclass(frozen=True, slots=True)
class Expected:
    """What becomes of a schedule whose time has come."""

    fire_at: datetime | None
    missed: tuple[datetime, ...]
    next_fire_at: datetime | None
    """Unless `max_runs` ends the series."""


def expect(row: StoredSchedule, now: datetime, taken: Collection[datetime] = ()) -> Expected:
    """Walk over everything that is due, and apply the catch-up policy as it reads; what has its run is passed over."""
    if row.next_fire_at is None or row.next_run_at is None:
        return Expected(None, (), None)
    policy, trigger = decode_policy(row.policy), decode_trigger(row.trigger)
    stagger = row.next_run_at - row.next_fire_at
    due: list[datetime] = []
    following: datetime | None = None
    for at in islice(walk(trigger, row.next_fire_at, row.until_at), MOST_FIRES):
        if at in taken:
            continue
        if at + stagger > now:
            following = at
            break
        due.append(at)
    if not due:
        return Expected(None, (), following)
    if makes_up(policy, now - stagger - due[-1]):
        return Expected(due[-1], tuple(due[:-1]), following)
    return Expected(None, tuple(due), following)


def makes_up(policy: Policy, late: timedelta) -> bool:
    """Whether a fire this late is still carried out."""
    if late <= policy.misfire_grace:
        return True
    in_window = policy.catch_up_window is None or late <= policy.catch_up_window
    return policy.catch_up is CatchUp.ONCE and in_window


def dispatched_at(row: StoredSchedule, fire_at: datetime) -> datetime:
    """The nominal instant and the stagger of the schedule."""
    policy = decode_policy(row.policy)
    if not policy.stagger_key:
        return fire_at
    following = decode_trigger(row.trigger).get_next_occurrence(fire_at)
    most = policy.max_stagger_seconds
    if following is not None:
        most = max(0, min(most, int((following - fire_at).total_seconds()) - 1))
    number = int.from_bytes(sha256(policy.stagger_key.encode()).digest()[:8], "big")
    return fire_at + timedelta(seconds=number % (most + 1))


def places(policy: Policy) -> float:
    """How many runs of a schedule may be under way at once."""
    if policy.overlap is Overlap.PARALLEL:
        return policy.max_parallel or float("inf")
    return 1


def born_as(policy: Policy, others: Sequence[Run]) -> Status:
    """What a fire becomes beside the unfinished runs of its schedule: `pending` stands for being carried out."""
    unfinished = [run for run in others if run.status in ACTIVE]
    waiting = sum(run.status is Status.WAITING for run in unfinished)
    if len(unfinished) < places(policy):
        return Status.PENDING
    if policy.overlap is not Overlap.SKIP and waiting < policy.queue_limit:
        return Status.WAITING
    return Status.SKIPPED
