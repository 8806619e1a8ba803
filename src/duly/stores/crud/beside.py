"""What is written beside changed schedules, in the transaction of the change: skips, the step for undo, events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from duly import failpoints
from duly.stores.run_records import lanes_of

if TYPE_CHECKING:
    from duly.model.events import Event
    from duly.ports.changes import Edited, Records
    from duly.stores.crud.database import Transaction


async def write_beside(
    tx: Transaction, edited: Sequence[Edited], records: Records, called_off: Sequence[Event] = ()
) -> None:
    """Write the records of a change; `called_off` are the events of runs that it cancelled."""
    failpoints.hit("change.rows")
    events = [*called_off, *records.events]
    if records.skips and records.at is not None:
        new = await tx.record_skips(records.skips, lanes_of(each.after for each in edited), records.at)
        known = {run.id for run in records.skips} - new
        events = [event for event in events if event.run_id not in known]
    for run_id in records.unskipped:
        await tx.rows("forget_skip", run_id=run_id)
    if records.undo is not None:
        await tx.rows("keep_undo", **tx.free_text_values(records.undo))
    if records.undone is not None:
        await tx.rows("use_undo", token=records.undone, now=records.at)
    if events:
        await tx.write_events(events)
    failpoints.hit("change.beside")
