"""For Celery: workers that carry out what duly hands over. One line beside the app installs it.

    app = Celery("proj")
    duly.celery.install(app)

Within a task, `progress`, `say` and `cancelled` speak with duly; in a task that duly did not hand over they do nothing.
"""

from __future__ import annotations

from typing import Any

from duly.celery.beating import beats
from duly.celery.worker import current_start, install

__all__ = ["cancelled", "install", "progress", "say"]


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
