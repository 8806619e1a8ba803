"""Fires that a caller asks for: planners for one now and for those of a past range, and the record of one left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from duly.errors import InvalidInputError
from duly.expansion import step
from duly.model.events import RUN_SKIPPED, SCHEDULE_FINISHED, SCHEDULE_FIRED, SCHEDULE_UPDATED, Event
from duly.model.ids import RUN, RandomBits, make_id, make_ids
from duly.model.run import Origin, Status
from duly.planning.overlap import decide_overlap, places_for_past, stands_in_line
from duly.ports.changes import Edited
from duly.ports.codec import decode_policy, decode_trigger
from duly.ports.records import Due, NewRun, Plan, StoredSchedule
from duly.ports.row_reader import READER
from duly.service.access.audit import Asked
from duly.service.changes import Recording
from duly.service.schedules.values import instant
from duly.zones import iso

MAX_BACKFILL = 10_000
_TICK = timedelta(microseconds=1)
_EARLIEST = datetime.min.replace(tzinfo=UTC)


class ManualFire:
    """Fire once, now, whether or not the schedule is enabled; the run counts for overlap like any other."""

    def __init__(self, now: datetime, random_bits: RandomBits, by: Asked, fire_at: datetime) -> None:
        self._now = now
        self._random_bits = random_bits
        self._by = by
        self._fire_at = fire_at

    def __call__(self, due: Sequence[Due]) -> Plan:
        plan = Plan()
        for entry in due:
            policy = decode_policy(entry.policy)
            decision = decide_overlap(policy, entry.running, entry.waiting)
            run = NewRun(
                id=make_id(RUN, self._now, self._random_bits),
                schedule_id=entry.id,
                origin=Origin.MANUAL,
                fire_at=self._fire_at,
                due_at=self._now,
                handler=entry.handler,
                status=decision.status,
                reason=decision.reason,
                skipped=int(decision.status is Status.SKIPPED),
                in_line=stands_in_line(policy),
            )
            plan.runs.append(run)
            data = {**self._by, "name": entry.name}
            plan.events.append(Event(SCHEDULE_FIRED, self._now, entry.id, run.id, data=data))
            if run.status is Status.SKIPPED:
                plan.events.append(_skipped(entry, run, self._now))
        return plan


class Backfill:
    """Fire for every nominal time of a past range, both ends included, and no more at once than overlap allows."""

    def __init__(
        self,
        span: tuple[datetime, datetime],
        now: datetime,
        random_bits: RandomBits,
        by: Asked,
        runs_left: int | None = None,
    ) -> None:
        start, end = span
        self._start = instant(start, "start").astimezone(UTC)
        self._end = instant(end, "end").astimezone(UTC)
        if self._start >= self._end:
            raise InvalidInputError(f"backfill needs start before end, got {iso(self._start)} and {iso(self._end)}")
        if self._end > now:
            raise InvalidInputError(f"backfill is for the past: end {iso(self._end)} lies ahead")
        self._runs_left = runs_left
        self._now = now
        self._by = by
        self._run_ids = make_ids(RUN, now, random_bits)

    def __call__(self, due: Sequence[Due]) -> Plan:
        plan = Plan()
        for entry in due:
            at_once = places_for_past(decode_policy(entry.policy), entry.running, entry.waiting)
            for number, fire_at in enumerate(self.times(entry.trigger)):
                run = NewRun(
                    id=next(self._run_ids),
                    schedule_id=entry.id,
                    origin=Origin.BACKFILL,
                    fire_at=fire_at,
                    due_at=self._now,
                    handler=entry.handler,
                    status=Status.PENDING if number < at_once else Status.WAITING,
                    in_line=True,
                )
                plan.runs.append(run)
            span = {"start": iso(self._start), "end": iso(self._end), "fires": len(plan.runs)}
            data = {**self._by, "name": entry.name, **span}
            plan.events.append(Event(SCHEDULE_FIRED, self._now, entry.id, data=data))
        return plan

    def times(self, encoded: str) -> list[datetime]:
        """Give the nominal times of a stored trigger within the range."""
        trigger = decode_trigger(encoded)
        # Occurrences are strictly after a moment: one tick before the start finds the start itself.
        at = trigger.get_next_occurrence(max(self._start, _EARLIEST + _TICK) - _TICK)
        if at != self._start:  # a series that counts from its last fire has other times after the start than before it
            at = trigger.get_next_occurrence(self._start)
        times: list[datetime] = []
        while at is not None and at <= self._end:
            step()
            times.append(at)
            if len(times) > MAX_BACKFILL:
                raise InvalidInputError(f"that range holds more than {MAX_BACKFILL} fires: choose a shorter one")
            if self._runs_left is not None and len(times) > self._runs_left:
                raise InvalidInputError(
                    f"over quota: that range holds more fires than the {self._runs_left} runs that are left of "
                    f"runs_per_day: choose a shorter one, or ask an admin to raise it in [quotas] of duly.toml"
                )
            at = trigger.get_next_occurrence(at)
        return times


class SkippedFires:
    """The records of fires that a caller leaves out, and the events about them."""

    def __init__(self, now: datetime, random_bits: RandomBits) -> None:
        self._now = now
        self._run_ids: defaultdict[tuple[str, datetime], str]
        self._run_ids = defaultdict(lambda: make_id(RUN, now, random_bits))  # the same however often a store asks

    def runs(self, edited: Edited) -> list[NewRun]:
        """Make a record of each fire from the next one before the change to the watermark after it."""
        before, after = edited
        trigger = READER.trigger(after.trigger)
        fire_at = None if before is None else before.next_fire_at
        runs: list[NewRun] = []
        while fire_at is not None and after.watermark is not None and fire_at <= after.watermark:
            run = NewRun(
                id=self._run_ids[after.id, fire_at],
                schedule_id=after.id,
                origin=Origin.SCHEDULE,
                fire_at=fire_at,
                due_at=fire_at,
                handler=after.handler,
                status=Status.SKIPPED,
                reason="skipped by request",
                skipped=1,
            )
            runs.append(run)
            fire_at = trigger.get_next_occurrence(fire_at)
        return runs

    def tell(self, now: datetime, by: Asked, edited: Edited) -> list[Event]:
        """Say that the next fire is another one, that one was skipped, and that the series is over where it is."""
        before, after = edited
        data = {
            **by,
            "name": after.name,
            "before": {"next_run_at": iso(None if before is None else before.next_run_at)},
            "after": {"next_run_at": iso(after.next_run_at)},
        }
        events = [Event(SCHEDULE_UPDATED, now, after.id, data=data)]
        events += [_skipped(after, run, now) for run in self.runs(edited)]
        if after.next_fire_at is None:
            events.append(Event(SCHEDULE_FINISHED, now, after.id, data={"name": after.name}))
        return events


def skip_recording(now: datetime, random_bits: RandomBits, recording: Recording) -> Recording:
    """Record fires that are left out beside a change."""
    skipped = SkippedFires(now, random_bits)
    return replace(recording, tell=skipped.tell, skips=skipped.runs, counts=False)


def _skipped(schedule: Due | StoredSchedule, run: NewRun, now: datetime) -> Event:
    data = {"name": schedule.name, "reason": run.reason, "count": 1}
    return Event(RUN_SKIPPED, now, schedule.id, run.id, data=data)
