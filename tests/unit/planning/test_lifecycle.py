"""The life of a schedule: examples of each transition, and laws that hold for every schedule and every time."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from duly import Cron
from duly.errors import InvalidInputError
from duly.model.policy import Policy
from duly.model.trigger import Trigger
from duly.planning import lifecycle
from duly.planning.lifecycle import SyncOutcome
from duly.ports.codec import decode_trigger, encode_policy, encode_trigger
from duly.ports.records import Due, StoredSchedule
from duly.ports.row_reader import READER
from duly.recurrence import Once, as_trigger

HOURLY, DAILY = encode_trigger(Cron("0 * * * *")), encode_trigger(Cron("0 0 * * *"))
NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
merge = partial(lifecycle.merge, read=READER)


def row(**fields: object) -> StoredSchedule:
    base = StoredSchedule(
        id="sched_a",
        namespace="n",
        name="backup",
        trigger=HOURLY,
        action='{"a": 1}',
        policy="{}",
        handler="job:backup",
        next_fire_at=NOW,
        next_run_at=NOW,
        created_at=NOW,
        updated_at=NOW,
    )
    return replace(base, **fields)  # type: ignore[arg-type]  # a table of fields


def test_a_new_name_is_stored_as_it_comes() -> None:
    assert merge(None, row()) == row()
    assert lifecycle.create(None, row()) == row()


def test_a_used_name_is_refused_when_asked_to() -> None:
    with pytest.raises(InvalidInputError, match="'backup' exists already in 'n' \\(sched_a\\)"):
        lifecycle.create(row(), row(id="sched_b"))


def test_the_same_definition_again_changes_nothing() -> None:
    assert merge(row(fires=7, next_fire_at=LATER), row(id="sched_b", next_fire_at=NOW)) is None


def test_the_same_definition_ends_a_quarantine() -> None:
    aside = row(enabled=False, disabled_by="quarantine", quarantine="from a newer version", next_run_at=None, fires=7)
    merged = merge(aside, row(id="sched_b", updated_at=NOW))
    assert merged is not None
    assert (merged.id, merged.enabled, merged.disabled_by, merged.quarantine) == ("sched_a", True, None, None)
    assert (merged.next_fire_at, merged.next_run_at, merged.fires) == (LATER, LATER, 7)


def test_a_new_action_keeps_the_time_and_the_history() -> None:
    merged = merge(row(fires=7, next_fire_at=LATER, total_runs=6), row(id="sched_b", action='{"a": 2}'))
    assert merged is not None
    assert (merged.id, merged.action, merged.fires, merged.total_runs) == ("sched_a", '{"a": 2}', 7, 6)
    assert merged.next_fire_at == LATER


def test_a_new_trigger_takes_the_new_time() -> None:
    merged = merge(row(next_fire_at=NOW), row(trigger=DAILY, next_fire_at=LATER, next_run_at=LATER))
    assert merged is not None
    assert (merged.next_fire_at, merged.next_run_at) == (LATER, LATER)


def test_a_persons_pause_survives_even_a_new_trigger() -> None:
    paused = row(enabled=False, disabled_by="person", next_fire_at=None, next_run_at=None)
    merged = merge(paused, row(trigger=DAILY, next_fire_at=LATER))
    assert merged is not None
    assert (merged.enabled, merged.next_fire_at, merged.trigger) == (False, None, DAILY)


@pytest.mark.parametrize(("change", "enabled"), [({"action": '{"a": 2}'}, False), ({"trigger": DAILY}, True)])
def test_an_ended_series_starts_anew_only_with_a_new_when(change: dict[str, str], enabled: bool) -> None:
    ended = row(enabled=False, disabled_by="finished", next_fire_at=None, next_run_at=None, max_runs=3, fires=3)
    merged = merge(ended, row(max_runs=3, **change))
    assert merged is not None
    assert (merged.enabled, merged.fires) == (enabled, 0 if enabled else 3)


def test_a_vanished_entry_of_a_file_comes_back_enabled() -> None:
    gone = row(enabled=False, disabled_by="file", next_fire_at=None, next_run_at=None, action='{"a": 0}')
    merged = merge(gone, row(next_fire_at=LATER, next_run_at=LATER))
    assert merged is not None
    assert (merged.enabled, merged.disabled_by, merged.next_fire_at) == (True, None, LATER)


TRIGGERS: list[Trigger] = [
    Cron("0 * * * *"),
    Cron("30 8 * * 1-5", tz="Europe/Berlin"),
    Cron("*/7 * * * *", tz="America/New_York"),
    Cron("0 0 29 2 *"),
    Once(NOW + timedelta(days=3)),
    as_trigger(lambda every: every.every(5).minutes()),
    as_trigger(lambda every: every.every(2).days()),
]
POLICIES = [Policy(), Policy(stagger_key="tenant", max_stagger_seconds=300)]
moments = st.integers(-300 * 86_400, 500 * 86_400).map(lambda seconds: NOW + timedelta(seconds=seconds))
maybe_moments = st.none() | moments


@st.composite
def rows(draw: st.DrawFn, *, resting: bool = True) -> StoredSchedule:
    """A row that the engine and callers may have left behind: enabled, or off for one of the reasons there are."""
    enabled = draw(st.booleans())
    rests = draw(st.booleans()) if resting else False
    fire_at = draw(moments) if enabled else None
    return row(
        trigger=encode_trigger(draw(st.sampled_from(TRIGGERS))),
        policy=encode_policy(draw(st.sampled_from(POLICIES))),
        source=draw(st.sampled_from(["db", "toml"])),
        enabled=enabled,
        disabled_by=None if enabled else draw(st.sampled_from(["person", "file", "finished"])),
        next_fire_at=fire_at,
        next_run_at=None if rests else fire_at,
        resting="folder /gone is missing" if rests else None,
        resting_since=NOW if rests else None,
        watermark=draw(maybe_moments),
        until_at=draw(maybe_moments),
        max_runs=draw(st.none() | st.integers(1, 5)),
        fires=draw(st.integers(0, 5)),
        total_runs=draw(st.integers(0, 9)),
        version=draw(st.integers(1, 9)),
    )


def resumed(paused: StoredSchedule, now: datetime) -> StoredSchedule:
    """Resume a row, or leave the example out: its series has ended."""
    try:
        after = lifecycle.resume(paused, now, READER)
    except InvalidInputError:
        assume(False)
        raise
    assert after is not None
    return after


def check_rules(before: StoredSchedule, after: StoredSchedule) -> None:
    """The rules of the module's docstring."""
    if not after.enabled:
        assert (after.next_fire_at, after.next_run_at) == (None, None)
        assert after.disabled_by is not None
    if after.resting is not None:
        assert after.next_run_at is None
    for name in ("id", "namespace", "created_at", "total_runs", "last_run_at", "consecutive_failures"):
        assert getattr(after, name) == getattr(before, name)
    assert after.version >= before.version


