"""Notes about clock changes cover every kind of trigger that names times of day."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest

from duly import Cron, every
from duly.phrases import parse
from duly.recurrence import AnyOf, CronInterval, DayInterval
from duly.service.schedules.times import clock_notes

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)
MOVED = "02:30 does not exist on 2027-03-28 in Europe/Rome: it runs at 03:00 instead"
TWICE = "02:30 happens twice on 2027-10-31 in Europe/Rome: it runs once, at the first"


@pytest.mark.parametrize(
    ("words", "notes"),
    [
        ("every day at 2:30", [MOVED, TWICE]),
        ("sundays at 2:30", [MOVED, TWICE]),
        ("last sunday of the month at 2:30", [MOVED, TWICE]),
        ("every day at 2:30 and 14:00", [MOVED, TWICE]),
        ("weekdays at 2:30", []),
        ("every day at 9", []),
        ("every 2 hours", []),
        ("tomorrow at 2:30", []),
    ],
)
def test_words_give_the_same_notes_as_cron(words: str, notes: list[str]) -> None:
    assert clock_notes(parse(words, now=NOW, tz="Europe/Rome").trigger, NOW) == notes
    assert clock_notes(parse(words, now=NOW, tz="UTC").trigger, NOW) == []


def test_a_clock_change_on_a_day_without_a_fire_gives_no_note() -> None:
    """One of two alternating series fires on the day of the spring change."""
    on = [
        DayInterval(2, tz="Europe/Rome", anchor=NOW + timedelta(days=shift), on_times=(time(2, 30),))
        for shift in (0, 1)
    ]
    assert sorted([MOVED in clock_notes(each, NOW) for each in on]) == [False, True]
    assert clock_notes(AnyOf(*on), NOW) == [MOVED, TWICE]


def test_expressions_inside_other_triggers_give_notes() -> None:
    cron = Cron("30 2 * * *", tz="Europe/Rome")
    for trigger in (
        cron,
        CronInterval("0 30 2 * * *", tz="Europe/Rome"),
        AnyOf(cron, DayInterval(tz="Europe/Rome", on_times=(time(2, 30),))),
        every(1).days().at(2, 30).in_timezone("Europe/Rome").build(),
    ):
        assert clock_notes(trigger, NOW) == [MOVED, TWICE], trigger
