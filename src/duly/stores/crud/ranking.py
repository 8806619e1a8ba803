"""Pages of schedules in another order than that of their names, or of one state.

A list has parts, one behind the other, and a page reads only the parts that it shows. Most parts come from an index
that has them in the order of the list, so that a page costs by what is on it, however many there are. Schedules with a
run under way or a reminder that waits for an answer, and unreadable ones, are few, and are put in order one by one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from duly.ports.timeline import LAST_RANK, Ranked, RankedId
from duly.stores.crud.database import Transaction
from duly.stores.crud.narrowing import beginning

# The ranks by attention, as the statement `ranked_of` gives them.
_UNREADABLE, _AWAITING, _FAILING, _RESTING, _RUNNING, _OK, _PAUSED, _OVER = range(8)
_RANKS_OF_STATE: dict[str | None, tuple[int, ...]] = {
    None: tuple(range(8)),
    "failing": (_AWAITING, _FAILING),
    "resting": (_AWAITING, _FAILING, _RESTING),
    "ok": (_OK,),
    "paused": (_AWAITING, _RUNNING, _PAUSED),
    "finished": (_AWAITING, _RUNNING, _OVER),
    "off": (_AWAITING, _RUNNING, _OVER),
}
"""Which ranks the schedules of a state have: one that is paused may wait for an answer."""
_ON = (_FAILING, _RESTING, _OK)
_OFF = (_PAUSED, _OVER)
_IDS_OF_RANK = {_UNREADABLE: "quarantined", _AWAITING: "awaited", _RUNNING: "under_way"}
_IDS_OF_STATE = {
    "unreadable": "quarantined",
    "awaiting": "awaited",
    "snoozed": "snoozing",
    "failing": "failing",
    "resting": "resting",
    "running": "under_way",
}
_OF_ALL_OR_SOME = ("awaited", "snoozing", "under_way")
_FEW = (
    4000  # so many that are switched on, or in a namespace, are put in order, rather than looked for among all others
)
_ALL = 2**31 - 1
_BY_ID = "id"  # in a place by time, where others have a namespace
_LAST_NAMESPACE = "\U0010ffff"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_TIME = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)

RankPlace = tuple[int, str, str]
Section = Callable[[RankPlace | None, int], Awaitable[list[RankedId]]]


async def page_of(tx: Transaction, wanted: Ranked) -> list[RankedId]:
    """Read a page of schedules in an order."""
    ids = await _named_ids(tx, wanted)
    if ids is not None:
        return await _ranked(tx, wanted, ids, wanted.after, wanted.limit)
    page: list[RankedId] = []
    for section in _sections(tx, wanted):
        after = page[-1].place if page else wanted.after
        page += await section(after, wanted.limit - len(page))
        if len(page) >= wanted.limit:
            break
    return page


async def _named_ids(tx: Transaction, wanted: Ranked) -> frozenset[str] | None:
    """Give the schedules that a list can only have, if they are known by their ids."""
    if wanted.visible.ids is not None:
        return frozenset(wanted.visible.ids)
    if wanted.project is not None:
        return frozenset(row[0] for row in await tx.rows("within", project=wanted.project))
    if wanted.text is not None:
        found = await tx.rows(
            "search_schedules",
            text=wanted.text.lower(),
            after_namespace=wanted.namespace or "",
            after_name="",
            most=_ALL,
            **dict.fromkeys(("enabled", "project", "handlers", "more_handlers", "namespace")),
        )
        return frozenset(row[0] for row in found if row[0] is not None)
    return None


def _sections(tx: Transaction, wanted: Ranked) -> list[Section]:
    """Give the parts of a list, in their order."""
    state = wanted.state
    if state in ("unreadable", "awaiting", "snoozed", "running") or (wanted.order == "next" and state in _IDS_OF_STATE):
        return [_one_by_one(tx, wanted, _IDS_OF_STATE[state])]
    if wanted.order == "next" and state in (None, "ok"):
        # What is switched off has no next run.
        return [_untimed(tx, wanted)] if wanted.enabled is False else [_timed(tx, wanted), _untimed(tx, wanted)]
    if wanted.order == "name" and state is None:
        statement = "without_next_run" if wanted.enabled is False else "listed_by_name"
        return [_named(tx, wanted, statement, 0, ok=False, enabled=wanted.enabled)]
    ranks = [rank for rank in _RANKS_OF_STATE[state] if rank not in _impossible(wanted.enabled)]
    if wanted.order == "attention":
        return [_of_rank(tx, wanted, rank, rank, alone=True) for rank in ranks]
    # In another order all schedules of a state are in one part, which the last of its ranks names.
    shown_rank = LAST_RANK if wanted.order == "next" else 0
    return [_of_rank(tx, wanted, rank, shown_rank, alone=False) for rank in ranks if rank == _RANKS_OF_STATE[state][-1]]


def _impossible(enabled: bool | None) -> tuple[int, ...]:
    """Give the ranks that schedules which are switched on, or off, cannot have."""
    return () if enabled is None else _OFF if enabled else _ON


def _of_rank(tx: Transaction, wanted: Ranked, rank: int, shown_rank: int, *, alone: bool) -> Section:
    """Make the part of a list with the schedules of a rank; not `alone`, with those that a rank before it claims."""
    if rank in _IDS_OF_RANK:
        return _one_by_one(tx, wanted, _IDS_OF_RANK[rank], rank)
    if rank == _FAILING:
        return _named(tx, wanted, "failing_by_name", shown_rank, alone=alone, resting=wanted.state == "resting")
    if rank == _RESTING:
        return _named(tx, wanted, "resting_by_name", shown_rank, alone=alone)
    if rank == _PAUSED:
        return _named(tx, wanted, "paused_by_name", shown_rank, alone=alone)
    if rank == _OVER and wanted.state == "off":
        return _named(tx, wanted, "off_by_name", shown_rank, alone=alone)
    if rank == _OVER:
        return _named(tx, wanted, "over_by_name", shown_rank, alone=alone, finished=wanted.state == "finished")
    return _all_right(tx, wanted, shown_rank)


def _one_by_one(tx: Transaction, wanted: Ranked, statement: str, rank: int | None = None) -> Section:
    """Make the part of a list with few schedules, which a statement finds: of one rank, or all of them."""

    async def read(after: RankPlace | None, limit: int) -> list[RankedId]:
        if rank is not None and after is not None and after[0] > rank:
            return []
        begins = after if rank is None else max(after or (rank, "", ""), (rank, "", ""))
        everything = {"everything": True, "ids": tx.texts(())} if statement in _OF_ALL_OR_SOME else {}
        ids = frozenset(row[0] for row in await tx.rows(statement, limit=_ALL, **everything))
        return await _ranked(tx, wanted, ids, begins, limit, rank)

    return read


def _all_right(tx: Transaction, wanted: Ranked, rank: int) -> Section:
    """Make the part of a list with the schedules that are all right: if few are on, these are put in order."""

    async def read(after: RankPlace | None, limit: int) -> list[RankedId]:
        are_few = await tx.value("count_switched_on", most=_FEW + 1) <= _FEW
        if are_few:
            return await _named(tx, wanted, "switched_on_by_name", rank)(after, limit)
        return await _named(tx, wanted, "listed_by_name", rank, ok=True, enabled=wanted.enabled)(after, limit)

    return read


def _named(tx: Transaction, wanted: Ranked, statement: str, rank: int, **values: Any) -> Section:
    """Make the part of a list that has one rank, in the order of names."""

    async def read(after: RankPlace | None, limit: int) -> list[RankedId]:
        if after is not None and after[0] > rank:
            return []
        begins = ("", "") if after is None or after[0] < rank else after[1:]
        found = await tx.rows(statement, limit=limit, **values, **_between(wanted, begins))
        return [RankedId(row[0], (rank, row[1], row[2])) for row in found]

    return read


def _timed(tx: Transaction, wanted: Ranked) -> Section:
    """Make the part of a list that has a next run, in the order of these and of ids."""

    async def read(after: RankPlace | None, limit: int) -> list[RankedId]:
        if after is not None and after[0] > _LAST_TIME:
            return []
        found = await tx.rows(
            "owned_by_time" if await _owns_few(tx, wanted.namespace) else "listed_by_time",
            after_time=tx.before_all_times if after is None else _EPOCH + timedelta(microseconds=after[0]),
            after_id="" if after is None else after[2],
            namespace=wanted.namespace,
            **beginning(wanted.handlers),
            enabled=wanted.enabled,
            ok=wanted.state == "ok",
            limit=limit,
        )
        return [RankedId(row[0], (_micros(tx.time(row[1])), _BY_ID, row[0])) for row in found]

    return read


async def _owns_few(tx: Transaction, namespace: str | None) -> bool:
    """Tell whether a list has one namespace, with so few schedules that these are put in order."""
    if namespace is None:
        return False
    return int(await tx.value("size_of_namespace", namespace=namespace, most=_FEW + 1)) <= _FEW


def _untimed(tx: Transaction, wanted: Ranked) -> Section:
    values = {"ok": wanted.state == "ok", "enabled": wanted.enabled}
    return _named(tx, wanted, "without_next_run", LAST_RANK, **values)


def _between(wanted: Ranked, after: tuple[str, str]) -> dict[str, Any]:
    after_namespace, after_name = max(after, (wanted.namespace or "", ""))
    return {
        "after_namespace": after_namespace,
        "after_name": after_name,
        "last_namespace": wanted.namespace or _LAST_NAMESPACE,
        **beginning(wanted.handlers),
    }


async def _ranked(
    tx: Transaction,
    wanted: Ranked,
    ids: frozenset[str],
    after: RankPlace | None,
    limit: int,
    last_rank: int | None = None,
) -> list[RankedId]:
    """Put some schedules in order."""
    if not ids:
        return []
    rank, namespace, name = after or (None, None, None)
    found = await tx.rows(
        "ranked_of",
        ids=tx.texts(sorted(ids)),
        order=wanted.order,
        state=wanted.state,
        **beginning(wanted.handlers),
        project=wanted.project,
        text=None if wanted.text is None else wanted.text.lower(),
        enabled=wanted.enabled,
        namespace=wanted.namespace,
        after_rank=rank,
        after_namespace=namespace,
        after_name=name,
        last_rank=LAST_RANK if last_rank is None else last_rank,
        limit=limit,
    )
    return [RankedId(row[0], (int(row[1]), row[2], row[3])) for row in found]


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
