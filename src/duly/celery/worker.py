"""What a Celery worker does for duly: it asks for leave before a task begins, beats while it runs, and reports its end.

`install(app)` puts `DulyTask` before the class of every task, and listens to Celery's signals:

1. a message arrives (main process): it gets the id of this start, which is another one for each delivery;
2. `before_start` (process of the task): duly is asked for leave. Refused, the message is acknowledged and not run;
3. `task_postrun` (process of the task): the end is reported, before Celery acknowledges a task that does so late;
4. `task_failure`, `task_revoked` (main process): the end of a task whose process is gone is reported.

A message without the headers of duly passes untouched.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from celery import Celery, current_task, signals, states
from celery.exceptions import Ignore, Reject, Retry
from celery.worker.control import Panel

from duly._version import __version__
from duly.celery.beating import beats, clock, log
from duly.celery.capturing import capture, finish, release
from duly.celery.door import Door, RefusedError, UnreachableError, checked_base
from duly.celery.start import Start, failed, succeeded

RUN = "duly-run"
_NUMBER = "duly-number"
_TOKEN = "duly-token"  # noqa: S105  the name of a header
_CALLBACK = "duly-callback"
START = "duly-start"
"""Which start of the message this is. A message that Celery sends again for a retry brings along the one before."""
_AFTER = "duly-after"
ASK_FOR = 3600.0
"""Seconds for which duly is asked for leave, where the message has no time to begin by."""
_LONGEST_PAUSE = 15.0
_FLUSH_FOR = 10.0
_UID = "duly.celery"


@dataclass(slots=True)
class _Installation:
    """How the shim was installed in this process."""

    url: str | None = None
    captures: bool = False


_installation = _Installation()
_under_way: dict[str, Start] = {}
"""The starts of this process that have leave, by their ids."""
_received: WeakValueDictionary[str, Any] = WeakValueDictionary()
"""The requests of duly in the main process of a worker, by the ids of their tasks."""


def install(
    app: Celery, *, url: str | None = None, capture_output: bool = False, prompts: bool | str | Path = False
) -> None:
    """Let the workers of an app carry out what duly hands over. Call it once, beside the app.

    `url` is where duly answers; so says `DULY_URL` otherwise. With one of them, no address in a message is trusted.
    `capture_output` sends what tasks of duly print, as `say` does. `prompts` lets these workers start agents: by the
    duly.toml of the user who runs the worker, or by the one whose path is given.
    """
    given = url or os.environ.get("DULY_URL")
    _installation.url = None if given is None else checked_base(given)
    _installation.captures = capture_output
    app.on_after_finalize.connect(_put_before_all, weak=False, dispatch_uid=_UID)
    for signal, receiver in _RECEIVERS:
        signal.connect(receiver, weak=False, dispatch_uid=_UID)
    if prompts:
        from duly.celery.prompts import register  # late: other workers need nothing of it

        register(app, None if prompts is True else str(prompts))
    if app.finalized:
        _put_before_all(app)


def current_start() -> Start | None:
    """Return the start whose code is running; None in a task that duly did not hand over."""
    request = current_task.request if current_task else None
    found = None if request is None else _under_way.get(request.get(START) or "")
    if found is None and request is None and len(_under_way) == 1:
        return next(iter(_under_way.values()), None)  # a thread that the only task has started
    return found


class DulyTask:
    """Comes before the class of each task: it asks duly for leave before anything of the task runs."""

    request: Any
    name: str
    acks_late: bool

    def before_start(self, task_id: str, args: Any, kwargs: Any) -> None:
        if self.request.get(RUN) is not None:
            _ask_for_leave(self)
        super().before_start(task_id, args, kwargs)  # type: ignore[misc]


def _put_before_all(sender: Any, **_: Any) -> None:
    app = getattr(sender, "app", sender)
    for task in tuple(app.tasks.values()):
        kind = type(task)
        if not issubclass(kind, DulyTask):
            task.__class__ = type(kind.__name__, (DulyTask, kind), {"__module__": kind.__module__})


# before


def _on_received(request: Any = None, **_: Any) -> None:
    headers = request.request_dict
    if RUN in headers:
        headers[_AFTER] = headers.get(START)
        headers[START] = uuid.uuid4().hex
        _received[request.id] = request


def _ask_for_leave(task: DulyTask) -> None:
    request = task.request
    door = _door(request)
    if door is None:
        raise Ignore("a message of duly without an address, a run or a token")
    start_id = request.get(START) or uuid.uuid4().hex
    leave = _leave(task, door, start_id)
    goes_on = request.get(_AFTER) is not None
    start = Start(door, start_id, lease=float(leave.get("lease_seconds") or 60), goes_on=goes_on)
    if goes_on:
        start.say(f"Celery begins retry {request.retries}", kind="note")
    _under_way[start_id] = start
    beats().add(start)
    if _installation.captures:
        capture(current_start)


def _leave(task: DulyTask, door: Door, start_id: str) -> dict[str, Any]:
    request = task.request
    until = clock.monotonic() + _seconds_to_begin(request.expires)
    pause = threading.Event()
    seconds = 0.5
    while True:
        try:
            return door.begin(start_id, str(request.hostname or "celery"), request.get(_AFTER))
        except RefusedError as error:
            log.warning("%s of %r does not begin: %s", task.name, door, error.refusal)
            raise Ignore(f"duly refuses: {error.refusal}") from None
        except UnreachableError as error:
            if clock.monotonic() + seconds >= until:
                log.warning("%s of %r does not begin: %s", task.name, door, error)
                raise (Reject(str(error), requeue=True) if task.acks_late else Ignore(str(error))) from None
            log.warning("%s of %r waits for leave: %s", task.name, door, error)
        pause.wait(seconds)
        seconds = min(2 * seconds, _LONGEST_PAUSE)


def _seconds_to_begin(expires: Any) -> float:
    with suppress(TypeError, ValueError):
        by = expires if isinstance(expires, datetime) else datetime.fromisoformat(expires)
        return (by.replace(tzinfo=by.tzinfo or UTC) - clock.now()).total_seconds()
    return ASK_FOR


def _door(request: Any) -> Door | None:
    """Where to report about a request. An address in a message counts only where none was configured."""
    base = _installation.url
    with suppress(TypeError, ValueError, AttributeError):
        base = base or checked_base(request.get(_CALLBACK))
    run = request.get(RUN)
    token = request.get(_TOKEN)
    if base is None or not isinstance(run, str) or not isinstance(token, str):
        return None
    return Door(base, run, str(request.get(_NUMBER)), token)


# after


def _on_postrun(task: Any = None, retval: Any = None, state: str | None = None, **_: Any) -> None:
    """Report how a task ended, in the process in which it ran."""
    request = task.request
    if request.get(RUN) is None:
        return
    if _installation.captures:
        finish()
    start = _under_way.pop(request.get(START) or "", None)
    if _installation.captures and not _under_way:
        release()
    if start is None or state is None:  # refused, or the process is about to end: its parent reports
        return
    if state == states.RETRY:
        _wait_for_retry(start, retval)
    elif state == states.SUCCESS:
        beats().end(start, succeeded(retval))
    elif state == states.FAILURE:
        beats().end(start, failed(retval))
    else:
        beats().end(start, failed(f"the task ended as {state}: {retval}"))


def _wait_for_retry(start: Start, retry: Any) -> None:
    when = retry.when if isinstance(retry, Retry) else None
    seconds = (when - clock.now()).total_seconds() if isinstance(when, datetime) else float(when or 0)
    start.say(f"Celery tries again: {retry}", kind="note")
    beats().wait_for_retry(start, seconds)


def _on_failure(task_id: str | None = None, exception: Any = None, **_: Any) -> None:
    """Report the failure of a task whose process is gone: killed by a time limit, by the system, or by itself."""
    request = _received.get(task_id or "")
    if request is not None and request.request_dict.get(START) not in _under_way:
        _report_aside(request.request_dict, failed(exception, trace=None))


def _on_revoked(
    request: Any = None, terminated: bool = False, expired: bool = False, signum: Any = None, **_: Any
) -> None:
    """Report that a task was revoked by others than duly; what duly cancelled is over there already."""
    headers = request
    if headers is None or headers.get(RUN) is None:
        return
    if terminated:
        _report_aside(headers, failed(f"terminated by signal {signum}"))
    elif headers.get(START) is not None:
        _report_aside(headers, failed("its retry expired" if expired else "its retry was revoked"))
    elif not expired:
        _report_aside(headers, failed("revoked before it began"), begins=True)


def _report_aside(headers: Any, outcome: Mapping[str, Any], *, begins: bool = False) -> None:
    """Report from the main process of a worker, which must not wait. `begins` takes the leave that it lacks, too."""
    door = _door(headers)
    if door is None:
        return

    def report() -> None:
        start = Start(door, headers.get(START) or uuid.uuid4().hex, lease=60)
        if begins:
            try:
                door.begin(start.id, str(headers.get("hostname") or "celery"), None)
            except (RefusedError, UnreachableError) as error:
                log.warning("%r was revoked: %s", door, error)
                return
        beats().end(start, outcome)

    threading.Thread(target=report, name="duly-report", daemon=True).start()


def _on_process_end(**_: Any) -> None:
    beats().flush(_FLUSH_FOR)


def _tell_version(_state: Any, **_: Any) -> dict[str, str]:
    """Answer duly, which asks whether workers have the shim."""
    return {"ok": __version__}


Panel.register(name="duly", type="inspect", visible=True)(_tell_version)

_RECEIVERS = (
    (signals.worker_init, _put_before_all),
    (signals.task_received, _on_received),
    (signals.task_postrun, _on_postrun),
    (signals.task_failure, _on_failure),
    (signals.task_revoked, _on_revoked),
    (signals.worker_process_shutdown, _on_process_end),
    (signals.worker_shutdown, _on_process_end),
)
