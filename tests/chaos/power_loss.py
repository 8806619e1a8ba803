"""Power is lost at random instants: writes that were not synced may be gone, in part, in any order.

A store is worked on; at random instants a copy is made of what the disk would hold after a loss of power. Each copy is
opened and checked: it is whole, every commit that was acknowledged before that instant is there, and none is there in
part. Pruning does not wait for the disk, so what it deleted may come back: the last batches of it, each as a whole, and
none that a commit followed which did wait. Half of the seeds have the threads of a program, with checkpoints beside the
thread that writes. `python -m tests.chaos.power_loss --seeds 2000` runs a long one.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random

import apsw

from duly.model.run import Status
from duly.ports.records import Claimed, Cycle, RunFilter, ScheduleFilter
from duly.stores.sqlite import checkpoints
from duly.stores.sqlite.store import SqliteStore
from duly.testing.clock import VirtualClock
from tests.chaos.disk import PoweredDisk, in_place
from tests.conformance.stores.builders import START, due_schedule, ended, every, schedule

_NAME = "duly.db"
_STEPS = 60
_CUTS = 0.02
"""How often power is lost, for each operation of the disk."""
_EVERYTHING = 100_000
_MOST_PRUNED = 8
_LATER = START + timedelta(days=60)
_CHECKPOINT_THREAD = "duly-sqlite-checkpoint"
_DAWDLE = 0.0005
"""Seconds for which a checkpoint beside the writer stops now and then: on so small a file it would be over at once."""


@dataclass(slots=True)
class Books:
    """What the store said yes to, and what it was asked for."""

    acknowledged: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    under_way: list[Claimed] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    """Runs, in the order of their ids, that are over and were not pruned."""
    pruned: list[frozenset[str]] = field(default_factory=list)
    """The runs that each batch of pruning deletes, from the moment at which it was asked for."""
    pruned_for_certain: int = 0
    """How many of these batches a commit has followed that waited for the disk."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What one loss of power left, and what must be in it."""

    files: dict[str, bytes]
    acknowledged: frozenset[str]
    asked: frozenset[str]
    pruned: Sequence[frozenset[str]]
    pruned_for_certain: int


@contextmanager
def frequent_checkpoints() -> Iterator[None]:
    """Checkpoints after a few pages, all of them long, so that one lies between any two losses of power."""
    before = checkpoints._PAGES, checkpoints._MORE_PAGES, checkpoints._LONG
    checkpoints._PAGES, checkpoints._MORE_PAGES, checkpoints._LONG = 30, 10, 1
    try:
        yield
    finally:
        checkpoints._PAGES, checkpoints._MORE_PAGES, checkpoints._LONG = before


class WatchedDisk(PoweredDisk):
    """Loses power; lets a checkpoint beside the writer stop in between, and counts what it wrote."""

    beside = 0
    """Writes of checkpoints beside the thread that writes."""

    def write(self, path: str, data: bytes, offset: int) -> None:
        super().write(path, data, offset)
        if threading.current_thread().name == _CHECKPOINT_THREAD:
            self.beside += 1
            time.sleep(_DAWDLE)


def losses(seed: int, folder: Path, synchronous: str = "FULL", counted: Counter[str] | None = None) -> list[Loss]:
    """Work on a store in a folder; gives what each loss of power would have left of it."""
    chance, books, found = Random(seed), Books(), list[Loss]()
    of_disk = Random(f"disk {seed}")  # the threads of a store take turns as the machine likes

    def note(files: dict[str, bytes]) -> None:
        found.append(
            Loss(
                files=files,
                acknowledged=frozenset(books.acknowledged),
                asked=frozenset(books.asked),
                pruned=tuple(books.pruned),
                pruned_for_certain=books.pruned_for_certain,
            )
        )

    disk = WatchedDisk(of_disk, lambda: of_disk.random() < _CUTS, note)
    with frequent_checkpoints(), in_place(disk):
        asyncio.run(_work(folder / _NAME, chance, books, synchronous, inline=seed % 2 == 0))
    if counted is not None:
        counted += Counter({"batches": len(books.pruned), "pages beside": disk.beside})
    return found


async def _work(path: Path, chance: Random, books: Books, synchronous: str, *, inline: bool) -> None:
    for _life in range(2):
        store = SqliteStore(path, VirtualClock(START), inline=inline)
        await store.open()
        for _ in range(_STEPS):
            await _let_sync(store, synchronous)
            await _step(store, chance, books)
        await store.close()


async def _let_sync(store: SqliteStore, how: str) -> None:
    assert store._file is not None
    store._file.executor.writer.connection.execute(f"PRAGMA synchronous = {how}")  # type: ignore[union-attr]


