"""A blind loop of kills: two workers at a time, one of them killed or paused after a few random milliseconds.

Meanwhile the workers prune old runs and events, a batch at a time, and on SQLite make a checkpoint after every few
pages, most of them beside the thread that writes. Then the dust settles, and the store is held against the witnesses:
every fire is accounted for, nothing was accepted twice, the store is whole, and what was old can be pruned to the end.
`python -m tests.chaos.kill_loop --rounds 1000 --store postgres --seed 7` runs a long one.
"""

from __future__ import annotations

import argparse
import random
import signal
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from duly import Draft, Duly, Overlap, Policy, every
from duly.ports.upkeep import PrunePlace
from tests.integration.engine_support.audit import RunRow, fires_accounted_for
from tests.integration.engine_support.process_cluster import STORES, ProcessCluster, Worker, process_cluster
from tests.integration.engine_support.worker import PATIENT

SHORTEST, LONGEST = 0.005, 0.4
PAUSED, WOKEN = 0.15, 0.5
"""How often a worker is paused instead of killed, and how often one that was paused goes on as if nothing had been."""
MEAN = (SHORTEST + LONGEST) / 2
_LEASE = 3.0
_JOBS = ("quick", "quick_thread", "fail_once", "short")
_STEADY = (Overlap.SKIP, Overlap.QUEUE, Overlap.PARALLEL)
_OLD = timedelta(days=60)
_OLD_PER_ROUND = 150
_LOG_PAGES = 40
_PRUNE_EVERY = 0.1
_OLD_IN_SQLITE = """
INSERT INTO schedules
    (id, namespace, name, trigger, action, policy, handler, enabled, created_at, updated_at, deleted_at)
VALUES ('sched_old', 'default', 'old', '{{}}', '{{}}', '{{}}', 'job:old', 0, {old}, {old}, {now});
WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < {number} - 1)
INSERT INTO runs
    (id, schedule_id, origin, fire_at, due_at, handler, status, attempt, fence, started_at, finished_at)
SELECT printf('run_%012x%020x', {old} / 1000, n), 'sched_old', 'schedule', {old} + n, {old} + n, 'job:old', 'succeeded',
       1, 1, {old}, {old}
FROM numbers;
INSERT INTO events (at, name, schedule_id, data) SELECT fire_at, 'run.failed', schedule_id, '{{}}' FROM runs
"""
_OLD_IN_POSTGRES = """
INSERT INTO schedules
    (id, namespace, name, trigger, action, policy, handler, enabled, created_at, updated_at, deleted_at)
VALUES ('sched_old', 'default', 'old', '{{}}', '{{}}', '{{}}', 'job:old', false, to_timestamp({old} / 1000000),
        to_timestamp({old} / 1000000), to_timestamp({now} / 1000000));
INSERT INTO runs
    (id, schedule_id, origin, fire_at, due_at, handler, status, attempt, fence, started_at, finished_at)
SELECT 'run_' || lpad(to_hex({old} / 1000), 12, '0') || lpad(to_hex(n), 20, '0'), 'sched_old', 'schedule', t.at, t.at,
       'job:old', 'succeeded', 1, 1, t.at, t.at
FROM generate_series(1, {number}) AS n, LATERAL (SELECT to_timestamp({old} / 1000000 + n / 1000.0) AS at) AS t;
INSERT INTO events (at, name, schedule_id, data) SELECT fire_at, 'run.failed', schedule_id, '{{}}' FROM runs
"""


@dataclass(frozen=True, slots=True)
class Campaign:
    """What came of a loop."""

    rounds: int
    runs: list[RunRow]
    attempts: int
    pruned: int
    """How many old runs the workers pruned while they were killed."""

    def __str__(self) -> str:
        statuses = ", ".join(f"{number} {status}" for status, number in Counter(r.status for r in self.runs).items())
        return (
            f"{self.rounds} kills, {len(self.runs)} runs ({statuses}), {self.attempts} handlers entered,"
            f" {self.pruned} old runs pruned"
        )


