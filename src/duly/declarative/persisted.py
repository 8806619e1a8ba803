"""Tasks as rows of the store: write them, and read them back with errors that name the damaged field.

A task is an ordinary schedule: its cron expression is the trigger, its retry delay is in the policy, and its handler
is the scheduler that registered it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from duly.cron import Cron
from duly.declarative.errors import (
    TaskInvalidStructureError,
    TaskInvalidTypeError,
    TaskInvalidValueError,
    TaskMissingFieldError,
    TaskTryDeserializeError,
)
from duly.declarative.state import Task
from duly.errors import DecodeError, TriggerDecodeError
from duly.model.action import Job
from duly.model.ids import SCHEDULE, RandomBits, make_id
from duly.model.policy import Backoff, Overlap
from duly.ports.codec import encode_action, encode_json, encode_trigger
from duly.ports.records import StoredSchedule

_PREFIX = "declarative:"
_FOR_EVER = 2**31 - 1
"""Attempts. Not None: a run without a limit is given up after three attempts that were lost with their process."""
_KINDS = {str: "string", int: "number", float: "number", bool: "boolean", dict: "object", list: "array"}
_TRIGGER = {"v": int, "kind": str, "expression": str, "dialect": str, "tz": str, "dst": str, "day_match": str}
_ACTION = {"kind": str, "name": str}
_POLICY = {"overlap": str, "queue_limit": int, "retry": dict}
_RETRY = {"max_attempts": int, "delay": float, "backoff": str, "jitter": float, "superseded": bool}


class Configuration(NamedTuple):
    """The parts of a registration that the store keeps: if they are equal, the task is preserved."""

    cron: str
    retry_delay: timedelta


def namespace_of(scheduler: str) -> str:
    return _PREFIX + scheduler


def action_of(scheduler: str) -> Job:
    """Give the one action of all tasks of a scheduler: the process that serves its handler has their callbacks."""
    return Job(_PREFIX + scheduler)


def configured(task: Task, scheduler: str) -> tuple[str, str, str, str]:
    """Give the columns that a registration decides: trigger, action, policy, handler."""
    action, handler = _action(scheduler)
    return _trigger(task.cron.expression, task.cron.tz), action, policy_of(task.retry_delay), handler


def to_row(task: Task, scheduler: str, now: datetime, random_bits: RandomBits) -> StoredSchedule:
    """Make the row of a new task, without a next fire."""
    action, handler = _action(scheduler)
    return StoredSchedule(
        id=make_id(SCHEDULE, now, random_bits),
        namespace=namespace_of(scheduler),
        name=task.name,
        trigger=_trigger(task.cron.expression, task.cron.tz),
        action=action,
        policy=policy_of(task.retry_delay),
        handler=handler,
        created_at=now,
        updated_at=now,
    )


@lru_cache(maxsize=64)
def _action(scheduler: str) -> tuple[str, str]:
    job = action_of(scheduler)
    return encode_action(job), job.handler


@lru_cache(maxsize=8192)
def _trigger(expression: str, tz: str) -> str:
    return encode_trigger(Cron(expression, dialect="posix", tz=tz, dst="wallclock"))


@lru_cache(maxsize=1024)
def policy_of(retry_delay: timedelta) -> str:
    """Encode the policy of a task. Every field is written out, so that reading notices a missing one."""
    retry = {
        "max_attempts": _FOR_EVER,
        "delay": retry_delay.total_seconds(),
        "backoff": Backoff.CONSTANT.value,
        "jitter": 0.0,
        "superseded": True,
    }
    return encode_json({"overlap": Overlap.QUEUE.value, "queue_limit": 1, "retry": retry}, "policy")


def read_configuration(row: StoredSchedule) -> Configuration:
    """Read the configuration from a row; an error names the damaged field."""
    try:
        return _read(row.trigger, row.action, row.policy)
    except TaskTryDeserializeError as error:
        error.add_note(f'in the persisted state of task "{row.name}" ({row.id})')
        raise


@contextmanager
def naming_damage() -> Iterator[None]:
    """Turn the store's `DecodeError`, as for an impossible time, into the error of this package."""
    try:
        yield
    except DecodeError as error:
        damage = TaskInvalidValueError(error.field, error.value, error.reason)
        for note in getattr(error, "__notes__", ()):
            damage.add_note(note)
        raise damage from error


@lru_cache(maxsize=8192)
def _read(trigger: str, action: str, policy: str) -> Configuration:
    kind = _fields("action", action, _ACTION)["kind"]
    if kind != "job":
        raise TaskInvalidValueError("action.kind", kind, 'must be "job"')
    cron = _read_cron(_fields("trigger", trigger, _TRIGGER))
    retry = _fields("policy", policy, _POLICY)["retry"]
    return Configuration(cron.expression, _read_delay(_typed("policy.retry", retry, _RETRY)["delay"]))


def _read_cron(trigger: Mapping[str, Any]) -> Cron:
    try:
        return Cron.from_dict(trigger)
    except TriggerDecodeError as error:
        raise TaskInvalidValueError(f"trigger.{error.field}", error.value, error.reason) from error


def _read_delay(seconds: float) -> timedelta:
    try:
        delay = timedelta(seconds=seconds)
    except (OverflowError, ValueError) as error:
        raise TaskInvalidValueError("policy.retry.delay", seconds, f"is no length of time ({error})") from error
    if delay < timedelta(0):
        raise TaskInvalidValueError("policy.retry.delay", seconds, "must be non-negative")
    return delay


def _fields(path: str, text: str, wanted: Mapping[str, type]) -> dict[str, Any]:
    return _typed(path, _object(path, text), wanted)


def _object(path: str, text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TaskInvalidStructureError(text, f"{path} is not JSON ({error})") from error
    if not isinstance(data, dict):
        raise TaskInvalidStructureError(data, f"{path} must be an object, got {_kind(data)}")
    return data


def _typed(path: str, data: dict[str, Any], wanted: Mapping[str, type]) -> dict[str, Any]:
    for name, kind in wanted.items():
        if name not in data:
            raise TaskMissingFieldError(f"{path}.{name}")
        value = data[name]
        accepted = (int, float) if kind is float else kind
        if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
            raise TaskInvalidTypeError(f"{path}.{name}", value, _KINDS[kind], _kind(value))
    return data


def _kind(value: object) -> str:
    return "null" if value is None else _KINDS.get(type(value), type(value).__name__)
