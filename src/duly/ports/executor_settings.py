"""What `duly.toml` says about one executor. An executor is made as `Class(settings, resolve)`.

`resolve` turns a reference such as `env:BROKER_URL` into the secret, and gives other texts as they are. An executor
calls it when it first connects: what only checks a schedule needs no secret.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path

Resolve = Callable[[str], str]
"""Gives the secret that a text names; raises `ConfigError` for one that is not there."""


class ExecutorKind(StrEnum):
    """Who carries the work out."""

    CELERY = "celery"
    HTTP = "http"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorSettings:
    """One table `[executors.NAME]`, checked."""

    name: str
    kind: ExecutorKind
    tasks: tuple[str, ...]
    """Names and patterns such as `proj.tasks.*`: nothing else may be handed over."""
    app: str | None = None
    """Where the Celery app lives, as `module:name`."""
    broker: str | None = None
    """A URL, or a reference to one."""
    result_backend: str | None = None
    url: str | None = None
    """Where a service takes orders over HTTP."""
    secret: str | None = None
    """A reference to the secret that signs orders."""
    status_url: str | None = None
    cancel_url: str | None = None
    health_url: str | None = None
    timeout: timedelta = timedelta(seconds=10)
    """For each step of a request to a service."""
    allow: tuple[str, ...] = ()
    """Networks that are not public and may be called."""
    queue: str | None = None
    """The queue of jobs that name none; None leaves it to the app."""
    priority: int | None = None
    lease: timedelta = timedelta(seconds=60)
    expires: timedelta | None = None
    """What has not begun so long after it was handed over is missed."""
    not_begun_after: timedelta = timedelta(minutes=5)
    """When people hear that no worker has begun it."""
    soft_time_limit: timedelta | None = None
    time_limit: timedelta | None = None
    reports: bool = True
    """Whether the workers ask for leave and report."""
    callback: str | None = None
    """The address at which workers reach this daemon; filled in with its own where the file has none."""
    folder: Path | None = None
    """Where the module of the app lies: beside the file."""

    @property
    def handler(self) -> str:
        return f"executor:{self.name}"

    def allows(self, task: str) -> bool:
        """Whether a task may be handed over."""
        return any(fnmatchcase(task, each) for each in self.tasks)