async def _step(store: SqliteStore, chance: Random, books: Books) -> None:
    """Save a pair of schedules, which belong together; plan and claim what is due; end what was claimed; or prune."""
    drawn = chance.random()
    if drawn < 0.15:
        await _prune(store, chance, books)
        return
    batches = len(books.pruned)
    if drawn < 0.65:
        name = f"s{len(books.asked)}"
        text = "x" * chance.choice((10, 1000, 9000))
        pair = [due_schedule(f"{name} a", description=text), schedule(f"{name} b", description=text)]
        books.asked |= {row.name for row in pair}
        await store.save(pair, lambda _before, row: row)
        books.acknowledged |= {row.name for row in pair}
    else:
        over = books.under_way[:2]
        turn = Cycle(
            node_id="node_a",
            now=START,
            settlements=[ended(run) for run in over],
            planner=every(60, Status.RUNNING),
            plan_limit=3,
            claim_limit=3,
        )
        claimed = (await store.cycle(turn)).claimed
        books.acknowledged |= {f"run {run.run_id}" for run in claimed}
        books.under_way = [*books.under_way[2:], *claimed]
        books.finished = sorted([*books.finished, *(run.run_id for run in over)])
        if not claimed and not over:
            return  # a turn that changes nothing does not wait for the disk
    books.pruned_for_certain = batches


async def _prune(store: SqliteStore, chance: Random, books: Books) -> None:
    """Delete some of the runs that are over: the first of all, as far as they are over."""
    limit = chance.randint(1, _MOST_PRUNED)
    first = sorted([*books.finished, *(run.run_id for run in books.under_way)])[:limit]
    gone = [run_id for run_id in first if run_id in books.finished]
    books.finished = [run_id for run_id in books.finished if run_id not in gone]
    names = frozenset(f"run {run_id}" for run_id in gone)
    books.pruned.append(names)
    books.acknowledged -= names
    assert (await store.prune(_LATER, limit)).runs == len(gone)


def check(loss: Loss, folder: Path) -> None:
    """Open what a loss of power left, and hold it against what the store had said."""
    for name, content in loss.files.items():
        (folder / name).write_bytes(content)
    there = asyncio.run(_contents(folder / _NAME))
    connection = apsw.Connection(str(folder / _NAME))
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()
    assert loss.acknowledged <= there, f"lost: {sorted(loss.acknowledged - there)}"
    names = {name for name in there if not name.startswith("run ")}
    assert names <= loss.asked
    assert {name[:-2] for name in names if name.endswith("a")} == {name[:-2] for name in names if name.endswith("b")}
    check_pruned(loss, there)


def check_pruned(loss: Loss, there: set[str]) -> None:
    """What was pruned is gone up to some batch, at least up to the last that had to be on disk, and back after it."""
    whole = [bool(batch) and batch.isdisjoint(there) for batch in loss.pruned]
    back = [batch <= there for batch in loss.pruned]
    assert all(gone or is_back for gone, is_back in zip(whole, back, strict=True)), "a batch was lost in part"
    filled = [gone for gone, batch in zip(whole, loss.pruned, strict=True) if batch]
    assert filled == sorted(filled, reverse=True), "a batch came back, and a later one did not"
    certain = [gone for gone, batch in zip(whole, loss.pruned[: loss.pruned_for_certain], strict=False) if batch]
    assert all(certain), "a batch came back that a durable commit had followed"


async def _contents(path: Path) -> set[str]:
    store = SqliteStore(path, VirtualClock(START), inline=True)
    await store.open()
    try:
        names = {row.name for row in await store.schedules(ScheduleFilter(limit=_EVERYTHING))}
        runs = {f"run {run.id}" for run in await store.runs(RunFilter(limit=_EVERYTHING))}
    finally:
        await store.close()
    return names | runs


def campaign(seeds: range, *, synchronous: str = "FULL", counted: Counter[str] | None = None) -> int:
    """Check every loss of power of these seeds; gives how many there were."""
    number = 0
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            (work := Path(folder) / "work").mkdir()
            for loss in losses(seed, work, synchronous, counted):
                (left := Path(folder) / str(number)).mkdir()
                try:
                    check(loss, left)
                except Exception as error:
                    error.add_note(f"seed {seed}")
                    raise
                number += 1
    return number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    counted = Counter[str]()
    number = campaign(range(arguments.first, arguments.first + arguments.seeds), counted=counted)
    print(
        f"{arguments.seeds} seeds, {number} losses of power, {counted['batches']} batches of pruning,"
        f" {counted['pages beside']} pages written by checkpoints beside the writer:"
        " every one left a whole store, no commit lost"
    )


if __name__ == "__main__":
    main()
