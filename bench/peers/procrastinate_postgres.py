"""procrastinate on PostgreSQL: jobs that fall due together."""

import asyncio
import json
import sys
import time

import procrastinate

number = int(sys.argv[2])
app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=sys.argv[1]))
count = 0


@app.task(name="noop")
async def noop() -> None:
    global count
    count += 1


async def main() -> None:
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        begun = time.perf_counter()
        for _ in range(number):
            await noop.defer_async()
        added = number / (time.perf_counter() - begun)
        begun = time.perf_counter()
        await app.run_worker_async(wait=False, concurrency=50, listen_notify=False)
        took = time.perf_counter() - begun
        assert count == number, count
        print(json.dumps({"add": added, "fire": number / took, "number": number}))


asyncio.run(main())
