"""A duly process to be measured from outside: `python -m bench.engine_worker SCENARIO STORE …` prints JSON."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import psycopg

from duly import Cron, Duly, EngineSettings, Policy, Retry, ScheduleFilter, Status, every
from duly.ports.records import StoredSchedule

HOUR = every(1).hours()
AT_ONCE = 20_000


def _app(store: str, **settings: float) -> Duly:
    app = Duly(store, settings=EngineSettings(**settings))  # type: ignore[arg-type]  # numbers all

    @app.job
    async def noop() -> None:
        return None

    return app


async def _make_due(app: Duly, at: datetime) -> None:
    """Let every schedule fall due at one instant, past the front door: nobody schedules in the past on purpose."""

    def due(row: StoredSchedule) -> StoredSchedule:
        return replace(row, next_fire_at=at, next_run_at=at)

    after = None
    while rows := await app._store.schedules(ScheduleFilter(limit=5000, after=after)):
        await app._store.edit([row.id for row in rows], due)
        after = (rows[-1].namespace, rows[-1].name)


async def _carried_out(app: Duly, number: int) -> None:
    """Until all of them ended and the last outcome is on disk: a stopped engine has nothing left to write."""
    while app.engine.work.counts.total() < number:
        await asyncio.sleep(0.005)
    await app.engine.stop()


async def fire(store: str, number: int, places: int = 0) -> dict[str, float]:
    """Many schedules due at one instant, a handler that does nothing, until the last outcome is durable.

    With the settings that a program gets, unless `places` says how many jobs may be under way at once.
    """
    app = _app(store, **({"max_concurrency": places} if places else {}))
    await app.open()
    for start in range(0, number, AT_ONCE):
        some = range(start, min(start + AT_ONCE, number))
        await app.add(app.draft(f"s{each}", HOUR, job="noop") for each in some)
    return await _all_fired(app, number)


async def mixed(store: str, number: int) -> dict[str, float]:
    """The same with sixty triggers, seven policies and arguments of their own."""
    app = _app(store)

    @app.job
    async def take(number: int, text: str) -> dict[str, int]:
        return {"got": number + len(text)}

    triggers = [Cron(f"{each} {each % 24} * * *") for each in range(30)] + [
        every(each + 1).hours() for each in range(30)
    ]
    policies = [
        Policy(),
        Policy(overlap="queue"),
        Policy(overlap="parallel"),
        Policy(retry=Retry(max_attempts=3)),
        Policy(timeout=timedelta(minutes=5)),
        Policy(catch_up_window=timedelta(days=1)),
        Policy(misfire_grace=timedelta(hours=1)),
    ]
    await app.open()
    for start in range(0, number, AT_ONCE):
        some = range(start, min(start + AT_ONCE, number))
        drafts = [
            app.draft(
                f"s{each}",
                triggers[each % 60],
                job="take",
                args={"number": each, "text": f"of {each}"},
                policy=policies[each % 7],
            )
            for each in some
        ]
        await app.add(drafts)
    return await _all_fired(app, number)


async def _all_fired(app: Duly, number: int) -> dict[str, float]:
    await _make_due(app, datetime.now(UTC))
    begun, cpu = time.perf_counter(), time.process_time()
    await app.engine.start()
    await _carried_out(app, number)
    took, cpu = time.perf_counter() - begun, time.process_time() - cpu
    if number <= AT_ONCE:  # reading very many takes longer than carrying them out
        succeeded = await app.history(statuses=(Status.SUCCEEDED,), limit=2 * number)
        if len(succeeded) != number:
            raise RuntimeError(f"{len(succeeded)} of {number} have an outcome")
    await app.close()
    return {"fire": number / took, "cpu_us": cpu / number * 1e6}


async def add(store: str, number: int) -> dict[str, float]:
    """Schedules made one by one, and all at once."""
    app = _app(store)
    await app.open()
    begun, cpu = time.perf_counter(), time.process_time()
    for each in range(number):
        await app.add([app.draft(f"one-{each}", HOUR, job="noop")])
    one_by_one = number / (time.perf_counter() - begun)
    cpu_ms = (time.process_time() - cpu) / number * 1e3
    begun = time.perf_counter()
    for start in range(0, number, 100):
        together = (app.add([app.draft(f"with-{start + each}", HOUR, job="noop")]) for each in range(100))
        await asyncio.gather(*together)
    concurrent = number / (time.perf_counter() - begun)
    begun = time.perf_counter()
    await app.add(app.draft(f"bulk-{each}", HOUR, job="noop") for each in range(number))
    bulk = number / (time.perf_counter() - begun)
    await app.close()
    return {"one_by_one": one_by_one, "cpu_ms": cpu_ms, "concurrent": concurrent, "bulk": bulk}


async def steady(store: str, rate: int, seconds: int, server: str = "") -> dict[str, float]:
    """Fires spread evenly: how late each handler starts, beside bare `asyncio.sleep` to the same instants.

    `server` is the folder of a PostgreSQL server whose share of a core is measured, too.
    """
    late: list[float] = []
    app = Duly(store)

    @app.job
    async def note(run: object) -> None:
        late.append(time.time() - run.fire_at.timestamp())  # type: ignore[attr-defined]

    await app.open()
    await app.add(app.draft(f"s{each}", HOUR, job="note") for each in range(rate * seconds))
    gap = timedelta(seconds=1) / rate
    rows = await app._store.schedules(ScheduleFilter(limit=rate * seconds))
    start = datetime.now(UTC) + timedelta(seconds=2) + gap * len(rows) / 2
    times = {row.id: start + gap * index for index, row in enumerate(rows)}
    await app._store.edit(list(times), lambda row: replace(row, next_fire_at=times[row.id], next_run_at=times[row.id]))
    await app.engine.start()
    if (early := (start - datetime.now(UTC)).total_seconds()) < 0.1:
        raise RuntimeError(f"prepared {0.1 - early:.1f} s too late: the first fires would count as late")
    await asyncio.sleep(early - 0.1)
    cpu, wall, beside = time.process_time(), time.perf_counter(), _server_seconds(server)
    while len(late) < rate * seconds:
        await asyncio.sleep(0.05)
    wall = time.perf_counter() - wall
    share = (time.process_time() - cpu) / wall
    server_share = (_server_seconds(server) - beside) / wall
    await app.close()
    bare = await _bare(store, rate, min(seconds, 5))
    return {
        **{name: _at(late, part) for name, part in (("p50", 0.5), ("p99", 0.99), ("p999", 0.999), ("worst", 1.0))},
        "worst_after": late.index(max(late)) / rate,
        "bare_p99": _at(bare, 0.99),
        "cpu": share,
        "server": server_share,
    }


def _server_seconds(folder: str) -> float:
    """Give the processor time of a server's processes, with those that have ended, in seconds."""
    ticks = 0
    for place in Path("/proc").glob("[0-9]*") if folder else ():
        with suppress(OSError):
            if (place / "cwd").readlink().is_relative_to(folder):
                # user, system, and both of the children that have ended
                ticks += sum(map(int, (place / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


async def _bare(store: str, rate: int, seconds: int) -> list[float]:
    """Sleep to each instant and commit once for all that have come, with the bare driver, as durably as duly."""
    late: list[float] = []
    commit = await asyncio.to_thread(_committing, store)
    start = time.time() + 0.2
    instants = [start + each / rate for each in range(rate * seconds)]
    done = 0
    while done < len(instants):
        await asyncio.sleep(max(0.0, instants[done] - time.time()))
        now = time.time()
        due = [at for at in instants[done : done + rate] if at <= now]
        if due:
            await asyncio.to_thread(commit, len(due))
            now = time.time()
            late += [now - at for at in due]
            done += len(due)
    return late


def _committing(store: str) -> Callable[[int], object]:
    if store.startswith("postgresql:"):
        session = psycopg.connect(store)
        session.execute("CREATE TABLE IF NOT EXISTS bare (number integer)")
        session.commit()

        def write(number: int) -> None:
            session.execute("INSERT INTO bare VALUES (%s)", (number,))
            session.commit()

        return write
    file = apsw.Connection(f"{store}-bare", statementcachesize=10)
    list(file.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE bare (number)"))
    return lambda number: file.execute("INSERT INTO bare VALUES (?)", (number,))


def _at(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def overdue(store: str, number: int) -> dict[str, float]:
    """Leave so many schedules overdue and die."""
    app = _app(store)
    await app.open()
    await app.add(app.draft(f"s{each}", HOUR, job="noop") for each in range(number))
    await _make_due(app, datetime.now(UTC))
    await app.engine.start()
    await asyncio.sleep(0.05)  # somewhere in the middle of it
    os.kill(os.getpid(), 9)
    return {}


async def restart(store: str, number: int) -> dict[str, float]:
    """Take over after that: how soon the engine is ready, how soon all is done, how often each ran."""
    begun = time.perf_counter()
    app = _app(store)
    await app.open()
    await app.engine.start()
    ready = time.perf_counter() - begun
    while True:
        view = await app._store.overview(datetime.now(UTC))
        if not (view.pending or view.running or view.waiting or view.oldest_due_at):
            break
        await asyncio.sleep(0.01)
    runs = await app.history(limit=number * 2)
    succeeded = [run for run in runs if run.status == "succeeded"]
    await app.close()
    return {"ready": ready, "done": time.perf_counter() - begun, "runs": len(runs), "succeeded": len(succeeded)}


SCENARIOS: dict[str, Callable[..., Coroutine[None, None, dict[str, float]]]] = {
    "fire": fire,
    "mixed": mixed,
    "add": add,
    "steady": steady,
    "overdue": overdue,
    "restart": restart,
}


def main() -> None:
    name, store, *numbers = sys.argv[1:]
    figures = asyncio.run(SCENARIOS[name](store, *(int(each) if each.isdigit() else each for each in numbers)))
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
