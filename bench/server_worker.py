"""Processes beside the daemon: a bare FastAPI endpoint to compare with, and a thousand listeners.

`python -m bench.server_worker bare FILE PORT` serves the same models over one durable insert and one select.
`python -m bench.server_worker listen HOST PORT TOKEN STREAMS SECONDS` prints how late events came, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import apsw
import uvicorn
from fastapi import FastAPI
from pydantic import TypeAdapter

from duly import Cron
from duly.model.action import Job
from duly.model.policy import Policy
from duly.ports.codec import encode_action, encode_policy, encode_trigger
from duly.ports.records import StoredSchedule
from duly.rest.bodies import NewSchedule
from duly.service.access.scopes import ADMIN
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.views import schedule_view

EVENT = b"\nevent: schedule\n"
_TOLD_AT = re.compile(rb'"kind":"schedule[^}]*?"at":"([^"]+)"')
_OPEN_AT_ONCE = 50
_WARM_UP = 3.0
_THOROUGH = 50
"""Of so many streams one is read event by event."""


def serve_bare(file: str, port: int) -> None:
    """Serve schedules from a table, with the models of duly and nothing else."""
    rows = apsw.Connection(file)
    rows.pragma("journal_mode", "wal")
    rows.pragma("synchronous", "full")
    view = TypeAdapter(ScheduleView)
    app = FastAPI()

    @app.get("/schedules", response_model=list[ScheduleView])
    async def page(limit: int = 50) -> Any:
        found = rows.execute("SELECT view FROM schedules ORDER BY name LIMIT ?", (limit,))
        return [view.validate_json(text) for (text,) in found]

    @app.post("/schedules", response_model=ScheduleView, status_code=201)
    async def create(body: NewSchedule) -> Any:
        given = body.model_dump(exclude_none=True)
        made = made_view(given["name"])
        with rows:
            rows.execute("INSERT INTO schedules VALUES (?, ?)", (made.name, json.dumps(asdict(made))))
        return made

    uvicorn.run(app, port=port, log_level="warning", access_log=False)


_AT = datetime(2027, 1, 1, 9, tzinfo=UTC)
_ROW = StoredSchedule(
    id="",
    namespace="default",
    name="",
    trigger=encode_trigger(Cron("0 9 * * *")),
    action=encode_action(Job("noop")),
    policy=encode_policy(Policy()),
    handler="job:noop",
    next_fire_at=_AT,
    next_run_at=_AT,
    created_at=_AT,
    updated_at=_AT,
    last_run_at=_AT,
    last_status="succeeded",
    total_runs=3,
)
_VIEW = schedule_view(_ROW, ADMIN, _AT, fires=1)


def made_view(name: str) -> ScheduleView:
    """A schedule as duly shows it, with all that a schedule of the same definition has."""
    return replace(_VIEW, id=f"sched_{name}", name=name)


class Listener(asyncio.Protocol):
    """One stream: what came, how late, and in how many writes.

    Those that are `thorough` also read each event as a client does, and note an id that does not follow the one before:
    all of them would need more of the processor than the daemon.
    """

    def __init__(self, request: bytes, told: list[float], *, thorough: bool) -> None:
        self._request = request
        self._told = told
        self._thorough = thorough
        self._rest = b""
        self._number: int | None = None
        self.lost = 0
        self.events = 0
        self.writes = 0
        self.status = b""

    def connection_made(self, transport: Any) -> None:
        transport.write(self._request)

    def connection_lost(self, _error: Exception | None) -> None:
        self.status = self.status or b"lost"

    def data_received(self, data: bytes) -> None:
        now = time.time()
        self.status = self.status or data[:12]
        if self._thorough:
            self._read(data)
        if found := data.count(EVENT):
            self.events += found
            self.writes += 1
            if at := _TOLD_AT.search(data):  # the oldest of the write, so the one that waited longest
                self._told.append(now - datetime.fromisoformat(at[1].decode()).timestamp())

    def _read(self, data: bytes) -> None:
        """Read whole events, and compare their ids: events that this client may see are numbered without a gap."""
        *whole, self._rest = (self._rest + data).split(b"\n\n")
        for event in whole:
            if (at := event.find(b"data: ")) < 0:
                continue
            read = json.loads(event[at + 6 :])
            number = int(read["id"].rpartition("-")[2])
            expected = {None, number} if read["kind"] == "beat" else {None, number - 1}
            self.lost += self._number not in expected
            self._number = number


def _same(listener: Listener) -> Listener:
    return listener


async def listen(host: str, port: int, token: str, streams: int, seconds: float) -> None:
    """Open streams, tell the parent by a line that they are open, and print what they got."""
    loop = asyncio.get_running_loop()
    head = f"GET /api/v1/events HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    late: list[float] = []
    opened: list[Listener] = []
    while len(opened) < streams:
        numbers = range(len(opened), min(len(opened) + _OPEN_AT_ONCE, streams))
        some = [Listener(head, late, thorough=number % _THOROUGH == 0) for number in numbers]
        await asyncio.gather(*(loop.create_connection(partial(_same, each), host, port) for each in some))
        opened += some
        await asyncio.sleep(0.05)
    while not all(each.status for each in opened):
        await asyncio.sleep(0.1)
    print("open", flush=True)
    await asyncio.sleep(_WARM_UP)
    late.clear()
    before = [(each.events, each.writes) for each in opened]
    await asyncio.sleep(seconds)
    ranked = sorted(late) or [float("inf")]
    figures = {
        "open": sum(each.status == b"HTTP/1.1 200" for each in opened),
        "events": min(each.events - events for each, (events, _) in zip(opened, before, strict=True)) / seconds,
        "writes": max(each.writes - writes for each, (_, writes) in zip(opened, before, strict=True)) / seconds,
        "p50": ranked[len(ranked) // 2],
        "p99": ranked[int(len(ranked) * 0.99)],
        "latest": ranked[-1],
        "lost": sum(each.lost for each in opened),
        "at": datetime.now(UTC).isoformat(),
    }
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["bare", file, port]:
            serve_bare(file, int(port))
        case ["listen", host, port, token, streams, seconds]:
            asyncio.run(listen(host, int(port), token, int(streams), float(seconds)))
        case _:
            sys.exit(__doc__)
