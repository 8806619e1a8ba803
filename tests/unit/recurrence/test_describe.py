"""Triggers in the words a person would write."""

from datetime import time, timedelta

import pytest

from duly.cron import Cron
from duly.model.calendar import Month, Weekday
from duly.model.trigger import Trigger
from duly.recurrence import (
    AnyOf,
    CronInterval,
    DayInterval,
    HourInterval,
    MinuteInterval,
    MonthInterval,
    Once,
    RecurringTask,
    SecondInterval,
    WeekInterval,
    Window,
)
from tests.unit.recurrence.helpers import WEEKEND, WORKING_DAYS, utc

NINE = (time(9),)
NOON = (time(12),)
MON = Weekday.MONDAY
FRI = Weekday.FRIDAY
OFFICE = Window(time(9), time(17), frozenset(WORKING_DAYS))
HOURLY = HourInterval(1)

INTERVALS: list[tuple[Trigger, str]] = [
    (SecondInterval(1), "every second"),
    (SecondInterval(30), "every 30 seconds"),
    (MinuteInterval(15, 30), "every 15 minutes at second 30"),
    (MinuteInterval(25, window=OFFICE), "every 25 minutes from 09:00 to 17:00, Monday to Friday"),
    (MinuteInterval(5, window=Window(days=frozenset(WEEKEND))), "every 5 minutes, Saturday and Sunday"),
    (HourInterval(2, on_minute=15), "every 2 hours at minute 15"),
    (HourInterval(2, on_minute=0, on_second=5), "every 2 hours at minute 0, second 5"),
    (HourInterval(1, on_hours=(9, 12), on_minute=30), "every hour, only at 09:30 and 12:30"),
    (DayInterval(), "every day at 00:00"),
    (DayInterval(on_times=(time(9), time(14), time(17))), "every day at 09:00, 14:00 and 17:00"),
    (DayInterval(on_times=(time(8),), on_days=WORKING_DAYS), "every weekday at 08:00"),
    (DayInterval(on_times=NINE, on_days=(MON, FRI)), "every Monday and Friday at 09:00"),
    (DayInterval(on_times=NINE, on_days=tuple(Weekday)), "every day at 09:00"),
    (DayInterval(2, on_times=(time(9, 0, 30),)), "every 2 days at 09:00:30"),
    (DayInterval(2, on_times=NINE, on_days=WORKING_DAYS), "every 2 days, only on Monday to Friday, at 09:00"),
    (DayInterval(on_times=NINE, window=OFFICE), "every day at 09:00, only from 09:00 to 17:00, Monday to Friday"),
    (
        DayInterval(on_times=NINE, window=Window(days=frozenset(WEEKEND))),
        "every day at 09:00, only Saturday and Sunday",
    ),
    (DayInterval(on_times=NINE, window=Window()), "every day at 09:00"),
    (WeekInterval(), "every Monday at 00:00"),
    (WeekInterval(2, (MON, FRI), NINE), "every 2 weeks on Monday and Friday at 09:00"),
    (
        WeekInterval(2, WORKING_DAYS, NINE, anchor=utc("2026-11-16 00:00")),
        "every 2 weeks on Monday to Friday at 09:00, counted from 2026-11-16 00:00 UTC",
    ),
    (MonthInterval(on_day=15, on_times=NOON), "every month on the 15th at 12:00"),
    (
        MonthInterval(on_days_of_month=(1, 2, 3, 11, 22, 31)),
        "every month on the 1st, 2nd, 3rd, 11th, 22nd and 31st at 00:00",
    ),
    (MonthInterval(on_first=MON, on_times=NINE), "on the first Monday of every month at 09:00"),
    (MonthInterval(on_last=FRI, on_times=NINE), "on the last Friday of every month at 09:00"),
    (MonthInterval(on_days=(MON,), on_times=NINE), "every month on every Monday at 09:00"),
    (MonthInterval(3, on_first=MON, on_times=NINE), "every 3 months on the first Monday at 09:00"),
    (
        MonthInterval(on_day=15, on_months=(Month.JANUARY, Month.JULY), on_times=NOON),
        "on the 15th of January and July at 12:00",
    ),
    (
        MonthInterval(2, on_day=15, on_months=(Month.JANUARY,), on_times=NOON),
        "every 2 months on the 15th, only in January, at 12:00",
    ),
    (DayInterval(on_times=NINE, tz="Europe/Berlin"), "every day at 09:00 (Europe/Berlin)"),
    (Once(utc("2026-11-15 10:00")), "once at 2026-11-15 10:00 UTC"),
    (Once(utc("2026-11-15 10:00:05")), "once at 2026-11-15 10:00:05 UTC"),
    (
        AnyOf(DayInterval(on_times=NINE, on_days=WORKING_DAYS), DayInterval(on_times=NOON, on_days=WEEKEND), HOURLY),
        "every weekday at 09:00; every Saturday and Sunday at 12:00; and every hour",
    ),
    (AnyOf(HOURLY), "every hour"),
]

