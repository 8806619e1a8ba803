"""What is kept beside runs: failed attempts, output in pieces, and how the runs around one went."""

from __future__ import annotations

from collections.abc import Sequence

from duly.model.run import Fire
from duly.ports.run_history import LARGEST_PIECE, AttemptRecord, Finished, KeptOutput, OutputPiece
from duly.stores.crud.database import Database, Transaction


class StoredHistory:
    """Implements `duly.ports.run_history.RunHistory`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def attempts(self, run_id: str) -> list[AttemptRecord]:
        return await self._database.read(lambda tx: tx.records(AttemptRecord, "failed_attempts", run_id=run_id))

    async def append(self, outputs: Sequence[tuple[KeptOutput, OutputPiece | None]]) -> None:
        await self._database.write(lambda tx: _append(tx, outputs))

    async def outputs(self, run_id: str) -> list[KeptOutput]:
        return await self._database.read(lambda tx: tx.records(KeptOutput, "outputs_of", run_id=run_id))

    async def kept_bytes(self, run_id: str, attempt: int, target: str) -> int:
        key = {"run_id": run_id, "attempt": attempt, "target": target}
        return int(await self._database.read(lambda tx: tx.value("kept_bytes", **key)))

    async def pieces(self, run_id: str, attempt: int, target: str, offset: int, limit: int) -> list[OutputPiece]:
        return await self._database.read(lambda tx: _pieces(tx, (run_id, attempt, target), offset, limit))

    async def neighbours(self, fire: Fire) -> tuple[str | None, str | None]:
        return await self._database.read(lambda tx: _neighbours(tx, fire))

    async def finished(self, fire: Fire, limit: int) -> list[Finished]:
        async def read(tx: Transaction) -> list[Finished]:
            rows = await tx.lenient_rows("finished_until", **_place(fire), limit=limit)
            timed = [(run_id, status, tx.nearest(began), tx.nearest(ended)) for run_id, status, began, ended in rows]
            return [
                Finished(run_id=run_id, status=status, started_at=began, finished_at=ended)
                for run_id, status, began, ended in timed
                if began is not None and ended is not None
            ]

        return await self._database.read(read)


async def _append(tx: Transaction, outputs: Sequence[tuple[KeptOutput, OutputPiece | None]]) -> None:
    for output, piece in outputs:
        if await tx.value("note_output", **tx.values(output)) is None:
            continue  # the run is gone, and its output with it
        key = {"run_id": output.run_id, "attempt": output.attempt, "target": output.target}
        if piece is not None:
            await tx.rows("forget_pieces", **key, start=piece.start)
            await tx.rows("add_piece", **key, start=piece.start, size=piece.size, text=tx.storable(piece.text))
        half = output.kept_limit // 2
        if output.total > output.kept_limit:
            await tx.rows("drop_middle", **key, head=half, tail=output.total - half)


async def _pieces(tx: Transaction, of: tuple[str, int, str], offset: int, limit: int) -> list[OutputPiece]:
    key = dict(zip(("run_id", "attempt", "target"), of, strict=True))

    async def read(begin: int) -> list[OutputPiece]:
        values = {**key, "offset": begin, "since": begin - LARGEST_PIECE, "upto": begin + limit}
        return await tx.records(OutputPiece, "pieces", **values)

    with tx.snapshot():
        if (found := await read(offset)) or (begin := await tx.value("next_piece", **key, offset=offset)) is None:
            return found
        return await read(int(begin))


async def _neighbours(tx: Transaction, fire: Fire) -> tuple[str | None, str | None]:
    before = await tx.value("run_before", **_place(fire))
    after = await tx.value("run_after", **_place(fire))
    return before, after


def _place(fire: Fire) -> dict[str, object]:
    return {"schedule_id": fire.schedule_id, "fire_at": fire.fire_at, "origin": str(fire.origin)}
