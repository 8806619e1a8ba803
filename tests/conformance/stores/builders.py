"""Rows to put into a store: short to write, with ids that sort in the order they were made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from duly.cron import Cron
from duly.model.action import Prompt, Target
from duly.model.events import Event
from duly.model.handover import Handover
from duly.model.ids import RUN, SCHEDULE, make_id
from duly.model.run import Origin, Status
from duly.ports.changes import Recorder, Records
from duly.ports.codec import encode_action, encode_trigger
from duly.ports.records import Advance, Claimed, Due, NewRun, Plan, Planner, Settlement, StoredSchedule

START = datetime(2026, 1, 1, tzinfo=UTC)
JOB = "job:a"

_numbers = count(1)


def at(seconds: float) -> datetime:
    """So many seconds after the start."""
    return START + timedelta(seconds=seconds)


def fresh_id(prefix: str, moment: datetime = START) -> str:
    return make_id(prefix, moment, lambda _bits: next(_numbers))


def schedule(name: str = "a", **fields: Any) -> StoredSchedule:
    """A schedule that does nothing by itself."""
    values: dict[str, Any] = {
        "id": fresh_id(SCHEDULE),
        "namespace": "default",
        "name": name,
        "trigger": '{"kind": "once"}',
        "action": '{"kind": "job"}',
        "policy": "{}",
        "handler": JOB,
        "created_at": START,
        "updated_at": START,
    }
    return StoredSchedule(**{**values, **fields})


def due_schedule(name: str = "a", seconds: float = 0, **fields: Any) -> StoredSchedule:
    """A schedule whose next fire is so many seconds after the start."""
    return schedule(name, **{"next_fire_at": at(seconds), "next_run_at": at(seconds), **fields})


def due_job(name: str = "a", seconds: float = 0, cron: str = "0 0 1 1 *") -> StoredSchedule:
    """A schedule that an engine can carry out: due so many seconds after the start, and then as `cron` says."""
    return due_schedule(
        name, seconds, id=f"sched_{name}", action='{"kind":"job","name":"a"}', trigger=encode_trigger(Cron(cron))
    )


def definition(*targets: Target) -> str:
    """The action of a prompt."""
    return encode_action(Prompt(text="tidy up", targets=targets))


def prompt(name: str, *targets: Target, **fields: Any) -> StoredSchedule:
    """A schedule of a prompt that does nothing by itself."""
    return schedule(name, **{"handler": "prompt:default", "action": definition(*targets), **fields})


def handover(run_id: str, number: int = 1, **fields: Any) -> Handover:
    """A handover that was intended at the start."""
    values: dict[str, Any] = {
        "schedule_id": "sched_a",
        "executor": "heavy",
        "task": "reports.build",
        "token_hash": f"token of {run_id}.{number}",
        "lease_seconds": 60.0,
        "intended_at": START,
    }
    return Handover(run_id=run_id, number=number, **{**values, **fields})


def new_run(of: StoredSchedule | Due, seconds: float = 0, status: Status = Status.PENDING, **fields: Any) -> NewRun:
    """A run of a schedule, fired and due so many seconds after the start."""
    values: dict[str, Any] = {
        "id": fresh_id(RUN),
        "schedule_id": of.id,
        "origin": Origin.SCHEDULE,
        "fire_at": at(seconds),
        "due_at": at(seconds),
        "handler": of.handler,
        "status": status,
    }
    return NewRun(**{**values, **fields})


def advance(of: StoredSchedule | Due, seconds: float | None, **fields: Any) -> Advance:
    """The schedule moves on to a fire so many seconds after the start, or ends."""
    following = None if seconds is None else at(seconds)
    values: dict[str, Any] = {
        "enabled": following is not None,
        "next_fire_at": following,
        "next_run_at": following,
        "watermark": of.next_fire_at,
        "fires": of.fires + 1,
    }
    return Advance(of.id, **{**values, **fields})


def ended(run: Claimed, seconds: float = 0, status: Status = Status.SUCCEEDED, **fields: Any) -> Settlement:
    """How a claimed run ended."""
    return Settlement(run.run_id, run.schedule_id, run.fence, status, at(seconds), **fields)


def failed(run: Claimed, seconds: float, retry_seconds: float, error: str = "boom") -> Settlement:
    """A failed attempt that will be followed by another."""
    return ended(run, seconds, Status.FAILED, error=error, reason="will be retried", retry_at=at(retry_seconds))


class Script:
    """A planner that says what it was told to, and remembers what it was asked."""

    def __init__(self, plan: Plan | None = None) -> None:
        self.asked: list[Due] = []
        self._plan = plan or Plan()

    def __call__(self, due: Sequence[Due]) -> Plan:
        self.asked += due
        return self._plan

    @property
    def only(self) -> Due:
        [entry] = self.asked
        return entry


def every(seconds: float, status: Status = Status.PENDING) -> Planner:
    """Make a planner that fires every due schedule and moves it on by a fixed time."""

    def planner(due: Sequence[Due]) -> Plan:
        plan = Plan()
        for entry in due:
            assert entry.next_fire_at is not None
            passed = (entry.next_fire_at - START).total_seconds()
            plan.runs.append(new_run(entry, passed, status))
            plan.advances.append(advance(entry, passed + seconds))
        return plan

    return planner


def names(rows: Iterable[StoredSchedule | Due]) -> list[str]:
    return [row.name for row in rows]


def noting(*events: Event) -> Recorder:
    """Write events beside a change."""
    return lambda _edited: Records(events=events)