def kill_loop(cluster: ProcessCluster, rounds: int, seed: int) -> Campaign:
    """Kill so many workers; gives what came of it once all is checked."""
    chance = random.Random(seed)
    cluster.add(*_schedules(cluster, chance, rounds * MEAN))
    old = rounds * _OLD_PER_ROUND
    _add_old(cluster, old)
    workers, paused, killed = [_fresh(cluster), _fresh(cluster)], list[Worker](), 0
    while killed < rounds:
        time.sleep(chance.uniform(SHORTEST, LONGEST))
        unlucky = chance.randrange(len(workers))
        if chance.random() < PAUSED:
            workers[unlucky].signal(signal.SIGSTOP)
            paused.append(workers[unlucky])
        elif workers[unlucky] in paused and chance.random() < WOKEN:
            workers[unlucky].signal(signal.SIGCONT)
        else:
            workers[unlucky].kill()
            workers[unlucky] = _fresh(cluster)
            killed += 1
    for worker in workers:
        worker.signal(signal.SIGCONT)
    workers = [_fresh(cluster) if _gave_up(worker) else worker for worker in workers]
    for worker in workers:
        worker.saw("ready")
    cluster.settled()
    for worker in workers:
        worker.stop()
    left = len(cluster.runs("old"))
    cluster.ask(_prune_the_rest)
    runs = cluster.check(*paused)
    _check_every_fire(cluster, runs)
    if not cluster.url.startswith("postgresql://"):
        assert cluster.books.integrity() == "ok"
    attempts = sum(entry.what == "enter" for entry in cluster.testimony)
    return Campaign(rounds=rounds, runs=runs, attempts=attempts, pruned=old - left)


def _fresh(cluster: ProcessCluster) -> Worker:
    return cluster.start(
        ready=False,
        lease=_LEASE,
        poll=0.2,
        batch=20,
        max_concurrency=25,
        prune_every=_PRUNE_EVERY,
        log_pages=_LOG_PAGES,
    )


def _add_old(cluster: ProcessCluster, number: int) -> None:
    """Write runs and events of long ago, past the front door."""
    now = datetime.now(UTC)
    old, recent = (int(at.timestamp()) * 1_000_000 for at in (now - _OLD, now))
    script = _OLD_IN_POSTGRES if cluster.url.startswith("postgresql://") else _OLD_IN_SQLITE
    cluster.books.execute(script.format(number=number, old=old, now=recent))


async def _prune_the_rest(app: Duly) -> None:
    place: PrunePlace | None = PrunePlace()
    while place is not None:
        place = (await app._store.prune(datetime.now(UTC) - _OLD / 2, 2000, place)).go_on_at


def _gave_up(worker: Worker) -> bool:
    """Whether it could not even open the store: on SQLite, another was paused in the middle of a transaction."""
    return worker.exit_code is not None and "database is locked" in worker.log.read_text(encoding="utf-8")


def _schedules(cluster: ProcessCluster, chance: random.Random, seconds: float) -> list[Draft]:
    """One-shots spread over the time of the loop, and one schedule of each overlap that fires every second."""
    drafts = []
    for number in range(max(60, int(seconds * 10))):
        job = chance.choice(_JOBS)
        args: dict[str, Any] = {"seconds": chance.uniform(0, 0.3)} if job == "short" else {}
        drafts.append(cluster.once(f"once-{number}", job, after=chance.uniform(0, seconds), **args))
    times = max(2, int(seconds))
    for overlap in _STEADY:
        trigger = every(1).seconds().max_runs(times)
        policy = Policy(retry=PATIENT.retry, overlap=overlap, queue_limit=1000)
        drafts.append(
            cluster.app().draft(f"steady-{overlap}", trigger, job="short", args={"seconds": 0.2}, policy=policy)
        )
    return drafts


def _check_every_fire(cluster: ProcessCluster, runs: list[RunRow]) -> None:
    """Every nominal instant up to the last one became a run or a recorded skip."""
    for schedule in cluster.books.schedules():
        own = [run for run in runs if run.schedule_id == schedule.id]
        assert schedule.disabled_by == "finished", schedule
        if schedule.name.startswith("once-"):
            assert [run.status for run in own] == ["succeeded"], schedule
            continue
        first = min(run.first_skipped_at or run.fire_at for run in own)
        assert schedule.watermark is not None
        expected = (schedule.watermark - first) // timedelta(seconds=1) + 1
        assert fires_accounted_for(schedule.id, runs) == expected, schedule
        assert {run.status for run in own} <= {"succeeded", "skipped", "missed"}, schedule


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=1000, help="how many workers to kill (1000)")
    parser.add_argument("--store", choices=STORES, action="append", help="which store, more than once for both (both)")
    parser.add_argument("--seed", type=int, default=None, help="seed of the random choices (default: from the clock)")
    given = parser.parse_args()
    seed = time.time_ns() % 1_000_000 if given.seed is None else given.seed
    for store in given.store or STORES:
        print(f"{store}: {given.rounds} rounds, --seed {seed}", flush=True)
        with (
            tempfile.TemporaryDirectory(prefix="duly-chaos-") as folder,
            process_cluster(store, Path(folder)) as cluster,
        ):
            print(
                f"{store}: {kill_loop(cluster, given.rounds, seed)}: nothing lost, nothing accepted twice", flush=True
            )


if __name__ == "__main__":
    main()
