"""The fluent builder: the tasks that chains build, and the values they refuse."""

from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from duly.cron import Cron
from duly.errors import InvalidCronExpressionError, InvalidRecurrenceError, NaiveDatetimeError, UnknownTimezoneError
from duly.model.calendar import Month, Weekday
from duly.recurrence import (
    CronInterval,
    DayInterval,
    HourInterval,
    MinuteInterval,
    MonthInterval,
    RecurringTask,
    RecurringTaskBuilder,
    SecondInterval,
    WeekInterval,
    Window,
    cron,
    every,
    run_at,
    run_delayed,
    run_now,
    schedule,
)
from tests.unit.recurrence.helpers import WORKING_DAYS, local, utc

NOW = utc("2026-11-15 10:00")
MON = Weekday.MONDAY
FRI = Weekday.FRIDAY
HOUR = timedelta(hours=1)

CHAINS: list[tuple[Any, RecurringTask]] = [
    (every(30).seconds(), RecurringTask(second_interval=SecondInterval(30))),
    (every(5).minutes(), RecurringTask(minute_interval=MinuteInterval(5))),
    (every(15).minutes().on_second(30), RecurringTask(minute_interval=MinuteInterval(15, 30))),
    (every(1).hours().on_minute(0), RecurringTask(hour_interval=HourInterval(1, on_minute=0))),
    (
        every(2).hours().on_second(0).on_hours(9, 12).on_minute(15),
        RecurringTask(hour_interval=HourInterval(2, (9, 12), 15, 0)),
    ),
    (every(1).days().at(9, 0), RecurringTask(day_interval=DayInterval(on_times=(time(9),)))),
    (every(1).days().at("09:00", "17:00"), RecurringTask(day_interval=DayInterval(on_times=(time(9), time(17))))),
    (every(1).days().at(time(9), "17:00:30"), RecurringTask(day_interval=DayInterval(1, (time(9), time(17, 0, 30))))),
    (
        every(1).days().on(*WORKING_DAYS).at(8, 0),
        RecurringTask(day_interval=DayInterval(1, (time(8),), WORKING_DAYS)),
    ),
    (
        every(2).weeks().on(MON, FRI).at(9, 0).counting_from(NOW),
        RecurringTask(week_interval=WeekInterval(2, (MON, FRI), (time(9),), anchor=NOW)),
    ),
    (
        every(1).months().on_day(15).at(12, 0),
        RecurringTask(month_interval=MonthInterval(on_day=15, on_times=(time(12),))),
    ),
    (
        every(1).months().on_first(MON).at(9, 0),
        RecurringTask(month_interval=MonthInterval(on_first=MON, on_times=(time(9),))),
    ),
    (every(1).months().on_last(FRI), RecurringTask(month_interval=MonthInterval(on_last=FRI))),
    (every(1).months().on_days(MON, FRI), RecurringTask(month_interval=MonthInterval(on_days=(MON, FRI)))),
    (
        every(1).months().on_days_of_month(1, 15).in_months(Month.JANUARY, Month.JULY),
        RecurringTask(month_interval=MonthInterval(on_days_of_month=(1, 15), on_months=(Month.JANUARY, Month.JULY))),
    ),
    (
        every(25).minutes().between("09:00", "17:00").on(*WORKING_DAYS),
        RecurringTask(minute_interval=MinuteInterval(25, window=Window(time(9), time(17), frozenset(WORKING_DAYS)))),
    ),
    (every(1).hours().on(MON), RecurringTask(hour_interval=HourInterval(1, window=Window(days=frozenset({MON}))))),
    (
        every(1).days().between(time(9), time(17)).at(12, 0),
        RecurringTask(day_interval=DayInterval(on_times=(time(12),), window=Window(time(9), time(17)))),
    ),
    (cron("0 0 * * *"), RecurringTask(cron_interval=CronInterval("0 0 * * *"))),
    (cron("30 0 0 * * *"), RecurringTask(cron_interval=CronInterval("30 0 0 * * *"))),
    (
        cron("0 0 * * *", tz="Europe/Berlin", dst="wallclock"),
        RecurringTask(cron_interval=CronInterval("0 0 * * *", tz="Europe/Berlin", dst="wallclock")),
    ),
    (
        cron("0 0 * * *", dialect="posix").in_timezone("Europe/Berlin"),
        RecurringTask(cron_interval=CronInterval("0 0 * * *", "posix", tz="Europe/Berlin")),
    ),
    (
        run_delayed(HOUR).then().every(15).minutes(),
        RecurringTask(initial_delay=HOUR, minute_interval=MinuteInterval(15)),
    ),
    (run_at(NOW).then().every(1).hours(), RecurringTask(specific_run_time=NOW, hour_interval=HourInterval(1))),
    (run_now().then().cron("0 0 * * *"), RecurringTask(run_now=True, cron_interval=CronInterval("0 0 * * *"))),
    (schedule().every(1).hours(), RecurringTask(hour_interval=HourInterval(1))),
    (run_at(NOW), RecurringTask(specific_run_time=NOW)),
    (every(5).minutes().run_until(NOW), RecurringTask(minute_interval=MinuteInterval(5), run_until=NOW)),
    (
        every(5).minutes().max_runs(3).run_until(NOW).min_gap(HOUR),
        RecurringTask(minute_interval=MinuteInterval(5), run_until=NOW, max_runs=3, min_gap=HOUR),
    ),
    (
        every(1).days().max_runs(3).in_timezone(ZoneInfo("Europe/Berlin")).with_dst("wallclock"),
        RecurringTask(day_interval=DayInterval(tz="Europe/Berlin", dst="wallclock"), max_runs=3),
    ),
]


