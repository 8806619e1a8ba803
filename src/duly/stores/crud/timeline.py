"""Views over many schedules: their runs in a span, their figures, their coming fires, and their numbers."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from duly.model.ids import RUN, make_id
from duly.ports.records import StoredSchedule
from duly.ports.timeline import (
    Doing,
    FoundRun,
    FoundSchedule,
    Mark,
    NodeLife,
    Planned,
    Ranked,
    RankedId,
    Reach,
    Reached,
    RunQuery,
    RunStretch,
    ScheduleSearch,
    ScheduleStretch,
    ScheduleTally,
    StretchCount,
    Tally,
    Visible,
)
from duly.stores.crud import ranking
from duly.stores.crud.database import Database, Transaction
from duly.stores.crud.narrowing import beginning

_FIRST = ""
_AFTER_ALL = f"{RUN}g"  # ids have hexadecimal digits


def recorded_at(moment: datetime) -> str:
    """Give the smallest id of a run that is recorded at a time: ids are in the order of time."""
    return make_id(RUN, moment, lambda _bits: 0)


class StoredTimeline:
    """Implements `duly.ports.timeline.Timeline`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def reached(self, reach: Reach) -> list[Reached]:
        async def read(tx: Transaction) -> list[Reached]:
            values = {"namespace": reach.namespace, "projects": tx.texts(reach.projects), "beyond": reach.beyond}
            return [Reached(schedule_id, bool(hides)) for schedule_id, hides in await tx.rows("reached", **values)]

        return await self._database.read(read)

    async def within(self, project: str) -> list[str]:
        rows = await self._database.read(lambda tx: tx.rows("within", project=project))
        return [row[0] for row in rows]

    # runs

    async def find_runs(self, wanted: RunQuery) -> list[str]:
        name = "find_runs" if wanted.visible.ids is None else "find_runs_of"
        rows = await self._database.read(lambda tx: tx.rows(name, limit=wanted.limit, **_found_by(tx, wanted)))
        return [row[0] for row in rows]

    async def count_runs(self, wanted: RunQuery) -> dict[str, int]:
        name = "count_found_runs" if wanted.visible.ids is None else "count_found_runs_of"
        rows = await self._database.read(lambda tx: tx.rows(name, **_found_by(tx, wanted)))
        return {outcome: int(number) for outcome, number in rows}

    # a search for a text: each call looks at the next rows, and no call takes long

    async def search_runs(self, wanted: RunQuery, most: int) -> RunStretch:
        rows = await self._database.read(lambda tx: tx.rows("search_runs", most=most, **_found_by(tx, wanted)))
        end, searched = next(((row[0], int(row[2])) for row in rows if row[1] is None), (None, 0))
        found = sorted((FoundRun(row[0], row[1]) for row in rows if row[1] is not None), reverse=True)
        return RunStretch(found, searched, end)

    async def size_of_runs(self, wanted: RunQuery, down_to: str | None = None) -> int:
        async def read(tx: Transaction) -> Any:
            values = _found_by(tx, wanted)
            return await tx.value("size_of_runs", from_id=down_to or values["from_id"], to_id=values["to_id"])

        return int(await self._database.read(read))

    async def search_schedules(self, wanted: ScheduleSearch, most: int) -> ScheduleStretch:
        async def read(tx: Transaction) -> list[tuple[Any, ...]]:
            after_namespace, after_name = max(wanted.after or ("", ""), (wanted.namespace or "", ""))
            return await tx.rows(
                "search_schedules",
                text=wanted.text.lower(),
                enabled=wanted.enabled,
                project=wanted.project,
                **beginning(wanted.handlers),
                after_namespace=after_namespace,
                after_name=after_name,
                namespace=wanted.namespace,
                most=most,
            )

        rows = await self._database.read(read)
        end, searched = next((((row[1], row[2]), int(row[3])) for row in rows if row[0] is None), (None, 0))
        found = [FoundSchedule(*row[:3]) for row in rows if row[0] is not None]
        return ScheduleStretch(sorted(found, key=lambda each: (each.namespace, each.name)), searched, end)

    async def size_of_schedules(self, namespace: str | None, most: int | None = None) -> int:
        async def read(tx: Transaction) -> Any:
            if namespace is None and most is None:
                return await tx.value("size_of_schedules")
            return await tx.value("size_of_namespace", namespace=namespace, most=most)

        return int(await self._database.read(read))

    async def schedules_between(self, after: tuple[str, str], upto: tuple[str, str]) -> int:
        async def read(tx: Transaction) -> Any:
            first = {"after_namespace": after[0], "after_name": after[1]}
            return await tx.value("schedules_between", **first, upto_namespace=upto[0], upto_name=upto[1])

        return int(await self._database.read(read))

    async def tally(
        self, visible: Visible, start: datetime, end: datetime, *, width: float, origin: datetime | None = None
    ) -> list[Tally]:
        async def read(tx: Transaction) -> list[tuple[Any, ...]]:
            return await tx.rows(
                "tally_runs",
                from_id=recorded_at(start),
                to_id=recorded_at(end),
                origin=origin or start,
                width=width,
                **_seen(tx, visible),
            )

        rows = await self._database.read(read)
        return [Tally(int(row[0] // 1), row[1], int(row[2]), int(row[3])) for row in rows]

    async def still_open(
        self, visible: Visible, start: datetime, end: datetime
    ) -> frozenset[tuple[str, str, str | None]]:
        async def read(tx: Transaction) -> list[tuple[Any, ...]]:
            span = {"from_id": recorded_at(start), "to_id": recorded_at(end)}
            return await tx.rows("still_open", **span, **_seen(tx, visible))

        return frozenset((row[0], row[1], row[2]) for row in await self._database.read(read))

    async def count_running(self, visible: Visible) -> int:
        return int(await self._database.read(lambda tx: tx.value("count_running", **_seen(tx, visible))))

    async def marks(self, ids: Collection[str], start: datetime, end: datetime, limit: int) -> list[Mark]:
        return await self._database.read(
            lambda tx: tx.records(Mark, "marks", ids=tx.texts(ids), start=start, end=end, limit=limit)
        )

    async def stretches(
        self, ids: Collection[str], start: datetime, end: datetime, *, width: float
    ) -> list[StretchCount]:
        async def read(tx: Transaction) -> list[tuple[Any, ...]]:
            return await tx.rows("stretches", ids=tx.texts(ids), start=start, end=end, width=width)

        rows = await self._database.read(read)
        return [StretchCount(row[0], int(row[1] // 1), row[2], int(row[3])) for row in rows]

    async def last_marks(self, ids: Collection[str], count: int) -> list[Mark]:
        return await self._database.read(lambda tx: tx.records(Mark, "last_marks", ids=tx.texts(ids), count=count))

    async def costs(self, ids: Collection[str], since: datetime) -> dict[str, float]:
        rows = await self._database.read(lambda tx: tx.rows("costs", ids=tx.texts(ids), since=since))
        return {schedule_id: float(cost) for schedule_id, cost in rows}

    async def spent(self, visible: Visible, start: datetime, end: datetime) -> float:
        async def read(tx: Transaction) -> Any:
            span = {"from_id": recorded_at(start), "to_id": recorded_at(end)}
            if visible.ids is None:
                return await tx.value("spent_between", **span)
            return await tx.value("spent_between_of", ids=tx.texts(visible.ids), **span)

        return float(await self._database.read(read))

    # schedules

    async def planned(self, visible: Visible, until: datetime, limit: int) -> list[Planned]:
        async def read(tx: Transaction) -> list[Planned]:
            if visible.ids is None:
                return await tx.records(Planned, "planned", until=until, limit=limit)
            return await tx.records(Planned, "planned_of", ids=tx.texts(visible.ids), until=until, limit=limit)

        return await self._database.read(read)

    async def schedules(self, ids: Sequence[str]) -> list[StoredSchedule]:
        return await self._database.read(lambda tx: tx.schedules(ids))

    async def named(self, name: str) -> list[str]:
        return [row[0] for row in await self._database.read(lambda tx: tx.rows("of_any_namespace", name=name))]

    async def doing(self, ids: Collection[str]) -> dict[str, Doing]:
        found: dict[str, Doing] = {}

        async def read(tx: Transaction) -> list[tuple[str, str, str, datetime | None]]:
            rows = await tx.rows("doing", ids=tx.texts(ids))
            return [(*row[:3], tx.time(row[3]) if row[2] == "snoozed" and row[3] is not None else None) for row in rows]

        for schedule_id, run, reminder, comes_at in await self._database.read(read):
            known = found.get(schedule_id, Doing())
            now = Doing(
                running=known.running or run == "running",
                awaiting=known.awaiting or reminder == "awaiting_ack",
                snoozed_until=min(filter(None, (known.snoozed_until, comes_at)), default=None),
            )
            if now != Doing():
                found[schedule_id] = now
        return found

    async def busy(self, visible: Visible, limit: int) -> dict[str, Doing]:
        async def read(tx: Transaction) -> tuple[set[str], set[str]]:
            values = {**_seen(tx, visible), "limit": limit}
            running = {row[0] for row in await tx.rows("under_way", **values)}
            return running, {row[0] for row in await tx.rows("awaited", **values)}

        running, awaiting = await self._database.read(read)
        return {each: Doing(each in running, each in awaiting) for each in sorted(running | awaiting)}

    async def count_schedules(self, visible: Visible, most: int) -> ScheduleTally:
        async def read(tx: Transaction) -> ScheduleTally:
            values = _seen(tx, visible)
            [counted] = await tx.rows("tally_schedules", most=most, **values)
            running = await tx.rows("under_way", limit=most, **values)
            awaiting = await tx.rows("awaited", limit=most, **values)
            known = [*map(int, counted), len(running), len(awaiting)]
            return ScheduleTally(*known)

        return await self._database.read(read)

    async def lives(self, since: datetime) -> list[NodeLife]:
        async def read(tx: Transaction) -> list[NodeLife]:
            return [_life(tx, row) for row in await tx.rows("lives", since=since)]

        return await self._database.read(read)

    async def first_life(self) -> datetime | None:
        async def read(tx: Transaction) -> datetime | None:
            first = await tx.value("first_life")
            return None if first is None else tx.time(first)

        return await self._database.read(read)

    async def ranked(self, wanted: Ranked) -> list[RankedId]:
        return await self._database.read(lambda tx: ranking.page_of(tx, wanted))


def _life(tx: Transaction, row: tuple[Any, ...]) -> NodeLife:
    node_id, host, pid, handlers, lease, started_at, seen_at, ended, version, under_way = row
    return NodeLife(
        id=node_id,
        host=host,
        pid=pid,
        handlers=tuple(json.loads(handlers) if isinstance(handlers, str) else handlers),
        lease_seconds=float(lease),
        started_at=tx.time(started_at),
        seen_at=tx.time(seen_at),
        ended=bool(ended),
        version=version,
        under_way=int(under_way),
    )


def _seen(tx: Transaction, visible: Visible) -> dict[str, Any]:
    return {"everything": visible.ids is None, "ids": tx.texts(visible.ids or ())}


def _found_by(tx: Transaction, wanted: RunQuery) -> dict[str, Any]:
    """Give the values by which runs are found; ids are in the order in which runs were recorded."""
    upto = _AFTER_ALL if wanted.until is None else recorded_at(wanted.until)
    values = {
        "from_id": _FIRST if wanted.since is None else recorded_at(wanted.since),
        "to_id": upto if wanted.before is None else min(upto, wanted.before),
        "any_status": not wanted.statuses,
        "statuses": tx.texts(list(map(str, wanted.statuses))),
        **beginning(wanted.handlers),
        "origin": None if wanted.origin is None else str(wanted.origin),
        "project": wanted.project,
        "text": None if wanted.text is None else _containing(wanted.text),
    }
    if wanted.visible.ids is not None:
        values |= {"ids": tx.texts(wanted.visible.ids), "hidden": tx.texts(wanted.visible.hidden)}
    return values


def _containing(text: str) -> str:
    """Make a pattern of a text that may contain signs of patterns."""
    return "%" + "".join(f"!{each}" if each in "!%_" else each for each in text.lower()) + "%"
