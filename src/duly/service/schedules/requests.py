"""Fires somebody asked for by hand: planners for now, for the past, and for leaving one out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from duly.errors import InvalidInputError
from duly.model.events import RUN_SKIPPED, SCHEDULE_FINISHED, SCHEDULE_FIRED, SCHEDULE_UPDATED, Event
from duly.model.ids import RUN, RandomBits, make_id, make_ids
from duly.model.run import Origin, Status
from duly.planning.fire import dispatch_at, stands_in_line
from duly.planning.overlap import Verdict, decide_overlap, places_for_past
from duly.ports.codec import decode_policy, decode_trigger
from duly.ports.records import Advance, Due, NewRun, Plan
from duly.service.access.audit import Asked
from duly.service.schedules.values import instant
from duly.zones import iso

MAX_BACKFILL = 10_000
_TICK = timedelta(microseconds=1)
_EARLIEST = datetime.min.replace(tzinfo=UTC)


class Trigger:
    """Fire once, now, whether or not the schedule is enabled; it counts for overlap like any other."""

    def __init__(self, now: datetime, random_bits: RandomBits, by: Asked, fire_at: datetime) -> None:
        self._now = now
        self._random_bits = random_bits
        self._by = by
        self._fire_at = fire_at

    def __call__(self, due: Sequence[Due]) -> Plan:
        plan = Plan()
        for entry in due:
            policy = decode_policy(entry.policy)
            verdict, reason = decide_overlap(policy, entry.running, entry.waiting)
            status = {Verdict.RUN: Status.PENDING, Verdict.WAIT: Status.WAITING, Verdict.SKIP: Status.SKIPPED}[verdict]
            run_id = make_id(RUN, self._now, self._random_bits)
            run = NewRun(run_id, entry.id, Origin.MANUAL, self._fire_at, self._now, entry.handler, status, reason)
            run.in_line = stands_in_line(policy)
            told = {**self._by, "name": entry.name}
            plan.events.append(Event(SCHEDULE_FIRED, self._now, entry.id, run_id, data=told))
            if status is Status.SKIPPED:
                run.skipped = 1
                data = {"name": entry.name, "reason": reason, "count": 1}
                plan.events.append(Event(RUN_SKIPPED, self._now, entry.id, run_id, data=data))
            plan.runs.append(run)
        return plan


class Backfill:
    """Fire for every nominal time of a past range, both ends included, and no more at once than overlap allows."""

    def __init__(
        self,
        start: datetime,
        end: datetime,
        now: datetime,
        random_bits: RandomBits,
        by: Asked,
        runs_left: int | None = None,
    ) -> None:
        start, end = (instant(each, name).astimezone(UTC) for name, each in (("start", start), ("end", end)))
        if start >= end:
            raise InvalidInputError(f"backfill needs start before end, got {iso(start)} and {iso(end)}")
        if end > now:
            raise InvalidInputError(f"backfill is for the past: end {iso(end)} lies ahead")
        self._start = start
        self._end = end
        self._runs_left = runs_left
        self._now = now
        self._by = by
        self._run_ids = make_ids(RUN, now, random_bits)

    def __call__(self, due: Sequence[Due]) -> Plan:
        plan = Plan()
        for entry in due:
            first = places_for_past(decode_policy(entry.policy), entry.running, entry.waiting)
            for number, fire_at in enumerate(self._times(entry)):
                status = Status.PENDING if number < first else Status.WAITING
                run = NewRun(next(self._run_ids), entry.id, Origin.BACKFILL, fire_at, self._now, entry.handler, status)
                run.in_line = True
                plan.runs.append(run)
            about = {"start": iso(self._start), "end": iso(self._end), "fires": len(plan.runs)}
            told = {**self._by, "name": entry.name, **about}
            plan.events.append(Event(SCHEDULE_FIRED, self._now, entry.id, data=told))
        return plan

    def _times(self, entry: Due) -> list[datetime]:
        trigger = decode_trigger(entry.trigger)
        at: datetime | None = self._start
        before = max(self._start, _EARLIEST + _TICK) - _TICK
        times = [self._start] if trigger.get_next_occurrence(before) == self._start else []
        while at is not None and (at := trigger.get_next_occurrence(at)) is not None and at <= self._end:
            times.append(at)
            if len(times) > MAX_BACKFILL:
                raise InvalidInputError(f"that range holds more than {MAX_BACKFILL} fires: choose a shorter one")
            if self._runs_left is not None and len(times) > self._runs_left:
                raise InvalidInputError(
                    f"over quota: that range holds more fires than the {self._runs_left} runs that are left of "
                    f"runs_per_day: choose a shorter one, or ask an admin to raise it in [quotas] of duly.toml"
                )
        return times


class SkipNext:
    """Leave the next fire out, on the record."""

    def __init__(self, now: datetime, random_bits: RandomBits, by: Asked) -> None:
        self._now = now
        self._random_bits = random_bits
        self._by = by

    def __call__(self, due: Sequence[Due]) -> Plan:
        plan = Plan()
        for entry in due:
            if entry.next_fire_at is None:
                raise InvalidInputError(f"{entry.name!r} has no next fire to skip: it is disabled or has ended")
            trigger, reason = decode_trigger(entry.trigger), "skipped by request"
            following = trigger.get_next_occurrence(entry.next_fire_at)
            if following is not None and entry.until_at is not None and following > entry.until_at:
                following = None
            run_id = make_id(RUN, self._now, self._random_bits)
            at = entry.next_fire_at
            run = NewRun(run_id, entry.id, Origin.SCHEDULE, at, at, entry.handler, Status.SKIPPED, reason, 1)
            next_run = dispatch_at(trigger, decode_policy(entry.policy), following)
            if entry.next_run_at is None:
                next_run = None  # it rests
            plan.runs.append(run)
            plan.advances.append(Advance(entry.id, following is not None, following, next_run, at, entry.fires))
            times = {"before": _next(entry.next_run_at), "after": _next(next_run)}
            told = {**self._by, "name": entry.name, **times}
            plan.events.append(Event(SCHEDULE_UPDATED, self._now, entry.id, data=told))
            data = {"name": entry.name, "reason": reason, "count": 1}
            plan.events.append(Event(RUN_SKIPPED, self._now, entry.id, run_id, data=data))
            if following is None:
                plan.events.append(Event(SCHEDULE_FINISHED, self._now, entry.id, data={"name": entry.name}))
        return plan


def _next(run_at: datetime | None) -> dict[str, str | None]:
    return {"next_run_at": None if run_at is None else iso(run_at)}
