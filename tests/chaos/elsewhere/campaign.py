"""A campaign over Celery: a Redis, workers with children, and daemons; faults from a seed, witnesses, and a checker.

`python -m tests.chaos.elsewhere.campaign --minutes 30 --store postgres --seed 7` runs one; what it leaves in
`--keep FOLDER` can be read again with `python -m tests.chaos.elsewhere.checker FOLDER/postgres`. On SQLite there is one
daemon, on PostgreSQL there are two.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
import time
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from duly import Draft, Duly, Job, Policy, Retry
from duly.model.policy import Overlap
from tests.chaos.campaign import DRAIN, STORES, store_for, trigger_of
from tests.chaos.checker import PLAN, RECORD
from tests.chaos.elsewhere.checker import Verdict, check, read_evidence
from tests.chaos.elsewhere.faults import ElsewhereFaults
from tests.chaos.elsewhere.fleet import Broker, DaemonSlot, WorkerSlot, free_ports
from tests.chaos.elsewhere.plan import HASTY, ONE_ATTEMPT, draw
from tests.chaos.fleet import Diary
from tests.chaos.plan import SECOND, Plan, Series
from tests.chaos.record import look

WORKERS = 3
DAEMONS = {"sqlite": 1, "postgres": 2}
_AHEAD = 20
"""Seconds from the drawing of a plan to its first fire. One that comes too late for that is no plan."""
_LOOK_EVERY = 1.0
_IDLE = 120.0
"""Seconds in the end after which workers that still have not carried out everything are started again."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a campaign."""

    verdict: Verdict
    faults: dict[str, int]
    drained: float
    """Seconds until everything was over, once the faults were."""

    def __str__(self) -> str:
        counted = ", ".join(f"{number} x {what}" for what, number in sorted(self.faults.items()))
        return f"{'faults':<13} {counted}\n{self.verdict}\n{'drained':<13} in {self.drained:.0f} s"


def campaign(store: str, folder: Path, *, seconds: float, seed: int) -> Outcome:
    """Run one campaign in an empty folder, and check its record."""
    diary = Diary(folder)
    with ExitStack() as held:
        url, _ = held.enter_context(store_for(store, folder / "duly.db"))
        place = Path(tempfile.mkdtemp(prefix="dx", dir="/tmp"))
        held.callback(shutil.rmtree, place, ignore_errors=True)
        broker = Broker(place)
        held.callback(broker.stop)
        daemons = [
            DaemonSlot(f"duly{number}", True, url, folder, diary, None, port=port)
            for number, port in enumerate(free_ports(DAEMONS[store]))
        ]
        workers = [
            WorkerSlot(f"worker{number}", False, url, folder, diary, None, broker=broker.url)
            for number in range(WORKERS)
        ]
        for daemon in daemons:
            daemon.configure(broker.url)
            held.callback(daemon.kill)
        for worker in workers:
            held.callback(worker.bury)
        plan = draw(seed, (int(time.time()) + _AHEAD) * SECOND, seconds)
        plan.write(folder / PLAN)
        asyncio.run(_prepare(url, plan))
        faults = ElsewhereFaults(workers, daemons, broker, diary, seed)
        faults.keep_alive()
        faults.inject(until=time.monotonic() + plan.start / SECOND - time.time() + seconds)
        faults.repair_all()
        drained = _drain(url, faults)
        look(url).write(folder / RECORD)
    verdict = check(read_evidence(folder))
    for each in daemons:
        verdict.stuck += each.broken_stops
    return Outcome(verdict, faults.counts, drained)


async def _prepare(url: str, plan: Plan) -> None:
    app = Duly(url)
    await app.open()
    try:
        await app.add([_draft(app, each) for each in plan.series])
    finally:
        await app.close()


def _draft(app: Duly, series: Series) -> Draft:
    attempts = 1 if series.job in ONE_ATTEMPT else 1_000_000
    policy = Policy(
        overlap=Overlap(series.overlap),
        queue_limit=1_000_000,
        retry=Retry(max_attempts=attempts, delay=timedelta(milliseconds=200), backoff="constant", jitter=0),
    )
    executor = HASTY if series.job == HASTY else "heavy"
    job = Job(name=f"chaos.{series.job}", args={"seconds": series.seconds}, executor=executor)
    return app.draft(series.name, trigger_of(series), job=job, policy=policy)


def _drain(url: str, faults: ElsewhereFaults) -> float:
    """Wait until nothing is due or under way; what is not over after this time is stuck, and the checker says so."""
    begin = restarted = time.monotonic()
    while (now := time.monotonic()) - begin < DRAIN and not look(url).is_settled:
        faults.keep_alive()
        if now - restarted > _IDLE:
            faults.restart_workers()
            restarted = now
        time.sleep(_LOOK_EVERY)
    return time.monotonic() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=30, help="how long fires and faults go on, on each store (30)")
    parser.add_argument("--store", choices=STORES, action="append", help="which store, more than once for both (both)")
    parser.add_argument("--seed", type=int, default=None, help="of the plan and of the faults (a new one)")
    parser.add_argument("--keep", type=Path, default=None, help="a new folder for what it leaves behind (thrown away)")
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(1_000_000) if given.seed is None else given.seed
    clean = True
    for store in given.store or STORES:
        print(f"{store}: {given.minutes:g} minutes, --seed {seed}", flush=True)
        with (
            tempfile.TemporaryDirectory(prefix="duly-chaos-") if given.keep is None else nullcontext(given.keep) as base
        ):
            folder = Path(base) / store
            folder.mkdir(parents=True)
            outcome = campaign(store, folder, seconds=given.minutes * 60, seed=seed)
        print(outcome, flush=True)
        clean &= outcome.verdict.is_clean
    sys.exit(0 if clean else 1)


if __name__ == "__main__":
    main()
