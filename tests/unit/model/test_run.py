"""The key of a fire, and the statuses of a run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from duly.model.run import ACTIVE, Fire, Origin, Run, Status

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_the_key_names_schedule_origin_and_nominal_time() -> None:
    fire = Fire("sched_1", Origin.MANUAL, NOON)
    assert fire.key == "sched_1/manual/2026-03-01T12:00:00+00:00"
    assert Fire("sched_1", Origin.SCHEDULE, NOON + timedelta(microseconds=1)).key.endswith("T12:00:00.000001+00:00")


def test_the_key_does_not_depend_on_the_zone_of_the_time() -> None:
    tokyo = NOON.astimezone(timezone(timedelta(hours=9)))
    here, there = Fire("sched_1", Origin.BACKFILL, NOON), Fire("sched_1", Origin.BACKFILL, tokyo)
    assert here == there
    assert here.key == there.key


def test_a_run_has_the_key_and_the_time_of_its_fire() -> None:
    fire = Fire("sched_1", Origin.SCHEDULE, NOON)
    run = Run(id="run_1", fire=fire, namespace="n", name="a", handler="h", status=Status.PENDING, due_at=NOON)
    assert run.key == fire.key
    assert run.fire_at == NOON


def test_every_status_is_either_active_or_final() -> None:
    assert {status for status in Status if not status.final} == ACTIVE
    assert {str(status) for status in ACTIVE} == {"waiting", "pending", "running"}
    assert len(Status) == 9
