"""The log writes each new event at once, and counts events that repeat for the same reason."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from duly.clock import SystemClock
from duly.model.events import (
    RUN_FAILED,
    RUN_MISSED,
    RUN_RETRYING,
    RUN_SKIPPED,
    SCHEDULE_CREATED,
    SCHEDULE_UPDATED,
    Event,
)
from duly.telemetry.log import EventLog
from duly.testing import VirtualClock


class Book:
    """A log on virtual time, and what it wrote."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self.clock = VirtualClock()
        self.log = EventLog(self.clock)
        self._caplog = caplog

    def fail(self, error: str = "no", schedule: str = "sched_a", times: int = 1, **data: Any) -> None:
        for _ in range(times):
            facts = {"name": "backup", "error": error, "attempt": 1, **data}
            self.log(Event(RUN_FAILED, self.clock.now(), schedule, "run_b", data=facts))

    @property
    def lines(self) -> list[str]:
        """What was written since this was last asked."""
        lines = [record.getMessage() for record in self._caplog.records if record.name == "duly"]
        self._caplog.clear()
        return lines


WHOLE = "run.failed schedule=sched_a run=run_b name=backup error={} attempt=1"


def counted(times: str, since: datetime, error: str = "no") -> str:
    """The line that tells how often it came again."""
    return f"run.failed again, {times} since {since.astimezone():%H:%M:%S}: schedule=sched_a name=backup error={error}"


@pytest.fixture
def book(caplog: pytest.LogCaptureFixture) -> Iterator[Book]:
    with caplog.at_level(logging.INFO, logger="duly"):
        yield Book(caplog)


def test_the_first_is_written_at_once_and_the_rest_when_the_window_ends(book: Book) -> None:
    began = book.clock.now()
    book.fail(traceback="Traceback\n  File …")
    assert book.lines == [WHOLE.format("no") + "\n  Traceback\n    File …"]
    for _ in range(14):
        book.clock.advance(1)
        book.fail()
    assert book.lines == []
    book.clock.advance(timedelta(minutes=10) - timedelta(seconds=15))
    assert book.lines == []
    book.clock.advance(1)
    assert book.lines == [counted("14 times", began)]


def test_an_event_that_goes_on_is_written_once_in_a_window(book: Book) -> None:
    for _ in range(1800):
        book.fail()
        book.clock.advance(1)
    first, *counts = book.lines
    assert first == WHOLE.format("no")
    began = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    ends = [began + timedelta(minutes=minutes) for minutes in (0, 10, 20)]
    assert counts == [counted("599 times", ends[0]), counted("600 times", ends[1]), counted("600 times", ends[2])]


def test_after_a_window_without_it_an_event_is_new_again(book: Book) -> None:
    book.fail(times=2)
    book.clock.advance(timedelta(minutes=10))
    assert len(book.lines) == 2
    book.clock.advance(timedelta(minutes=10))
    book.fail()
    assert book.lines == [WHOLE.format("no")]


def test_a_new_error_is_written_at_once_after_the_count_of_the_old_one(book: Book) -> None:
    began = book.clock.now()
    book.fail("no", times=4)
    book.fail("never")
    assert book.lines == [WHOLE.format("no"), counted("3 times", began), WHOLE.format("never")]


def test_two_reasons_that_alternate_are_both_counted(book: Book) -> None:
    began = book.clock.now()
    for _ in range(50):
        book.fail("no")
        book.fail("never")
    assert book.lines == [WHOLE.format("no"), WHOLE.format("never")]
    book.log.flush()
    assert book.lines == [counted("49 times", began), counted("49 times", began, "never")]


def test_schedules_and_kinds_are_counted_apart(book: Book) -> None:
    book.fail(times=2)
    book.fail(schedule="sched_z", times=2)
    book.log(Event(RUN_RETRYING, book.clock.now(), "sched_a", data={"name": "backup", "error": "no"}))
    book.log(Event(RUN_SKIPPED, book.clock.now(), "sched_a", data={"name": "backup", "reason": "no"}))
    assert [line.split(" ", 2)[:2] for line in book.lines] == [
        ["run.failed", "schedule=sched_a"],
        ["run.failed", "schedule=sched_z"],
        ["run.retrying", "schedule=sched_a"],
        ["run.skipped", "schedule=sched_a"],
    ]


def test_flush_writes_the_counts_and_forgets_them(book: Book) -> None:
    began = book.clock.now()
    book.fail(times=2)
    book.log.flush()
    book.log.flush()
    assert book.lines == [WHOLE.format("no"), counted("1 time", began)]
    book.clock.advance(timedelta(hours=1))
    assert book.lines == []
    book.fail()
    assert book.lines == [WHOLE.format("no")]


def test_a_count_carries_its_facts_for_programs(book: Book, caplog: pytest.LogCaptureFixture) -> None:
    book.fail(times=3)
    book.log.flush()
    record = caplog.records[-1]
    assert (record.levelno, record.__dict__["duly_event"]) == (logging.ERROR, "run.failed")
    assert record.__dict__["duly_facts"] == {
        "schedule": "sched_a",
        "name": "backup",
        "error": "no",
        "times": 2,
        "since": "2026-01-01T00:00:00+00:00",
    }


def test_events_of_other_kinds_are_all_written(book: Book) -> None:
    for _ in range(3):
        book.log(Event(RUN_MISSED, book.clock.now(), "sched_a", data={"name": "a", "reason": "late", "count": 1}))
    assert len(book.lines) == 3


def test_the_number_of_counts_is_bounded_and_none_is_lost(book: Book) -> None:
    for number in range(1000):
        book.fail(f"error {number}", schedule=f"sched_{number}", times=2)
    assert len(book.log._repeated) <= 256
    book.log.flush()
    lines = book.lines
    assert sum("again, 1 time " in line for line in lines) == 1000
    assert len(lines) == 2000


def test_events_below_the_level_are_not_counted(book: Book, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.CRITICAL, logger="duly"):
        book.fail(times=3)
    book.fail()
    assert book.lines == [WHOLE.format("no")]


def test_without_an_event_loop_flush_writes_the_count(caplog: pytest.LogCaptureFixture) -> None:
    log, clock = EventLog(SystemClock()), SystemClock()
    with caplog.at_level(logging.INFO, logger="duly"):
        for _ in range(3):
            log(Event(RUN_FAILED, clock.now(), "sched_a", data={"error": "no"}))
        assert len(caplog.records) == 1
        log.flush()
    assert caplog.records[-1].getMessage().startswith("run.failed again, 2 times since ")


def test_the_log_names_changed_fields_and_not_their_values(book: Book, caplog: pytest.LogCaptureFixture) -> None:
    before, after = {"action": "secret plans", "enabled": True}, {"action": "other plans", "description": "new"}
    now = book.clock.now()
    book.log(Event(SCHEDULE_CREATED, now, "sched_a", data={"name": "a", "by": "local", "after": after}))
    book.log(Event(SCHEDULE_UPDATED, now, "sched_a", data={"name": "a", "before": before, "after": after}))
    assert all("plans" not in str(record.__dict__) for record in caplog.records)
    assert book.lines == [
        "schedule.created schedule=sched_a name=a by=local",
        "schedule.updated schedule=sched_a name=a changed=action,description,enabled",
    ]
