"""Persistence Semantics & Overrides, on both stores."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import apsw
import psycopg
import pytest

from duly.declarative import (
    Scheduler,
    TaskInvalidStructureError,
    TaskInvalidTypeError,
    TaskInvalidValueError,
    TaskMissingFieldError,
    TaskState,
    TaskStatus,
    TaskTryDeserializeError,
)
from duly.errors import StoreUnavailableError
from duly.model.run import Status
from duly.ports.records import RunFilter, ScheduleFilter, StoredSchedule
from duly.ports.store import Store
from duly.stores import open_store
from tests.conformance.declarative.harness import DELAY, EVERY_MINUTE, SchedulerHarness, at, scheduled, state

HOURLY = "0 * * * *"
NAMESPACE = "declarative:default"


class Opened:
    """The store itself, to look behind the scheduler and to damage what it keeps."""

    def __init__(self, harness: SchedulerHarness) -> None:
        self._store = open_store(harness.store, harness.clock, inline=True)

    async def __aenter__(self) -> Store:
        await self._store.open()
        return self._store

    async def __aexit__(self, *_: object) -> None:
        await self._store.close()


async def rows_of(harness: SchedulerHarness, *, deleted: bool = False) -> list[StoredSchedule]:
    async with Opened(harness) as store:
        return await store.schedules(ScheduleFilter(namespace=NAMESPACE, deleted=deleted))


async def damage(harness: SchedulerHarness, change: Callable[[StoredSchedule], StoredSchedule]) -> None:
    [row] = await rows_of(harness)
    async with Opened(harness) as store:
        await store.edit([row.id], change)


def counts(harness: SchedulerHarness) -> dict[str, int]:
    told = harness.last("SchedulerInitializationCompleted").data
    return {name: told[name] for name in ("new", "preserved", "overridden", "orphaned", "removed") if told[name]}


# Classification


@scheduled
async def test_a_new_task_is_created_with_first_startup_semantics(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    await harness.start_all(
        ("now", "0 10 * * *", harness.work("now"), DELAY),
        ("later", HOURLY[:2] + "11 * * *", harness.work("later"), DELAY),
    )
    assert counts(harness) == {"new": 2}
    assert (len(harness.work("now").calls), len(harness.work("later").calls)) == (1, 0)


@scheduled
async def test_a_preserved_task_continues_with_its_state(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    scheduler = await harness.start(HOURLY)
    await scheduler.stop()
    await harness.travel(minutes=30)
    again = await harness.start(HOURLY)
    assert counts(harness) == {"preserved": 1}
    assert again.tasks["a"] == TaskStatus(TaskState.AWAITING_RUN, at(10, 0), at(10, 0), None)
    assert harness.count("TaskOverridden") == 0
    await harness.travel(minutes=30)
    assert harness.work().calls == [at(10, 0), at(11, 0)]


@scheduled
async def test_an_overridden_task_has_the_new_configuration_and_keeps_its_history(
    durable_harness: SchedulerHarness,
) -> None:
    harness = durable_harness
    scheduler = await harness.start(HOURLY, DELAY)
    await scheduler.stop()
    await harness.travel(minutes=10)
    again = await harness.start("15 * * * *", timedelta(minutes=1))
    assert counts(harness) == {"overridden": 1}
    assert harness.last("TaskOverridden").data == {
        "scheduler": "default",
        "task": "a",
        "cron": "15 * * * *",
        "previous_cron": HOURLY,
        "retry_delay": 60.0,
        "previous_retry_delay": 300.0,
    }
    assert again.tasks["a"].last_success_at == at(10, 0)
    harness.work(fails=True)
    await harness.travel(minutes=8)
    assert harness.work().calls == [at(10, 0), at(10, 15), at(10, 16), at(10, 17), at(10, 18)]


@scheduled
async def test_an_overridden_task_keeps_the_absolute_time_of_its_retry(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    harness.work(fails=True)
    scheduler = await harness.start(HOURLY, timedelta(minutes=30))
    await scheduler.stop()
    harness.relax()
    again = await harness.start("0 10 * * *", timedelta(minutes=1))
    assert again.tasks["a"].pending_retry_until == at(10, 30)
    await harness.travel(hours=2)
    assert harness.work().calls == [at(10, 0), at(10, 30)]
    assert harness.count("TaskRetryStarted") == 1


@scheduled
async def test_a_time_of_the_new_expression_that_passed_since_the_last_attempt_was_missed(
    harness: SchedulerHarness,
) -> None:
    scheduler = await harness.start(HOURLY)
    await scheduler.stop()
    await harness.travel(minutes=30)
    await harness.start("20 * * * *")
    assert harness.work().calls == [at(10, 0), at(10, 30)]


@pytest.mark.parametrize(
    ("cron", "delay", "overridden"),
    [
        (HOURLY, DELAY, False),
        ("0  * * * *", DELAY, True),
        ("00 * * * *", DELAY, True),
        (HOURLY, DELAY + timedelta(microseconds=1), True),
        (HOURLY, timedelta(0), True),
    ],
)
@scheduled
async def test_tasks_are_identical_if_and_only_if_name_cron_string_and_delay_match_exactly(
    harness: SchedulerHarness, cron: str, delay: timedelta, overridden: bool
) -> None:
    scheduler = await harness.start(HOURLY, DELAY)
    await scheduler.stop()
    await harness.start(cron, delay)
    assert counts(harness) == {"overridden" if overridden else "preserved": 1}
    assert harness.count("TaskOverridden") == overridden
    [row] = await rows_of(harness)
    assert row.version == 1 + overridden


@scheduled
async def test_another_callback_or_zone_is_no_override(harness: SchedulerHarness) -> None:
    scheduler = await harness.start("0 12 * * *")
    await scheduler.stop()
    await harness.start_all(("a", "0 12 * * *", harness.work("other"), DELAY), tz="Europe/Berlin")
    assert counts(harness) == {"preserved": 1}
    await harness.travel(hours=24)
    assert harness.work("other").calls == [at(10, 0), at(10, 0, day=2)]  # noon in Berlin
    assert harness.work().calls == []


@scheduled
async def test_a_task_that_is_no_longer_registered_never_runs(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    harness.work("gone", fails=True)
    registrations = [("gone", EVERY_MINUTE, harness.work("gone"), DELAY), ("kept", HOURLY, harness.work("kept"), DELAY)]
    scheduler = await harness.start_all(*registrations)
    await scheduler.stop()
    await harness.start_all(registrations[1])
    assert counts(harness) == {"preserved": 1, "removed": 1}
    await harness.travel(hours=1)
    assert (len(harness.work("gone").calls), len(harness.work("kept").calls)) == (1, 2)


@scheduled
async def test_the_history_of_a_task_that_is_no_longer_registered_stays(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    scheduler = await harness.start(EVERY_MINUTE)
    await harness.travel(minutes=2)
    await scheduler.stop()
    await harness.start_all()
    [gone] = await rows_of(harness, deleted=True)
    async with Opened(harness) as store:
        runs = await store.runs(RunFilter(schedule_id=gone.id))
    assert [run.status for run in runs] == [Status.SUCCEEDED] * 3


@scheduled
async def test_a_task_registered_again_counts_as_new(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    scheduler = await harness.start(HOURLY)
    await scheduler.stop()
    await scheduler.initialize([])
    await scheduler.stop()
    await harness.travel(minutes=90)
    again = await harness.start(HOURLY)
    assert counts(harness) == {"new": 1}
    assert again.tasks["a"] == TaskStatus(TaskState.AWAITING_RUN, None, None, None)
    assert len(harness.work().calls) == 1  # what it missed, it missed


@scheduled
async def test_while_a_scheduler_is_stopped_no_engine_plans_its_tasks(harness: SchedulerHarness) -> None:
    scheduler = await harness.start(EVERY_MINUTE)
    await scheduler.stop()
    [row] = await rows_of(harness)
    assert row.next_run_at is None
    await harness.start_all(("other", EVERY_MINUTE, harness.work("other"), DELAY), name="other")
    await harness.travel(minutes=5)
    async with Opened(harness) as store:
        assert len(await store.runs(RunFilter(schedule_id=row.id))) == 1
        assert (await store.overview(harness.clock.now())).unserved == {}


# Scheduler Identifier


@scheduled
async def test_a_fresh_identifier_is_generated_per_initialize_and_kept_only_on_runs_in_flight(
    harness: SchedulerHarness,
) -> None:
    harness.work(seconds=10)
    scheduler = await harness.start()
    first = scheduler.identifier
    [row] = await rows_of(harness)
    async with Opened(harness) as store:
        [run] = await store.runs(RunFilter(schedule_id=row.id))
        assert run.owner == first
        await harness.travel(seconds=20)
        [run] = await store.runs(RunFilter(schedule_id=row.id))
        assert run.owner is None
    await scheduler.stop()
    await scheduler.initialize([("a", HOURLY, harness.work(), DELAY)])
    assert first is not None
    assert scheduler.identifier not in (None, first)


@scheduled
async def test_a_scheduler_that_others_took_for_dead_has_a_new_identifier(harness: SchedulerHarness) -> None:
    scheduler = await harness.start()
    first = scheduler.identifier
    assert scheduler._engine is not None
    scheduler._engine._membership.lose("was taken for dead")
    await harness.travel(minutes=1)
    assert scheduler.identifier not in (None, first)
    again = scheduler.identifier
    await scheduler.stop()
    assert scheduler.identifier == again
    assert harness.last("SchedulerStopped").node_id == again


# Override Atomicity


@scheduled
async def test_overrides_are_applied_atomically_or_not_at_all(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    names = ["a", "b", "c"]
    scheduler = await harness.start_all(*((name, HOURLY, harness.work(name), DELAY) for name in names))
    await scheduler.stop()
    before = await rows_of(harness)
    damaged = before[1]
    async with Opened(harness) as store:
        await store.edit([damaged.id], lambda row: replace(row, policy="{}"))
    before = await rows_of(harness)
    changed = [(name, "30 * * * *", harness.work(name), DELAY) for name in ("a", "b", "new")]
    with pytest.raises(TaskMissingFieldError):
        await scheduler.initialize(changed)
    assert await rows_of(harness) == before
    assert await rows_of(harness, deleted=True) == []
    assert state(scheduler) == "uninitialized"
    assert harness.told[-1] == "SchedulerInitializationFailed"


@scheduled
async def test_a_store_that_fails_in_the_middle_leaves_the_previous_state(
    harness: SchedulerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = await harness.start_all(*((name, HOURLY, harness.work(name), DELAY) for name in "abc"))
    await scheduler.stop()
    before = await rows_of(harness)

    def disk_full(place: str) -> None:
        if place == "save.inserted":
            raise StoreUnavailableError("disk full")

    monkeypatch.setattr("duly.failpoints.hit", disk_full)
    changed = [(name, "30 * * * *", harness.work(name), DELAY) for name in ("a", "new")]
    with pytest.raises(StoreUnavailableError, match="disk full"):
        await scheduler.initialize(changed)
    monkeypatch.undo()
    assert await rows_of(harness) == before
    await scheduler.initialize(changed)
    assert counts(harness) == {"new": 1, "overridden": 1, "removed": 2}


@scheduled
async def test_what_others_planned_is_not_called_off_by_an_initialize_that_fails(
    durable_harness: SchedulerHarness,
) -> None:
    harness = durable_harness
    scheduler = await harness.start(EVERY_MINUTE)
    await harness.crash(scheduler)
    await harness.start_all(("other", HOURLY, harness.work("other"), DELAY), name="other")
    await harness.travel(minutes=1)
    await damage(harness, lambda row: replace(row, policy="{}"))
    [row] = await rows_of(harness)
    again = harness.scheduler()
    with pytest.raises(TaskMissingFieldError):
        await again.initialize([("a", HOURLY, harness.work(), DELAY)])
    async with Opened(harness) as store:
        runs = await store.runs(RunFilter(schedule_id=row.id))
    assert [run.status for run in runs] == [Status.PENDING, Status.SUCCEEDED]


# Damaged records


def without(text: str, *path: str) -> str:
    data = json.loads(text)
    inner = data
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return json.dumps(data)


def with_value(text: str, value: Any, *path: str) -> str:
    data = json.loads(text)
    inner = data
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return json.dumps(data)


Damage = tuple[str, Callable[[StoredSchedule], StoredSchedule], type[TaskTryDeserializeError], dict[str, Any]]
DAMAGES: list[Damage] = [
    (
        "no expression",
        lambda row: replace(row, trigger=without(row.trigger, "expression")),
        TaskMissingFieldError,
        {"field": "trigger.expression"},
    ),
    (
        "overlap is missing",
        lambda row: replace(row, policy=without(row.policy, "overlap")),
        TaskMissingFieldError,
        {"field": "policy.overlap"},
    ),
    (
        "limit of the queue is a text",
        lambda row: replace(row, policy=with_value(row.policy, "1", "queue_limit")),
        TaskInvalidTypeError,
        {"field": "policy.queue_limit", "value": "1", "expectedType": "number", "actualType": "string"},
    ),
    (
        "no retry",
        lambda row: replace(row, policy=without(row.policy, "retry")),
        TaskMissingFieldError,
        {"field": "policy.retry"},
    ),
    (
        "no delay",
        lambda row: replace(row, policy=without(row.policy, "retry", "delay")),
        TaskMissingFieldError,
        {"field": "policy.retry.delay"},
    ),
    (
        "no kind of action",
        lambda row: replace(row, action=without(row.action, "kind")),
        TaskMissingFieldError,
        {"field": "action.kind"},
    ),
    (
        "expression is a number",
        lambda row: replace(row, trigger=with_value(row.trigger, 5, "expression")),
        TaskInvalidTypeError,
        {"field": "trigger.expression", "value": 5, "expectedType": "string", "actualType": "number"},
    ),
    (
        "delay is text",
        lambda row: replace(row, policy=with_value(row.policy, "5m", "retry", "delay")),
        TaskInvalidTypeError,
        {"field": "policy.retry.delay", "value": "5m", "expectedType": "number", "actualType": "string"},
    ),
    (
        "delay is true",
        lambda row: replace(row, policy=with_value(row.policy, True, "retry", "delay")),
        TaskInvalidTypeError,
        {"field": "policy.retry.delay", "value": True, "expectedType": "number", "actualType": "boolean"},
    ),
    (
        "retry is null",
        lambda row: replace(row, policy=with_value(row.policy, None, "retry")),
        TaskInvalidTypeError,
        {"field": "policy.retry", "value": None, "expectedType": "object", "actualType": "null"},
    ),
    (
        "delay is negative",
        lambda row: replace(row, policy=with_value(row.policy, -1, "retry", "delay")),
        TaskInvalidValueError,
        {"field": "policy.retry.delay", "value": -1, "reason": "must be non-negative"},
    ),
    (
        "delay is endless",
        lambda row: replace(row, policy=with_value(row.policy, 1e300, "retry", "delay")),
        TaskInvalidValueError,
        {"field": "policy.retry.delay", "value": 1e300},
    ),
    (
        "expression is nonsense",
        lambda row: replace(row, trigger=with_value(row.trigger, "99 * * * *", "expression")),
        TaskInvalidValueError,
        {"field": "trigger.expression", "value": "99 * * * *"},
    ),
    (
        "zone is unknown",
        lambda row: replace(row, trigger=with_value(row.trigger, "Mars/Phobos", "tz")),
        TaskInvalidValueError,
        {"field": "trigger.tz", "value": "Mars/Phobos"},
    ),
    (
        "not a job",
        lambda row: replace(row, action=with_value(row.action, "prompt", "kind")),
        TaskInvalidValueError,
        {"field": "action.kind", "value": "prompt"},
    ),
    ("no JSON", lambda row: replace(row, trigger="{half"), TaskInvalidStructureError, {"value": "{half"}),
    ("a list", lambda row: replace(row, policy="[1, 2]"), TaskInvalidStructureError, {"value": [1, 2]}),
]


@pytest.mark.parametrize(
    ("change", "kind", "details"), [each[1:] for each in DAMAGES], ids=[each[0] for each in DAMAGES]
)
@scheduled
async def test_a_damaged_record_is_an_error_that_names_the_field(
    harness: SchedulerHarness,
    change: Callable[[StoredSchedule], StoredSchedule],
    kind: type[TaskTryDeserializeError],
    details: dict[str, Any],
) -> None:
    scheduler = await harness.start(HOURLY)
    await scheduler.stop()
    await damage(harness, change)
    [row] = await rows_of(harness)
    with pytest.raises(kind) as caught:
        await scheduler.initialize([("a", HOURLY, harness.work(), DELAY)])
    assert {name: caught.value.details[name] for name in details} == details
    error = caught.value
    assert [error.field, error.value, error.expected_type] == [
        details.get(name) for name in ("field", "value", "expectedType")
    ]
    assert 'in the persisted state of task "a"' in caught.value.__notes__[0]
    assert await rows_of(harness) == [row]
    assert len(harness.work().calls) == 1


NO_TIME = 9_000_000_000_000_000_000
DAMAGED_COLUMNS = [
    ("schedules", "last_run_at", NO_TIME, "schedule.last_run_at"),
    ("schedules", "watermark", -NO_TIME, "schedule.watermark"),
    ("runs", "started_at", NO_TIME, "run.started_at"),
    ("runs", "finished_at", NO_TIME, "run.finished_at"),
    ("runs", "due_at", NO_TIME, "run.due_at"),
    ("runs", "status", "odd", "run.status"),
    ("runs", "origin", "odd", "run.origin"),
    ("runs", "progress", "{half", "run.progress"),
]


@pytest.mark.parametrize(("table", "column", "value", "field"), DAMAGED_COLUMNS)
@scheduled
async def test_a_damaged_column_is_an_error_that_names_it(
    harness: SchedulerHarness, table: str, column: str, value: object, field: str
) -> None:
    harness.work(fails=True)  # so that there is a run that is not finished
    scheduler = await harness.start_all(("a", HOURLY, harness.work(), DELAY), ("b", HOURLY, harness.work("b"), DELAY))
    await scheduler.stop()
    before = await rows_of(harness)
    of_run = "" if table == "schedules" else "schedule_"
    database = apsw.Connection(harness.store)
    changed = f"UPDATE {table} SET {column} = ? WHERE {of_run}id IN (SELECT id FROM schedules WHERE name = ?)"  # noqa: S608
    database.execute(changed, (value, "b" if column == "finished_at" else "a"))
    with pytest.raises(TaskInvalidValueError, match=f"^Invalid value for field '{field}': cannot be read") as caught:
        await scheduler.initialize([("a", "30 * * * *", harness.work(), DELAY)])
    assert caught.value.details == {**caught.value.details, "field": field, "value": value}
    assert caught.value.__notes__ == [f'in the persisted state of "{"b" if column == "finished_at" else "a"}"']
    [trigger] = {row[0] for row in database.execute("SELECT trigger FROM schedules WHERE deleted_at IS NULL")}
    assert trigger == before[0].trigger
    database.close()


@pytest.mark.parametrize("column", ["status", "origin", "progress"])
@scheduled
async def test_a_damaged_column_is_named_on_postgres_too(postgres_harness: SchedulerHarness, column: str) -> None:
    harness = postgres_harness
    harness.work(fails=True)
    scheduler = await harness.start(HOURLY)
    await scheduler.stop()
    async with await psycopg.AsyncConnection.connect(harness.store, autocommit=True) as database:
        await database.execute(f"UPDATE runs SET {column} = '{{half'")  # noqa: S608
    with pytest.raises(TaskInvalidValueError, match=f"^Invalid value for field 'run.{column}': cannot be read"):
        await scheduler.initialize([("a", HOURLY, harness.work(), DELAY)])


NO_TIMES = ["infinity", "-infinity", "20000-01-01T00:00:00Z", "0044-03-15 12:00 BC", "10000-01-01T00:00:00Z"]


@pytest.mark.parametrize(
    ("table", "column", "field", "value"),
    [(*damaged[:2], damaged[3], value) for damaged, value in zip(DAMAGED_COLUMNS, NO_TIMES, strict=False)],
)
@scheduled
async def test_a_time_that_is_none_is_named_on_postgres_too(
    postgres_harness: SchedulerHarness, table: str, column: str, field: str, value: str
) -> None:
    harness = postgres_harness
    name = "b" if column == "finished_at" else "a"
    harness.work(fails=True)
    scheduler = await harness.start_all(("a", HOURLY, harness.work(), DELAY), ("b", HOURLY, harness.work("b"), DELAY))
    await scheduler.stop()
    of_run = "" if table == "schedules" else "schedule_"
    changed = f"UPDATE {table} SET {column} = %s WHERE {of_run}id IN (SELECT id FROM schedules WHERE name = %s)"  # noqa: S608
    async with await psycopg.AsyncConnection.connect(harness.store, autocommit=True) as database:
        await database.execute(changed, (value, name))
    with pytest.raises(TaskInvalidValueError, match=f"^Invalid value for field '{field}': cannot be read") as caught:
        await scheduler.initialize([("a", "30 * * * *", harness.work(), DELAY)])
    assert caught.value.__notes__ == [f'in the persisted state of "{name}"']


@scheduled
async def test_a_damaged_record_of_a_task_that_is_no_longer_registered_is_no_error(harness: SchedulerHarness) -> None:
    scheduler = await harness.start(HOURLY)
    await scheduler.stop()
    await damage(harness, lambda row: replace(row, trigger="{half"))
    await scheduler.initialize([("b", HOURLY, harness.work("b"), DELAY)])
    assert counts(harness) == {"new": 1, "removed": 1}


@scheduled
async def test_what_others_did_to_a_task_is_undone(harness: SchedulerHarness) -> None:
    scheduler = await harness.start(HOURLY)
    await scheduler.stop()
    await damage(harness, lambda row: replace(row, enabled=False, disabled_by="person", max_runs=1, fires=1))
    await scheduler.initialize([("a", HOURLY, harness.work(), DELAY)])
    await harness.travel(hours=2)
    assert len(harness.work().calls) == 3


@scheduled
async def test_a_retry_that_is_due_during_downtime_starts_at_once(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    harness.work(fails=True)
    scheduler: Scheduler = await harness.start("0 10 * * *", DELAY)
    await scheduler.stop()
    harness.relax()
    await harness.travel(hours=1)
    await harness.start("0 10 * * *", DELAY)
    assert harness.work().calls == [at(10, 0), at(11, 0)]
    assert harness.told[-2:] == ["TaskRetryStarted", "TaskRunCompleted"]
