"""The daemon: a thousand reminders that are due at one minute, and `schedule_list` over MCP beside 100,000 schedules.

The daemon is a process of its own on a SQLite file that is filled beforehand. A reminder counts as delivered when it is
in the inbox of its person, by the time that is written beside it.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import apsw
import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from bench.measure import table, verdict
from bench.server import _TOML, Address, _asking, _daemon, _make_file

SCHEDULES = int(os.environ.get("DULY_BENCH_SCHEDULES", "100000"))
REMINDERS = 1000
_ASKED = 31
_AHEAD = timedelta(seconds=45)
"""At least so long before their time the reminders are made."""


def report() -> str:
    """The section of the results about the daemon."""
    folder = Path(tempfile.mkdtemp(prefix="duly-bench-", dir=os.environ.get("DULY_BENCH_FOLDER")))
    try:
        asyncio.run(_make_file(folder / "schedules.db", SCHEDULES))
        (folder / "duly.toml").write_text(_TOML.format(room=100), encoding="utf-8")
        (folder / "duly_bench_noop.py").write_text("async def noop() -> None: ...\n", encoding="utf-8")
        with _daemon(folder) as daemon:
            listed = asyncio.run(_listing(daemon))
            late = _reminders(daemon, folder / "schedules.db")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    rows = [
        [f"reminders, {name}", f"{late[min(len(late) - 1, int(len(late) * share))]:.2f} s late"]
        for name, share in (("first", 0.0), ("median", 0.5), ("p99", 0.99), ("last", 1.0))
    ]
    rows.append([f"MCP `schedule_list`, 50 of {SCHEDULES:,}", f"{listed:.1f} ms"])
    return "\n\n".join(
        [
            "## The daemon",
            f"{REMINDERS:,} reminders due at one minute, to the inbox, beside {SCHEDULES:,} schedules, on SQLite.",
            "\n".join(
                [
                    verdict(f"{REMINDERS:,} reminders, the last late by", late[-1], 2, " s", at_most=True),
                    verdict(f"MCP schedule_list at {SCHEDULES:,}", listed, 50, " ms", at_most=True),
                ]
            ),
            table(["what", "measured"], rows),
            "",
        ]
    )


def _reminders(daemon: Address, file: Path) -> list[float]:
    """Seconds by which each reminder was late, in order."""
    at = (datetime.now(UTC) + _AHEAD + timedelta(minutes=1)).replace(second=0, microsecond=0)
    ask = _asking(daemon, "/api/v1/reminders")
    for number in range(REMINDERS):
        schedule = {"type": "once", "at": at.isoformat()}
        ask("POST", json.dumps({"schedule": schedule, "message": f"number {number}"}).encode())
    if datetime.now(UTC) >= at:
        raise RuntimeError("the machine was too slow to make the reminders before they are due")
    while datetime.now(UTC) < at + timedelta(seconds=2):
        time.sleep(0.1)
    looking = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    began = time.monotonic()
    while (delivered := int(looking.execute("SELECT count(*) FROM inbox").get)) < REMINDERS:
        if time.monotonic() - began > 60:
            raise RuntimeError(f"only {delivered} of {REMINDERS} reminders were delivered")
        time.sleep(0.1)
    times = [created / 1e6 for (created,) in looking.execute("SELECT created_at FROM inbox ORDER BY created_at")]
    looking.close()
    return [each - at.timestamp() for each in times]


async def _listing(daemon: Address) -> float:
    """Milliseconds of one call of `schedule_list` over MCP: the median of some."""
    headers = {"Authorization": f"Bearer {daemon.token}"}
    address = f"http://{daemon.host}:{daemon.port}/mcp"
    took = []
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        streamable_http_client(address, http_client=http) as (read, write, *_),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        for _ in range(_ASKED):
            began = time.perf_counter()
            answer = await session.call_tool("schedule_list", {"limit": 50})
            took.append((time.perf_counter() - began) * 1e3)
            if answer.is_error:
                raise RuntimeError(str(answer.content)[:500])
    return median(took)
