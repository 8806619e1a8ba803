"""Worker processes on one store, and what they recorded: in the store, in their event files and with witnesses."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from duly import Draft, Duly, EngineSettings, Event, Job, Policy, run_delayed
from duly.recurrence import as_trigger
from tests.integration.engine_support.audit import FINAL, Books, RunRow, check
from tests.integration.engine_support.handlers import register
from tests.integration.engine_support.waiting import PATIENCE, eventually
from tests.integration.engine_support.witness import SUFFIX, Entry, Witness, read_lines, testimony
from tests.integration.engine_support.worker import PATIENT, Orders
from tests.integration.engine_support.worker_forker import forker
from tests.postgres_server import server

STORES = ("sqlite", "postgres")


class Worker:
    """A worker process, seen from outside."""

    def __init__(self, orders: Orders) -> None:
        self.name = orders.name
        self._events = orders.path(".events")
        self.log = orders.path(".log")
        self.pid = forker().start(orders)

    @property
    def exit_code(self) -> int | None:
        return forker().exit_code(self.pid)

    def signal(self, number: int) -> None:
        forker().signal(self.pid, number)

    def kill(self) -> None:
        """Kill the process; it has ended when this returns."""
        self.signal(signal.SIGKILL)

    @property
    def stands_still(self) -> bool:
        """Whether every thread of it has been stopped by a signal."""
        states = [_state(task) for task in Path(f"/proc/{self.pid}/task").iterdir()]
        return set(states) == {"T"}

    def ended(self, within: float = PATIENCE) -> int:
        """Wait for its end; gives the exit code."""
        eventually(lambda: self.exit_code is not None, f"the end of {self.name}", within)
        return self.exit_code or 0

    def stop(self, within: float = PATIENCE) -> None:
        """Ask it to stop, and wait until it has."""
        self.signal(signal.SIGTERM)
        code = self.ended(within)
        assert code == 0, f"{self.name} ended with {code}:\n{self.log.read_text(encoding='utf-8')}{self.events()[-20:]}"

    def events(self, name: str | None = None) -> list[dict[str, Any]]:
        """Return the events it has reported so far."""
        told: list[dict[str, Any]] = [json.loads(line) for line in read_lines(self._events)]
        return [event for event in told if name is None or event["name"] == name]

    def saw(self, name: str, within: float = PATIENCE) -> dict[str, Any]:
        """Wait for an event; gives the first of its name."""
        return eventually(lambda: self.events(name), f"{name} from {self.name}", within)[0]


class ProcessCluster:
    """One store and the worker processes on it."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        self.books = Books(url, lasting=True)
        self.workers: list[Worker] = []

    def start(self, *, ready: bool = True, **orders: Any) -> Worker:
        """A fresh worker, with its engine running unless told otherwise."""
        name = f"worker{len(self.workers) + 1}"
        worker = Worker(Orders(**{"store": self.url, "folder": str(self.folder), "name": name, **orders}))
        self.workers.append(worker)
        if ready:
            worker.saw("ready")
        return worker

    def app(self, settings: EngineSettings | None = None, on_event: Callable[[Event], None] | None = None) -> Duly:
        """An app that knows all handlers, not open."""
        app = Duly(self.url, settings=settings, on_event=on_event)
        register(app, Witness(self.folder / f"here{SUFFIX}"))
        return app

    def ask(self, question: Any) -> Any:
        """Call a coroutine function with an open app that carries nothing out."""

        async def asking() -> Any:
            app = self.app()
            await app.open()
            try:
                return await question(app)
            finally:
                await app.close()

        return asyncio.run(asking())

    def add(self, *drafts: Draft) -> None:
        self.ask(lambda app: app.add(drafts))

    def once(
        self, name: str, job: str = "quick", *, after: float = 0.0, policy: Policy | None = None, **args: Any
    ) -> Draft:
        """A schedule that fires once, so many seconds after it is added."""
        trigger = as_trigger(run_delayed(timedelta(seconds=after)))
        return Draft(name=name, trigger=trigger, action=Job(job, args), policy=policy or PATIENT)

    def freeze(self, worker: Worker) -> None:
        """Make a worker stand still where it does not hold the lock that SQLite's writers take turns with.

        One that is stopped in the middle of a transaction would keep the other workers from writing until it goes on.
        """
        eventually(lambda: self._frozen(worker), f"{worker.name} to stand still without a lock")

    def _frozen(self, worker: Worker) -> bool:
        worker.signal(signal.SIGSTOP)
        eventually(lambda: worker.stands_still, f"{worker.name} to stand still")
        if self.books.is_locked():
            worker.signal(signal.SIGCONT)
            return False
        return True

    # the records

    @property
    def testimony(self) -> list[Entry]:
        return testimony(self.folder)

    def entries(self, name: str, what: str = "enter") -> list[Entry]:
        """Return what the witnesses recorded about a schedule."""
        return [entry for entry in self.testimony if entry.name == name and entry.what == what]

    def entered(self, name: str, times: int = 1) -> Entry:
        """Wait until a handler has been entered so often; gives the last entry."""
        return eventually(lambda: self.entries(name)[times - 1 :], f"entry {times} of {name}")[-1]

    def runs(self, name: str) -> list[RunRow]:
        return [run for run in self.books.runs() if run.name == name]

    def run(self, name: str) -> RunRow:
        """The one run of a schedule."""
        (found,) = self.runs(name)
        return found

    def ended(self, name: str, within: float = PATIENCE) -> RunRow:
        """Wait until the one run of a schedule is over."""
        eventually(lambda: any(run.status in FINAL for run in self.runs(name)), f"the end of {name}", within)
        return self.run(name)

    def settled(self, within: float = PATIENCE) -> None:
        """Wait until nothing is due or under way any more."""
        eventually(self.is_settled, "everything to be over", within)

    def is_settled(self) -> bool:
        waiting = [each for each in self.books.schedules() if each.next_run_at is not None]
        return not waiting and all(run.status in FINAL for run in self.books.runs())

    def check(self, *paused: Worker) -> list[RunRow]:
        """Nothing lost, nothing accepted twice; workers that were `paused` may have been overtaken."""
        killed = [worker for worker in self.workers if (worker.exit_code or 0) != 0]
        return check(self.books, self.testimony, excused={worker.pid for worker in (*killed, *paused)})

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def touch(self, name: str) -> None:
        (self.folder / name).touch()

    def let_leases_end(self) -> None:
        """Let the leases of workers that have ended expire, without waiting."""
        if self.url.startswith("postgresql://"):
            gone = ", ".join(str(worker.pid) for worker in self.workers if worker.exit_code is not None)
            earlier = "UPDATE nodes SET beat_at = beat_at - make_interval(secs => lease_seconds)"
            self.books.execute(f"{earlier} WHERE pid IN ({gone})")

    def close(self) -> None:
        for worker in self.workers:
            worker.signal(signal.SIGCONT)
            worker.kill()
        self.books.close()


def is_alive(pid: int) -> bool:
    """Whether there is such a process, and not only its remains."""
    return _state(Path(f"/proc/{pid}")) not in ("", "Z", "X")


def _state(process: Path) -> str:
    """The letter by which Linux calls the state of a process or of a thread; nothing when there is none."""
    try:
        return (process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


@contextmanager
def process_cluster(kind: str, folder: Path, *, migrated: bool = True) -> Iterator[ProcessCluster]:
    """Make a cluster on an empty store of a kind; not `migrated`, the first worker that opens it creates the tables."""
    if kind == "sqlite":
        with _closing(ProcessCluster(str(folder / "schedules.db"), folder)) as cluster:
            yield cluster
    else:
        with server().database(migrated=migrated) as url, _closing(ProcessCluster(url, folder)) as cluster:
            yield cluster


@contextmanager
def _closing(cluster: ProcessCluster) -> Iterator[ProcessCluster]:
    try:
        yield cluster
    finally:
        cluster.close()
