"""What becomes of a schedule that is handed in again under its name."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from duly import Cron
from duly.errors import InvalidInputError
from duly.ports.codec import encode_trigger
from duly.ports.records import StoredSchedule
from duly.service.schedules.merging import refuse_existing, update_existing

HOURLY, DAILY = encode_trigger(Cron("0 * * * *")), encode_trigger(Cron("0 0 * * *"))
NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


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
    assert update_existing(None, row()) == row()
    assert refuse_existing(None, row()) == row()


def test_a_used_name_is_refused_when_asked_to() -> None:
    with pytest.raises(InvalidInputError, match="'backup' exists already in 'n' \\(sched_a\\)"):
        refuse_existing(row(), row(id="sched_b"))


def test_the_same_definition_again_changes_nothing() -> None:
    assert update_existing(row(fires=7, next_fire_at=LATER), row(id="sched_b", next_fire_at=NOW)) is None


def test_the_same_definition_brings_back_what_was_set_aside() -> None:
    aside = row(enabled=False, disabled_by="quarantine", quarantine="from a newer version", next_run_at=None, fires=7)
    merged = update_existing(aside, row(id="sched_b", updated_at=NOW))
    assert merged is not None
    assert (merged.id, merged.enabled, merged.disabled_by, merged.quarantine) == ("sched_a", True, None, None)
    assert (merged.next_fire_at, merged.next_run_at, merged.fires) == (LATER, LATER, 7)


def test_a_new_action_keeps_the_time_and_the_history() -> None:
    merged = update_existing(row(fires=7, next_fire_at=LATER, total_runs=6), row(id="sched_b", action='{"a": 2}'))
    assert merged is not None
    assert (merged.id, merged.action, merged.fires, merged.total_runs) == ("sched_a", '{"a": 2}', 7, 6)
    assert (merged.next_fire_at, merged.version) == (LATER, 2)


def test_a_new_trigger_takes_the_new_time() -> None:
    merged = update_existing(row(next_fire_at=NOW), row(trigger=DAILY, next_fire_at=LATER, next_run_at=LATER))
    assert merged is not None
    assert (merged.next_fire_at, merged.next_run_at) == (LATER, LATER)


def test_somebodys_pause_survives_even_a_new_trigger() -> None:
    paused = row(enabled=False, disabled_by="person", next_fire_at=None, next_run_at=None)
    merged = update_existing(paused, row(trigger=DAILY, next_fire_at=LATER))
    assert merged is not None
    assert (merged.enabled, merged.next_fire_at, merged.trigger) == (False, None, DAILY)


@pytest.mark.parametrize(("change", "enabled"), [({"action": '{"a": 2}'}, False), ({"trigger": DAILY}, True)])
def test_an_ended_series_starts_anew_only_with_a_new_when(change: dict[str, str], enabled: bool) -> None:
    ended = row(enabled=False, disabled_by="finished", next_fire_at=None, next_run_at=None, max_runs=3, fires=3)
    merged = update_existing(ended, row(max_runs=3, **change))
    assert merged is not None
    assert (merged.enabled, merged.fires) == (enabled, 0 if enabled else 3)


def test_a_vanished_entry_of_a_file_comes_back_enabled() -> None:
    gone = row(enabled=False, disabled_by="file", next_fire_at=None, next_run_at=None, action='{"a": 0}')
    merged = update_existing(gone, row(next_fire_at=LATER, next_run_at=LATER))
    assert merged is not None
    assert (merged.enabled, merged.disabled_by, merged.next_fire_at) == (True, None, LATER)
