"""Schedules: saving, editing, finding."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from psycopg import errors

from duly import failpoints
from duly.errors import InvalidInputError
from duly.ports.changes import Edited, EditResult, nothing_beside
from duly.stores.crud.beside import write_beside
from duly.stores.crud.narrowing import page_query
from duly.stores.postgres.arrays import TextArray, TimeArray
from duly.stores.postgres.clock import decided
from duly.stores.postgres.cycle import lock_schedules, promote
from duly.stores.postgres.executor import TryAgainError
from duly.stores.postgres.rows import schedule_columns, to_schedule
from duly.stores.postgres.transaction import (
    BEHIND_EVERY_TEXT,
    SQL,
    PostgresTransaction,
    announce,
    get_schedules,
)
from duly.stores.run_records import called_off
from duly.stores.schedule_changes import DELETED, edit_rows, save_rows, targets_of

if TYPE_CHECKING:
    from duly.model.events import Event
    from duly.ports.changes import Change, Merge, Recorder
    from duly.ports.quotas import Room
    from duly.ports.records import ScheduleFilter, StoredSchedule
    from duly.stores.postgres.connection import Session

_NAMES = "schedules_name"  # the constraint that keeps names unique
_AT_ONCE = 5_000  # rows per statement, so that none runs into its time limit


async def save(
    session: Session,
    rows: Iterable[StoredSchedule],
    merge: Merge,
    beside: Recorder,
    room: Room | None = None,
) -> list[str]:
    """Create or change many schedules at once.

    In pieces: a server that hears nothing for a while in the middle of a transaction takes us for dead. And rows that
    are made when they are asked for are never all in memory.
    """
    ids: list[str] = []
    latest: datetime | None = None
    called_off: list[Event] = []
    edited: list[Edited] | None = None if beside is nothing_beside else []
    before = 0 if room is None else await _count(session, room)
    for some in _batches(rows):
        ids += await _save_some(session, some, merge, called_off, edited)
        changed_at = max(row.updated_at for row in some)
        latest = changed_at if latest is None else max(latest, changed_at)
    if room is not None and before < await _count(session, room) > room.at_most:
        raise room.refuse(before)
    if latest is not None:
        await decided(session, latest)
    changed = edited or []
    await write_beside(PostgresTransaction(session), changed, beside(changed), called_off)
    await announce(session)
    return ids


async def _count(session: Session, room: Room) -> int:
    """Count the schedules of a namespace; no other node adds one before this transaction has ended."""
    await session.fetch(SQL.lock_budget, {"budget": room.namespace})
    return int(await session.value(SQL.schedules_of_namespace, {"owner": room.namespace, "since": room.since}))


async def _save_some(
    session: Session,
    rows: Sequence[StoredSchedule],
    merge: Merge,
    called_off: list[Event],
    edited: list[Edited] | None,
) -> list[str]:
    there = {(row.namespace, row.name): row for row in await _named(session, rows)}
    saves = save_rows(rows, there.get, merge, edited)
    changed = list(saves.changed.values())
    with _retrying_taken_names():
        await _insert(session, list(saves.fresh.values()))
    failpoints.hit("save.inserted")
    await _replace(session, changed)
    called_off += await _cancel_runs(session, [row for row in changed if row.deleted_at is not None])
    await _update_targets(session, list(saves.prompts.values()))
    await _promote_runs(session, saves.other_policy)
    return saves.ids


async def edit(session: Session, ids: Collection[str], change: Change, beside: Recorder) -> EditResult:
    """Read schedules, change them and write them back."""
    await lock_schedules(session, ids)
    edits = edit_rows(await get_schedules(session, ids), change)
    await _replace(session, edits.changed)
    await _update_targets(session, edits.prompts)
    cancelled_runs = await _cancel_runs(session, edits.deleted)
    await _promote_runs(session, edits.other_policy)
    records = beside(edits.pairs)
    if edits.changed:
        await decided(session, max(records.at or row.updated_at for row in edits.changed))
    await write_beside(PostgresTransaction(session), edits.pairs, records, cancelled_runs)
    await announce(session)
    return EditResult(rows=edits.result, changed=edits.pairs, records=records)


async def find(session: Session, namespace: str, name: str) -> StoredSchedule | None:
    """Find the schedule that has a name now."""
    rows = await session.fetch_leniently(SQL.find_schedule, {"namespace": namespace, "name": name})
    return to_schedule(rows[0]) if rows else None


async def to_review(session: Session, resting: bool, after: str, limit: int) -> list[StoredSchedule]:
    """Read jobs and prompts that a daemon answers for: those that rest, or those that are planned."""
    query = SQL.review_resting if resting else SQL.review_planned
    return [to_schedule(row) for row in await session.fetch_leniently(query, {"after": after, "limit": limit})]


async def page(session: Session, wanted: ScheduleFilter) -> list[StoredSchedule]:
    """Read a page of schedules."""
    after_namespace, after_name = max(wanted.after or ("", ""), (wanted.namespace or "", ""))
    values = {
        "last_namespace": BEHIND_EVERY_TEXT if wanted.namespace is None else wanted.namespace,
        "enabled": wanted.enabled,
        "handler": wanted.handler,
        "source": wanted.source,
        "project": wanted.project,
        "quarantined": wanted.quarantined,
        "resting": wanted.resting,
        "token": wanted.token,
        "text": wanted.text,
        "after_namespace": after_namespace,
        "after_name": after_name,
        "limit": wanted.limit,
    }
    query, more = await page_query(PostgresTransaction(session), wanted)
    return [to_schedule(row) for row in await session.fetch_leniently(getattr(SQL, query), values | more)]


async def _named(session: Session, rows: Sequence[StoredSchedule]) -> list[StoredSchedule]:
    """Read and lock the schedules that have the names of these rows."""
    ids: set[str] = set()
    for some in _batches(rows):
        names = {
            "namespaces": TextArray([row.namespace for row in some]),
            "names": TextArray([row.name for row in some]),
        }
        ids.update(row[0] for row in await session.fetch(SQL.named, names))
    if not ids:
        return []
    await lock_schedules(session, ids)
    # A schedule that was renamed or deleted before the lock was taken is left out.
    return [row for row in await get_schedules(session, ids) if row.deleted_at is None]


async def _insert(session: Session, rows: list[StoredSchedule]) -> None:
    rows.sort(
        key=lambda row: (row.namespace, row.name)
    )  # two transactions that create the same names meet at the first of them, and do not deadlock
    with _refusing_taken_names(rows):
        for some in _batches(rows):
            await session.fetch(SQL.insert_schedules, schedule_columns(some))


async def _replace(session: Session, rows: Sequence[StoredSchedule]) -> None:
    with _refusing_taken_names(rows):
        for some in _batches(rows):
            await session.fetch(SQL.replace_schedules, schedule_columns(some))


async def _update_targets(session: Session, rows: Sequence[StoredSchedule]) -> None:
    """Make the targets of schedules those of their definitions; one that stays keeps its session."""
    for some in _batches(rows):
        targets = [(row.id, *names) for row in some for names in targets_of(row)]
        values = {
            "ids": TextArray([row.id for row in some]),
            "schedule_ids": TextArray([schedule_id for schedule_id, _, _ in targets]),
            "project_ids": TextArray([project_id for _, project_id, _ in targets]),
            "workspace_ids": TextArray([workspace_id for _, _, workspace_id in targets]),
        }
        await session.fetch(SQL.drop_targets, values)
        await session.fetch(SQL.add_targets, values)


async def _cancel_runs(session: Session, rows: Sequence[StoredSchedule]) -> list[Event]:
    """Cancel the runs of deleted schedules; returns the events to write."""
    if not rows:
        return []
    ids = TextArray([row.id for row in rows])
    at = TimeArray([row.updated_at for row in rows])
    stopped = await session.fetch(SQL.cancel_unstarted, {"ids": ids, "at": at, "reason": DELETED})
    await session.fetch(SQL.ask_to_stop, {"ids": ids, "reason": DELETED})
    deleted = {row.id: row for row in rows}
    return [called_off(deleted[of].updated_at, run_id, of, deleted[of].name, DELETED) for run_id, of in sorted(stopped)]


async def _promote_runs(session: Session, rows: Sequence[StoredSchedule]) -> None:
    """Let waiting runs begin: another policy may have more places."""
    if rows:
        await promote(session, [row.id for row in rows], max(row.updated_at for row in rows))


def _batches(rows: Iterable[StoredSchedule]) -> Iterator[Sequence[StoredSchedule]]:
    left = iter(rows)
    while some := list(islice(left, _AT_ONCE)):
        yield some


@contextmanager
def _refusing_taken_names(rows: Sequence[StoredSchedule]) -> Iterator[None]:
    try:
        yield
    except errors.UniqueViolation as error:
        names = ", ".join(f"{row.namespace}/{row.name}" for row in rows)
        what = "name" if error.diag.constraint_name == _NAMES else "id"
        raise InvalidInputError(f"the {what} is taken: {names}; choose another") from error


@contextmanager
def _retrying_taken_names() -> Iterator[None]:
    """Try again when another process has taken a name since it was looked up."""
    try:
        yield
    except InvalidInputError as error:
        cause = error.__cause__
        if isinstance(cause, errors.UniqueViolation) and cause.diag.constraint_name == _NAMES:
            raise TryAgainError(error) from error
        raise
