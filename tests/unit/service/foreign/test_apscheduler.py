"""APScheduler: a job fires here when it fires there, and nothing of its pickle is imported or called."""

from __future__ import annotations

import os
import pickle
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from apscheduler.job import Job
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.combining import AndTrigger
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.date import DateTrigger
from apscheduler.triggers.interval import IntervalTrigger
from hypothesis import given
from hypothesis import strategies as st

from duly.service.foreign.apscheduler_jobs import read_jobs
from duly.service.foreign.entries import ForeignEntry, first_times
from tests.unit.service.foreign.test_celery_beat import MOMENTS

NOW = datetime(2026, 11, 19, 12, 0, 30, tzinfo=UTC)
ROME = ZoneInfo("Europe/Rome")
PLACE = f"{__name__}:work"


def work(*_args: Any, **_kwargs: Any) -> None: ...


def state_of(trigger: Any, **options: Any) -> Mapping[str, Any]:
    given: dict[str, Any] = {
        "executor": "default",
        "name": "job",
        "args": (),
        "kwargs": {},
        "misfire_grace_time": 1,
        "coalesce": True,
        "max_instances": 1,
    }
    job = Job(BackgroundScheduler(timezone=UTC), id="job", func=PLACE, trigger=trigger, **{**given, **options})
    job.next_run_time = NOW
    state: Mapping[str, Any] = job.__getstate__()
    return state


def read(folder: Path, *blobs: bytes, known: bool = True, planned: bool = True) -> list[ForeignEntry]:
    file = folder / "jobs.sqlite"
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "CREATE TABLE apscheduler_jobs (id VARCHAR PRIMARY KEY, next_run_time FLOAT, job_state BLOB)"
        )
        connection.executemany(
            "INSERT INTO apscheduler_jobs VALUES (?, ?, ?)",
            [(f"job{number}", 1.0 if planned else None, blob) for number, blob in enumerate(blobs)],
        )
    return read_jobs(f"sqlite:///{file}", lambda place: "work" if known and place == PLACE else None)


def only(folder: Path, trigger: Any, *, known: bool = True, planned: bool = True, **options: Any) -> ForeignEntry:
    (entry,) = read(folder, pickle.dumps(state_of(trigger, **options)), known=known, planned=planned)
    return entry


def spans(low: int, high: int) -> st.SearchStrategy[str]:
    numbers = st.integers(low, high)
    ranges = st.tuples(numbers, numbers).map(lambda pair: f"{min(pair)}-{max(pair)}")
    steps = st.integers(1, high - low).map(lambda step: f"*/{step}")
    return st.one_of(st.just("*"), numbers.map(str), ranges, steps)


@given(
    minute=spans(0, 59),
    hour=spans(0, 23),
    day=st.one_of(spans(1, 28), st.sampled_from(["last", "2nd fri", "last sun"])),
    weekday=st.sampled_from(["*", "0", "6", "mon-fri", "sat,sun", "*/2"]),
    after=MOMENTS,
    protocol=st.integers(3, pickle.HIGHEST_PROTOCOL),
)
def test_a_cron_trigger_fires_here_when_it_fires_there(
    tmp_path_factory: pytest.TempPathFactory,
    minute: str,
    hour: str,
    day: str,
    weekday: str,
    after: datetime,
    protocol: int,
) -> None:
    trigger = CronTrigger(minute=minute, hour=hour, day=day, day_of_week=weekday, timezone=ZoneInfo("UTC"))
    (entry,) = read(tmp_path_factory.getbasetemp(), pickle.dumps(state_of(trigger), protocol))
    if " " in day and weekday != "*":
        assert "cron has one of them" in str(entry.refusal)
        return
    assert entry.trigger is not None, entry.refusal
    there = list(first_times(entry.next_time, after, 2))
    assert there == list(first_times(entry.trigger.get_next_occurrence, after, 2))


def test_zones_seconds_and_ends_are_carried_over(tmp_path: Path) -> None:
    end = datetime(2027, 1, 1, tzinfo=ROME)
    entry = only(tmp_path, CronTrigger(hour=9, minute=30, second=15, timezone=ROME, end_date=end))
    assert entry.trigger is not None
    assert entry.trigger.get_next_occurrence(NOW) == datetime(2026, 11, 20, 8, 30, 15, tzinfo=UTC)
    assert datetime.fromisoformat(entry.fields["until_at"]) == end


def test_intervals_and_dates_are_carried_over(tmp_path: Path) -> None:
    entry = only(tmp_path, IntervalTrigger(hours=2, timezone=UTC), kwargs={"a": 1}, max_instances=3)
    assert entry.fields == {
        "job_name": "work", "job_args": {"a": 1}, "overlap_behavior": "parallel", "max_parallel": 3,
    }  # fmt: skip
    at = NOW + timedelta(days=2)
    assert list(first_times(only(tmp_path, DateTrigger(at)).next_time, NOW, 3)) == [at]


def test_a_paused_job_stays_paused(tmp_path: Path) -> None:
    assert only(tmp_path, IntervalTrigger(hours=2), planned=False).fields["enabled"] is False


def test_what_cannot_be_carried_over_says_why(tmp_path: Path) -> None:
    every = IntervalTrigger(hours=2, timezone=UTC)
    assert "add to [jobs]" in str(only(tmp_path, every, known=False).refusal)
    assert "arguments without names" in str(only(tmp_path, every, args=(1,)).refusal)
    assert "combines triggers" in str(only(tmp_path, AndTrigger([every])).refusal)
    assert "year='2027'" in str(only(tmp_path, CronTrigger(year=2027, timezone=UTC)).refusal)


class Harmful:
    """A pickle that runs a command when it is read in the usual way."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.system, (self.command,))


def test_nothing_of_a_pickle_is_called(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    harm = Harmful(f"touch {witness}")
    state = {**state_of(IntervalTrigger(hours=1)), "kwargs": {"a": harm}}
    (entry,) = read(tmp_path, pickle.dumps(state))
    assert "system, which is not read" in str(entry.refusal)
    assert not witness.exists()


@given(blob=st.binary(max_size=40))
def test_bytes_that_are_no_job_are_refused(tmp_path_factory: pytest.TempPathFactory, blob: bytes) -> None:
    (entry,) = read(tmp_path_factory.getbasetemp(), blob)
    assert entry.refusal
