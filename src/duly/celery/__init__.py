"""For Celery: workers that carry out what duly hands over. One line beside the app installs it.

    app = Celery("proj")
    duly.celery.install(app)

In place of beat: `celery -A proj beat -S duly.celery:Scheduler`.

Within a task, `progress`, `say` and `cancelled` speak with duly; in a task that duly did not hand over they do nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duly.celery.beating import beats
from duly.celery.worker import current_start, install

if TYPE_CHECKING:
    from duly.celery.beat import DulyScheduler as Scheduler

__all__ = ["Scheduler", "cancelled", "install", "progress", "say"]


def __getattr__(name: str) -> Any:
    """Load what takes the place of beat when it is asked for: workers never need it."""
    if name != "Scheduler":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from duly.celery.beat import DulyScheduler

    return DulyScheduler


def cancelled() -> bool:
    """Say whether duly no longer wants the outcome of this task: it was cancelled, or another attempt has begun."""
    start = current_start()
    return start is not None and start.cancelled.is_set()


def progress(data: Any) -> None:
    """Report how far this task has got, as JSON: the run shows the latest report."""
    start = current_start()
    if start is not None:
        start.progress(data)
        beats().tell(start)


def say(text: str) -> None:
    """Add lines to the output of the run."""
    start = current_start()
    if start is not None:
        start.say(text)
        beats().tell(start)
