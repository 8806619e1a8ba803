"""The Celery app of a campaign: its tasks are witnesses, and so is what their worker says to duly.

A message that is under way for longer than the visibility timeout is delivered again, as happens to those who keep the
usual one and have long tasks.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from celery import Celery

import duly.celery
from duly.celery.door import Door, RefusedError, UnreachableError
from tests.chaos.elsewhere.signs import BROKER, FOLDER, OK, PROCESS, UNREACHABLE, write_sign

VISIBLE_AGAIN = 4
"""Seconds: less than many tasks take."""
_UNLUCKY = 0.4
_TRIES_OF_CELERY = 3

app = Celery("chaos", broker=os.environ[BROKER], backend=os.environ[BROKER])
app.conf.update(
    task_acks_late=True,
    task_track_started=True,
    worker_prefetch_multiplier=1,
    broker_connection_retry_on_startup=True,
    broker_transport_options={"visibility_timeout": VISIBLE_AGAIN},
    result_expires=600,
)
duly.celery.install(app)


def _sign(what: str, run: str, number: int, **facts: Any) -> None:
    write_sign(Path(os.environ[FOLDER]), os.environ[PROCESS], what, run, number, **facts)


def _listen_in() -> None:
    """Write down every answer of duly."""
    ask = Door._post

    def asked(self: Door, what: str, body: Mapping[str, Any]) -> dict[str, Any]:
        facts = {"sent": time.monotonic(), "sent_wall": time.time(), "state": str(body.get("state", ""))}
        result = body.get("result")
        facts["nonce"] = result["nonce"] if isinstance(result, dict) else ""
        answer = OK
        try:
            return ask(self, what, body)
        except RefusedError as error:
            answer = error.refusal
            raise
        except UnreachableError:
            answer = UNREACHABLE
            raise
        finally:
            _sign(what, self.run_id, int(self.number), answer=answer, **facts)

    Door._post = asked  # type: ignore[method-assign]


_listen_in()


def _carry_out(task: Any, seconds: float, *, unlucky: float = 0.0) -> dict[str, str]:
    request = task.request
    facts = {"nonce": os.urandom(8).hex(), "retries": request.retries}
    of = (str(request.get("duly-run")), int(request.get("duly-number")))
    _sign("enter", *of, **facts)
    time.sleep(seconds)
    if random.random() < unlucky:
        _sign("left", *of, **facts)
        raise OSError("unlucky this time")
    _sign("exit", *of, **facts)
    return {"nonce": facts["nonce"]}


@app.task(bind=True, name="chaos.work")
def work(self: Any, seconds: float) -> dict[str, str]:
    return _carry_out(self, seconds)


@app.task(bind=True, name="chaos.once")
def once(self: Any, seconds: float) -> dict[str, str]:
    return _carry_out(self, seconds)


@app.task(bind=True, name="chaos.early", acks_late=False)
def early(self: Any, seconds: float) -> dict[str, str]:
    """Its message is gone as soon as it begins."""
    return _carry_out(self, seconds)


@app.task(bind=True, name="chaos.flaky")
def flaky(self: Any, seconds: float) -> dict[str, str]:
    return _carry_out(self, seconds, unlucky=_UNLUCKY)


@app.task(bind=True, name="chaos.retried", max_retries=_TRIES_OF_CELERY)
def retried(self: Any, seconds: float) -> dict[str, str]:
    """Celery tries it again, within one attempt of duly."""
    try:
        return _carry_out(self, seconds, unlucky=_UNLUCKY)
    except OSError as error:
        raise self.retry(exc=error, countdown=random.choice((0, 1))) from error


@app.task(bind=True, name="chaos.hasty")
def hasty(self: Any, seconds: float) -> dict[str, str]:
    """Its executor lets it expire."""
    return _carry_out(self, seconds)
