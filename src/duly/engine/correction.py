"""Undo in the store what an engine whose wall clock was ahead has decided: in batches, safe to repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from duly.errors import InvalidInputError
from duly.model.events import RUN_SKIPPED, SCHEDULE_RESUMED, Event
from duly.planning.clock_marks import LEFT_TO_ITS_TIME, Corrected, Correction, Placement
from duly.planning.correction import Position, due_again, place_again
from duly.ports.codec import decode_policy, decode_trigger
from duly.ports.records import StoredSchedule
from duly.ports.store import Store
from duly.ports.upkeep import Ahead, Corrections

_AT_ONCE = 250
_BATCHES_PER_TURN = 10


class Corrector:
    """Carries out one correction, over several turns if there are many schedules.

    If the engine dies in between, the store still holds the correction, and the next engine begins again: it does not
    find the schedules that are corrected.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._step: Correction | None = None
        self._after = ""

    async def go_on(self, now: datetime, node_id: str, is_outdated: Callable[[], bool]) -> Corrected | None:
        """Correct some schedules; gives the result of the whole correction when this call ended it.

        `is_outdated` says whether the clock was set back since `now`: then this call may have waited for the store
        while another engine began a correction, and by a time from before it would find nothing to correct, and end it.
        """
        if self._step is None:
            self._step = await self._store.begin_correction(now)
            self._after = ""
            if is_outdated():
                self._step = None
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
    """Decide for schedules that a wrong clock planned where each goes on, and which events say so."""
    corrections = Corrections()
    for each in ahead:
        row = each.schedule
        if row.quarantine is not None or row.damage is not None:
            continue
        try:
            placement = _placement(each, now)
        except Exception:  # noqa: S112  one damaged row must not stop the others; the planner quarantines it
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
        return now  # its policy is damaged: it is quarantined when it is claimed
    return due_again(due_at, now, retry, attempt, failed=failed)