@given(rows(), moments)
def test_pause_and_resume_keep_the_definition_and_never_fire_in_the_past(before: StoredSchedule, now: datetime) -> None:
    paused = lifecycle.pause(before, now)
    check_rules(before, paused)
    after = resumed(paused, now)
    check_rules(before, after)
    for name in ("name", "trigger", "action", "policy", "handler", "until_at", "max_runs", "watermark"):
        assert getattr(after, name) == getattr(before, name)
    assert after.next_fire_at is not None
    assert after.next_fire_at >= now
    assert after.resting == before.resting


@given(rows(resting=False), moments, maybe_moments)
def test_resume_computes_the_next_fire_from_now(before: StoredSchedule, now: datetime, stood: datetime | None) -> None:
    """Where the row stood before the pause makes no difference."""
    after = resumed(lifecycle.pause(before, now), now)
    assert after == resumed(lifecycle.pause(replace(before, next_fire_at=stood, next_run_at=stood), now), now)
    assert after.next_fire_at is not None
    if before.watermark is not None:
        assert after.next_fire_at > before.watermark or after.next_fire_at >= now
    if before.fires > 0 and before.watermark is None:
        assert after.next_fire_at == decode_trigger(before.trigger).get_next_occurrence(now)


@given(rows(), moments)
def test_an_enabled_schedule_is_not_resumed(before: StoredSchedule, now: datetime) -> None:
    assume(before.enabled)
    assert lifecycle.resume(before, now, READER) is None


