"""A Celery application with a beat_schedule, as many have one. What is new is the line that installs duly."""

import os
import time

from celery import Celery
from celery.schedules import crontab

import duly.celery

app = Celery(
    "proj",
    broker=os.environ.get("BROKER_URL", "redis://localhost:6379/0"),
    backend=os.environ.get("BROKER_URL", "redis://localhost:6379/0"),
)
app.conf.beat_schedule = {
    "tick": {"task": "proj.tick", "schedule": 5.0},
    "report": {
        "task": "proj.report",
        "schedule": crontab(minute=0, hour="7,19"),
        "kwargs": {"pages": 3},
        "options": {"expires": 3600},
    },
}
duly.celery.install(app)


@app.task
def tick() -> str:
    """Say that the workers live."""
    return "tock"


@app.task
def report(pages: int) -> dict[str, int]:
    """Write a report page by page; the dashboard shows how far it has got, and what it says."""
    for page in range(1, pages + 1):
        duly.celery.say(f"page {page} of {pages}")
        duly.celery.progress({"page": page, "of": pages})
        time.sleep(1)
    return {"pages": pages}
