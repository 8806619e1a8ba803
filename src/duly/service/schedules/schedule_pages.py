"""Pages of schedules and of runs, read from the store as far as they are shown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from duly.errors import InvalidInputError
from duly.model.run import Run, Status
from duly.ports.records import RunFilter, ScheduleFilter, StoredSchedule
from duly.ports.store import FullStore
from duly.service.pages import cursor_of, fill
from duly.service.schedules.run_views import RunView
from duly.service.schedules.views import ScheduleView


async def page_of_schedules(
    store: FullStore, wanted: ScheduleFilter, limit: int, view: Callable[[StoredSchedule], ScheduleView | None]
) -> tuple[list[ScheduleView], str | None]:
    """Schedules in order of namespace and name, and the cursor of the next page; `view` is None for one not shown."""

    async def read(after: tuple[str, str] | None, count: int) -> list[StoredSchedule]:
        return await store.schedules(replace(wanted, after=after, limit=count))

    async def show(rows: Sequence[StoredSchedule]) -> list[ScheduleView | None]:
        return [view(row) for row in rows]

    shown, last = await fill(read, show, lambda row: (row.namespace, row.name), limit, after=wanted.after)
    return shown, None if last is None else cursor_of(*last)


async def page_of_runs(
    store: FullStore,
    wanted: RunFilter,
    limit: int,
    rows: dict[str, StoredSchedule],
    view: Callable[[Run, StoredSchedule], Awaitable[RunView]],
) -> tuple[list[RunView], str | None]:
    """Runs, the newest first, and the cursor of the next page. `rows` are schedules that are known already, by id."""

    async def read(before: str | None, count: int) -> list[Run]:
        return await store.runs(replace(wanted, before=before, limit=count))

    async def show(runs: Sequence[Run]) -> list[RunView | None]:
        shown: list[RunView | None] = []
        for run in runs:
            known = rows.get(run.fire.schedule_id) or await store.get(run.fire.schedule_id)
            if known is not None:
                rows[known.id] = replace(known, last_result=None)
            shown.append(None if known is None else await view(run, known))
        return shown

    return await fill(read, show, lambda run: run.id, limit, after=wanted.before)


def read_statuses(texts: Sequence[str]) -> tuple[Status, ...]:
    """The statuses that a caller names."""
    return tuple(map(_status, texts))


def _status(text: str) -> Status:
    try:
        return Status(text)
    except ValueError:
        raise InvalidInputError(f"status {text!r} is unknown: use {', '.join(Status)}") from None
