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
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Any

import apsw
import uvicorn
from fastapi import FastAPI
from pydantic import TypeAdapter

from duly.rest.inputs import NewSchedule
from duly.service.schedules.fields import ScheduleView

EVENT = b"\nevent: schedule\n"
_AT = re.compile(rb'"kind":"schedule[^}]*?"at":"([^"]+)"')
_OPEN_AT_ONCE = 50
_WARM_UP = 3.0


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


def made_view(name: str) -> ScheduleView:
    """A schedule as duly shows it."""
    return ScheduleView(
        id=f"sched_{name}",
        name=name,
        namespace="default",
        enabled=True,
        cron="0 9 * * *",
        when="every day at 9:00",
        dispatch_mode="job",
        job_name="noop",
        next_run_at="2027-01-01T09:00:00Z",
    )


class Listener(asyncio.Protocol):
    """One stream: what came, how late, and in how many writes."""

    def __init__(self, request: bytes, told: list[float]) -> None:
        self._request = request
        self._told = told
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
        if found := data.count(EVENT):
            self.events += found
            self.writes += 1
            if at := _AT.search(data):  # the oldest of the write, so the one that waited longest
                self._told.append(now - datetime.fromisoformat(at[1].decode()).timestamp())


def _same(listener: Listener) -> Listener:
    return listener


async def listen(host: str, port: int, token: str, streams: int, seconds: float) -> None:
    """Open streams, tell the parent by a line that they are open, and print what they got."""
    loop = asyncio.get_running_loop()
    head = f"GET /api/v1/events HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    late: list[float] = []
    opened: list[Listener] = []
    while len(opened) < streams:
        some = [Listener(head, late) for _ in range(min(_OPEN_AT_ONCE, streams - len(opened)))]
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
