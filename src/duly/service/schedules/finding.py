"""Find the schedules and runs that a caller may see, one by one and page by page.

A schedule that the caller may not see is answered like one that does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, TypeVar

from duly.errors import AccessDeniedError, InvalidInputError, NotFoundError
from duly.model.action import Job
from duly.model.ids import SCHEDULE
from duly.model.run import Run, Status
from duly.model.schedule import DEFAULT_NAMESPACE
from duly.ports.codec import decode_action
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.service.access.scopes import Caller, Owned, may_read
from duly.service.limits import check_given
from duly.service.pages import cursor_of, fill, read_cursor
from duly.service.schedules import values
from duly.service.searching import Begun, Search, SearchedRows, SearchSizes, SearchStretch, begun_at, search_cursor

if TYPE_CHECKING:  # the library looks things up without views
    from duly.clock import Clock
    from duly.ports.store import FullStore
    from duly.ports.timeline import FoundSchedule, ScheduleSearch
    from duly.service.schedules.fields import ScheduleView

Created = TypeVar("Created")
_NAME_WORDS = 4
_LONGEST_NAME = 60
_STATUSES = tuple(map(str, Status))


def owned(row: StoredSchedule) -> Owned:
    """Give the values by which access is decided; of a row that cannot be decoded only its namespace."""
    try:
        return Owned.of(row.namespace, decode_action(row.action))
    except ValueError:
        return Owned.of(row.namespace, None)


class ScheduleNarrowing(TypedDict, total=False):
    """What a list of schedules is narrowed down by in the store; see `Finder.wanted`."""

    project: str | None
    enabled: bool | None
    owner: str | None
    deleted: bool


class Finder:
    """Looks up schedules by id and by name, and makes the filters of lists."""

    def __init__(self, store: FullStore) -> None:
        self._store = store

    def sees(self, caller: Caller, row: StoredSchedule) -> bool:
        return caller.scope.is_admin or may_read(caller.scope, owned(row))

    async def row(self, caller: Caller, schedule: str, *, deleted: bool | None = False) -> StoredSchedule:
        """Find a schedule by id, by name in the caller's namespace, or by `namespace/name`; admins by any unique name.

        `deleted` says whether to find schedules that are not deleted, only deleted ones, or (None) both.
        """
        check_given({"schedule_id": schedule})
        found = await self._by_id_or_name(caller, values.name(schedule, "schedule_id"))
        if found is None or deleted not in (None, found.deleted_at is not None) or not self.sees(caller, found):
            if deleted:  # the id is wanted of what was removed
                raise NotFoundError(f"there is no schedule {schedule!r}")
            from duly.service.schedules.nearness import not_found  # late: mostly it is there

            within = None if caller.scope.is_admin else caller.namespace
            raise await not_found(self._store, schedule, within, lambda row: self.sees(caller, row))
        return found

    async def run(self, caller: Caller, run_id: str) -> tuple[Run, StoredSchedule]:
        """Find a run by its id, with its schedule."""
        check_given({"run_id": run_id})
        run = await self._store.get_run(values.text(run_id, "run_id"))
        row = None if run is None else await self._store.get(run.fire.schedule_id)
        if run is None or row is None or not self.sees(caller, row):
            raise NotFoundError(f"there is no run {run_id!r}")
        return run, row

    async def _by_id_or_name(self, caller: Caller, schedule: str) -> StoredSchedule | None:
        if schedule.startswith(SCHEDULE) and (found := await self._store.get(schedule)) is not None:
            return found
        found = await self._store.find(caller.namespace, schedule)
        if found is not None:
            return found
        namespace, slash, name = schedule.partition("/")
        if slash and (found := await self._store.find(namespace, name)) is not None:
            return found
        return await self._by_unique_name(caller, schedule)

    async def _by_unique_name(self, caller: Caller, name: str) -> StoredSchedule | None:
        if caller.scope.kind == "user":
            return None  # it would be in their own namespace
        named = await self._store.timeline.named(name)
        same = [row for row in await self._store.timeline.schedules(named) if self.sees(caller, row)] if named else []
        if len(same) > 1:
            places = ", ".join(f"{row.namespace}/{row.name}" for row in same)
            raise InvalidInputError(f"{name!r} is the name of several schedules: say one of {places}, or an id")
        return same[0] if same else None

    async def create_under_free_name(
        self, namespace: str, text: str, create: Callable[[str], Awaitable[Created]]
    ) -> Created:
        """Call `create` with a free name made from the first words of a text.

        Another caller may take the name between the look-up and the creation: then the next free name is tried.
        """
        while True:
            name = await self._free_name(namespace, text)
            try:
                return await create(name)
            except InvalidInputError:
                if await self._store.find(namespace, name) is None:
                    raise  # refused for another reason than its name

    async def _free_name(self, namespace: str, text: str) -> str:
        """Find a name people can type: the first words of a text, with a number if they are taken."""
        base = base_name(text)
        name = base
        number = 1
        while await self._store.find(namespace, name) is not None:
            number += 1
            name = f"{base}-{number}"
        return name

    def wanted(
        self,
        caller: Caller,
        *,
        project: str | None = None,
        enabled: bool | None = None,
        owner: str | None = None,
        text: str | None = None,
        deleted: bool = False,
        cursor: str | None = None,
    ) -> ScheduleFilter:
        """Make the filter of a list of schedules; refuse owners and projects that the caller may not see.

        `owner` is a person's id, or a namespace: default, butler:home.
        """
        for name, given in (("project_id", project), ("owner", owner), ("text", text), ("cursor", cursor)):
            if given is not None:
                values.text(given, name)
        reach = self._reach(caller)
        if project is not None and not caller.scope.reaches(project):
            raise AccessDeniedError(f"cannot list schedules of project {project}: access denied")
        is_namespace = owner is None or ":" in owner or owner == DEFAULT_NAMESPACE
        namespace = owner if is_namespace else f"user:{owner}"
        wanted = ScheduleFilter(
            project=project or reach.project,
            namespace=namespace or reach.namespace,
            enabled=enabled,
            text=text,
            deleted=deleted,
            after=None if cursor is None or begun_at(cursor, 2) is not None else _place(cursor),
        )
        if reach.namespace not in (None, wanted.namespace):
            raise AccessDeniedError(f"cannot list schedules of {owner}: access denied")
        return wanted

    def shows(self, caller: Caller, row: StoredSchedule, text: str | None) -> bool:
        """Tell whether a row belongs into a list for this caller, with this text."""
        return self.sees(caller, row) and (text is None or _says(row, text))

    def _reach(self, caller: Caller) -> ScheduleFilter:
        """Make the filter that keeps the store from reading rows which the caller may not see."""
        if caller.scope.kind == "project":
            return ScheduleFilter(project=caller.scope.subject)
        return ScheduleFilter(namespace=None if caller.scope.is_admin else caller.scope.namespace)


def base_name(text: str) -> str:
    """Make a name that people can type from the first words of a text."""
    return "-".join(re.findall(r"\w+", text.lower())[:_NAME_WORDS])[:_LONGEST_NAME] or "schedule"


def _says(row: StoredSchedule, text: str) -> bool:
    """Tell whether a shown text has the words: a store also looks into keys, and into targets that are hidden."""
    try:
        action = decode_action(row.action)
    except ValueError:
        action = None
    words = action.name if isinstance(action, Job) else "" if action is None else action.text
    return any(text.lower() in each.lower() for each in (row.name, row.description or "", words))


def _place(cursor: str) -> tuple[str, str]:
    namespace, name = read_cursor(cursor, 2)
    return namespace, name


async def page_of_schedules(
    store: FullStore,
    wanted: ScheduleFilter,
    limit: int,
    show: Callable[[Sequence[StoredSchedule]], Awaitable[Sequence[ScheduleView | None]]],
) -> tuple[list[ScheduleView], str | None]:
    """Read a page of schedules, and the cursor of the next page; `show` gives None to leave a schedule out."""

    async def read(after: tuple[str, str] | None, count: int) -> list[StoredSchedule]:
        return await store.schedules(replace(wanted, after=after, limit=count))

    shown, last = await fill(read, show, lambda row: (row.namespace, row.name), limit, after=wanted.after)
    return shown, None if last is None else cursor_of(*last)


async def search_of_schedules(
    store: FullStore,
    clock: Clock,
    wanted: ScheduleSearch,
    cursor: str | None,
    limit: int,
    show: Callable[[Sequence[StoredSchedule]], Awaitable[Sequence[ScheduleView | None]]],
    sizes: SearchSizes | None = None,
) -> tuple[list[ScheduleView], str | None]:
    """Search schedules by name for a page; the cursor says how far the search has come if it takes long."""
    timeline = store.timeline
    first = (wanted.namespace or "", "")

    async def look(after: tuple[str, ...] | None, most: int) -> SearchStretch[tuple[str, ...], FoundSchedule]:
        place = None if after is None else (after[0], after[1])
        found = await timeline.search_schedules(replace(wanted, after=place), most)
        return SearchStretch(found.found, found.searched, found.end)

    async def between(after: tuple[str, ...] | None, upto: tuple[str, ...]) -> int:
        begin = first if after is None else (after[0], after[1])
        return await timeline.schedules_between(begin, (upto[0], upto[1]))

    begun = begun_at(cursor, 2) or Begun(None if cursor is None else _place(cursor))
    search = Search(
        clock,
        SearchedRows(
            read=look,
            between=between,
            size=lambda: (sizes or SearchSizes(clock)).of(
                wanted.namespace, lambda: timeline.size_of_schedules(wanted.namespace)
            ),
        ),
        begun,
    )

    async def read(_after: tuple[str, ...] | None, count: int) -> list[StoredSchedule]:
        rows: list[StoredSchedule] = []
        while len(rows) < count and (found := await search.next(count - len(rows))):
            rows += await timeline.schedules([each.schedule_id for each in found])
        return rows

    shown, last = await fill(read, show, lambda row: (row.namespace, row.name), limit, after=begun.place)
    following = await search.following(last)
    if following is None:
        return shown, None
    place, progress = following
    return shown, cursor_of(*place) if progress is None else search_cursor(place, progress)


def read_statuses(texts: Sequence[str]) -> tuple[Status, ...]:
    """Read the statuses that a caller names."""
    unknown = next((each for each in texts if each not in _STATUSES), None)
    if unknown is not None:
        raise InvalidInputError(f"status {unknown!r} is unknown: use {', '.join(Status)}")
    return tuple(map(Status, texts))
