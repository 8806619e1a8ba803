"""Clock changes of the coming week that move fires: one item for each change, with the schedules that it touches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from duly.clock import Turns
from duly.ports.codec import decode_trigger
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.service.access.scopes import Caller, may_change
from duly.service.attention.items import NeedItem, NeedKind, actions_for, item_id, mark_of
from duly.service.schedules.finding import owned
from duly.service.schedules.times import clock_surprises, dated_parts
from duly.zones import Zone, iso

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.ports.store import FullStore
    from duly.service.schedules.finding import Finder

_AHEAD = timedelta(days=7)
_FRESH_FOR = timedelta(minutes=10)
_PAGE = 500
_MOST_ROWS = 2000
"""So many schedules are looked at: the item says what happens to some of them, and the calendar shows the rest."""


@dataclass(frozen=True, slots=True)
class _Touched:
    """A schedule whose fire a clock change moves."""

    at: datetime
    text: str
    row: StoredSchedule


class ClockChanges:
    """Finds clock changes; what was found is kept for ten minutes, because it needs every schedule's trigger."""

    def __init__(self, store: FullStore, clock: Clock, find: Finder) -> None:
        self._store = store
        self._clock = clock
        self._find = find
        self._kept: tuple[datetime, list[_Touched]] | None = None
        self._changing: dict[str, bool] = {}

    async def items(self, caller: Caller, now: datetime) -> list[NeedItem]:
        """Give an item for each clock change within a week that moves a fire of a schedule that the caller may see."""
        changes: dict[datetime, list[_Touched]] = {}
        for each in await self._touched(now):
            if each.at > now and self._find.sees(caller, each.row):
                changes.setdefault(each.at, []).append(each)
        return [_item(caller, at, found) for at, found in changes.items()]

    async def _touched(self, now: datetime) -> list[_Touched]:
        if self._kept is None or not timedelta(0) <= now - self._kept[0] < _FRESH_FOR:
            self._changing = {}
            self._kept = (now, [each async for each in self._look(now)])
        return self._kept[1]

    async def _look(self, now: datetime) -> AsyncIterator[_Touched]:
        wanted = ScheduleFilter(enabled=True, limit=_PAGE)
        turns = Turns(self._clock)
        for _ in range(_MOST_ROWS // _PAGE):
            rows = await self._store.schedules(wanted)
            for row in rows:
                await turns.pause()
                for each in self._of(row, now):
                    yield each
            if len(rows) < _PAGE:
                return
            wanted = replace(wanted, after=(rows[-1].namespace, rows[-1].name))

    def _of(self, row: StoredSchedule, now: datetime) -> Iterator[_Touched]:
        try:
            trigger = decode_trigger(row.trigger)
        except ValueError:  # it is in quarantine, which is an item of its own
            return
        if not any(self._is_changing(part.tz, now) for part in dated_parts(trigger)):
            return
        for each in clock_surprises(trigger, now, now + _AHEAD):
            yield _Touched(each.at, each.text, replace(row, last_result=None))

    def _is_changing(self, zone: str, now: datetime) -> bool:
        """Tell whether the clocks of a zone change within a week."""
        known = self._changing.get(zone)
        if known is None:
            found = Zone.of(zone)
            known = not found.fixed and any(True for _ in found.transitions(now, now + _AHEAD))
            self._changing[zone] = known
        return known


def _item(caller: Caller, at: datetime, found: list[_Touched]) -> NeedItem:
    schedules = list(dict.fromkeys(each.row.id for each in found))
    names = ", ".join(dict.fromkeys(each.row.name for each in found))
    changeable = all(may_change(caller.scope, owned(each.row)) for each in found)
    touched = "1 schedule" if len(schedules) == 1 else f"{len(schedules)} schedules"
    return NeedItem(
        id=item_id(NeedKind.CLOCK_CHANGE, str(iso(at))),
        kind=str(NeedKind.CLOCK_CHANGE),
        title=f"the clocks change: {touched} touched",
        detail=names,
        cause=found[0].text,
        since=at,
        schedule_ids=schedules,
        counts=len(schedules),
        actions=actions_for(NeedKind.CLOCK_CHANGE, one=len(schedules) == 1, changeable=changeable),
        counted=False,
        mark=mark_of(schedules),
    )
