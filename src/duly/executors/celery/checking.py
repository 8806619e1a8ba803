"""What can be known about a task before it is handed over, from the settings and from the user's app."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from duly.errors import InvalidInputError
from duly.executors.celery.apps import Apps
from duly.jobs.functions import misfit
from duly.model.checks import suggestion
from duly.ports.executor_settings import ExecutorSettings

MOST_ARGUMENTS = 64 * 1024
"""Bytes of JSON. Brokers keep messages in memory: what is larger belongs into a store, and its address into the job."""
_MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def check_allowed(settings: ExecutorSettings, task: str) -> None:
    """Refuse a task that the settings do not list."""
    if not settings.allows(task):
        listed = ", ".join(settings.tasks)
        raise InvalidInputError(f"executor {settings.name!r} may not run {task!r}: its tasks are {listed}")


def check_size(task: str, args: Mapping[str, Any], positional: Sequence[Any]) -> None:
    """Refuse arguments that are no JSON, or too large. The message names none of them."""
    try:
        size = len(json.dumps([list(positional), dict(args)], allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"the arguments of {task!r} have no form in JSON: {type(error).__name__}") from None
    if size > MOST_ARGUMENTS:
        raise InvalidInputError(
            f"the arguments of {task!r} have {size} bytes of JSON; at most {MOST_ARGUMENTS} may be handed over: store "
            f"them, and hand over where they are"
        )


def check_task(
    settings: ExecutorSettings, apps: Apps, task: str, args: Mapping[str, Any], positional: Sequence[Any]
) -> None:
    """Refuse a task that the app does not have, and arguments with which it cannot be called."""
    if apps.users is None:
        return
    found = apps.task(task)
    if found is None:
        known = [name for name in apps.users.tasks if not name.startswith("celery.")]
        hint = suggestion(task, known)
        raise InvalidInputError(f"{settings.app!r} has no task {task!r}" + (f": {hint}" if hint else ""))
    if "json" not in _accepted(apps.users.conf.accept_content):
        raise InvalidInputError(
            f"workers of {settings.app!r} refuse JSON, and duly sends nothing else: add 'json' to accept_content"
        )
    if found.typing:
        _check_arguments(found, task, args, positional)


def check_retries(apps: Apps, task: str) -> None:
    """Refuse a run that duly would try again, of a task that Celery tries again: one of them decides."""
    found = apps.task(task)
    if found is None or found.max_retries == 0:
        return
    code = getattr(inspect.unwrap(_function(found)), "__code__", None)
    calls_retry = code is not None and "retry" in code.co_names
    if getattr(found, "autoretry_for", None) or calls_retry:
        raise InvalidInputError(
            f"both duly and Celery would try {task!r} again: leave the retry policy of the schedule out, or let the "
            f"task have no retries of its own (autoretry_for, self.retry)"
        )


def check_queue(settings: ExecutorSettings, apps: Apps, queue: str | None) -> None:
    """Refuse a queue that the app does not know and would not make."""
    name = queue or settings.queue
    if name is None or apps.users is None:
        return
    conf = apps.users.conf
    if conf.task_create_missing_queues and not conf.task_queues:
        return
    known = list(apps.users.amqp.queues)
    if name not in known:
        raise InvalidInputError(f"{settings.app!r} has no queue {name!r}: its queues are {', '.join(sorted(known))}")


def _accepted(content: Sequence[str]) -> set[str]:
    return {str(each).rpartition("/")[2].removeprefix("x-") for each in content}


def _check_arguments(found: Any, task: str, args: Mapping[str, Any], positional: Sequence[Any]) -> None:
    run = _function(found)
    signature = _signature(run)
    try:
        bound = signature.bind(*positional, **args)
    except TypeError as error:
        raise InvalidInputError(f"task {task!r} cannot be called so: {error}") from None
    named = {name: value for name, value in bound.arguments.items() if signature.parameters[name].kind not in _MANY}
    if (fault := misfit(run, signature, named)) is not None:
        raise InvalidInputError(f"task {task!r} cannot be called so: {fault}")


@lru_cache(1000)
def _signature(run: Any) -> inspect.Signature:
    """Read a signature once: a task is checked again for each of its runs."""
    return inspect.signature(run)


def _function(found: Any) -> Any:
    """The function of a task, without what Celery puts around it for its retries."""
    return getattr(found, "_orig_run", found.run)
