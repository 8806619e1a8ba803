"""Power is lost at random instants: writes that were not synced may be gone, in part, in any order.

A store is worked on; at random instants a copy is made of what the disk would hold after a loss of power. Each copy is
opened and checked: it is whole, every commit that was acknowledged before that instant is there, and none is there in
part. `python -m tests.chaos.power_loss --seeds 2000` runs a long one.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import apsw

from duly.model.run import Status
from duly.ports.records import Cycle, RunFilter, ScheduleFilter
from duly.stores.sqlite import checkpoints
from duly.stores.sqlite.store import SqliteStore
from duly.testing.clock import VirtualClock
from tests.chaos.disk import PoweredDisk, in_place
from tests.conformance.stores.builders import START, due_schedule, every, schedule

_NAME = "duly.db"
_STEPS = 60
_CUTS = 0.02
"""How often power is lost, for each operation of the disk."""
_EVERYTHING = 100_000


@dataclass(slots=True)
class Books:
    """What the store said yes to, and what it was asked for."""

    acknowledged: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Loss:
    """What one loss of power left, and what must be in it."""

    files: dict[str, bytes]
    acknowledged: frozenset[str]
    asked: frozenset[str]


@contextmanager
def frequent_checkpoints() -> Iterator[None]:
    """Checkpoints after a few pages, so that one lies between any two losses of power."""
    before = checkpoints._PAGES, checkpoints._MORE_PAGES
    checkpoints._PAGES, checkpoints._MORE_PAGES = 30, 10
    try:
        yield
    finally:
        checkpoints._PAGES, checkpoints._MORE_PAGES = before


def losses(seed: int, folder: Path, synchronous: str = "FULL") -> list[Loss]:
    """Work on a store in a folder; gives what each loss of power would have left of it."""
    chance, books, found = Random(seed), Books(), list[Loss]()

    def note(files: dict[str, bytes]) -> None:
        found.append(Loss(files, frozenset(books.acknowledged), frozenset(books.asked)))

    disk = PoweredDisk(chance, lambda: chance.random() < _CUTS, note)
    with frequent_checkpoints(), in_place(disk):
        asyncio.run(_work(folder / _NAME, chance, books, synchronous))
    return found


async def _work(path: Path, chance: Random, books: Books, synchronous: str) -> None:
    for _life in range(2):
        store = SqliteStore(path, VirtualClock(START), inline=True)
        await store.open()
        assert store._file is not None
        store._file.executor._connection.execute(f"PRAGMA synchronous = {synchronous}")  # type: ignore[union-attr]
        for _ in range(_STEPS):
            await _step(store, chance, books)
        await store.close()


async def _step(store: SqliteStore, chance: Random, books: Books) -> None:
    """Save a pair of schedules, which belong together, or plan and claim what is due."""
    if chance.random() < 0.7:
        name = f"s{len(books.asked)}"
        text = "x" * chance.choice((10, 1000, 9000))
        pair = [due_schedule(f"{name} a", description=text), schedule(f"{name} b", description=text)]
        books.asked |= {row.name for row in pair}
        await store.save(pair, lambda _before, row: row)
        books.acknowledged |= {row.name for row in pair}
    else:
        turn = Cycle("node_a", START, planner=every(60, Status.RUNNING), plan_limit=3, claim_limit=3)
        books.acknowledged |= {f"run {run.run_id}" for run in (await store.cycle(turn)).claimed}


def check(loss: Loss, folder: Path) -> None:
    """Open what a loss of power left, and hold it against what the store had said."""
    for name, content in loss.files.items():
        (folder / name).write_bytes(content)
    there = asyncio.run(_contents(folder / _NAME))
    connection = apsw.Connection(str(folder / _NAME))
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    connection.close()
    assert loss.acknowledged <= there, f"lost: {sorted(loss.acknowledged - there)}"
    names = {name for name in there if not name.startswith("run ")}
    assert names <= loss.asked
    assert {name[:-2] for name in names if name.endswith("a")} == {name[:-2] for name in names if name.endswith("b")}


async def _contents(path: Path) -> set[str]:
    store = SqliteStore(path, VirtualClock(START), inline=True)
    await store.open()
    try:
        names = {row.name for row in await store.schedules(ScheduleFilter(limit=_EVERYTHING))}
        runs = {f"run {run.id}" for run in await store.runs(RunFilter(limit=_EVERYTHING))}
    finally:
        await store.close()
    return names | runs


def campaign(seeds: range, *, synchronous: str = "FULL") -> int:
    """Check every loss of power of these seeds; gives how many there were."""
    number = 0
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            (work := Path(folder) / "work").mkdir()
            for loss in losses(seed, work, synchronous):
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
    number = campaign(range(arguments.first, arguments.first + arguments.seeds))
    print(f"{arguments.seeds} seeds, {number} losses of power: every one left a whole store, no commit lost")


if __name__ == "__main__":
    main()
