"""Schedules: making, changing, finding."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from psycopg import errors

from duly import failpoints
from duly.errors import InvalidInputError
from duly.model.events import Event
from duly.ports.quotas import Room
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.ports.store import Change, Merge
from duly.stores.outcomes import called_off
from duly.stores.postgres.arrays import Texts, Times
from duly.stores.postgres.clock import decided
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import SQL, announce, lock_schedules, promote, write_events
from duly.stores.postgres.gate import TryAgainError
from duly.stores.postgres.rows import schedule_columns, to_schedule
from duly.stores.postgres.targets import keep_in_step
from duly.stores.prompts import is_prompt

DELETED = "its schedule was deleted"
_NAMES = "schedules_name"  # the constraint that keeps them apart
_AT_ONCE = 5_000  # rows per statement, so that none runs into its time limit


async def save(
    session: Session,
    rows: Sequence[StoredSchedule],
    merge: Merge,
    events: Sequence[Event],
    room: Room | None = None,
) -> list[str]:
    """Create or change many schedules at once.

    In pieces: a server that hears nothing for a while in the middle of a transaction takes us for dead.
    """
    ids: list[str] = []
    called_off: list[Event] = []
    before = 0 if room is None else await _count(session, room)
    for some in _batches(rows):
        ids += await _save_some(session, some, merge, called_off)
    if room is not None and before < await _count(session, room) > room.at_most:
        raise room.refuse(before)
    if rows:
        await decided(session, max(row.updated_at for row in rows))
    await _tell(session, [*called_off, *events])
    return ids


async def _count(session: Session, room: Room) -> int:
    """How many schedules a namespace has; no other node adds one before this transaction has ended."""
    await session.fetch(SQL.lock_budget, {"budget": room.namespace})
    return int(await session.value(SQL.schedules_of_namespace, {"owner": room.namespace, "since": room.since}))


async def _save_some(
    session: Session, rows: Sequence[StoredSchedule], merge: Merge, called_off: list[Event]
) -> list[str]:
    there = {(row.namespace, row.name): row for row in await _named(session, rows)}
    ids: list[str] = []
    fresh: dict[tuple[str, str], StoredSchedule] = {}
    changed: dict[str, StoredSchedule] = {}
    prompts: dict[str, StoredSchedule] = {}
    other_policy: list[StoredSchedule] = []
    for row in rows:
        key = (row.namespace, row.name)
        before = there.get(key)
        was_prompt = is_prompt(before)
        after = merge(before, row)
        if after is not None:
            if was_prompt or is_prompt(after):
                prompts[after.id] = after
            if before is not None and before.policy != after.policy:
                other_policy.append(after)
            if before is None or key in fresh:  # one that is new, and handed in twice, is still new
                fresh[key] = after
            else:
                changed[after.id] = after
            there[key] = after
        if key not in there:
            raise InvalidInputError(f"there is nothing to keep under {row.namespace}/{row.name}")
        ids.append(there[key].id)
    with _somebody_may_be_quicker():
        await _insert(session, list(fresh.values()))
    failpoints.hit("save.inserted")
    await _replace(session, list(changed.values()))
    called_off += await _call_off(session, [row for row in changed.values() if row.deleted_at is not None])
    await _keep_targets(session, list(prompts.values()))
    await _let_lines_move(session, other_policy)
    return ids


async def edit(session: Session, ids: Collection[str], change: Change, events: Sequence[Event]) -> list[StoredSchedule]:
    """Read, change and write."""
    await lock_schedules(session, ids)
    result, changed, prompts, deleted, other_policy = [], [], [], [], []
    for before in await get_many(session, ids):
        after = change(replace(before))  # a copy: what was there must be known even if it is changed in place
        result.append(after or before)
        if after is not None:
            changed.append(after)
            if is_prompt(before) or is_prompt(after):
                prompts.append(after)
            if after.deleted_at is not None and before.deleted_at is None:
                deleted.append(after)
            if after.policy != before.policy:
                other_policy.append(after)
    await _replace(session, changed)
    await _keep_targets(session, prompts)
    called_off = await _call_off(session, deleted)
    await _let_lines_move(session, other_policy)
    if changed:
        await decided(session, max(row.updated_at for row in changed))
    await _tell(session, [*called_off, *events])
    return result


async def get_many(session: Session, ids: Collection[str]) -> list[StoredSchedule]:
    """Schedules by id, in the order asked for."""
    rows = {
        row[0]: to_schedule(row) for row in await session.fetch_leniently(SQL.get_schedules, {"ids": Texts(list(ids))})
    }
    return [rows[each] for each in ids if each in rows]


async def find(session: Session, namespace: str, name: str) -> StoredSchedule | None:
    """The schedule that has a name now."""
    rows = await session.fetch_leniently(SQL.find_schedule, {"namespace": namespace, "name": name})
    return to_schedule(rows[0]) if rows else None


async def to_review(session: Session, resting: bool, after: str, limit: int) -> list[StoredSchedule]:
    """Jobs and prompts that a daemon answers for: those that rest, or those that are planned."""
    query = SQL.review_resting if resting else SQL.review_planned
    return [to_schedule(row) for row in await session.fetch_leniently(query, {"after": after, "limit": limit})]


async def page(session: Session, wanted: ScheduleFilter) -> list[StoredSchedule]:
    """A page of schedules."""
    after_namespace, after_name = wanted.after or (None, None)
    within = after_namespace is not None and after_namespace == wanted.namespace  # then the name alone is looked up
    values = {
        "deleted": wanted.deleted,
        "namespace": wanted.namespace,
        "enabled": wanted.enabled,
        "handler": wanted.handler,
        "source": wanted.source,
        "project": wanted.project,
        "quarantined": wanted.quarantined,
        "resting": wanted.resting,
        "token": wanted.token,
        "text": wanted.text,
        "name_after": after_name if within else None,
        "after_namespace": None if within else after_namespace,
        "after_name": after_name,
        "limit": wanted.limit,
    }
    return [to_schedule(row) for row in await session.fetch_leniently(SQL.list_schedules, values)]


async def _named(session: Session, rows: Sequence[StoredSchedule]) -> list[StoredSchedule]:
    """The schedules that have the names of these rows, kept from changing under our hands."""
    ids: set[str] = set()
    for some in _batches(rows):
        names = {"namespaces": Texts([row.namespace for row in some]), "names": Texts([row.name for row in some])}
        ids.update(row[0] for row in await session.fetch(SQL.named, names))
    if not ids:
        return []
    await lock_schedules(session, ids)
    # What was renamed or deleted until we had the lock is not what was asked for.
    return [row for row in await get_many(session, ids) if row.deleted_at is None]


async def _insert(session: Session, rows: list[StoredSchedule]) -> None:
    rows.sort(key=lambda row: (row.namespace, row.name))  # two who create the same names meet at the first of them
    with _refusing_taken_names(rows):
        for some in _batches(rows):
            await session.fetch(SQL.insert_schedules, schedule_columns(some))


async def _replace(session: Session, rows: Sequence[StoredSchedule]) -> None:
    with _refusing_taken_names(rows):
        for some in _batches(rows):
            await session.fetch(SQL.replace_schedules, schedule_columns(some))


async def _keep_targets(session: Session, rows: Sequence[StoredSchedule]) -> None:
    for some in _batches(rows):
        await keep_in_step(session, some)


async def _call_off(session: Session, rows: Sequence[StoredSchedule]) -> list[Event]:
    """Call off the runs of deleted schedules; gives what to tell."""
    if not rows:
        return []
    ids, at = Texts([row.id for row in rows]), Times([row.updated_at for row in rows])
    stopped = await session.fetch(SQL.cancel_unstarted, {"ids": ids, "at": at, "reason": DELETED})
    await session.fetch(SQL.ask_to_stop, {"ids": ids, "reason": DELETED})
    deleted = {row.id: row for row in rows}
    return [called_off(deleted[of].updated_at, run_id, of, deleted[of].name, DELETED) for run_id, of in sorted(stopped)]


async def _let_lines_move(session: Session, rows: Sequence[StoredSchedule]) -> None:
    """Another policy may have more places."""
    if rows:
        await promote(session, [row.id for row in rows], max(row.updated_at for row in rows))


async def _tell(session: Session, events: Sequence[Event]) -> None:
    await write_events(session, events)
    await announce(session)


def _batches(rows: Sequence[StoredSchedule]) -> Iterator[Sequence[StoredSchedule]]:
    return (rows[start : start + _AT_ONCE] for start in range(0, len(rows), _AT_ONCE))


@contextmanager
def _refusing_taken_names(rows: Sequence[StoredSchedule]) -> Iterator[None]:
    try:
        yield
    except errors.UniqueViolation as error:
        names = ", ".join(f"{row.namespace}/{row.name}" for row in rows)
        what = "name" if error.diag.constraint_name == _NAMES else "id"
        raise InvalidInputError(f"the {what} is taken: {names}; choose another") from error


@contextmanager
def _somebody_may_be_quicker() -> Iterator[None]:
    """A name that was free when we looked may have been taken by another process since: then look again."""
    try:
        yield
    except InvalidInputError as error:
        cause = error.__cause__
        if isinstance(cause, errors.UniqueViolation) and cause.diag.constraint_name == _NAMES:
            raise TryAgainError(error) from error
        raise
