"""How a store changes schedules: what becomes of each row, and what is written beside it.

Both are functions that the store calls inside its transaction. They are pure: it may call them more than once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from duly.ports.records import NewRun, StoredSchedule

if TYPE_CHECKING:
    from duly.model.events import Event
    from duly.ports.remembered import UndoRecord

Merge = Callable[[StoredSchedule | None, StoredSchedule], StoredSchedule | None]
"""Returns the row to store, given the stored row of the same name and the row handed in; None changes nothing."""

Change = Callable[[StoredSchedule], StoredSchedule | None]
"""Returns the row to store instead; None changes nothing. May raise an error, and then no row is changed."""


class Edited(NamedTuple):
    """A schedule before and after a change; it is new where there is none before."""

    before: StoredSchedule | None
    after: StoredSchedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """What is written beside changed schedules, in the transaction of the change."""

    at: datetime | None = None
    """When this was decided; needed with skips and steps."""
    events: Sequence[Event] = ()
    undo: UndoRecord | None = None
    """The step that takes the change back."""
    skips: Sequence[NewRun] = ()
    """Fires that the change left out. One that has a run already stays as it is, and its event is not written."""
    unskipped: Sequence[str] = ()
    """Runs that record a skip, to be deleted so that the fire can come."""
    undone: str | None = None
    """The token of the step that the change takes back."""


Recorder = Callable[[Sequence[Edited]], Records]
"""Returns what is written beside the schedules that changed. It may be asked more than once; the last answer counts."""


def nothing_beside(_edited: Sequence[Edited]) -> Records:
    """Write nothing beside a change."""
    return Records()


@dataclass(frozen=True, slots=True)
class EditResult:
    """What came of a change of schedules."""

    rows: list[StoredSchedule]
    """All that were found, changed or not, in the order asked for."""
    changed: list[Edited]
    records: Records
