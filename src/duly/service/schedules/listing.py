"""Pages of schedules: by name, by what needs a person first, or by the next run; of one state, of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from duly.errors import InvalidInputError
from duly.ports.timeline import LAST_RANK, Doing, Ranked, RankedId, ScheduleSearch
from duly.service.overview.sight import handlers_of, visible_to
from duly.service.pages import cursor_of, fill, foreign, read_cursor, read_parts
from duly.service.schedules.finding import ScheduleNarrowing, page_of_schedules, search_of_schedules
from duly.service.schedules.off import off_words
from duly.service.schedules.views import schedule_view
from duly.service.searching import LARGE, SearchSizes, begun_at

if TYPE_CHECKING:
    from duly.ports.records import ScheduleFilter, StoredSchedule
    from duly.service.access.scopes import Caller
    from duly.service.schedules.fields import ScheduleView
    from duly.service.schedules.read_use_cases import ReadUseCases

SORTS = ("name", "attention", "next")
WAITING = "waiting"
"""The state of those that are ok and come once."""
StateName = Literal[
    "ok",
    "failing",
    "awaiting",
    "snoozed",
    "running",
    "paused",
    "finished",
    "off",
    "unreadable",
    "resting",
    "waiting",
]
STATES: tuple[str, ...] = get_args(StateName)
"""Every state that a schedule may show, and by which each face lists schedules."""
RANKED = tuple(each for each in STATES if each != WAITING)
"""The states by which a store finds schedules."""
_DIGITS = len(str(LAST_RANK))
_BY_NAME = 2  # parts of a cursor
_LOOKED_AT = 2000


class ScheduleListing(ScheduleNarrowing, total=False):
    """The same, with what is worked out for each schedule: its state, and the order."""

    state: str | None
    sort: str


class ScheduleLists:
    """The schedules that a caller may see, page by page."""

    def __init__(self, reads: ReadUseCases) -> None:
        self._store = reads.store
        self._clock = reads.clock
        self._find = reads.find
        self._zones = reads.zones
        self._attention = reads.attention
        self._places = reads.heavy_reads
        self._sizes = SearchSizes(reads.clock)

    async def page(
        self,
        caller: Caller,
        *,
        cursor: str | None,
        limit: int,
        text: str | None = None,
        kind: str | None = None,
        **asked: Unpack[ScheduleListing],
    ) -> tuple[list[ScheduleView], str | None]:
        """Show a page of schedules, and the cursor of the next page; with a text or a kind that is a search."""
        _check("state", asked.get("state"), STATES)
        _check("sort", asked.get("sort", "name"), SORTS)
        if text is None and kind is None:
            return await self._page(caller, cursor=cursor, limit=limit, **asked)
        async with self._places.place(caller):
            return await self._page(caller, cursor=cursor, limit=limit, text=text, kind=kind, **asked)

    async def _page(
        self,
        caller: Caller,
        *,
        cursor: str | None,
        limit: int,
        state: str | None = None,
        kind: str | None = None,
        sort: str = "name",
        text: str | None = None,
        **filters: Unpack[ScheduleNarrowing],
    ) -> tuple[list[ScheduleView], str | None]:
        only_once = state == WAITING
        state = "ok" if only_once else state
        handlers = handlers_of(kind)
        ordinary = state is None and kind is None and sort == "name"
        searching = begun_at(cursor, 2) is not None
        wanted = self._find.wanted(caller, text=text, cursor=cursor if ordinary or searching else None, **filters)
        now = self._clock.now()
        zone = await self._zones.person(caller)
        judge = await self._attention.judge()

        async def show(rows: Sequence[StoredSchedule]) -> list[ScheduleView | None]:
            shown = [row for row in rows if self._find.shows(caller, row, wanted.text)]
            doing = await self._store.timeline.doing([row.id for row in shown]) if shown else {}
            views = {
                row.id: schedule_view(
                    row,
                    caller.scope,
                    now,
                    fires=1,
                    default_zone=zone,
                    concerns=judge(row),
                    doing=doing.get(row.id, Doing()),
                )
                for row in shown
            }
            return [_kept(views.get(row.id), only_once=only_once) for row in rows]

        async def show_in_state(rows: Sequence[StoredSchedule]) -> list[ScheduleView | None]:
            doing = await self._store.timeline.doing([row.id for row in rows])
            fits = [_is_in(state, row, doing.get(row.id, Doing())) for row in rows]
            return [view if fit else None for view, fit in zip(await show(rows), fits, strict=True)]

        search = await self._search_by_name(caller, wanted, handlers, state, cursor, is_ordinary=ordinary)
        if search is not None:
            shows = show if state is None else show_in_state
            return await search_of_schedules(self._store, self._clock, search, cursor, limit, shows, self._sizes)
        if ordinary:
            return await page_of_schedules(self._store, wanted, limit, show)
        if wanted.deleted:
            raise InvalidInputError("deleted schedules are listed by name only: leave out state, kind and sort")
        ranked = Ranked(
            visible=await visible_to(self._store, caller),
            order=sort,
            state=state,
            handlers=handlers,
            **_narrowed(caller, wanted),
        )
        return await self._ranked(ranked, cursor, limit, show)

    async def _search_by_name(
        self,
        caller: Caller,
        wanted: ScheduleFilter,
        handlers: tuple[str, ...],
        state: str | None,
        cursor: str | None,
        *,
        is_ordinary: bool,
    ) -> ScheduleSearch | None:
        """Give what is searched for a part at a time, by name; None for a list that is read from an index."""
        goes_on = begun_at(cursor, _BY_NAME) is not None
        if (search := _search(caller, wanted, handlers)) is not None:
            return search if is_ordinary or goes_on or await self._is_large(wanted.namespace) else None
        search = _search_for_kind(caller, wanted, handlers, state)
        return search if search is not None and (goes_on or await self._is_rare(search, cursor)) else None

    async def _is_large(self, namespace: str | None) -> bool:
        """Tell whether there are so many schedules that no order but that of names can be searched at once."""
        return await self._store.timeline.size_of_schedules(namespace, LARGE + 1) > LARGE

    async def _is_rare(self, search: ScheduleSearch, cursor: str | None) -> bool:
        """Tell whether schedules of a kind have to be looked for among very many others: few of the first ones are."""
        if cursor is not None:
            return len(read_parts(cursor)) == _BY_NAME  # as the page before
        looked = await self._store.timeline.search_schedules(search, _LOOKED_AT)
        return len(looked.found) < _LOOKED_AT // 100 and await self._is_large(search.namespace)

    async def _ranked(
        self, wanted: Ranked, cursor: str | None, limit: int, show: Any
    ) -> tuple[list[ScheduleView], str | None]:
        ahead: list[RankedId] = []

        async def read(after: RankedId | None, count: int) -> list[tuple[RankedId, StoredSchedule]]:
            if len(ahead) < count:  # the order is read for the whole page at once, rows few at a time
                last = ahead[-1] if ahead else after
                place = None if last is None else last.place
                ahead.extend(
                    await self._store.timeline.ranked(replace(wanted, after=place, limit=max(count, limit + 1)))
                )
            found = ahead[:count]
            del ahead[:count]
            rows = {row.id: row for row in await self._store.timeline.schedules([each.schedule_id for each in found])}
            return [(each, rows[each.schedule_id]) for each in found if each.schedule_id in rows]

        async def views(pairs: Sequence[tuple[RankedId, StoredSchedule]]) -> list[ScheduleView | None]:
            shown: list[ScheduleView | None] = await show([row for _, row in pairs])
            return shown

        items, last = await fill(read, views, lambda pair: pair[0], limit, after=_place(cursor))
        if last is None:
            return items, None
        rank, *among = last.place
        return items, cursor_of(str(rank), *among)


def _search(caller: Caller, wanted: ScheduleFilter, handlers: tuple[str, ...]) -> ScheduleSearch | None:
    """Give the search for a text, a part at a time; None without a text.

    Deleted schedules are few, and are searched at once. So are those of a project, for a caller of that project: how
    many there are besides is not for them.
    """
    if not wanted.text or wanted.deleted or caller.scope.kind == "project":
        return None
    return ScheduleSearch(
        text=wanted.text,
        namespace=wanted.namespace,
        enabled=wanted.enabled,
        project=wanted.project,
        handlers=handlers,
    )


def _search_for_kind(
    caller: Caller, wanted: ScheduleFilter, handlers: tuple[str, ...], state: str | None
) -> ScheduleSearch | None:
    """Give the search for all schedules of a kind; None where the list is short, or known by its ids."""
    is_short = wanted.deleted or wanted.project is not None or state not in (None, "ok")
    if not handlers or is_short or wanted.text or not caller.scope.is_admin:
        return None
    return ScheduleSearch(text="", namespace=wanted.namespace, enabled=wanted.enabled, handlers=handlers)


def _kept(view: ScheduleView | None, *, only_once: bool) -> ScheduleView | None:
    """Keep a schedule in a list, which may be of those that wait for their single time."""
    return None if view is None or (only_once and view.state != WAITING) else view


def _is_in(state: str | None, row: StoredSchedule, doing: Doing) -> bool:
    """Tell whether a schedule is in a state, as the statement that ranks schedules does."""
    off = off_words(row.disabled_by).state
    lever = "unreadable" if row.quarantine is not None else "on" if row.enabled else off
    is_on = lever == "on"
    known = {
        "failing": is_on and row.consecutive_failures > 0,
        "resting": is_on and row.resting is not None,
        "awaiting": doing.awaiting,
        "snoozed": doing.snoozed_until is not None,
        "running": doing.running,
    }
    if state == "ok":
        return is_on and not any(known.values())
    return known.get(str(state), lever == state)


def _narrowed(caller: Caller, wanted: ScheduleFilter) -> dict[str, Any]:
    """Give the filters besides what the caller may see: that is decided by ids."""
    own = caller.scope.kind == "project"
    return {
        "project": None if own else wanted.project,
        "text": wanted.text,
        "enabled": wanted.enabled,
        "namespace": wanted.namespace,
    }


def _place(cursor: str | None) -> RankedId | None:
    if cursor is None:
        return None
    rank, *among = read_cursor(cursor, 3)
    if not rank.isdecimal() or len(rank) > _DIGITS or int(rank) > LAST_RANK:
        raise foreign(cursor)
    return RankedId("", (int(rank), among[0], among[1]))


def _check(name: str, given: object, known: Sequence[str]) -> None:
    if given is not None and given not in known:
        raise InvalidInputError(f"{name} {given!r:.100} is unknown: use {', '.join(known)}")
