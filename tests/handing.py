"""Runs that were handed over, and workers that report, for tests of those who carry runs out elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any

import httpx

from duly.clock import Clock
from duly.model.handover import Handover, HandoverKey, HandoverState
from duly.model.ids import RUN, SCHEDULE, make_id
from duly.model.run import Origin, Run, Status
from duly.planning.handovers import Revised
from duly.ports.records import NewRun, Plan, StoredSchedule
from duly.ports.store import FullStore
from duly.rest.answers import BASE

EXECUTOR = "heavy"
_numbers = count(1)


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


async def run_elsewhere(store: FullStore, clock: Clock, name: str = "report") -> str:
    """Make a run of a new schedule that an executor has to carry out, and no engine here can."""
    now = clock.now()
    number = next(_numbers)
    made = StoredSchedule(
        id=make_id(SCHEDULE, now, lambda _bits: number),
        namespace="default",
        name=f"{name}-{number}",
        trigger='{"kind": "once"}',
        action='{"kind": "job", "name": "proj.report", "executor": "heavy"}',
        policy="{}",
        handler=f"executor:{EXECUTOR}",
        created_at=now,
        updated_at=now,
    )
    await store.save([made], lambda _before, row: row)
    run = NewRun(
        id=make_id(RUN, now, lambda _bits: number),
        schedule_id=made.id,
        origin=Origin.MANUAL,
        fire_at=now,
        due_at=now,
        handler=made.handler,
        status=Status.PENDING,
    )
    await store.plan([made.id], lambda _due: Plan(runs=[run]))
    return run.id


async def hand_over(
    store: FullStore, clock: Clock, run_id: str | None = None, number: int = 1, **fields: Any
) -> tuple[HandoverKey, str]:
    """Hand a run over as the dispatcher does; gives the key, and the token of the message."""
    run_id = await run_elsewhere(store, clock) if run_id is None else run_id
    run = await store.get_run(run_id)
    assert run is not None
    token = hashed(f"{run_id}.{number}")[:32]
    intended = Handover(
        run_id=run_id,
        number=number,
        schedule_id=run.fire.schedule_id,
        executor=EXECUTOR,
        task="proj.report",
        token_hash=hashed(token),
        **{"lease_seconds": 60.0, "run_seconds": 600.0, "intended_at": clock.now(), **fields},
    )
    key = intended.key
    assert await store.handovers.intend([intended]) == {key}
    await set_state(store, clock, key, state=HandoverState.HANDED_OVER, sent=1, sent_at=clock.now())
    return key, token


async def set_state(store: FullStore, clock: Clock, key: HandoverKey, **fields: Any) -> None:
    """Change a handover past all rules."""
    await store.handovers.change([key], lambda each, _run: Revised(replace(each, **fields)), clock.now())


async def look(store: FullStore, key: HandoverKey) -> Handover:
    """Read a handover."""
    [found] = [each for each in await store.handovers.of_run(key.run_id) if each.number == key.number]
    return found


async def run_of(store: FullStore, key: HandoverKey) -> Run:
    """Read the run of a handover."""
    found = await store.get_run(key.run_id)
    assert found is not None
    return found


class WorkerClient:
    """A worker that reports over HTTP."""

    def __init__(self, http: httpx.AsyncClient, key: HandoverKey, token: str, base: str = BASE) -> None:
        self._http = http
        self._place = f"{base}/executions/{key.run_id}/{key.number}"
        self._headers = {"Authorization": f"Bearer {token}"}

    async def ask(self, what: str, body: Mapping[str, Any] | None = None, **more: Any) -> httpx.Response:
        return await self._http.post(
            f"{self._place}/{what}", json=dict(body or {}), headers={**self._headers, **more.pop("headers", {})}, **more
        )

    async def begin(self, start: str = "one") -> httpx.Response:
        return await self.ask("begin", {"start": start, "worker": "celery@build-7"})

    async def beat(self, start: str | None = "one", **more: Any) -> httpx.Response:
        return await self.ask("beat", {**({} if start is None else {"start": start}), **more})

    async def end(self, start: str | None = "one", state: str = "succeeded", **more: Any) -> httpx.Response:
        return await self.ask("end", {**({} if start is None else {"start": start}), "state": state, **more})


def refusal(answer: httpx.Response) -> str:
    """Why a report was refused."""
    assert answer.status_code == 409, answer.text
    return str(answer.json()["refusal"])


MINUTE = timedelta(minutes=1)
