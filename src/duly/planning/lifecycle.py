"""The life of a schedule: create, merge, edit, pause, resume, move, skip, finish, delete, restore, rest, sync. Pure.

Each function gives the row to store next, or None when nothing changes. The time is an argument. A store may call a
function again inside its transaction: it gives the same answer. Three rules hold:

- A row that is not enabled has no next fire, and `disabled_by` says why (a quarantined row keeps its next fire).
- A row that rests keeps its next fire but has no `next_run_at`, so that the engine does not plan it.
- The id, the creation time, the number of runs and the history never change.

Rows hold triggers and policies as text. `RowReader` decodes them, and only where a decision needs them: a damaged row
can still be paused, deleted or replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from duly.errors import ConflictError, DecodeError, InvalidInputError
from duly.model.policy import Policy
from duly.model.schedule import PLAIN_FIELDS
from duly.model.trigger import Trigger
from duly.planning.correction import next_from
from duly.planning.fire import dispatch_at
from duly.recurrence import is_same_series
from duly.recurrence.elapsed import Elapsed
from duly.zones import iso

if TYPE_CHECKING:
    from duly.ports.records import StoredSchedule

LOCAL_CALLER = "local"
"""`changed_by` of a change without a token: by a program, by a file or by the local user."""
_WHAT_RUNS = ("trigger", "action", "policy", "handler")
_EDITED = (*_WHAT_RUNS, *(name for name in PLAIN_FIELDS if name != "until_at"))
_MERGED = (*_EDITED, "source", "until_at", "original_text")
_STATE = ("enabled", "disabled_by", "next_fire_at", "next_run_at")
REGISTERED = {"enabled": True, "disabled_by": None, "quarantine": None, "until_at": None, "max_runs": None}
"""A task has these values after each registration, even if another caller changed them since the last one."""
_REDECLARED = (*_WHAT_RUNS, *REGISTERED, "next_fire_at", "next_run_at")
_what_runs = attrgetter(*_WHAT_RUNS)
_redeclared = attrgetter(*_REDECLARED)


class RowReader(NamedTuple):
    """Decodes the text in a row; raises `DecodeError` for a damaged one."""

    trigger: Callable[[str], Trigger]
    policy: Callable[[str], Policy]

    def run_at(self, row: StoredSchedule, fire_at: datetime | None) -> datetime | None:
        """When the engine dispatches a fire of a row: the fire and the row's stagger."""
        return dispatch_at(self.trigger(row.trigger), self.policy(row.policy), fire_at)


def revised(before: StoredSchedule, after: StoredSchedule, now: datetime) -> StoredSchedule:
    """Count a change of a definition as a new version of it."""
    return replace(after, version=before.version + 1, updated_at=now)


def pause(row: StoredSchedule, now: datetime) -> StoredSchedule:
    """Stop a schedule until a person resumes it."""
    return replace(_switched_off(row, by="person"), updated_at=now)


def resume(row: StoredSchedule, now: datetime, read: RowReader) -> StoredSchedule | None:
    """Let a paused schedule fire again, never for a time before now; None when it is enabled already."""
    if row.enabled:
        return None
    if row.damage is not None:
        raise row.damage.error
    fire_at = _next_from_now(row, now, read)
    if fire_at is None or _is_past_until(row, fire_at):
        raise InvalidInputError(f"{row.name!r} has ended: give it a new time or a later until_at first")
    resumed = replace(
        row,
        enabled=True,
        disabled_by=None,
        quarantine=None,
        fires=0 if _is_used_up(row) else row.fires,
        next_fire_at=fire_at,
        next_run_at=read.run_at(row, fire_at),
        updated_at=now,
    )
    return keep_resting(row, resumed, read)


def delete(row: StoredSchedule, now: datetime, by: str = "person") -> StoredSchedule:
    """Delete a schedule; `restore` brings it back."""
    return replace(_switched_off(row, by=by), updated_at=now, deleted_at=now)


def restore(row: StoredSchedule, now: datetime, name: str | None = None) -> StoredSchedule:
    """Bring a deleted schedule back, paused as it is, under its name or under a new one."""
    if name is not None and row.deleted_at is None:
        raise InvalidInputError(f"{row.name!r} ({row.id}) is not deleted: restore gives only deleted ones a new name")
    return replace(row, deleted_at=None, updated_at=now, name=row.name if name is None else name)


def finish(row: StoredSchedule) -> StoredSchedule:
    """End a series: no further fire is within its limits."""
    return _switched_off(row, by="finished")


