"""Celery's beat: an entry fires here when it fires there, and says what it loses."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from celery.schedules import crontab, schedule
from hypothesis import given
from hypothesis import strategies as st

from duly.recurrence import HourInterval, MinuteInterval, SecondInterval
from duly.service.foreign.celery_beat import find_app, read_app, times_of
from duly.service.foreign.django_tables import read_tables
from duly.service.foreign.entries import ForeignEntry, NotCarriedError, first_times

TABLES = Path(__file__).parents[3] / "data" / "django_celery_beat.sql"
MOMENTS = st.integers(0, 730 * 1440).map(lambda minutes: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes))
NOW = datetime(2026, 11, 19, 12, 0, 30, tzinfo=UTC)


def application(**schedules: Any) -> Celery:
    app = Celery("proj", set_as_current=False)
    app.conf.beat_schedule = {name: {"task": "proj.task", **entry} for name, entry in schedules.items()}
    return app


def only(**entry: Any) -> ForeignEntry:
    (found,) = read_app(application(entry=entry), "heavy")
    return found


def fields(low: int, high: int) -> st.SearchStrategy[str]:
    numbers = st.integers(low, high)
    spans = st.tuples(numbers, numbers).map(lambda pair: f"{min(pair)}-{max(pair)}")
    steps = st.integers(1, 7).map(lambda step: f"*/{step}")
    lists = st.lists(numbers, min_size=1, max_size=3).map(lambda values: ",".join(map(str, values)))
    return st.one_of(st.just("*"), spans, steps, lists)


@given(
    minute=fields(0, 59),
    hour=fields(0, 23),
    day=fields(1, 28),
    month=fields(1, 12),
    weekday=fields(0, 6),
    after=MOMENTS,
)
def test_a_crontab_of_celery_fires_here_when_it_fires_there(
    minute: str, hour: str, day: str, month: str, weekday: str, after: datetime
) -> None:
    every = crontab(minute, hour, weekday, day, month, app=application())
    times = times_of(every, "UTC")
    there = list(first_times(times.next_time, after, 3))
    assert there
    assert there == list(first_times(times.trigger.get_next_occurrence, after, 3))


@given(seconds=st.integers(1, 10_000_000))
def test_an_interval_of_celery_fires_here_when_it_fires_there(seconds: int) -> None:
    times = times_of(schedule(timedelta(seconds=seconds), app=application()), "UTC")
    there = list(first_times(times.next_time, NOW, 3))
    assert there == list(first_times(times.trigger.get_next_occurrence, NOW, 3))


def test_an_interval_is_in_its_largest_unit() -> None:
    assert only(schedule=7200).trigger == HourInterval(2)
    assert only(schedule=timedelta(minutes=5)).trigger == MinuteInterval(5)
    assert only(schedule=61).trigger == SecondInterval(61)


def test_options_of_a_task_become_fields_of_its_schedule() -> None:
    entry = only(schedule=60, args=(1, "x"), kwargs={"a": 2}, options={"queue": "q", "priority": 3, "expires": 600})
    assert entry.fields == {
        "job_name": "proj.task",
        "executor": "heavy",
        "positional": [1, "x"],
        "job_args": {"a": 2},
        "queue": "q",
        "task_priority": 3,
        "catch_up_window": 600.0,
    }
    assert entry.losses == ()


def test_what_is_lost_is_said() -> None:
    entry = only(schedule=60, options={"routing_key": "r", "expires": NOW, "frob": 1})
    assert [each.partition(":")[0].partition(" ")[0] for each in entry.losses] == ["routing_key", "expires", "frob"]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"schedule": 0.1}, "whole seconds"),
        ({"schedule": 60, "args": (object(),)}, "JSON"),
        ({"schedule": 60, "task": None}, "names no task"),
    ],
)
def test_what_cannot_be_carried_over_says_why(entry: dict[str, Any], reason: str) -> None:
    found = only(**entry)
    assert found.trigger is None
    assert reason in str(found.refusal)


def test_a_wrong_name_of_an_application_is_refused() -> None:
    with pytest.raises(NotCarriedError, match="no Celery application can be had from 'no_such_module_here'"):
        find_app("no_such_module_here")


# django-celery-beat


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, ForeignEntry]:
    file = tmp_path / "db.sqlite3"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(TABLES.read_text(encoding="utf-8"))
    return {each.name: each for each in read_tables(f"sqlite:///{file}", "heavy")}


def test_the_tables_of_django_are_read(tables: dict[str, ForeignEntry]) -> None:
    report = tables["report"]
    assert report.written == "30 */2 * * mon-fri"
    assert report.fields == {
        "job_name": "proj.report",
        "executor": "heavy",
        "positional": [1, "x"],
        "job_args": {"a": 1},
        "queue": "reports",
        "task_priority": 3,
        "catch_up_window": 600.0,
        "description": "Every two hours",
    }
    assert report.trigger is not None
    there = list(first_times(report.next_time, NOW, 3))
    assert there == list(first_times(report.trigger.get_next_occurrence, NOW, 3))
    assert there[0] == datetime(2026, 11, 19, 13, 30, tzinfo=UTC)  # half past an even hour in Rome


def test_both_days_count_in_a_table_of_django(tables: dict[str, ForeignEntry]) -> None:
    trigger = tables["sunday"].trigger
    assert trigger is not None
    assert trigger.get_next_occurrence(NOW) == datetime(2026, 12, 6, 4, tzinfo=UTC)


def test_a_disabled_task_stays_disabled(tables: dict[str, ForeignEntry]) -> None:
    assert tables["tick"].fields["enabled"] is False


def test_a_task_at_one_moment_comes_once(tables: dict[str, ForeignEntry]) -> None:
    at = datetime(2027, 3, 1, 8, tzinfo=UTC)
    assert list(first_times(tables["once"].next_time, NOW, 3)) == [at]


def test_what_a_table_says_and_duly_does_not_do_is_named(tables: dict[str, ForeignEntry]) -> None:
    assert "whole seconds" in str(tables["often"].refusal)
    assert "sunset of the sun" in str(tables["dusk"].refusal)
    routed = tables["routed"]
    assert routed.fields["max_runs"] == 1
    assert {each.partition(":")[0].partition(" ")[0] for each in routed.losses} == {
        "exchange",
        "routing_key",
        "headers",
        "start_time",
    }


@pytest.mark.parametrize("url", ["sqlite:///no/such/file", "mysql://here/db", "nonsense"])
def test_a_database_that_is_not_there_is_refused(url: str) -> None:
    with pytest.raises(NotCarriedError):
        read_tables(url, "heavy")


def test_a_database_without_the_tables_is_refused(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "empty").close()
    (tmp_path / "empty").touch()
    with pytest.raises(NotCarriedError, match="tables of django-celery-beat cannot be read there: no such table"):
        read_tables(f"sqlite:///{tmp_path}/empty", "heavy")