@given(rows(), moments, moments)
def test_restore_undoes_a_deletion_and_keeps_the_name(before: StoredSchedule, now: datetime, later: datetime) -> None:
    deleted = lifecycle.delete(before, now)
    check_rules(before, deleted)
    assert deleted.deleted_at == now
    after = lifecycle.restore(deleted, later)
    assert after == replace(lifecycle.pause(before, now), updated_at=later)
    assert lifecycle.restore(deleted, later, "other") == replace(after, name="other")
    with pytest.raises(InvalidInputError, match="is not deleted"):
        lifecycle.restore(after, later, "other")


@given(rows(), rows(), moments)
def test_a_merge_keeps_the_id_and_the_counters_and_changes_nothing_a_second_time(
    before: StoredSchedule, other: StoredSchedule, now: datetime
) -> None:
    incoming = replace(other, id="sched_new", resting=None, updated_at=now)
    after = merge(before, incoming)
    if after is not None:
        check_rules(before, after)
        assert (after.trigger, after.action) == (incoming.trigger, incoming.action)
        assert merge(after, incoming) is None


@given(rows(), rows(), moments, st.booleans(), st.booleans())
def test_an_edit_keeps_the_id_and_the_history(
    before: StoredSchedule, other: StoredSchedule, now: datetime, new_when: bool, new_until: bool
) -> None:
    fresh = replace(other, id="sched_new", name="renamed", resting=None, updated_at=now)
    if not new_when:
        fresh.trigger = before.trigger
    try:
        after = lifecycle.edit(before, fresh, now, READER, new_when=new_when, new_words=False, new_until=new_until)
    except InvalidInputError:
        assume(False)
        raise
    check_rules(before, after)
    assert (after.name, after.updated_at) == ("renamed", now)
    assert after.fires in (before.fires, 0)
    if before.enabled and fresh.enabled and not new_when and after.enabled:
        assert after.next_fire_at == before.next_fire_at, "an edit of other fields leaves the next fire as it is"
    if not before.enabled and after.enabled and not new_when:
        assert after.next_fire_at is not None
        assert after.next_fire_at >= now


@given(rows(resting=False), moments)
def test_wake_undoes_rest(before: StoredSchedule, now: datetime) -> None:
    resting = lifecycle.rest(before, "program is missing", now)
    if not before.enabled:
        assert resting is None
        return
    assert resting is not None
    check_rules(before, resting)
    assert (resting.next_fire_at, resting.resting_since) == (before.next_fire_at, now)
    assert lifecycle.rest(resting, "program is missing", now) is None
    after = lifecycle.wake(resting, READER)
    assert after is not None
    assert lifecycle.wake(after, READER) is None
    assert after.next_run_at is not None
    assert before.next_fire_at is not None
    assert before.next_fire_at <= after.next_run_at <= before.next_fire_at + timedelta(seconds=300)
    assert replace(after, next_run_at=before.next_run_at) == before


CHANGES: list[Callable[[StoredSchedule, datetime], StoredSchedule]] = [
    lambda each, now: lifecycle.pause(each, now),
    lambda each, now: resumed(lifecycle.pause(each, now), now),
    lambda each, _now: lifecycle.take_over(each, "tok_a", "admin"),
    lambda each, now: merge(each, replace(each, description="other", updated_at=now)) or each,
]


@pytest.mark.parametrize("change", CHANGES, ids=["pause", "resume", "take over", "merge"])
@given(before=rows(), now=moments)
def test_a_change_that_leaves_the_action_leaves_the_rest(
    change: Callable[[StoredSchedule, datetime], StoredSchedule], before: StoredSchedule, now: datetime
) -> None:
    after = change(before, now)
    check_rules(before, after)
    assert (after.resting, after.resting_since) == (before.resting, before.resting_since)


