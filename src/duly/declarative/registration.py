"""Check registrations before anything is stored: the first fault by index is raised."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import timedelta
from types import FunctionType
from typing import Any

from duly.cron import Cron
from duly.declarative.errors import (
    CronExpressionInvalidError,
    InvalidRegistrationError,
    NegativeRetryDelayError,
    RegistrationShapeError,
    RegistrationsNotArrayError,
    ScheduleDuplicateTaskError,
)
from duly.declarative.state import Callback, Task
from duly.errors import InvalidCronExpressionError

MAX_NAME = 200
LONGEST_DELAY = timedelta(days=36_500)
Registration = tuple[str, str, Callback, timedelta]
"""Name, cron expression, async callback, retry delay."""
_PARTS = 4


def read_registrations(registrations: object, tz: str) -> dict[str, Task]:
    """Read the tasks from a list of `(name, cron, callback, retry delay)`, in its order."""
    if not isinstance(registrations, list | tuple):
        raise RegistrationsNotArrayError
    tasks: dict[str, Task] = {}
    read_before: dict[str, Cron] = {}
    for index, registration in enumerate(registrations):
        name, expression, callback, delay = _parts(index, registration)
        _check_name(name)
        if name in tasks:
            raise ScheduleDuplicateTaskError(name)
        if expression not in read_before:
            read_before[expression] = _read_cron(expression, tz)
        _check_callback(callback)
        _check_delay(delay)
        tasks[name] = Task(name=name, cron=read_before[expression], callback=callback, retry_delay=delay)
    return tasks


def _parts(index: int, registration: object) -> tuple[str, str, Callable[..., Any], timedelta]:
    if not isinstance(registration, list | tuple) or len(registration) != _PARTS:
        raise RegistrationShapeError(index, registration)
    name, expression, callback, delay = registration
    fits = isinstance(name, str) and isinstance(expression, str) and isinstance(delay, timedelta)
    if not fits or not callable(callback):
        raise RegistrationShapeError(index, registration)
    return name, expression, callback, delay


def _check_name(name: str) -> None:
    if not name:
        raise InvalidRegistrationError("name", name, "must not be empty")
    if len(name) > MAX_NAME:
        raise InvalidRegistrationError("name", name, f"must not be longer than {MAX_NAME} characters")
    if "\0" in name or not _is_text(name):
        raise InvalidRegistrationError("name", name, "must be text that a database can keep")


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read_cron(expression: str, tz: str) -> Cron:
    try:
        return Cron(expression, dialect="posix", tz=tz, dst="wallclock")
    except InvalidCronExpressionError as error:
        raise CronExpressionInvalidError(error.expression, error.field, error.reason) from error


def _check_callback(callback: Callable[..., Any]) -> None:
    if not _is_async(callback):
        raise InvalidRegistrationError("callback", callback, "must be an async function: write it with `async def`")
    if _takes_nothing(callback):
        return
    try:
        inspect.signature(callback).bind()
    except TypeError as error:
        reason = f"must be callable without arguments ({error}): bind them with functools.partial"
        raise InvalidRegistrationError("callback", callback, reason) from error
    except ValueError:
        pass  # some callables, such as builtins, have no signature


def _is_async(callback: Callable[..., Any]) -> bool:
    """Say whether it is an async function or an object that is called like one; the class of such objects is not."""
    return inspect.iscoroutinefunction(callback) or inspect.iscoroutinefunction(type(callback).__call__)


def _takes_nothing(callback: Callable[..., Any]) -> bool:
    """Say whether it plainly takes no arguments: to compute a signature takes longer than all other checks together."""
    if not isinstance(callback, FunctionType) or "__wrapped__" in vars(callback) or "__signature__" in vars(callback):
        return False
    return callback.__code__.co_argcount + callback.__code__.co_kwonlyargcount == 0


def _check_delay(delay: timedelta) -> None:
    if delay < timedelta(0):
        raise NegativeRetryDelayError(delay / timedelta(milliseconds=1))
    if delay > LONGEST_DELAY:
        reason = f"must not be longer than {LONGEST_DELAY.days} days"
        raise InvalidRegistrationError("retryDelay", delay, reason)
