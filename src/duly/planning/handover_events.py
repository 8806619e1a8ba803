"""What is said of a handover that begins or ends, by whomever it was changed: metrics and live lists go by it. Pure."""

from __future__ import annotations

from datetime import datetime

from duly.model.events import HANDOVER_ENDED, RUN_BEGUN, Event
from duly.model.handover import Handover


def moved(before: Handover, after: Handover, now: datetime) -> list[Event]:
    """Give the events of a change: that a worker has begun it, and that it has ended."""
    found = []
    if after.begun_at is not None and before.begun_at is None:
        queued = _seconds(after.intended_at, after.begun_at)
        found.append(_event(after, now, begins=True, queue=after.queue, worker=after.worker, queue_seconds=queued))
    if after.state.final and not before.state.final:
        ran = _seconds(after.begun_at, after.ended_at)
        found.append(_event(after, now, begins=False, state=str(after.state), worker=after.worker, run_seconds=ran))
    return found


def _event(handover: Handover, now: datetime, *, begins: bool, **more: object) -> Event:
    data = {"executor": handover.executor, "number": handover.number, **more}
    kind = RUN_BEGUN if begins else HANDOVER_ENDED
    return Event(kind, now, handover.schedule_id, handover.run_id, data=data)


def _seconds(begin: datetime | None, end: datetime | None) -> float | None:
    return None if begin is None or end is None else round(max(0.0, (end - begin).total_seconds()), 3)
