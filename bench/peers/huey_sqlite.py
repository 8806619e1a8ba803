"""huey on SQLite: one-off tasks that fall due together (it keeps no durable record of periodic ones)."""

import json
import sys
import threading
import time
from datetime import datetime, timedelta

from huey import SqliteHuey
from huey.consumer import Consumer

number = int(sys.argv[2])
huey = SqliteHuey("bench", filename=sys.argv[1], fsync=True, utc=True)
done = threading.Semaphore(0)


@huey.task()
def noop() -> None:
    done.release()


def main() -> None:
    begun = time.perf_counter()
    due = datetime.utcnow() - timedelta(seconds=1)
    for _ in range(number):
        noop.schedule(eta=due + timedelta(seconds=0))
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
