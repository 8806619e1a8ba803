"""huey on SQLite: one-off tasks that fall due together (it keeps no durable record of periodic ones).

They are `queued` already when the clock starts, so that each is only taken out of the queue, or they are still
`scheduled`, as the schedules of the others are, and go through the queue first. Every commit is on disk (`fsync`).
"""

import json
import sys
import threading
import time
from datetime import datetime, timedelta

from huey import SqliteHuey
from huey.consumer import Consumer

number, kind = int(sys.argv[2]), sys.argv[3]
huey = SqliteHuey("bench", filename=sys.argv[1], fsync=True, utc=True)
done = threading.Semaphore(0)


@huey.task()
def noop() -> None:
    done.release()


def main() -> None:
    begun = time.perf_counter()
    due = datetime.utcnow() - timedelta(seconds=1)
    for _ in range(number):
        task = noop.s()
        task.eta = due
        if kind == "queued":
            huey.enqueue(task)
        else:
            huey.add_schedule(task)
    added = number / (time.perf_counter() - begun)
    consumer = Consumer(huey, workers=4, periodic=False, scheduler_interval=1)
    begun = time.perf_counter()
    consumer.start()
    for _ in range(number):
        done.acquire()
    took = time.perf_counter() - begun
    consumer.stop(graceful=False)
    print(json.dumps({"add": added, "fire": number / took, "number": number}))


main()
