"""APScheduler 3: adding jobs, and firing many that fall due together. Runs in an environment of its own."""

import json
import sys
import threading
import time
from datetime import UTC, datetime, timedelta

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.background import BackgroundScheduler

done = threading.Semaphore(0)


def noop() -> None:
    done.release()


def main(url: str, number: int) -> None:
    scheduler = BackgroundScheduler(
        jobstores={"default": SQLAlchemyJobStore(url=url)},
        executors={"default": ThreadPoolExecutor(20)},
        job_defaults={"misfire_grace_time": None, "coalesce": True},
        timezone=UTC,
    )
    scheduler.start(paused=True)
    begun = time.perf_counter()
    due = datetime.now(UTC) + timedelta(hours=1)
    for each in range(number):
        scheduler.add_job(noop, "interval", hours=1, id=str(each), next_run_time=due)
    added = number / (time.perf_counter() - begun)
    past = datetime.now(UTC)
    for each in range(number):
        scheduler.modify_job(str(each), next_run_time=past)
    begun = time.perf_counter()
    scheduler.resume()
    for _ in range(number):
        done.acquire()
    scheduler.shutdown(wait=True)
    print(json.dumps({"add": added, "fire": number / (time.perf_counter() - begun), "number": number}))


main(sys.argv[1], int(sys.argv[2]))
