"""How the dict-backed store forgets what is old: a batch at a time, in the same order as the real stores."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from duly.model.ids import RUN, make_id
from duly.model.run import Run
from duly.ports.upkeep import Pruned, PrunePlace
from tests.memory_store.tables import Tables

_Key = tuple[Any, ...]


class Forgetting:
    """Drops rows of tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def forget(self, before: datetime, limit: int, place: PrunePlace) -> Pruned:
        """Drop one batch of what is finished and old: of each kind at most so many rows are looked at."""
        kinds: list[Callable[[datetime], dict[_Key, Callable[[], bool]]]] = [
            self._old_runs,
            self._old_schedules,
            self._old_nodes,
            self._old_events,
        ]
        forgotten = [0] * len(kinds)
        kind, after = place.kind, place.after
        while kind < len(kinds) and (left := limit - sum(forgotten)) > 0:
            old = kinds[kind](before)
            batch = [key for key in sorted(old) if key > after][:left]
            forgotten[kind] = sum(old[key]() for key in batch)
            if len(batch) == left:
                after = batch[-1]
                break
            kind, after = kind + 1, ()
        go_on_at = PrunePlace(kind=kind, after=after) if kind < len(kinds) else None
        return Pruned(runs=forgotten[0], rows=sum(forgotten), go_on_at=go_on_at)

    def _old_runs(self, before: datetime) -> dict[_Key, Callable[[], bool]]:
        """Runs made before a time, by what orders them, each with what forgets it unless it has to stay."""
        made_before = make_id(RUN, before, lambda _bits: 0)
        old = [run for run in self._tables.runs.values() if run.id < made_before]
        return {(run.id,): partial(self._forget_run, run, before) for run in old}

    def _forget_run(self, run: Run, before: datetime) -> bool:
        goes = run.status.final and run.fire.fire_at < before
        if goes:
            del self._tables.runs[run.id]
            self._tables.in_line.discard(run.id)
        return goes

    def _old_schedules(self, before: datetime) -> dict[_Key, Callable[[], bool]]:
        return {
            (row.deleted_at, row.id): partial(self._forget_schedule, row.id)
            for row in self._tables.schedules.values()
            if row.deleted_at is not None and row.deleted_at < before
        }

    def _forget_schedule(self, schedule_id: str) -> bool:
        goes = not self._tables.runs_of(schedule_id)
        if goes:
            del self._tables.schedules[schedule_id]
        return goes

    def _old_nodes(self, before: datetime) -> dict[_Key, Callable[[], bool]]:
        return {
            (node.record.started_at, node_id): partial(self._forget_node, node_id)
            for node_id, node in self._tables.nodes.items()
            if node.state != "alive" and node.record.started_at < before
        }

    def _forget_node(self, node_id: str) -> bool:
        goes = not self._tables.owned(node_id)
        if goes:
            del self._tables.nodes[node_id]
        return goes

    def _old_events(self, before: datetime) -> dict[_Key, Callable[[], bool]]:
        old = [(event.at, seq) for seq, event in self._tables.events.items() if event.at < before]
        return {key: partial(self._forget_event, key[1]) for key in old}

    def _forget_event(self, seq: int) -> bool:
        del self._tables.events[seq]
        return True
