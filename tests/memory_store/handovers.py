"""Handovers in plain dicts: `duly.ports.executors`."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timedelta

from duly.model.handover import Handover, HandoverKey, HandoverState
from duly.model.run import Run, Status
from duly.planning.handover_events import moved
from duly.planning.handovers import Refusal, Revised, RunStanding
from duly.ports.executors import Decide, EventsOf, HandoverCounts, Judged, Watched, no_events
from tests.memory_store.tables import Tables


class MemoryHandovers:
    """Implements `duly.ports.executors.Handovers`."""

    def __init__(self, tables: Callable[[], Tables], transaction: Callable[[], AbstractContextManager[Tables]]) -> None:
        self._tables = tables
        self._transaction = transaction

    async def latest(self, run_id: str) -> Handover | None:
        return next(iter(reversed(await self.of_run(run_id))), None)

    async def latest_of(self, run_ids: Collection[str]) -> dict[str, Handover]:
        found = {each: await self.latest(each) for each in run_ids}
        return {run_id: each for run_id, each in found.items() if each is not None}

    async def of_run(self, run_id: str) -> list[Handover]:
        return self._tables().handovers_of(run_id)

    async def intend(self, handovers: Sequence[Handover]) -> set[HandoverKey]:
        with self._transaction() as tables:
            for each in handovers:
                run = tables.runs.get(each.run_id)
                if run is not None and not _is_over(run):
                    tables.handovers.setdefault(each.key, each)
            intended = (each for each in handovers if each.key in tables.handovers)
            return {
                each.key
                for each in intended
                if tables.handovers[each.key].state is HandoverState.INTENDED
                and tables.handovers[each.key].token_hash == each.token_hash
            }

    async def change(
        self, keys: Sequence[HandoverKey], decide: Decide, now: datetime, events: EventsOf = no_events
    ) -> dict[HandoverKey, Judged]:
        judged: dict[HandoverKey, Judged] = {}
        with self._transaction() as tables:
            for key in dict.fromkeys(keys):
                judged[key] = Judged(None, Refusal.UNKNOWN)
                if (handover := tables.handovers.get(key)) is not None:
                    verdict = decide(handover, _standing(tables, key))
                    judged[key] = _judged(handover, verdict)
                    if isinstance(verdict, Revised) and (verdict.wakes or verdict.handover != handover):
                        _write(tables, verdict, now)
                        tables.write_events(*events(verdict))
                        tables.written += moved(handover, verdict.handover, now)
        return judged

    async def progress(self, key: HandoverKey, data: str) -> bool:
        with self._transaction() as tables:
            handover = tables.handovers.get(key)
            if handover is None or handover.state is not HandoverState.BEGUN:
                return False
            standing = _standing(tables, key)
            if standing.run_is_over or standing.latest > key.number:
                return False
            tables.runs[key.run_id] = replace(tables.runs[key.run_id], progress=json.loads(data))
            return True

    async def watch(self, executors: Collection[str], now: datetime, hearing_since: datetime, limit: int) -> Watched:
        found = [each for each in self._open() if each.executor in executors]
        wanted = [each for each in found if not each.cancel_asked]
        over = [each.key for each in found if each.cancel_asked]
        late = [each.key for each in wanted if _is_late(each, now, hearing_since)]
        to_tell = [each.key for each in wanted if _is_to_tell(each, now)]
        return Watched(over=over[:limit], late=late[:limit], to_tell=to_tell[:limit])

    async def open_of(self, executor: str, *, begun: bool, after: HandoverKey | None, limit: int) -> list[Handover]:
        found = [each for each in self._open() if each.executor == executor and each.state.begins_still is not begun]
        return [each for each in found if after is None or each.key > after][:limit]

    async def counts(self) -> list[HandoverCounts]:
        found = self._open()
        return [_counted(name, found) for name in sorted({each.executor for each in found})]

    def _open(self) -> list[Handover]:
        return [each for _, each in sorted(self._tables().handovers.items()) if not each.state.final]


def _standing(tables: Tables, key: HandoverKey) -> RunStanding:
    run = tables.runs[key.run_id]
    latest = tables.handovers_of(key.run_id)[-1].number
    return RunStanding(latest, _is_over(run), run.fence)


def _is_over(run: Run) -> bool:
    """Whether it has ended, or was called off while a node has it."""
    return run.status.final or run.cancel_requested


def _judged(handover: Handover, verdict: Revised | Refusal | None) -> Judged:
    return Judged(verdict.handover) if isinstance(verdict, Revised) else Judged(handover, verdict)


def _write(tables: Tables, change: Revised, now: datetime) -> None:
    tables.handovers[change.handover.key] = change.handover
    run = tables.runs[change.handover.run_id]
    if change.wakes and run.status is Status.PENDING:
        tables.runs[run.id] = replace(run, due_at=min(run.due_at, now))
    elif change.wakes and run.status is Status.RUNNING and run.started_at is not None:
        tables.runs[run.id] = replace(run, due_at=max(now, run.started_at + timedelta(microseconds=1)))
    tables.decided(now)


def _is_late(each: Handover, now: datetime, hearing_since: datetime) -> bool:
    if each.state.begins_still:
        return each.begin_by is not None and now >= each.begin_by
    if now - max(each.heard_at or each.intended_at, hearing_since) > each.lease:
        return True
    if each.run_seconds is None or each.begun_at is None:
        return False
    was_heard = each.begun_at >= hearing_since or now - hearing_since > each.lease
    return was_heard and now - each.begun_at > timedelta(seconds=each.run_seconds)


def _is_to_tell(each: Handover, now: datetime) -> bool:
    return each.state is HandoverState.HANDED_OVER and each.tell_at is not None and now >= each.tell_at


def _counted(executor: str, found: Sequence[Handover]) -> HandoverCounts:
    its = [each for each in found if each.executor == executor]
    waiting = [each.intended_at for each in its if each.state.begins_still]
    return HandoverCounts(
        executor=executor,
        waiting=len(waiting),
        begun=len(its) - len(waiting),
        oldest_waiting_at=min(waiting, default=None),
    )
