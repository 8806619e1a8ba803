"""What is configured about an executor of kind `celery`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Self

from duly.errors import InvalidInputError
from duly.model.action import MOST_PRIORITY
from duly.model.checks import within
from duly.ports.executor_settings import ExecutorSettings, Resolve


@dataclass(frozen=True, slots=True, kw_only=True)
class CelerySettings:
    """The settings of one executor. At least one of `app` and `broker` is given."""

    name: str
    callback: str
    """The address at which workers reach duly."""
    tasks: tuple[str, ...]
    """Which tasks may be run: names, or patterns such as `proj.tasks.*`."""
    app: str | None = None
    """Where Celery's app is, as `module:object`. It is imported to check tasks and queues, and for its routes."""
    folder: Path | None = None
    """Where the module of the app lies."""
    broker: str | None = field(default=None, repr=False)
    """The URL of the broker, if it is not that of the app."""
    result_backend: str | None = field(default=None, repr=False)
    """The URL of the result backend, if it is not that of the app."""
    queue: str | None = None
    priority: int | None = None
    soft_time_limit: float | None = None
    time_limit: float | None = None
    reports: bool = True
    """Whether the workers have `duly.celery`."""

    @classmethod
    def of(cls, table: ExecutorSettings, resolve: Resolve) -> Self:
        """Take what `duly.toml` says, with its secrets."""
        return cls(
            name=table.name,
            callback=table.callback or "",
            tasks=table.tasks,
            app=table.app,
            folder=table.folder,
            broker=None if table.broker is None else resolve(table.broker),
            result_backend=None if table.result_backend is None else resolve(table.result_backend),
            queue=table.queue,
            priority=table.priority,
            soft_time_limit=_seconds(table.soft_time_limit),
            time_limit=_seconds(table.time_limit),
            reports=table.reports,
        )

    def __post_init__(self) -> None:
        if self.app is None and self.broker is None:
            raise InvalidInputError(f"executor {self.name!r} needs app or broker: where Celery's messages go")
        if not self.tasks:
            raise InvalidInputError(f'executor {self.name!r} needs tasks, such as ["proj.tasks.*"]: what may be run')
        if self.priority is not None:
            within("priority", self.priority, 0, MOST_PRIORITY)


def _seconds(length: timedelta | None) -> float | None:
    return None if length is None else length.total_seconds()
