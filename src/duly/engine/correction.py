"""Undoing what a wall clock that was ahead has decided, once it is right again: in batches, safe to repeat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from duly.errors import InvalidInputError
from duly.model.events import RUN_SKIPPED, SCHEDULE_RESUMED, Event
from duly.planning.correction import (
    LEFT_TO_ITS_TIME,
    Corrected,
    Correction,
    Placement,
    Position,
    due_again,
    place_again,
)
from duly.ports.codec import decode_policy, decode_trigger
from duly.ports.records import StoredSchedule
from duly.ports.store import Store
from duly.ports.upkeep import Ahead, Corrections

_AT_ONCE = 250
_BATCHES_PER_TURN = 10


class Corrector:
    """Takes one correction to its end, over several turns if there are many schedules.

    An engine that dies in the middle leaves the correction unended in the store, and the next one begins again: what
    has been put right is not found a second time.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._step: Correction | None = None
        self._after = ""

    async def go_on(self, now: datetime, node_id: str) -> Corrected | None:
        """Put some schedules right; what the correction came to, if this was the last of it and the end of it."""
        if self._step is None:
            self._step, self._after = await self._store.begin_correction(now), ""
        if (step := self._step) is None:
            return None
        for _ in range(_BATCHES_PER_TURN):
            ids = await self._store.placed_ahead(step.now, after=self._after, limit=_AT_ONCE)
            if not ids:
                await self._store.hasten(step, lambda *run: _due_again(step.now, *run))
                corrected = await self._store.end_correction(step, node_id)
                self._step = None
                return corrected
            await self._store.place_again(ids, step, lambda ahead: corrections_for(ahead, step.now))
            self._after = ids[-1]
        return None


def corrections_for(ahead: Sequence[Ahead], now: datetime) -> Corrections:
    corrections = Corrections()
    for each in ahead:
        row = each.schedule
        if row.quarantine is not None or row.damage is not None:
            continue
        try:
            placement = _placement(each, now)
        except Exception:  # noqa: S112  one row that cannot be read must not stop the others; planning sets it aside
            continue
        if placement is not None:
            corrections.placements[row.id] = placement
            corrections.events += _events(row, placement, now)
    return corrections


def _events(row: StoredSchedule, placement: Placement, now: datetime) -> Iterator[Event]:
    if placement.enabled and not row.enabled:
        yield Event(SCHEDULE_RESUMED, now, row.id, data={"name": row.name})
    for run_id in placement.taken_back:
        data = {"name": row.name, "reason": LEFT_TO_ITS_TIME, "count": 1}
        yield Event(RUN_SKIPPED, now, row.id, run_id, data=data)


def _placement(ahead: Ahead, now: datetime) -> Placement | None:
    row = ahead.schedule
    position = Position(
        enabled=row.enabled,
        disabled_by=row.disabled_by,
        next_fire_at=row.next_fire_at,
        next_run_at=row.next_run_at,
        watermark=row.watermark,
        until_at=row.until_at,
        max_runs=row.max_runs,
        fires=row.fires,
        updated_at=row.updated_at,
        ahead=ahead.fires,
    )
    return place_again(decode_trigger(row.trigger), decode_policy(row.policy), now, position)


def _due_again(now: datetime, due_at: datetime, policy: str, attempt: int, failed: bool) -> datetime:
    try:
        retry = decode_policy(policy).retry
    except InvalidInputError:
        return now  # it cannot be read, and is set aside when it is claimed
    return due_again(due_at, now, retry, attempt, failed=failed)