def _switched_off(row: StoredSchedule, *, by: str) -> StoredSchedule:
    return replace(row, enabled=False, disabled_by=by, next_fire_at=None, next_run_at=None)


def create(before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule:
    """Store a new schedule; refuse a name that is taken."""
    if before is not None:
        raise InvalidInputError(
            f"a schedule named {incoming.name!r} exists already in {incoming.namespace!r} ({before.id}): "
            f"update it, or choose another name"
        )
    return incoming


def merge(before: StoredSchedule | None, incoming: StoredSchedule, read: RowReader) -> StoredSchedule | None:
    """Create a schedule, or update the one of the same name; None when its definition is the same.

    - The definition ends a quarantine, since the caller just wrote it.
    - A person's pause stays.
    - A resting schedule goes on resting, unless its action changes.
    - New limits leave the next fire as it is.
    - A finished series starts again only with a new trigger or new limits.
    """
    if before is None:
        return incoming
    incoming = _with_first_beginning(before, incoming, read)
    if before.quarantine is None and _are_equal(before, incoming, _MERGED):
        return None
    now = incoming.updated_at
    same_trigger = before.trigger == incoming.trigger
    merged = replace(
        before,
        **_fields(incoming, _MERGED),
        watermark=before.watermark if same_trigger else _accounted_until(before, now),
        quarantine=None,
        damage=None,
        changed_by=before.changed_by if before.action == incoming.action else (incoming.created_by or LOCAL_CALLER),
    )
    same_when = same_trigger and _are_equal(before, incoming, ("until_at", "max_runs"))
    if before.disabled_by == "person" or (before.disabled_by == "finished" and same_when):
        return keep_resting(before, merged, read)
    if not (same_trigger and before.enabled):
        merged = replace(merged, **_fields(incoming, _STATE))
        if same_trigger and merged.enabled:
            merged = _continued(merged, now, read)
    if merged.next_fire_at is not None and _is_past_until(merged, merged.next_fire_at):
        merged = finish(merged)
    if _is_used_up(merged):
        merged = replace(merged, fires=0)
    return keep_resting(before, merged, read)


def edit(
    row: StoredSchedule,
    fresh: StoredSchedule,
    now: datetime,
    read: RowReader,
    *,
    new_when: bool,
    new_words: bool,
    new_until: bool,
) -> StoredSchedule:
    """Change fields of a schedule.

    `fresh` is the row that a new schedule of the edited definition would get. The caller says whether the edit named a
    trigger, the words of one, and `until_at`: fields that it did not name were checked when they were set, so that a
    series that is over may still be renamed.
    """
    changes = {"name": fresh.name, **_fields(fresh, _EDITED)}
    if new_words:
        changes["original_text"] = fresh.original_text
    if new_until:
        changes["until_at"] = fresh.until_at
    after = replace(row, **changes, updated_at=now, quarantine=None)
    if after.start_at is not None and after.until_at is not None and after.until_at < after.start_at:
        raise InvalidInputError(f"until_at {iso(after.until_at)} must not be before start_at {iso(after.start_at)}")
    if new_when and row.trigger != after.trigger:
        after = replace(after, next_fire_at=fresh.next_fire_at, watermark=_accounted_until(row, now))
    elif not row.enabled:
        after = replace(after, next_fire_at=_next_from_now(row, now, read))
    after = _switched_on(row, after, read) if fresh.enabled else _switched_off(after, by=row.disabled_by or "person")
    return keep_resting(row, after, read)


def _switched_on(before: StoredSchedule, after: StoredSchedule, read: RowReader) -> StoredSchedule:
    """Enable a row from its `next_fire_at`, or end it where its limits leave no further fire."""
    if not before.enabled and _is_used_up(after):
        after = replace(after, fires=0)  # a person who enables it again lets it count anew
    if after.next_fire_at is None or _is_past_until(after, after.next_fire_at) or _is_used_up(after):
        if not before.enabled:
            raise InvalidInputError(f"{after.name!r} has ended: give it a new time or a later until_at first")
        return finish(after)
    return replace(after, enabled=True, disabled_by=None, next_run_at=read.run_at(after, after.next_fire_at))


def reschedule(row: StoredSchedule, fresh: StoredSchedule) -> StoredSchedule:
    """Give a reminder a new trigger, which starts from now and replaces the limits of the old one."""
    new = _fields(fresh, ("trigger", "policy", "timezone", "until_at", "max_runs"))
    after = replace(row, **new, fires=0, watermark=_accounted_until(row, fresh.updated_at))
    if row.disabled_by == "person":
        return after
    return replace(
        after, enabled=True, disabled_by=None, next_fire_at=fresh.next_fire_at, next_run_at=fresh.next_run_at
    )


def move(row: StoredSchedule, trigger: Trigger, text: str, zone: str, now: datetime) -> StoredSchedule:
    """Put a schedule on the clocks of another zone. `trigger` is its trigger there, and `text` the encoded form.

    A fire that is due already stays due. A series that counts from its last fire keeps its next fire.
    """
    moved = replace(row, trigger=text, timezone=zone, updated_at=now)
    counts_from_last = isinstance(trigger, Elapsed) and not trigger.fixed_slots
    if row.next_fire_at is None or row.next_fire_at <= now or counts_from_last:
        return moved
    fire_at = trigger.get_next_occurrence(now)
    return replace(moved, next_fire_at=fire_at, next_run_at=fire_at, watermark=_accounted_until(row, now))


def take_over(row: StoredSchedule, token_id: str | None, scope: str) -> StoredSchedule:
    """Make an admin answer for a schedule: its runs have the admin's rights from now on."""
    return replace(row, created_by=token_id, token_scope=scope, changed_by=None)


def redeclare(before: StoredSchedule, incoming: StoredSchedule, fire_at: datetime) -> dict[str, Any]:
    """Register a task again: the columns that change, with their values.

    It gives no row, because the declarative scheduler changes rows in place: to copy ten thousand rows is slow.
    """
    stored = _redeclared(before)
    wanted = (*_what_runs(incoming), *REGISTERED.values(), fire_at, fire_at)
    if stored == wanted:
        return {}
    columns = zip(_REDECLARED, stored, wanted, strict=True)
    return {name: value for name, before_value, value in columns if before_value != value}


def rest(row: StoredSchedule, reason: str, now: datetime) -> StoredSchedule | None:
    """Put a schedule to rest because something that it needs is missing; None when it rests so, or would not fire."""
    if not row.enabled or row.deleted_at is not None or (row.resting == reason and row.next_run_at is None):
        return None
    return replace(row, resting=reason, resting_since=row.resting_since or now, next_run_at=None)


def wake(row: StoredSchedule, read: RowReader) -> StoredSchedule | None:
    """Let a resting schedule go on from its next fire; None when it does not rest.

    That fire may lie in the past: the catch-up policy decides about it, as after any outage.
    """
    if row.resting is None:
        return None
    run_at = row.next_run_at
    if row.enabled and row.next_fire_at is not None:
        try:
            run_at = read.run_at(row, row.next_fire_at)
        except InvalidInputError:  # the planner puts the row into quarantine, and says why
            run_at = row.next_fire_at
    return replace(row, resting=None, resting_since=None, next_run_at=run_at)


def keep_resting(before: StoredSchedule, after: StoredSchedule, read: RowReader) -> StoredSchedule:
    """Let a schedule that rested before a change go on resting, unless the change gave it another action."""
    if before.resting is None:
        return after
    if after.action != before.action:
        return wake(after, read) or after
    return replace(after, next_run_at=None)


def skip_next(row: StoredSchedule, read: RowReader, meant: datetime | None = None) -> StoredSchedule:
    """Leave the next fire of a schedule out; a schedule that rests goes on resting.

    With `meant`, refuse when another fire is the next than the one that the caller saw, nominal or as dispatched.
    """
    fire_at = row.next_fire_at
    if fire_at is None:
        raise InvalidInputError(f"{row.name!r} has no next fire to skip: it is disabled or has ended")
    if meant is not None and meant not in (fire_at, row.next_run_at):
        next_at = iso(row.next_run_at or fire_at)
        raise ConflictError(f"{row.name!r} does not fire next at {iso(meant)}, but at {next_at}: nothing was skipped")
    trigger = read.trigger(row.trigger)
    following = trigger.get_next_occurrence(fire_at)
    if following is None or _is_past_until(row, following):
        return replace(finish(row), watermark=fire_at)
    run_at = None if row.next_run_at is None else dispatch_at(trigger, read.policy(row.policy), following)
    return replace(row, next_fire_at=following, next_run_at=run_at, watermark=fire_at)


class SyncOutcome(StrEnum):
    """What a sync did with a schedule; the fields of `SyncReport` have these names."""

    CREATED = "created"
    UPDATED = "updated"
    ENABLED = "enabled"
    DISABLED = "disabled"
    TAKEN_OVER = "taken_over"
    UNCHANGED = "unchanged"


class SyncStep(NamedTuple):
    """The decision about one schedule of a file."""

    outcome: SyncOutcome
    row: StoredSchedule | None
    """The row to store; None when nothing changes."""


def sync(before: StoredSchedule | None, incoming: StoredSchedule, now: datetime, read: RowReader) -> SyncStep:
    """Bring a schedule in line with its entry in a file.

    The file takes over a schedule of that name that was made at run time, and answers for it from then on. `enabled`
    of the entry decides over what the file disabled, not over a person's pause.
    """
    if before is None:
        return SyncStep(SyncOutcome.CREATED, incoming)
    after = merge(before, incoming, read)
    disables = before.enabled and incoming.disabled_by == "file"
    if before.source != "toml":
        taken = replace(after or before, created_by=None, changed_by=None, token_scope=incoming.token_scope)
        return SyncStep(SyncOutcome.TAKEN_OVER, _disabled_by_file(taken, now) if disables else taken)
    if disables:
        return SyncStep(SyncOutcome.DISABLED, _disabled_by_file(after or before, now))
    if before.disabled_by == "file" and incoming.enabled:
        back = replace(after or before, **_fields(incoming, _STATE), updated_at=now)
        return SyncStep(SyncOutcome.ENABLED, keep_resting(before, back, read))
    return SyncStep(SyncOutcome.UNCHANGED if after is None else SyncOutcome.UPDATED, after)


def sync_vanished(before: StoredSchedule | None, now: datetime) -> SyncStep:
    """Disable a schedule whose entry vanished from its file, unless it is off already or is not the file's."""
    if before is None or before.disabled_by in ("file", "person", "finished") or before.source != "toml":
        return SyncStep(SyncOutcome.UNCHANGED, None)
    return SyncStep(SyncOutcome.DISABLED, _disabled_by_file(before, now))


def _disabled_by_file(row: StoredSchedule, now: datetime) -> StoredSchedule:
    return replace(_switched_off(row, by="file"), updated_at=now)


def _next_from_now(row: StoredSchedule, now: datetime, read: RowReader) -> datetime | None:
    """When a schedule that starts again fires next: its first run if that is still to come, else an occurrence."""
    trigger = read.trigger(row.trigger)
    return _after_skipped(row, trigger, next_from(trigger, now, row.fires))


def _continued(row: StoredSchedule, now: datetime, read: RowReader) -> StoredSchedule:
    """Let a series go on with its first occurrence after now: its first run is behind it."""
    trigger = read.trigger(row.trigger)
    fire_at = _after_skipped(row, trigger, trigger.get_next_occurrence(now))
    if fire_at is None:
        return finish(row)
    return replace(row, next_fire_at=fire_at, next_run_at=read.run_at(row, fire_at))


def _after_skipped(row: StoredSchedule, trigger: Trigger, fire_at: datetime | None) -> datetime | None:
    """Pass over fires that a person skipped ahead of their time: the watermark lies at the last of them."""
    if fire_at is None or row.watermark is None or fire_at > row.watermark:
        return fire_at
    return trigger.get_next_occurrence(row.watermark)


def _accounted_until(row: StoredSchedule, now: datetime) -> datetime | None:
    """The watermark under a new trigger: a watermark in the future stands for skipped fires of the old trigger."""
    return None if row.watermark is None else min(row.watermark, now)


def _with_first_beginning(before: StoredSchedule, incoming: StoredSchedule, read: RowReader) -> StoredSchedule:
    """Keep the stored trigger where the new one is the same series: a monthly one keeps the day it began with."""
    if before.trigger == incoming.trigger:
        return incoming
    try:
        is_same = is_same_series(read.trigger(before.trigger), read.trigger(incoming.trigger))
    except DecodeError:  # the stored trigger is damaged: the new one replaces it
        return incoming
    return replace(incoming, trigger=before.trigger) if is_same else incoming


def _is_past_until(row: StoredSchedule, fire_at: datetime) -> bool:
    return row.until_at is not None and fire_at > row.until_at


def _is_used_up(row: StoredSchedule) -> bool:
    """Whether a series has fired as often as `max_runs` allows."""
    return row.max_runs is not None and row.fires >= row.max_runs


def _fields(row: StoredSchedule, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _are_equal(one: StoredSchedule, other: StoredSchedule, names: tuple[str, ...]) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in names)
