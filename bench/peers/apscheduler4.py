"""APScheduler 4 (alpha): firing many schedules that fall due together. Runs in an environment of its own."""

import asyncio
import json
import sys
import time
from datetime import UTC, datetime, timedelta

from apscheduler import AsyncScheduler
from apscheduler.datastores.sqlalchemy import SQLAlchemyDataStore
from apscheduler.triggers.interval import IntervalTrigger
from sqlalchemy.ext.asyncio import create_async_engine

count = 0
all_done = asyncio.Event()
wanted = int(sys.argv[2])


async def noop() -> None:
    global count
    count += 1
    if count >= wanted:
        all_done.set()


async def main(url: str) -> None:
    async with AsyncScheduler(SQLAlchemyDataStore(create_async_engine(url))) as scheduler:
        begun = time.perf_counter()
        due = datetime.now(UTC) + timedelta(seconds=1)
        for each in range(wanted):
            await scheduler.add_schedule(
                noop, IntervalTrigger(hours=1, start_time=due), id=str(each), misfire_grace_time=None
            )
        added = wanted / (time.perf_counter() - begun)
        await asyncio.sleep(max(0, (due - datetime.now(UTC)).total_seconds()))
        begun = time.perf_counter()
        await scheduler.start_in_background()
        await all_done.wait()
        await scheduler.stop()
        await scheduler.wait_until_stopped()
        print(json.dumps({"add": added, "fire": wanted / (time.perf_counter() - begun), "number": wanted}))


asyncio.run(main(sys.argv[1]))