@pytest.mark.parametrize(("chain", "task"), CHAINS, ids=lambda value: str(value)[:60])
def test_a_chain_builds_this_task(chain: Any, task: RecurringTask) -> None:
    assert chain.recurring_task == chain.build() == task


@pytest.mark.parametrize("chain", [chain for chain, _ in CHAINS])
def test_a_chain_is_a_trigger(chain: Any) -> None:
    assert chain.get_next_occurrence(NOW) == chain.build().get_next_occurrence(NOW)
    assert chain.describe() == chain.build().describe()
    assert chain.to_dict() == chain.build().to_dict()
    assert chain.describe() in repr(chain)


def test_a_builder_object_has_the_same_beginnings() -> None:
    fresh = RecurringTaskBuilder
    assert fresh().run_delayed(HOUR).then().every(1).days().build() == run_delayed(HOUR).then().every(1).days().build()
    assert fresh().schedule().every(1).days().build() == fresh().every(1).days().build() == every(1).days().build()
    assert fresh().run_now().build() == run_now().build()
    assert fresh().run_at(NOW).build() == run_at(NOW).build()
    assert fresh().cron("0 0 * * *").build() == cron("0 0 * * *").build()


def test_a_chain_can_be_continued_in_two_ways() -> None:
    half = every(15).minutes()
    first = half.on_second(10)
    second = half.on_second(20)
    assert half.build() == RecurringTask(minute_interval=MinuteInterval(15))
    assert first.build() == RecurringTask(minute_interval=MinuteInterval(15, 10))
    assert second.build() == RecurringTask(minute_interval=MinuteInterval(15, 20))


def test_saying_the_same_twice_is_harmless() -> None:
    assert every(1).days().at(9, 0).at("09:00").build() == every(1).days().at(9, 0).build()


def test_a_zoned_datetime_becomes_utc() -> None:
    berlin = local("2026-11-15 11:00", "Europe/Berlin").astimezone(ZoneInfo("Europe/Berlin"))
    assert run_at(berlin).build().specific_run_time == NOW


def test_the_first_run_and_those_after() -> None:
    task = run_delayed(HOUR).then().every(15).minutes().on_second(30).max_runs(100).build()
    assert task.calculate_next_run(NOW, 0) == utc("2026-11-15 11:00")
    assert task.calculate_next_run(utc("2026-11-15 11:00"), 1) == utc("2026-11-15 11:15:30")


NAIVE = datetime(2026, 11, 15, 10)  # noqa: DTZ001