@given(rows(), moments)
def test_a_new_action_ends_the_rest(before: StoredSchedule, now: datetime) -> None:
    after = merge(before, replace(before, action='{"a": 2}', updated_at=now))
    assert after is not None
    assert after.resting is None


@given(rows(), moments, moments)
def test_a_schedule_that_vanishes_from_its_file_and_comes_back_fires_again(
    before: StoredSchedule, now: datetime, later: datetime
) -> None:
    before = replace(before, source="toml")
    gone = lifecycle.sync_vanished(before, now)
    if not before.enabled:
        assert gone == (SyncOutcome.UNCHANGED, None), "a pause, an end and an absence stay as they are"
        return
    assert gone.outcome is SyncOutcome.DISABLED
    assert gone.row is not None
    check_rules(before, gone.row)
    assert gone.row.disabled_by == "file"
    entry = replace(before, id="sched_new", next_fire_at=later, next_run_at=later, resting=None, updated_at=now)
    back = lifecycle.sync(gone.row, entry, now, READER)
    assert back.outcome is SyncOutcome.ENABLED
    assert back.row is not None
    check_rules(before, back.row)
    assert (back.row.enabled, back.row.next_fire_at) == (True, later)


@given(rows(), rows(), moments)
def test_a_sync_twice_changes_nothing_the_second_time(
    before: StoredSchedule, entry: StoredSchedule, now: datetime
) -> None:
    entry = replace(entry, id="sched_new", source="toml", resting=None, updated_at=now)
    entry = replace(entry, disabled_by=None if entry.enabled else "file")
    first = lifecycle.sync(before, entry, now, READER)
    again = lifecycle.sync(first.row or before, entry, now, READER)
    assert again == (SyncOutcome.UNCHANGED, None)
    if before.disabled_by == "person" and first.row is not None:
        assert first.row.disabled_by == "person", "a file does not end a person's pause"


@given(rows())
def test_a_skip_leaves_out_one_fire_and_goes_on_after_it(before: StoredSchedule) -> None:
    if before.next_fire_at is None:
        with pytest.raises(InvalidInputError, match="no next fire to skip"):
            lifecycle.skip_next(before, READER)
        return
    after = lifecycle.skip_next(before, READER)
    assert after.watermark == before.next_fire_at
    if after.next_fire_at is None:
        assert (after.enabled, after.disabled_by) == (False, "finished")
    else:
        assert after.next_fire_at > before.next_fire_at
        assert before.until_at is None or after.next_fire_at <= before.until_at
    if before.resting is not None or after.next_fire_at is None:
        assert after.next_run_at is None


def due_of(stored: StoredSchedule) -> Due:
    names = ("id", "namespace", "name", "trigger", "action", "policy", "handler", "next_fire_at", "next_run_at")
    values: dict[str, Any] = {
        name: getattr(stored, name) for name in (*names, "until_at", "max_runs", "fires", "enabled")
    }
    return Due(**values)


@given(rows(), moments)
def test_a_move_to_another_zone_keeps_a_fire_that_is_due(before: StoredSchedule, now: datetime) -> None:
    there = Cron("30 8 * * 1-5", tz="Asia/Tokyo")
    after = lifecycle.move(before, there, encode_trigger(there), "Asia/Tokyo", now)
    assert (after.id, after.timezone) == (before.id, "Asia/Tokyo")
    if before.next_fire_at is None or before.next_fire_at <= now:
        assert after.next_fire_at == before.next_fire_at
    else:
        assert after.next_fire_at == there.get_next_occurrence(now)


@given(rows(), moments)
def test_a_task_that_is_registered_twice_changes_once(before: StoredSchedule, fire_at: datetime) -> None:
    incoming = row(trigger=DAILY, action='{"a": 2}')
    changes = lifecycle.redeclare(before, incoming, fire_at)
    after = replace(before, **changes)
    assert (after.trigger, after.enabled, after.next_fire_at, after.next_run_at) == (DAILY, True, fire_at, fire_at)
    assert lifecycle.redeclare(after, incoming, fire_at) == {}
