"""Pages of schedules in another order than that of their names, or of one state.

Few schedules need a person or are under way: these are found by small indexes, and put in order. All others come from
an index that has them in the order of the list, so that a page costs by what is on it, however many there are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from duly.ports.timeline import LAST_RANK, Ranked, RankedId
from duly.stores.crud.database import Transaction

_ALL_RIGHT = 5
_PAUSED = 6
_OVER = 7
_FEW = 2000  # so many schedules that are switched on are put in order, rather than looked for among all others
_ALL = 2**31 - 1
_BY_ID = "id"  # in a place by time, where others have a namespace
_LAST_NAMESPACE = "\U0010ffff"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_TIME = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_IN_NEED = ("failing", "awaiting", "running", "resting", "unreadable")
_OVER_BY = {"finished": "finished", "off": "file"}

Section = Callable[[tuple[int, str, str] | None, int], Awaitable[list[RankedId]]]


class _Few(NamedTuple):
    """The schedules that are put in order one by one."""

    ids: frozenset[str]
    busy: frozenset[str]
    """Those with a run under way or a reminder that waits for an answer, in any state."""
    last_rank: int
    """Up to this rank of attention every schedule is among them."""


async def page_of(tx: Transaction, wanted: Ranked) -> list[RankedId]:
    """Read a page of schedules in an order."""
    ids = await _named_ids(tx, wanted)
    if ids is not None:
        return await _ranked(tx, wanted, ids, wanted.after, wanted.limit)
    page: list[RankedId] = []
    for section in await _sections(tx, wanted):
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
            **dict.fromkeys(("enabled", "project", "handlers", "namespace")),
        )
        return frozenset(row[0] for row in found if row[0] is not None)
    return None


async def _sections(tx: Transaction, wanted: Ranked) -> list[Section]:
    """Give the parts of a list, in their order."""
    state = wanted.state
    order = wanted.order
    if state is None and order == "name":
        return [_named(tx, wanted, "listed_by_name", 0, ok=False, enabled=wanted.enabled)]
    if state is None and order == "next":
        return [_timed(tx, wanted, frozenset()), _untimed(tx, wanted, frozenset())]
    few = await _few(tx, count_on=order == "attention" and state in (None, "ok"))
    if state in _IN_NEED:
        return [_few_in_order(tx, wanted, few.ids, None)]
    if state == "ok" and order == "next":
        return [_timed(tx, wanted, few.busy), _untimed(tx, wanted, few.busy)]
    by_attention = order == "attention"
    sections = [_few_in_order(tx, wanted, few.ids, few.last_rank)] if by_attention else []
    busy = few.busy if by_attention or state == "ok" else frozenset[str]()
    constant = LAST_RANK if order == "next" else 0
    if state in (None, "ok") and wanted.enabled is not False and (not by_attention or few.last_rank < _ALL_RIGHT):
        rank = _ALL_RIGHT if by_attention else constant
        sections.append(_named(tx, wanted, "listed_by_name", rank, busy, ok=True, enabled=wanted.enabled))
    if state in (None, "paused") and wanted.enabled is not True:
        sections.append(_named(tx, wanted, "paused_by_name", _PAUSED if by_attention else constant, busy))
    if (state is None or state in _OVER_BY) and wanted.enabled is not True:
        rank = _OVER if by_attention else constant
        disabled_by = None if state is None else _OVER_BY[state]
        sections.append(_named(tx, wanted, "over_by_name", rank, busy, disabled_by=disabled_by))
    return sections


async def _few(tx: Transaction, *, count_on: bool) -> _Few:
    """Find what needs a person or is under way; and all that is switched on, if that is little as well."""
    everything = {"everything": True, "ids": tx.texts(()), "limit": _ALL}
    busy = {row[0] for name in ("under_way", "awaited") for row in await tx.rows(name, **everything)}
    ids = busy | {row[0] for row in await tx.rows("in_need")}
    on = [row[0] for row in await tx.rows("switched_on", most=_FEW + 1)] if count_on else []
    if not count_on or len(on) > _FEW:
        return _Few(frozenset(ids), frozenset(busy), _ALL_RIGHT - 1)
    return _Few(frozenset(ids.union(on)), frozenset(busy), _ALL_RIGHT)


def _few_in_order(tx: Transaction, wanted: Ranked, ids: frozenset[str], last_rank: int | None) -> Section:
    async def read(after: tuple[int, str, str] | None, limit: int) -> list[RankedId]:
        if last_rank is not None and after is not None and after[0] > last_rank:
            return []
        return await _ranked(tx, wanted, ids, after, limit, last_rank)

    return read


def _named(
    tx: Transaction, wanted: Ranked, statement: str, rank: int, busy: frozenset[str] = frozenset(), **values: Any
) -> Section:
    """Make the part of a list that has one rank, in the order of names; `busy` ones have another rank."""

    async def read(after: tuple[int, str, str] | None, limit: int) -> list[RankedId]:
        if after is not None and after[0] > rank:
            return []
        begins = ("", "") if after is None or after[0] < rank else after[1:]
        found = await tx.rows(
            statement, limit=limit, without=tx.texts(sorted(busy)), **values, **_between(wanted, begins)
        )
        return [RankedId(row[0], (rank, row[1], row[2])) for row in found]

    return read


def _timed(tx: Transaction, wanted: Ranked, busy: frozenset[str]) -> Section:
    """Make the part of a list that has a next run, in the order of these and of ids."""

    async def read(after: tuple[int, str, str] | None, limit: int) -> list[RankedId]:
        if after is not None and after[0] > _LAST_TIME:
            return []
        found = await tx.rows(
            "listed_by_time",
            after_time=tx.before_all_times if after is None else _EPOCH + timedelta(microseconds=after[0]),
            after_id="" if after is None else after[2],
            namespace=wanted.namespace,
            handlers=_beginning(wanted),
            enabled=wanted.enabled,
            ok=wanted.state == "ok",
            without=tx.texts(sorted(busy)),
            limit=limit,
        )
        return [RankedId(row[0], (_micros(tx.time(row[1])), _BY_ID, row[0])) for row in found]

    return read


def _untimed(tx: Transaction, wanted: Ranked, busy: frozenset[str]) -> Section:
    values = {"ok": wanted.state == "ok", "enabled": wanted.enabled}
    return _named(tx, wanted, "without_next_run", LAST_RANK, busy, **values)


def _between(wanted: Ranked, after: tuple[str, str]) -> dict[str, Any]:
    after_namespace, after_name = max(after, (wanted.namespace or "", ""))
    return {
        "after_namespace": after_namespace,
        "after_name": after_name,
        "last_namespace": wanted.namespace or _LAST_NAMESPACE,
        "handlers": _beginning(wanted),
    }


async def _ranked(
    tx: Transaction,
    wanted: Ranked,
    ids: frozenset[str],
    after: tuple[int, str, str] | None,
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
        handlers=_beginning(wanted),
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


def _beginning(wanted: Ranked) -> str | None:
    return None if wanted.handlers is None else f"{wanted.handlers}%"


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
