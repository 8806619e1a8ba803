"""The `schedule` of the scheduler tool: what it means, what is refused, and how it is shown again."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from duly.cron import Cron
from duly.errors import InvalidInputError
from duly.model.calendar import Weekday
from duly.model.trigger import Trigger
from duly.recurrence import (
    AnyOf,
    DayInterval,
    HourInterval,
    MinuteInterval,
    Once,
    SecondInterval,
    WeekInterval,
    Window,
    every,
)
from duly.service.reminders.requests import RequestContext, read_schedule
from duly.service.reminders.views import columns_of

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
ASKED = RequestContext(NOW, "Europe/Zagreb")
ZAGREB: Any = {"tz": "Europe/Zagreb"}
WORKDAYS = tuple(Weekday)[:5]


@pytest.mark.parametrize(
    ("schedule", "trigger"),
    [
        ({"type": "once", "at": "5m"}, Once(NOW + timedelta(minutes=5))),
        ({"type": "once", "at": "2h"}, Once(NOW + timedelta(hours=2))),
        ({"type": "once", "at": "1d"}, Once(NOW + timedelta(days=1))),
        ({"type": "once", "at": " 1H30M "}, Once(NOW + timedelta(minutes=90))),
        ({"type": "once", "at": "2026-11-17T09:00"}, Once(datetime(2026, 11, 17, 8, tzinfo=UTC))),
        ({"type": "once", "at": "2026-11-17T09:00:00Z"}, Once(datetime(2026, 11, 17, 9, tzinfo=UTC))),
        ({"type": "once", "at": "2026-11-17T09:00+05:00"}, Once(datetime(2026, 11, 17, 4, tzinfo=UTC))),
        # the clocks skip from 2 to 3 that night
        ({"type": "once", "at": "2027-03-28T02:30"}, Once(datetime(2027, 3, 28, 1, 30, tzinfo=UTC))),
        ({"type": "interval", "every": "5m"}, MinuteInterval(5, **ZAGREB)),
        ({"type": "interval", "every": "2h"}, HourInterval(2, **ZAGREB)),
        ({"type": "interval", "every": "1d"}, HourInterval(24, **ZAGREB)),
        ({"type": "interval", "every": "90s"}, SecondInterval(90, **ZAGREB)),
        ({"type": "daily", "time": "08:00"}, DayInterval(on_times=(time(8),), **ZAGREB)),
        ({"type": "daily", "time": "8:00, 20:30"}, DayInterval(on_times=(time(8), time(20, 30)), **ZAGREB)),
        (
            {"type": "weekly", "time": "07:30", "days": ["weekdays"]},
            WeekInterval(on_days=WORKDAYS, on_times=(time(7, 30),), **ZAGREB),
        ),
        (
            {"type": "weekly", "time": ["07:30"], "days": ["Tue", "monday"]},
            WeekInterval(on_days=(Weekday.MONDAY, Weekday.TUESDAY), on_times=(time(7, 30),), **ZAGREB),
        ),
        ({"type": "cron", "expr": "0 8 * * 1-5"}, Cron("0 8 * * 1-5", tz="Europe/Zagreb")),
        ({"type": "cron", "expr": "0 8 * * 1-5", "timezone": "UTC"}, Cron("0 8 * * 1-5", tz="UTC")),
        (
            {"type": "daily", "time": "08:00", "timezone": "Asia/Tokyo"},
            DayInterval(on_times=(time(8),), tz="Asia/Tokyo"),
        ),
        ({"type": "once", "at": "5m", "every": None}, Once(NOW + timedelta(minutes=5))),
    ],
)
def test_each_type_of_schedule_is_read_into_its_trigger(schedule: dict[str, Any], trigger: Trigger) -> None:
    assert read_schedule(schedule, ASKED) == (trigger, schedule.get("timezone", "Europe/Zagreb"))


def test_a_smart_schedule_is_read_as_words() -> None:
    trigger, _ = read_schedule({"type": "smart", "text": "workdays at 8, weekends at 10"}, ASKED)
    assert trigger.get_next_occurrence(datetime(2026, 11, 20, 12, tzinfo=UTC)) == datetime(2026, 11, 21, 9, tzinfo=UTC)
    assert columns_of(trigger) == {"schedule_type": "smart"}


@pytest.mark.parametrize(
    ("schedule", "fault"),
    [
        ("5m", "schedule must be an object"),
        ({}, "schedule.type must be one of once, interval, daily, weekly, cron, smart, trigger, got None"),
        ({"type": "yearly"}, "got 'yearly'"),
        ({"type": "once"}, "schedule.at is missing: must be ISO 8601"),
        ({"type": "once", "at": "soon"}, "schedule.at must be ISO 8601"),
        ({"type": "once", "at": "0m"}, "schedule.at must be longer than zero"),
        ({"type": "once", "at": "2026-11-16T09:00"}, "schedule.at 2026-11-16T08:00:00Z is in the past"),
        ({"type": "once", "at": "5m", "every": "5m"}, "schedule.every does not go with type once, which takes at"),
        ({"type": "interval", "every": "5 minutes"}, "schedule.every must be a length such as"),
        ({"type": "interval", "every": 300}, "schedule.every must be a length such as"),
        ({"type": "interval", "every": "999999w"}, "at most ten years"),
        ({"type": "daily", "time": "25:00"}, "schedule.time must be HH:MM"),
        ({"type": "daily", "time": 8}, "schedule.time must be HH:MM"),
        ({"type": "weekly", "time": "07:30"}, "schedule.days is missing"),
        ({"type": "weekly", "time": "07:30", "days": []}, "schedule.days must be days"),
        ({"type": "weekly", "time": "07:30", "days": ["t"]}, "schedule.days must be days such as"),
        ({"type": "weekly", "time": "07:30", "days": ["funday"]}, "got 'funday'"),
        ({"type": "cron", "expr": "* * *"}, "Invalid cron expression"),
        ({"type": "cron", "expr": "0 0 31 2 *"}, "Invalid cron expression"),
        ({"type": "daily", "time": "08:00", "timezone": "Europe/Berln"}, "did you mean Europe/Berlin"),
        ({"type": "smart", "text": "whenever"}, "whenever"),
    ],
)
def test_an_invalid_schedule_is_refused_with_the_reason(schedule: Any, fault: str) -> None:
    with pytest.raises(InvalidInputError) as error:
        read_schedule(schedule, ASKED)
    assert fault in str(error.value)


@pytest.mark.parametrize(
    ("trigger", "columns"),
    [
        (Once(NOW), {"schedule_type": "once", "run_at": NOW, "cron_expr": "0 12 16 11 *"}),
        (MinuteInterval(5), {"schedule_type": "interval", "interval_ms": 300_000}),
        (every(2).hours().recurring_task, {"schedule_type": "interval", "interval_ms": 7_200_000}),
        (MinuteInterval(5, on_second=30), {"schedule_type": "smart"}),
        (HourInterval(1, window=Window(time(9), time(17))), {"schedule_type": "smart"}),
        (
            DayInterval(on_times=(time(8), time(20))),
            {"schedule_type": "daily", "time_of_day": "08:00,20:00", "days_of_week": None},
        ),
        (DayInterval(2, on_times=(time(8),)), {"schedule_type": "smart"}),
        (
            DayInterval(on_times=(time(8),), on_days=(Weekday.SUNDAY,)),
            {"schedule_type": "weekly", "time_of_day": "08:00", "days_of_week": "7"},
        ),
        (WeekInterval(), {"schedule_type": "weekly", "time_of_day": "00:00", "days_of_week": "1"}),
        (Cron("@daily"), {"schedule_type": "cron", "cron_expr": "@daily"}),
        (AnyOf(Cron("0 8 * * *"), Cron("0 9 * * *")), {"schedule_type": "smart"}),
    ],
)
def test_the_columns_of_each_trigger(trigger: Trigger, columns: dict[str, Any]) -> None:
    assert columns_of(trigger) == columns
