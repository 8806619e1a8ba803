"""Each kind of executor behind a whole daemon, on each store: from a schedule to the outcome, and all between.

Nothing is in the place of something else: a real server, a real clock, a real broker with prefork workers.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from duly import Policy, Retry
from duly.config.settings import ServerLimits, Settings
from duly.entropy import random_bits
from duly.model.action import Job
from duly.model.handover import Handover, HandoverState
from duly.model.run import Run, Status
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.records import RunFilter
from duly.ports.run_history import read_line
from duly.recurrence import run_now
from duly.runtime.executors import CLASSES
from duly.runtime.runtime import Runtime
from duly.server.http import make_app
from duly.server.protocols import make_config
from duly.service.access.scopes import Face
from duly.service.schedules.drafts import Draft, to_row
from tests.integration.executors.carrying import NO_WORKER, Service, all_have_ended
from tests.integration.executors.conftest import World
from tests.integration.executors.parts import APP
from tests.postgres_server import server
from tests.world import until

RETRY = Retry(max_attempts=2, delay=timedelta(0))
SCHEDULES: dict[str, tuple[dict[str, Any], Policy]] = {
    "speak": ({}, Policy()),
    "add": ({"args": {"x": 40}}, Policy()),
    "fail": ({}, Policy(retry=RETRY)),
    "wait": ({}, Policy()),
    "wait too long": ({}, Policy(timeout=timedelta(seconds=1))),
    "add never": ({"args": {"x": 1}, "executor": "idle", "queue": NO_WORKER}, Policy()),
}
"""By name, which begins with the name of the task: the job and the policy."""


@asynccontextmanager
async def daemon(folder: Path, store: str, heavy: ExecutorSettings) -> AsyncIterator[Runtime]:
    """A daemon that listens on a port of its own, as `duly up --port 0` does."""
    idle = replace(heavy, name="idle", expires=timedelta(seconds=1))
    settings = Settings(
        data_dir=folder, store=store, timezone="UTC", limits=ServerLimits(), executors={"heavy": heavy, "idle": idle}
    )
    runtime = Runtime(settings)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        runtime.port = listening.getsockname()[1]
        await runtime.open()
        app = make_app(runtime, host="127.0.0.1")
        async with app.router.lifespan_context(app):
            serving = uvicorn.Server(make_config(app, settings.limits, public_url=None, lifespan="off"))
            task = asyncio.create_task(serving.serve(sockets=[listening]))
            await until(lambda: serving.started, "the server")
            try:
                yield runtime
            finally:
                serving.should_exit = True
                await task


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "duly.db")
    else:
        with server().database() as url:
            yield url


async def test_a_scripted_executor(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CLASSES, ExecutorKind.HTTP, ("tests.integration.executors.carrying", "InProcess"))
    await _try_everything(tmp_path, store, kind=ExecutorKind.HTTP, url="http://unused.example")


async def test_a_service(store: str, tmp_path: Path) -> None:
    async with Service() as service:
        url = f"{service.url}/orders"
        await _try_everything(tmp_path, store, kind=ExecutorKind.HTTP, url=url, allow=("127.0.0.0/8",))


@pytest.mark.usefixtures("prefork")
async def test_workers_of_celery(store: str, tmp_path: Path, world: World) -> None:
    await _try_everything(
        tmp_path,
        store,
        lambda: _are_idle(world),
        kind=ExecutorKind.CELERY,
        broker=world.broker,
        result_backend=world.redis.url,
        queue="prefork",
    )


def _are_idle(world: World) -> bool:
    active = world.app.control.inspect(timeout=0.5, destination=["prefork@test"]).active()
    return bool(active == {"prefork@test": []})


async def _try_everything(
    folder: Path, store: str, have_ended: Callable[[], bool] = all_have_ended, **given: Any
) -> None:
    """At the end no worker is at anything any more: those who were not wanted have heard so."""
    heavy = ExecutorSettings(name="heavy", tasks=(f"{APP}.*",), lease=timedelta(seconds=8), **given)
    async with daemon(folder, store, heavy) as runtime:
        await _try(runtime)
        await until(lambda: asyncio.to_thread(have_ended), "the workers")


async def _try(runtime: Runtime) -> None:
    rows = [
        to_row(
            Draft(
                name=name,
                trigger=run_now(),
                action=Job(f"{APP}.{name.partition(' ')[0]}", **{"executor": "heavy", **job}),
                policy=policy,
            ),
            runtime.clock.now(),
            runtime.capabilities.check_job,
            random_bits,
        )
        for name, (job, policy) in SCHEDULES.items()
    ]
    await runtime.store.save(rows, lambda old, new: new if old is None else None)
    runtime.wake()
    waiting = await until(lambda: _run(runtime, "wait", HandoverState.BEGUN), "the beginning of what waits")
    shown = await runtime.services.use_cases.run_cancel(runtime.local(Face.CLI), waiting.id)
    assert shown.status == "cancelled"
    runs = {name: await until(partial(_run, runtime, name), f"the end of {name}") for name in SCHEDULES}
    assert {name: (str(run.status), run.attempt) for name, run in runs.items()} == {
        "speak": ("succeeded", 1),
        "add": ("succeeded", 1),
        "fail": ("failed", 2),
        "wait": ("cancelled", 0),
        "wait too long": ("failed", 1),
        "add never": ("missed", 1),
    }
    assert runs["add"].result == 42
    spoken = runs["speak"]
    assert (spoken.progress, spoken.result["key"]) == ({"done": 1, "of": 2}, spoken.key)
    pieces = await runtime.store.history.pieces(spoken.id, 1, "", 0, 10_000)
    lines = [read_line(line)[2] for piece in pieces for line in piece.text.splitlines()]
    assert lines[:2] == ["first", "second"]
    assert (runs["fail"].error or "").endswith("ValueError: no bread left")
    found = {name: await runtime.store.handovers.of_run(run.id) for name, run in runs.items()}
    assert {name: [str(each.state) for each in handovers] for name, handovers in found.items()} == {
        "speak": ["succeeded"],
        "add": ["succeeded"],
        "fail": ["failed", "failed"],
        "wait": ["cancelled"],
        "wait too long": ["failed"],
        "add never": ["expired"],
    }


async def _run(runtime: Runtime, name: str, state: HandoverState | None = None) -> Run | None:
    """Give the run of a schedule that waits, and whose handover is in a state; without one, that ended with it."""
    found = [run for run in await runtime.store.runs(RunFilter(limit=100)) if run.name == name]
    if not found:
        return None
    latest: Handover | None = await runtime.store.handovers.latest(found[0].id)
    if latest is None:
        return None
    run = found[0]
    if state is None:
        return run if run.status.final and latest.state.final else None
    return run if run.status is Status.PENDING and latest.state is state else None
