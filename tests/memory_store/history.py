"""What is kept beside runs, in plain dicts: `duly.ports.run_history`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from duly.model.run import Fire, Run, Status
from duly.ports.run_history import AttemptRecord, Finished, KeptOutput, OutputPiece
from tests.memory_store.tables import Tables


class MemoryHistory:
    """Implements `duly.ports.run_history.RunHistory`."""

    def __init__(self, tables: Callable[[], Tables], transaction: Callable[[], AbstractContextManager[Tables]]) -> None:
        self._tables = tables
        self._transaction = transaction

    async def attempts(self, run_id: str) -> list[AttemptRecord]:
        return [each for (of, _), each in sorted(self._tables().attempts.items()) if of == run_id]

    async def append(self, outputs: Sequence[tuple[KeptOutput, OutputPiece | None]]) -> None:
        with self._transaction() as tables:
            for output, piece in outputs:
                if output.run_id not in tables.runs:
                    continue
                key = (output.run_id, output.attempt, output.target)
                _, pieces = tables.outputs.get(key, (output, ()))
                if piece is not None:
                    pieces = (*(each for each in pieces if each.start < piece.start), piece)
                half = output.kept_limit // 2
                if output.total > output.kept_limit:
                    kept = (
                        each for each in pieces if each.start < half or each.start + each.size > output.total - half
                    )
                    pieces = tuple(kept)
                tables.outputs[key] = (output, pieces)

    async def outputs(self, run_id: str) -> list[KeptOutput]:
        return [output for key, (output, _) in sorted(self._tables().outputs.items()) if key[0] == run_id]

    async def kept_bytes(self, run_id: str, attempt: int, target: str) -> int:
        _, pieces = self._tables().outputs.get((run_id, attempt, target), (None, ()))
        return sum(each.size for each in pieces)

    async def pieces(self, run_id: str, attempt: int, target: str, offset: int, limit: int) -> list[OutputPiece]:
        _, pieces = self._tables().outputs.get((run_id, attempt, target), (None, ()))
        after = [each for each in pieces if each.start + each.size > offset]
        upto = limit + (max(offset, after[0].start) if after else offset)
        return [each for each in after if each.start < upto]

    async def neighbours(self, fire: Fire) -> tuple[str | None, str | None]:
        runs = self._of(fire)
        before = [run.id for run in runs if _place(run.fire) < _place(fire)]
        after = [run.id for run in runs if _place(run.fire) > _place(fire)]
        return (before[-1] if before else None, after[0] if after else None)

    async def finished(self, fire: Fire, limit: int) -> list[Finished]:
        latest = [run for run in reversed(self._of(fire)) if _place(run.fire) <= _place(fire)][:200]
        return [
            Finished(
                run_id=run.id,
                status=str(run.status),
                started_at=self._began(run.id) or run.started_at,
                finished_at=run.finished_at,
            )
            for run in latest
            if run.started_at is not None and run.finished_at is not None and run.status is not Status.SKIPPED
        ][:limit]

    def _began(self, run_id: str) -> datetime | None:
        """When a worker began the latest handover of a run."""
        return next((each.begun_at for each in reversed(self._tables().handovers_of(run_id))), None)

    def _of(self, fire: Fire) -> list[Run]:
        found = [run for run in self._tables().runs.values() if run.fire.schedule_id == fire.schedule_id]
        return sorted(found, key=lambda run: _place(run.fire))


def _place(fire: Fire) -> tuple[object, ...]:
    return fire.fire_at, str(fire.origin)
