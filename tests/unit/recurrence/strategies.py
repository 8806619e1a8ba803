"""Hypothesis strategies for recurrence: every kind of trigger, and moments near clock changes."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from hypothesis import strategies as st

from duly.cron import Cron
from duly.errors import InvalidRecurrenceError
from duly.model.calendar import Month, Weekday
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

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # half an hour
    "Pacific/Apia",  # no 30 December 2011
    "America/Santiago",  # at midnight
    "America/Scoresbysund",  # a Saturday that ends an hour early
)
CHANGES = tuple(
    datetime.fromisoformat(text).replace(tzinfo=UTC)
    for text in (
        "2011-12-30T10:00",  # Apia skips a day
        "2024-03-31T01:00",
        "2024-10-27T01:00",
        "2024-03-10T07:00",
        "2024-11-03T06:00",
        "2024-04-06T15:00",
        "2024-10-05T15:30",
        "2024-04-07T03:00",
        "2024-09-08T04:00",
        "2025-03-30T01:00",
        "2025-10-26T01:00",
    )
)
QUARTERS = st.integers(0, 95).map(lambda quarter: time(quarter // 4, quarter % 4 * 15))
# Clocks change in the small hours: most times lie there.
TIMES = st.sampled_from([time(0), time(1, 30), time(1, 45), time(2), time(2, 15), time(2, 30), time(23, 30)]) | QUARTERS
WEEKDAYS = st.sampled_from(list(Weekday))
MONTHS = st.sampled_from(list(Month))
ALL_DAYS = frozenset(Weekday)

zones = st.sampled_from(ZONES)
policies = st.sampled_from(["once", "once", "wallclock"])
seconds = st.integers(0, 59)


def some(values: st.SearchStrategy[Any], most: int = 3, *, least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    """None, one or a few."""
    return st.lists(values, min_size=least, max_size=most).map(tuple)


def windows(times: st.SearchStrategy[time] = TIMES) -> st.SearchStrategy[Window]:
    """Short and long, across midnight or not, on all days or on some."""
    days = st.just(ALL_DAYS) | st.frozensets(WEEKDAYS, min_size=1)
    return st.builds(Window, times, times, days)


def moments(reach: timedelta = timedelta(days=3)) -> st.SearchStrategy[datetime]:
    """Instants, mostly close to a clock change."""
    minutes = reach // timedelta(minutes=1)
    away = st.integers(-minutes, minutes).map(lambda number: timedelta(minutes=number))
    close = st.integers(-7300, 7300).map(lambda number: timedelta(seconds=number))
    fraction = st.sampled_from([0, 0, 0, 1, 999_999]).map(lambda number: timedelta(microseconds=number))
    near = st.tuples(st.sampled_from(CHANGES), away | close | st.just(timedelta(0)), fraction).map(_added)
    anywhere = st.datetimes(datetime(2000, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
    return near | anywhere


def _added(parts: tuple[datetime, timedelta, timedelta]) -> datetime:
    return parts[0] + parts[1] + parts[2]


@st.composite
def legal(draw: st.DrawFn, build: Any, fields: dict[str, st.SearchStrategy[Any]]) -> Any:
    """A value of a class whose fields may contradict each other: when they do, one without a window or an anchor."""
    values = {name: draw(strategy) for name, strategy in fields.items()}
    try:
        return build(**values)
    except InvalidRecurrenceError:
        return build(**{name: None if name in ("window", "anchor") else value for name, value in values.items()})


def _interval(build: Any, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return legal(build, {"tz": zones, "dst": policies, **fields})


def elapsed(window: st.SearchStrategy[Window | None]) -> st.SearchStrategy[Any]:
    """Seconds, minutes and hours."""
    return st.one_of(
        _interval(SecondInterval, interval=st.integers(1, 100_000), window=window),
        _interval(MinuteInterval, interval=st.integers(1, 3000), on_second=st.none() | seconds, window=window),
        _interval(
            HourInterval,
            interval=st.integers(1, 50),
            on_hours=st.just(()) | some(st.integers(0, 23), 5),
            on_minute=st.none() | seconds,
            on_second=st.none() | seconds,
            window=window,
        ),
        _interval(
            HourInterval,
            interval=st.just(0),
            on_hours=some(st.integers(0, 23), 5, least=1),
            on_minute=st.none() | seconds,
            on_second=st.none() | seconds,
            window=window,
        ),
    )


starts = st.none() | st.dates(date(2000, 1, 1), date(2040, 1, 1))


def open_months(
    window: st.SearchStrategy[Window | None], anchor: st.SearchStrategy[datetime | None]
) -> st.SearchStrategy[Any]:
    """Months without a day whose series has not begun."""
    counts = st.integers(1, 5)
    months = some(MONTHS, 5)
    return _interval(
        MonthInterval, interval=counts, on_months=months, on_times=some(TIMES), window=window, anchor=anchor
    )


def dated(
    window: st.SearchStrategy[Window | None], anchor: st.SearchStrategy[datetime | None]
) -> st.SearchStrategy[Any]:
    """Days, weeks and months, those without a day in a series that has begun."""
    shared = {"window": window, "anchor": anchor, "on_times": some(TIMES)}
    selectors: list[dict[str, st.SearchStrategy[Any]]] = [
        {"start": starts},
        {"on_day": st.integers(1, 31)},
        {"on_days_of_month": some(st.integers(1, 31), 5, least=1)},
        {"on_first": WEEKDAYS},
        {"on_last": WEEKDAYS},
        {"on_days": some(WEEKDAYS, least=1)},
    ]
    return st.one_of(
        _interval(DayInterval, interval=st.integers(1, 9), on_days=some(WEEKDAYS), **shared),
        _interval(WeekInterval, interval=st.integers(1, 4), on_days=some(WEEKDAYS), **shared),
        *(
            _interval(MonthInterval, interval=st.integers(1, 5), on_months=some(MONTHS, 5), **shared, **chosen)
            for chosen in selectors
        ),
    )


maybe_window = st.none() | windows()
maybe_anchor = st.none() | moments()
crons = st.sampled_from(["*/5 * * * *", "0 9 * * mon-fri", "30 2 * * *", "0 0 1 * *", "15 1-3 * * sun"])
cron_triggers = st.builds(Cron, crons, tz=zones, dst=policies) | st.builds(CronInterval, crons, tz=zones, dst=policies)
intervals = elapsed(maybe_window) | dated(maybe_window, maybe_anchor) | open_months(maybe_window, maybe_anchor)


def unions() -> st.SearchStrategy[AnyOf]:
    """Up to three members, none of which would lose its phase."""
    steady = dated(maybe_window, moments()).filter(lambda each: each.fixed_slots)
    member = st.one_of(elapsed(windows()), elapsed(maybe_window), steady, cron_triggers, st.builds(Once, moments()))
    return st.lists(member, min_size=1, max_size=3).map(lambda members: AnyOf(*members))


def _some_intervals(draw: st.DrawFn) -> dict[str, Any]:
    how = draw(st.sampled_from(["one", "one", "cascade", "cron", "union"]))
    if how == "cron":
        return {"cron_interval": draw(cron_triggers)}
    if how == "union":
        return {"any_of": draw(unions())}
    if how == "one":
        chosen = [draw(intervals)]
    else:
        chosen = draw(st.lists(intervals.filter(_fits_a_cascade), min_size=1, max_size=3))
    return {each.KIND: each for each in chosen}


def _fits_a_cascade(interval: Any) -> bool:
    return not isinstance(interval, DayInterval | WeekInterval | MonthInterval) or interval.has_phase


@st.composite
def tasks(draw: st.DrawFn) -> RecurringTask:
    """Every field of a task, in any combination that makes sense."""
    return RecurringTask(
        run_now=draw(st.booleans()),
        initial_delay=draw(st.none() | st.timedeltas(timedelta(0), timedelta(days=400))),
        specific_run_time=draw(st.none() | moments()),
        max_runs=draw(st.none() | st.integers(1, 1000)),
        run_until=draw(st.none() | moments()),
        min_gap=draw(st.sampled_from([timedelta(0), timedelta(seconds=30), timedelta(hours=2)])),
        **_some_intervals(draw),
    )


triggers: st.SearchStrategy[Any] = st.one_of(intervals, cron_triggers, st.builds(Once, moments()), unions(), tasks())
