"""What is done to the fleet of a campaign over Celery, in an order drawn from a seed."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from duly import Duly
from duly.errors import StoreError
from tests.chaos.elsewhere.checker import CANCELS
from tests.chaos.elsewhere.fleet import Broker, DaemonSlot, WorkerSlot
from tests.chaos.fault_injector import FaultInjector, Weather
from tests.chaos.fleet import Diary, ProcessSlot
from tests.chaos.record import OVER, look
from tests.chaos.witness import append

S = TypeVar("S", bound=ProcessSlot)
FAILPOINTS = (
    "handover.intended",
    "handover.published",
    "handover.noted",
    "handovers.intended",
    "handovers.changed",
    "engine.claimed",
    "work.done",
)
"""Between every two steps of handing over, and where outcomes are written."""
WEATHER = Weather(
    {
        "worker killed": 8,
        "main process killed": 8,
        "child killed": 16,
        "worker frozen": 6,
        "child frozen": 14,
        "main process frozen": 5,
        "worker stopped": 5,
        "duly killed": 5,
        "duly killed at a failpoint": 8,
        "duly frozen": 4,
        "duly stopped": 3,
        "broker restarted": 5,
        "broker emptied": 4,
        "broker frozen": 3,
        "message doubled": 20,
        "run cancelled": 14,
    },
    {},
    (0.5, 3.5),
)
_FEW = (1, 25)
"""How often a failpoint is passed before its process dies there."""
_STOPS_WITHIN = 20.0


class ElsewhereFaults(FaultInjector):
    """Injects faults, and repairs the fleet after each of them."""

    def __init__(
        self, workers: Sequence[WorkerSlot], daemons: Sequence[DaemonSlot], broker: Broker, diary: Diary, seed: int
    ) -> None:
        super().__init__([*workers, *daemons], None, diary, seed, WEATHER)
        self._workers = workers
        self._daemons = daemons
        self._broker = broker
        self.counts = Counter[str]()
        """How often each was done; the diary has also what became of the processes."""

    def repair_all(self) -> None:
        super().repair_all()
        self._broker.thaw()

    def restart_workers(self) -> None:
        """As an operator would whose workers do nothing any more."""
        for each in self._workers:
            each.kill()
            each.start()
        self._note("workers restarted in the end")

    def _do(self, fault: str, _slot: ProcessSlot) -> None:
        worker = self._sound(self._workers)
        daemon = self._sound(self._daemons)
        acts: dict[str, Callable[[], None]] = {
            "broker restarted": lambda: self._restart_broker(loses_all=False),
            "broker emptied": lambda: self._restart_broker(loses_all=True),
            "broker frozen": self._freeze_broker,
            "message doubled": self._double,
            "run cancelled": self._cancel,
        }
        if worker is not None:
            acts |= {
                "worker killed": lambda: self._kill_noted(worker, worker.kill, fault),
                "main process killed": lambda: self._kill_noted(worker, worker.kill_main, fault),
                "child killed": lambda: self._kill_child(worker),
                "worker frozen": lambda: self._freeze_some(worker, [*_main(worker), *worker.children()], fault),
                "child frozen": lambda: self._freeze_some(worker, self._some_child(worker), fault),
                "main process frozen": lambda: self._freeze_some(worker, _main(worker), fault),
                "worker stopped": lambda: self._stop_worker(worker),
            }
        if daemon is not None:
            acts |= {
                "duly killed": lambda: self._kill_noted(daemon, daemon.kill, fault),
                "duly killed at a failpoint": lambda: self._arm(daemon),
                "duly frozen": lambda: self._freeze_noted(daemon),
                "duly stopped": lambda: self._stop_noted(daemon),
            }
        if fault in acts:
            acts[fault]()

    def _sound(self, slots: Sequence[S]) -> S | None:
        sound = [each for each in slots if each.child is not None and not each.is_troubled]
        return self._chance.choice(sound) if sound else None

    def _note(self, what: str, process: str = "") -> None:
        self.counts[what] += 1
        self._diary.note(what, time.monotonic(), process=process)

    # workers and daemons

    def _kill_noted(self, slot: ProcessSlot, kill: Callable[[], None], what: str) -> None:
        self._note(what, slot.process)
        kill()
        self._start_again(slot)

    def _some_child(self, worker: WorkerSlot) -> list[int]:
        children = worker.children()
        return [self._chance.choice(children)] if children else []

    def _kill_child(self, worker: WorkerSlot) -> None:
        if worker.kill_children(self._some_child(worker)):
            self._note("child killed", worker.process)

    def _freeze_some(self, worker: WorkerSlot, pids: list[int], what: str) -> None:
        if pids:
            self._note(what, worker.process)
            worker.freeze_some(pids)
            self._later(self._length(worker), worker.thaw)

    def _freeze_noted(self, daemon: DaemonSlot) -> None:
        self._note("duly frozen", daemon.process)
        self._freeze(daemon)

    def _stop_worker(self, worker: WorkerSlot) -> None:
        self._note("worker stopped", worker.process)
        worker.ask_to_stop()
        life = worker.lives

        def end() -> None:
            if worker.lives == life and worker.child is not None:
                self._kill_noted(worker, worker.kill, "worker killed")

        self._later(_STOPS_WITHIN, end)

    def _stop_noted(self, daemon: DaemonSlot) -> None:
        self._note("duly stopped", daemon.process)
        daemon.ask_to_stop()

    def _arm(self, daemon: DaemonSlot) -> None:
        """Its next life ends at a failpoint, after some passages."""
        failpoint = self._chance.choice(FAILPOINTS)
        self._note("duly killed at a failpoint", f"{daemon.process} {failpoint}")
        daemon.failpoint = f"{failpoint}:kill@{self._chance.randint(*_FEW)}"
        daemon.kill()
        self._start_again(daemon)

    # the broker

    def _restart_broker(self, *, loses_all: bool) -> None:
        self._note("broker emptied" if loses_all else "broker restarted")
        self._broker.restart(loses_all=loses_all)

    def _freeze_broker(self) -> None:
        self._note("broker frozen")
        self._broker.freeze()
        self._later(self._chance.uniform(1.0, 10.0), self._broker.thaw)

    def _double(self) -> None:
        if self._broker.copy_a_message(self._chance.random()):
            self._note("message doubled")

    # runs

    def _cancel(self) -> None:
        """Of those that are under way or waiting, one."""
        url, folder = self._daemons[0].store, self._daemons[0].folder
        under_way = [run.id for run in look(url).runs if run.status not in OVER]
        if under_way and cancel(url, folder, self._chance.choice(under_way)):
            self._note("run cancelled")


def _main(worker: WorkerSlot) -> list[int]:
    return [] if worker.child is None else [worker.child.pid]


def cancel(url: str, folder: Path, run: str) -> bool:
    """Call a run off, and write down when that was done."""

    async def ask() -> None:
        app = Duly(url)
        await app.open()
        try:
            await app.cancel_run(run)
        finally:
            await app.close()

    try:
        asyncio.run(ask())
    except StoreError:
        return False
    append(folder / CANCELS, {"run": run, "at": time.monotonic()})
    return True
