"""What the result backend and the workers say about handovers.

A state that was written down once says nothing about now: PENDING is what a result backend says about a task it never
heard of, and STARTED stays for ever when its worker is gone. Only an outcome counts, or a worker that answers.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from duly.errors import ExecutorUnreachableError
from duly.executors.celery.apps import Apps
from duly.model.handover import Handover, HandoverState
from duly.planning.handovers import Outcome
from duly.ports.executors import Sighting

log = logging.getLogger("duly")

REPLIES_WITHIN = 1.0
"""Seconds for workers to answer: that they do not is known no earlier."""
_LONGEST_ERROR = 2000
_AT_ONCE = 500


def results_of(apps: Apps, handovers: Sequence[Handover]) -> list[Sighting]:
    """Look up outcomes. A result backend that cannot be asked knows of none, and that is logged.

    It raises `ExecutorUnreachableError` for workers that do not report: there the backend alone knows how a task ended.
    """
    found = []
    try:
        for handover, meta in _metas(apps, handovers):
            outcome = _outcome(meta, handover)
            if outcome is not None:
                worker = meta.get("worker")
                found.append(Sighting(key=handover.key, outcome=outcome, worker=worker))
    except Exception as error:  # each backend has errors of its own
        why = f"the result backend cannot be read: {type(error).__name__}: {error}"
        if not all(each.reports for each in handovers):
            raise ExecutorUnreachableError(why) from error
        log.warning("%s", why)
    return found


def at_work(apps: Apps, handovers: Sequence[Handover]) -> list[Sighting]:
    """Ask the workers which tasks they are at."""
    keys = {str(each.key): each.key for each in handovers}
    with apps.connection() as connection:
        inspect = apps.own.control.inspect(timeout=REPLIES_WITHIN, connection=connection)
        answers = inspect.query_task(*keys) or {}
    return [
        Sighting(key=keys[task_id], is_at_work=True, worker=worker)
        for worker, tasks in answers.items()
        for task_id, (state, *_) in (tasks or {}).items()
        if state == "active" and task_id in keys
    ]


def _metas(apps: Apps, handovers: Sequence[Handover]) -> Iterator[tuple[Handover, Mapping[str, Any]]]:
    """Give what the backend has about each handover that it knows; in batches, where it can answer so."""
    from celery.backends.base import BaseKeyValueStoreBackend

    backend = apps.backend
    if backend is None:
        return
    if not isinstance(backend, BaseKeyValueStoreBackend):
        for each in handovers:
            yield each, backend.get_task_meta(str(each.key), cache=False)
        return
    for first in range(0, len(handovers), _AT_ONCE):
        some = handovers[first : first + _AT_ONCE]
        keys = [backend.get_key_for_task(str(each.key)) for each in some]
        values = backend.mget(keys)
        if isinstance(values, Mapping):  # memcached
            values = [values.get(key) for key in keys]
        for each, value in zip(some, values, strict=True):
            if value is not None:
                yield each, _decoded(backend, value)


def _decoded(backend: Any, value: Any) -> Mapping[str, Any]:
    """Read a stored result; one that is no JSON, such as a pickle, is not read at all."""
    with suppress(Exception):
        meta = backend.decode(value)
        if isinstance(meta, Mapping):
            return meta
    return {}


def _outcome(meta: Mapping[str, Any], handover: Handover) -> Outcome | None:
    """Give the outcome of a handover.

    REVOKED is also written for a copy of its message that came after its time, while the first one is carried out.
    So it only counts where no worker reports: the others say themselves what they discard.
    """
    state = meta.get("status")
    result = meta.get("result")
    if state == "SUCCESS":
        return Outcome(HandoverState.SUCCEEDED, result=json.dumps(result, default=str))
    if state == "FAILURE":
        return Outcome(HandoverState.FAILED, error=_error(result)[:_LONGEST_ERROR])
    if state == "REVOKED" and not handover.reports:
        return Outcome(HandoverState.FAILED, error="revoked in Celery")
    return None


def _error(result: Any) -> str:
    if isinstance(result, BaseException):
        return f"{type(result).__name__}: {result}"
    if not isinstance(result, Mapping):
        return str(result)
    message = result.get("exc_message")
    text = ", ".join(str(each) for each in message) if isinstance(message, list | tuple) else str(message or "")
    return f"{result.get('exc_type')}: {text}"
