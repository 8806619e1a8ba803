"""A campaign from outside: real workers and daemons on one store, faults from a seed, witnesses, and a checker.

`python -m tests.chaos.campaign --minutes 15 --store postgres --seed 7` runs one; what it leaves in `--keep FOLDER` can
be read again with `python -m tests.chaos.checker FOLDER`. The seed gives the plan and the faults; when they meet which
instruction is up to the machine, so the same seed need not find the same thing twice.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from duly import Draft, Duly, Policy, Retry, run_at
from duly.clock import SystemClock
from duly.model.policy import Overlap
from duly.recurrence import Once, TriggerLike
from duly.stores import open_store
from tests.bare_process import services_over
from tests.chaos.checker import MESSAGES, PLAN, RECORD, Verdict, check, read_evidence
from tests.chaos.fault_injector import CHANGEABLE, STORM, FaultInjector, Weather
from tests.chaos.fleet import SECRET, Diary, ProcessSlot
from tests.chaos.plan import SECOND, WEBHOOK, Message, Plan, Series, Shape, draw
from tests.chaos.receiver import Receiver
from tests.chaos.record import look
from tests.chaos.witness import Witness
from tests.chaos.worker import register
from tests.integration.engine_support.proxy import Proxy
from tests.integration.engine_support.remote import own_server
from tests.postgres_server import OwnServer

STORES = ("sqlite", "postgres")
WORKERS, DAEMONS = 2, 2
STORM_WORKERS = 3
STORM_SHAPE = Shape(once=20.0, messages=0.0, deadly=1)
_AHEAD = (5, 30, 180)
"""Seconds from the drawing of a plan to its first fire. By then it has to be stored; a machine that is too busy for
that gets more time, with a new plan."""
DRAIN = 900.0
"""Seconds that everything may take to come to its end once the faults are over: a busy machine is no offence."""
_LOOK_EVERY = 0.5


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a campaign."""

    verdict: Verdict
    faults: dict[str, int]

    def __str__(self) -> str:
        counted = ", ".join(f"{number} x {what}" for what, number in sorted(self.faults.items()))
        return f"{'faults':<13} {counted}\n{self.verdict}"


def campaign(
    store: str,
    folder: Path,
    *,
    seconds: float,
    seed: int,
    workers: int = WORKERS,
    daemons: int = DAEMONS,
    weather: Weather = CHANGEABLE,
    shape: Shape = Shape(),  # noqa: B008  a value
) -> Outcome:
    """Run one campaign in an empty folder, and check its record."""
    receiver = Receiver(folder / MESSAGES, seed)
    diary = Diary(folder)
    slots: list[ProcessSlot] = []
    try:
        with _prepared(store, folder, receiver.url, seconds, seed, shape) as (plan, url, server):
            try:
                slots += _slots(url, server, folder, diary, workers, daemons)
                faults = FaultInjector(slots, server, diary, seed, weather)
                faults.keep_alive()
                faults.inject(until=time.monotonic() + plan.start / SECOND - time.time() + seconds)
                faults.repair_all()
                _drain(url, faults)
                _stop(slots)
                look(url).write(folder / RECORD)
            finally:
                for slot in slots:
                    slot.kill()
                    if slot.proxy is not None:
                        slot.proxy.close()
    finally:
        receiver.close()
    verdict = check(read_evidence(folder))
    for slot in slots:
        verdict.stuck += slot.broken_stops
    return Outcome(verdict, diary.counts)


def storm(store: str, folder: Path, *, seconds: float, seed: int, shape: Shape = STORM_SHAPE) -> Outcome:
    """Run a campaign of kills: innocent runs are lost again and again, and must not be given up."""
    return campaign(
        store, folder, seconds=seconds, seed=seed, workers=STORM_WORKERS, daemons=0, weather=STORM, shape=shape
    )


@contextmanager
def _prepared(
    store: str, folder: Path, receiver: str, seconds: float, seed: int, shape: Shape
) -> Iterator[tuple[Plan, str, OwnServer | None]]:
    """A store in which a plan is, and the server it is on if that may be hurt."""
    for ahead in _AHEAD:
        with store_for(store, folder / f"{ahead}.db") as (url, server):
            plan = draw(seed, (int(time.time()) + ahead) * SECOND, seconds, shape)
            if _is_stored_in_time(url, plan, receiver, folder):
                plan.write(folder / PLAN)
                yield plan, url, server
                return
    raise RuntimeError(f"storing a plan took longer than {_AHEAD[-1]} s")


