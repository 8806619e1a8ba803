"""Handovers: what executors carry out. All that is decided about them is decided by `planning.handovers`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from duly import failpoints
from duly.model.events import Event
from duly.model.handover import Handover, HandoverKey
from duly.planning.handover_events import moved
from duly.planning.handovers import Refusal, Revised, RunStanding
from duly.ports.executors import Decide, EventsOf, HandoverCounts, Judged, Watched, no_events
from duly.stores.crud.database import Database, Transaction

_BEFORE_ALL = HandoverKey("", 0)


class StoredHandovers:
    """Implements `duly.ports.executors.Handovers`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def latest(self, run_id: str) -> Handover | None:
        return await self._database.read(lambda tx: tx.record(Handover, "latest_handover", run_id=run_id))

    async def latest_of(self, run_ids: Collection[str]) -> dict[str, Handover]:
        found = await self._database.read(lambda tx: tx.records(Handover, "latest_handovers", ids=tx.texts(run_ids)))
        return {each.run_id: each for each in found}

    async def of_run(self, run_id: str) -> list[Handover]:
        return await self._database.read(lambda tx: tx.records(Handover, "handovers_of_run", run_id=run_id))

    async def intend(self, handovers: Sequence[Handover]) -> set[HandoverKey]:
        return await self._database.write(lambda tx: _intend(tx, handovers)) if handovers else set()

    async def change(
        self, keys: Sequence[HandoverKey], decide: Decide, now: datetime, events: EventsOf = no_events
    ) -> dict[HandoverKey, Judged]:
        return await self._database.write(lambda tx: _change(tx, keys, decide, now, events)) if keys else {}

    async def progress(self, key: HandoverKey, data: str) -> bool:
        values = {"run_id": key.run_id, "number": key.number, "data": data}
        return await self._database.write(lambda tx: tx.value("progress_of_handover", **values)) is not None

    async def watch(self, executors: Collection[str], now: datetime, hearing_since: datetime, limit: int) -> Watched:
        return await self._database.read(lambda tx: _watch(tx, executors, now, hearing_since, limit))

    async def open_of(self, executor: str, *, begun: bool, after: HandoverKey | None, limit: int) -> list[Handover]:
        statement = "open_begun" if begun else "open_unbegun"
        values = {"executor": executor, "limit": limit, **(after or _BEFORE_ALL)._asdict()}
        return await self._database.read(lambda tx: tx.records(Handover, statement, **values))

    async def counts(self) -> list[HandoverCounts]:
        return await self._database.read(lambda tx: tx.records(HandoverCounts, "count_handovers"))


async def _lock(tx: Transaction, run_ids: Collection[str]) -> None:
    """Lock runs, and with each its handovers. Transactions that change several runs hold their schedules meanwhile."""
    ids = tx.texts(run_ids)
    if len(run_ids) > 1:
        await tx.lock("lock_schedules_of_runs", ids=ids)
    await tx.lock("lock_runs", ids=ids)


async def _intend(tx: Transaction, handovers: Sequence[Handover]) -> set[HandoverKey]:
    run_ids = {each.run_id for each in handovers}
    ids = tx.texts(run_ids)
    await _lock(tx, run_ids)
    await tx.write_records("intend_handovers", handovers)
    if any(each.number > 1 for each in handovers):
        await tx.rows("replace_handovers", ids=ids)
    # By their tokens: what this call has written before, when its answer was lost, is written down as well.
    rows = await tx.rows("intended_tokens", ids=ids)
    tokens = {HandoverKey(run_id, number): token for run_id, number, token in rows}
    failpoints.hit("handovers.intended")
    return {each.key for each in handovers if tokens.get(each.key) == each.token_hash}


async def _change(
    tx: Transaction, keys: Sequence[HandoverKey], decide: Decide, now: datetime, events_of: EventsOf
) -> dict[HandoverKey, Judged]:
    await _lock(tx, {key.run_id for key in keys})
    standing = await _standing(tx, keys)
    judged = {key: Judged(None, Refusal.UNKNOWN) for key in keys}
    changes: list[Revised] = []
    steps: list[Event] = []
    for key in [each for each in judged if each in standing]:
        handover, run = standing[key]
        verdict = decide(handover, run)
        if isinstance(verdict, Revised):
            judged[key] = Judged(verdict.handover)
            if verdict.wakes or verdict.handover != handover:
                changes.append(verdict)
                steps += moved(handover, verdict.handover, now)
        else:
            judged[key] = Judged(handover, verdict)
    if changes:
        await _write(tx, changes, now, events_of)
        tx.tell_after_commit(steps)
    return judged


async def _standing(tx: Transaction, keys: Sequence[HandoverKey]) -> dict[HandoverKey, tuple[Handover, RunStanding]]:
    """Read handovers as they are, and how their runs stand."""
    values = {"ids": tx.texts({key.run_id for key in keys}), "numbers": tx.numbers({key.number for key in keys})}
    columns = tx.columns(Handover)
    found: dict[HandoverKey, tuple[Handover, RunStanding]] = {}
    for *row, latest, is_over, fence in await tx.rows("standing_handovers", **values):
        handover = columns.record(row)
        found[handover.key] = handover, RunStanding(latest, bool(is_over), fence)
    return found


async def _write(tx: Transaction, changes: Sequence[Revised], now: datetime, events_of: EventsOf) -> None:
    await tx.write_records("change_handovers", [each.handover for each in changes])
    woken = sorted({each.handover.run_id for each in changes if each.wakes})
    if woken:
        await tx.rows("wake_runs", ids=tx.texts(woken), now=now)
    await tx.note_decision(now)
    failpoints.hit("handovers.changed")
    await tx.write_events([event for each in changes for event in events_of(each)])
    if woken:
        await tx.announce()


async def _watch(
    tx: Transaction, executors: Collection[str], now: datetime, hearing_since: datetime, limit: int
) -> Watched:
    values = {"executors": tx.texts(executors), "limit": limit}

    async def find(statement: str, **times: datetime) -> list[HandoverKey]:
        return [HandoverKey(*row) for row in await tx.rows(statement, **values, **times)]

    return Watched(
        over=await find("handovers_over"),
        late=await find("late_handovers", now=now, hearing_since=hearing_since),
        to_tell=await find("handovers_to_tell", now=now),
    )
