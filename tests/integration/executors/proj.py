"""The app of a user, for real workers. `DULY_TEST_SHIM` says whether it has duly's line."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from celery import Celery

app = Celery("proj", broker=os.environ["DULY_TEST_BROKER"], backend=os.environ["DULY_TEST_BACKEND"])
app.conf.update(
    task_acks_late=True,
    task_track_started=True,
    worker_prefetch_multiplier=1,
    broker_connection_retry_on_startup=True,
    result_expires=600,
)
if os.environ.get("DULY_TEST_SHIM") == "yes":
    import duly.celery

    duly.celery.install(app, capture_output=True, prompts=os.environ.get("DULY_TEST_PROMPTS", False))


def _witness(task: Any) -> None:
    """Write down that code of a user has begun, from within it."""
    with (Path(os.environ["DULY_TEST_FOLDER"]) / f"{task.request.id}.begun").open("a") as file:
        file.write(f"{os.getpid()}\n")


def _has_leave_to_end(task: Any) -> bool:
    return (Path(os.environ["DULY_TEST_FOLDER"]) / f"{task.request.id}.go").exists()


@app.task(bind=True)
def add(self: Any, x: int, y: int = 2) -> int:
    _witness(self)
    return x + y


@app.task(bind=True)
def speak(self: Any) -> dict[str, Any]:
    _witness(self)
    duly.celery.say("first\nsecond")
    print("printed")
    duly.celery.progress({"done": 1, "of": 2})
    return {"trace": self.request.get("traceparent"), "key": self.request.get("duly-key")}


@app.task(bind=True)
def fail(self: Any) -> None:
    _witness(self)
    raise ValueError("no bread left")


@app.task(bind=True)
def wait(self: Any) -> str:
    """Wait for the test, or for duly to want it no longer."""
    _witness(self)
    while not _has_leave_to_end(self):
        if "duly" in globals() and duly.celery.cancelled():
            return "cancelled"
        time.sleep(0.02)
    return "gone on"


@app.task(bind=True, max_retries=3)
def retry_once(self: Any) -> str:
    _witness(self)
    if self.request.retries == 0:
        raise self.retry(countdown=0, exc=OSError("the oven is cold"))
    return f"tried {self.request.retries + 1} times"


@app.task(bind=True, autoretry_for=(OSError,))
def retry_by_itself(self: Any) -> None: ...


@app.task
def strange() -> object:
    return {1, 2}