def _is_stored_in_time(url: str, plan: Plan, receiver: str, folder: Path) -> bool:
    try:
        asyncio.run(_prepare(url, plan, receiver, folder))
    except ValueError:  # what is over cannot be scheduled
        if time.time() * SECOND < plan.start:
            raise
    return time.time() * SECOND < plan.start


@contextmanager
def store_for(kind: str, file: Path) -> Iterator[tuple[str, OwnServer | None]]:
    """An empty store, and the server it is on if that may be hurt."""
    if kind == "sqlite":
        yield str(file), None
    else:
        with own_server().database() as url:
            yield own_server().tcp_url(url), own_server()


def _slots(
    url: str, server: OwnServer | None, folder: Path, diary: Diary, workers: int, daemons: int
) -> list[ProcessSlot]:
    slots = []
    for number in range(workers + daemons):
        is_daemon = number >= workers
        proxy = None if server is None else Proxy(server.port)
        own_url = url if server is None or proxy is None else server.tcp_url(url, proxy.port)
        name = f"daemon{number - workers}" if is_daemon else f"worker{number}"
        if is_daemon:
            (folder / name).mkdir()
            (folder / name / "duly.toml").write_text(
                f'store = "{own_url}"\n[channels.webhook]\nsecret = "env:{SECRET}"\nallow = ["127.0.0.0/8"]\n',
                encoding="utf-8",
            )
        slots.append(ProcessSlot(name, is_daemon, own_url, folder, diary, proxy))
    return slots


# the plan, made known to duly


async def _prepare(url: str, plan: Plan, receiver: str, folder: Path) -> None:
    app = Duly(url)
    register(app, Witness(folder, "planner"))
    await app.open()
    try:
        await app.add([_draft(app, each) for each in plan.series])
    finally:
        await app.close()
    await _remind(url, plan.messages, receiver)


def _draft(app: Duly, series: Series) -> Draft:
    attempts = 1_000_000 if series.job == "flaky" else 1  # with many attempts no run is ever given up
    policy = Policy(
        overlap=Overlap(series.overlap),
        queue_limit=1_000_000,
        retry=Retry(max_attempts=attempts, delay=timedelta(milliseconds=200), backoff="constant", jitter=0),
    )
    return app.draft(series.name, trigger_of(series), job=series.job, args={"seconds": series.seconds}, policy=policy)


def trigger_of(series: Series) -> TriggerLike:
    """The rule by which a series fires."""
    first, last = _moment(series.first), _moment(series.instants()[-1])
    return run_at(first).then().every(series.every // SECOND).seconds().min_gap(timedelta(0)).run_until(last)


async def _remind(url: str, messages: tuple[Message, ...], receiver: str) -> None:
    clock = SystemClock()
    store = open_store(url, clock)
    await store.open()
    try:
        service = services_over(store, clock).reminder_service
        reached = (await service.people.add("Ana")).user.id
        await service.people.set_channels(reached, [(WEBHOOK, receiver)])
        reads = (await service.people.add("Ben")).user.id
        for message in messages:
            await service.create(
                reached if message.channel == WEBHOOK else reads,
                Once(_moment(message.at)),
                message.text,
                name=message.text,
                priority="critical",  # tried again soon
            )
    finally:
        await store.close()


def _moment(instant: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=instant)


# the end


def _drain(url: str, faults: FaultInjector) -> None:
    """Wait until nothing is due or under way; what is not over after this time is stuck, and the checker says so."""
    deadline = time.monotonic() + DRAIN
    while time.monotonic() < deadline and not look(url).is_settled:
        faults.keep_alive()
        time.sleep(_LOOK_EVERY)


def _stop(slots: list[ProcessSlot]) -> None:
    for slot in slots:
        slot.ask_to_stop()
    while any(slot.child is not None for slot in slots):
        for slot in slots:
            slot.look()
        time.sleep(_LOOK_EVERY)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=15, help="how long fires and faults go on, on each store (15)")
    parser.add_argument("--store", choices=STORES, action="append", help="which store, more than once for both (both)")
    parser.add_argument("--seed", type=int, default=None, help="of the plan and of the faults (a new one)")
    parser.add_argument(
        "--storm", action="store_true", help="three workers, a kill in a second, and one run that kills"
    )
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
            outcome = (storm if given.storm else campaign)(store, folder, seconds=given.minutes * 60, seed=seed)
        print(outcome, flush=True)
        clean &= outcome.verdict.is_clean
    sys.exit(0 if clean else 1)


if __name__ == "__main__":
    main()
