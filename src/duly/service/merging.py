"""What becomes of a schedule that is handed in again under its name."""

from __future__ import annotations

from dataclasses import fields, replace

from duly.errors import InvalidInputError
from duly.ports.records import StoredSchedule

_DEFINITION = (
    "trigger",
    "action",
    "policy",
    "handler",
    "description",
    "source",
    "max_runs",
    "start_at",
    "end_at",
    "until_at",
    "timezone",
    "display_title",
    "calendar_event_id",
)
_WHEN = ("trigger", "until_at", "max_runs")


def refuse_existing(before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule:
    """A new name is welcome, a used one is an error."""
    if before is not None:
        raise InvalidInputError(
            f"a schedule named {incoming.name!r} exists already in {incoming.namespace!r} ({before.id}): "
            f"update it, or choose another name"
        )
    return incoming


def update_existing(before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule | None:
    """The same name again updates and keeps history; the same definition again changes nothing at all.

    Somebody's pause survives. A series that has ended starts anew only if it was told a new when.
    """
    if before is None:
        return incoming
    if all(getattr(before, name) == getattr(incoming, name) for name in _DEFINITION):
        return None
    same_when = all(getattr(before, name) == getattr(incoming, name) for name in _WHEN)
    merged = replace(
        before,
        **{name: getattr(incoming, name) for name in _DEFINITION},
        version=before.version + 1,
        updated_at=incoming.updated_at,
        quarantine=None,
    )
    if before.disabled_by == "person" or (before.disabled_by == "finished" and same_when):
        return merged
    if not (same_when and before.enabled):
        merged.enabled, merged.disabled_by = incoming.enabled, incoming.disabled_by
        merged.next_fire_at, merged.next_run_at = incoming.next_fire_at, incoming.next_run_at
    if merged.max_runs is not None and merged.fires >= merged.max_runs:
        merged.fires = 0
    return merged


assert {each.name for each in fields(StoredSchedule)} >= {*_DEFINITION}  # noqa: S101  a misspelt name shows at import
