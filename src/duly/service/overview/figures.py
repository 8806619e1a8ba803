"""How schedules have been doing: their last outcomes, how long they take, what they cost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta

from duly.clock import Clock
from duly.errors import InvalidInputError
from duly.ports.store import FullStore
from duly.ports.timeline import Mark
from duly.service.access.scopes import Caller
from duly.service.overview.figure_views import RunMark, ScheduleFigures
from duly.service.overview.sight import visible_to
from duly.service.pages import MAX_PAGE

LAST = 30
"""How many outcomes of a schedule are shown."""
_WEEK = timedelta(days=7)


class FiguresOfSchedules:
    """Figures for callers with a scope."""

    def __init__(self, store: FullStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def of(self, caller: Caller, schedule_ids: Collection[str]) -> dict[str, ScheduleFigures]:
        """Show how schedules have been doing, by id; those that the caller may not see are left out."""
        if len(schedule_ids) > MAX_PAGE:
            raise InvalidInputError(f"at most {MAX_PAGE} schedules at once, got {len(schedule_ids)}")
        seen = await visible_to(self._store, caller)
        ids = [each for each in dict.fromkeys(schedule_ids) if seen.ids is None or each in seen.ids]
        if not ids:
            return {}
        timeline = self._store.timeline
        costs = await timeline.costs(ids, self._clock.now() - _WEEK)
        marks: dict[str, list[Mark]] = {each: [] for each in ids}
        for mark in await timeline.last_marks(ids, LAST):
            marks[mark.schedule_id].append(mark)
        hidden = set(seen.hidden)
        return {each: _figures(marks[each], costs.get(each), hides=each in hidden) for each in ids}


def _figures(marks: Sequence[Mark], cost: float | None, *, hides: bool) -> ScheduleFigures:
    shown = [run_mark(each, hides=hides) for each in marks]
    taken = [each.seconds for each in shown if each.seconds is not None and each.status in ("succeeded", "failed")]
    return ScheduleFigures(
        outcomes=shown,
        median_seconds=typical(shown),
        last_seconds=taken[-1] if taken else None,
        spend_7_days=cost,
    )


def typical(marks: Sequence[RunMark]) -> float | None:
    """Give the median duration of runs that succeeded; None when none did."""
    taken = sorted(each.seconds for each in marks if each.seconds is not None and each.status == "succeeded")
    middle = len(taken) // 2
    return (taken[middle] + taken[~middle]) / 2 if taken else None  # without `statistics`: it loads slowly


def run_mark(mark: Mark, *, hides: bool = False) -> RunMark:
    """Show a mark; the reason of an attempt may quote output that is hidden."""
    return RunMark(
        run_id=mark.run_id,
        schedule_id=mark.schedule_id,
        status=mark.status,
        origin=mark.origin,
        fire_at=mark.fire_at,
        due_at=mark.due_at,
        started_at=mark.started_at,
        finished_at=mark.finished_at,
        skipped=mark.skipped,
        first_skipped_at=mark.first_skipped_at,
        reminder_status=mark.reminder_status,
        attempt=mark.attempt,
        reason=None if hides and mark.attempt else mark.reason,
    )