REFUSED: list[tuple[Any, str]] = [
    (lambda: every(0), r"every must be a whole number from 1 to 1000000000, got 0"),
    (lambda: every(-1), r"every must be .*got -1"),
    (lambda: every(True), r"every must be .*got True"),
    (lambda: every(1.5), r"every must be .*got 1\.5"),  # type: ignore[arg-type]  # that is the point
    (lambda: every(1).minutes().on_second(60), r"on_second must be a whole number from 0 to 59.*got 60"),
    (lambda: every(1).hours().on_minute(60), r"on_minute must be a whole number from 0 to 59.*got 60"),
    (lambda: every(1).hours().on_hours(24), r"on_hours must be a whole number from 0 to 23, got 24"),
    (lambda: every(1).hours().on_hours(), r"on_hours needs at least one value, got none"),
    (lambda: every(1).hours().on(), r"on needs at least one value, got none"),
    (lambda: every(1).days().at(24, 0), r"hour must be a whole number from 0 to 23, got 24"),
    (lambda: every(1).days().at(9, 60), r"minute must be a whole number from 0 to 59, got 60"),
    (lambda: every(1).days().at(), r"at needs at least one value, got none"),
    (lambda: every(1).days().at(9), r"at must be a time of day.*got 9"),  # type: ignore[call-overload]  # hour alone
    (lambda: every(1).days().at("9 am"), r'a time of day must read "HH:MM" or "HH:MM:SS", got .9 am'),
    (lambda: every(1).days().at("24:00"), r"a time of day must read"),
    (lambda: every(1).days().on(), r"on needs at least one value, got none"),
    (lambda: every(1).weeks().on(7), r"on_days must be a weekday.*got 7"),  # type: ignore[arg-type]  # no such day
    (lambda: every(1).months().on_day(0), r"on_day must be a whole number from 1 to 31.*got 0"),
    (lambda: every(1).months().on_day(32), r"on_day must be a whole number from 1 to 31.*got 32"),
    (lambda: every(1).months().on_days_of_month(1, 32), r"on_days_of_month must be .*got 32"),
    (lambda: every(1).months().in_months(), r"in_months needs at least one value, got none"),
    (lambda: every(1).minutes().between("9", "17:00"), r'a time of day must read "HH:MM"'),
    (lambda: every(1).days().max_runs(0), r"max_runs must be a whole number from 1.*got 0"),
    (lambda: every(1).days().min_gap(-HOUR), r"min_gap must be a timedelta of zero or more"),
    (lambda: every(1).days().with_dst("twice"), r"dst must be 'once' or 'wallclock', got 'twice'"),
    (lambda: run_delayed(-HOUR), r"initial_delay must be a timedelta of zero or more"),
    (
        lambda: every(1).days().run_until(NOW, now=NOW + HOUR),
        r"run_until must not be in the past, got 2026-11-15 10:00 UTC",
    ),
    (lambda: every(1).days().at(9, 0).at(10, 0), r"on_times is already .* and cannot also be"),
    (lambda: every(1).days().max_runs(1).max_runs(2), r"max_runs is already 1 and cannot also be 2"),
    (lambda: every(1).hours().between("09:00", "10:00").between("09:00", "11:00"), r"between is already"),
    (lambda: cron("0 0 * * *", tz="UTC").in_timezone("Europe/Berlin"), r"tz is already 'UTC'"),
    (lambda: every(1).months().on_day(1).on_last(FRI).build(), r"got on_day and on_last"),
]


@pytest.mark.parametrize(("build", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_a_chain_refuses_with_this_message(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    "build",
    [
        lambda: run_at(NAIVE),
        lambda: every(1).days().run_until(NAIVE),
        lambda: every(1).days().run_until(NOW, now=NAIVE),
        lambda: every(2).days().counting_from(NAIVE),
    ],
)
def test_naive_datetimes_are_refused(build: Any) -> None:
    with pytest.raises(NaiveDatetimeError):
        build()


def test_a_bad_expression_or_zone_is_refused_by_the_step_that_takes_it() -> None:
    with pytest.raises(InvalidCronExpressionError):
        cron("61 * * * *")
    with pytest.raises(UnknownTimezoneError):
        every(1).days().in_timezone("Europe/Berln")


@pytest.mark.parametrize(
    "chain",
    [every(1).days(), every(1).days().max_runs(3), every(1).months().on_day(15), cron("0 0 * * *"), run_now()],
)
def test_a_chain_has_one_interval(chain: Any) -> None:
    with pytest.raises(InvalidRecurrenceError, match=r"every\(1\) cannot follow .*a chain has one interval"):
        chain.every(1)
    with pytest.raises(InvalidRecurrenceError, match=r"cron\('0 0 \* \* \*'\) cannot follow"):
        chain.cron("0 0 * * *")


def test_run_until_may_be_now_and_needs_no_now() -> None:
    assert every(1).days().run_until(NOW, now=NOW).build().run_until == NOW
    assert every(1).days().run_until(utc("1999-01-01 00:00")).build().run_until == utc("1999-01-01 00:00")


def test_cron_wins_in_a_task_of_both() -> None:
    task = RecurringTask(cron_interval=Cron("0 0 * * *"), minute_interval=MinuteInterval(15))
    assert task.describe() == Cron("0 0 * * *").describe()