TASKS = [
    (RecurringTask(run_now=True, hour_interval=HOURLY), "now, then every hour"),
    (RecurringTask(initial_delay=timedelta(hours=1), hour_interval=HOURLY), "after 1 hour, then every hour"),
    (
        RecurringTask(initial_delay=timedelta(days=2, minutes=5, milliseconds=1500)),
        "once, after 2 days, 5 minutes and 1.5 seconds",
    ),
    (RecurringTask(initial_delay=timedelta(0)), "once, after 0 seconds"),
    (RecurringTask(specific_run_time=utc("2026-11-15 10:00")), "once, at 2026-11-15 10:00 UTC"),
    (
        RecurringTask(
            specific_run_time=utc("2026-11-15 10:00"), hour_interval=HOURLY, run_until=utc("2027-01-01 00:00")
        ),
        "at 2026-11-15 10:00 UTC, then every hour, until 2027-01-01 00:00 UTC",
    ),
    (
        RecurringTask(hour_interval=HOURLY, max_runs=100, run_until=utc("2027-01-01 00:00")),
        "every hour, at most 100 times, until 2027-01-01 00:00 UTC",
    ),
    (RecurringTask(hour_interval=HOURLY, max_runs=1), "every hour, at most once"),
    (
        RecurringTask(month_interval=MonthInterval(on_day=15), day_interval=DayInterval(on_times=NINE)),
        "every month on the 15th at 00:00, each moved on to the next of: every day at 09:00",
    ),
    (
        RecurringTask(
            day_interval=DayInterval(3, anchor=utc("2026-11-16 00:00")), hour_interval=HourInterval(14, on_minute=30)
        ),
        "every 3 days at 00:00, counted from 2026-11-16 00:00 UTC, each moved on by 14 hours to minute 30",
    ),
    (
        RecurringTask(
            day_interval=DayInterval(),
            hour_interval=HourInterval(2, on_hours=(9, 12), tz="Asia/Tokyo"),
            second_interval=SecondInterval(5),
        ),
        "every day at 00:00, each moved on by 2 hours to the next of 09:00 and 12:00 (Asia/Tokyo), then by 5 seconds",
    ),
    (
        RecurringTask(minute_interval=MinuteInterval(5), second_interval=SecondInterval(5)),
        "each counted from the last, moved on by 5 minutes, then by 5 seconds",
    ),
    (
        RecurringTask(minute_interval=MinuteInterval(25, window=OFFICE), second_interval=SecondInterval(5)),
        "every 25 minutes from 09:00 to 17:00, Monday to Friday, each moved on by 5 seconds",
    ),
]


@pytest.mark.parametrize(("trigger", "words"), [*INTERVALS, *TASKS])
def test_words(trigger: Trigger, words: str) -> None:
    assert trigger.describe() == words


def test_cron_speaks_for_itself() -> None:
    cron = Cron("0 9 * * mon-fri", dialect="seconds")
    assert CronInterval("0 9 * * mon-fri").describe() == cron.describe()
    assert RecurringTask(cron_interval=cron).describe() == cron.describe()
