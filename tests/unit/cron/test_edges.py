"""The far past, the far future, and the two ends of the calendar."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.cron import Cron
from duly.errors import CronCalculationError, NaiveDatetimeError
from tests.unit.cron.strategies import ZONES, examples

FIRST = datetime.min.replace(tzinfo=UTC)
LAST = datetime.max.replace(tzinfo=UTC)
SAMPLES = ("UTC", "America/New_York", "Asia/Tokyo", "Europe/Berlin", "Pacific/Kiritimati", "Etc/GMT+12")
EXPRESSIONS = ("* * * * *", "30 23 31 12 *", "0 0 1 1 *", "0 0 29 2 *", "15 2 * * *", "*/30 * L * *")


@pytest.mark.parametrize("tz", ["UTC", "Europe/Berlin", "Pacific/Auckland"])
def test_leap_days_skip_the_turn_of_a_century(tz: str) -> None:
    cron = Cron("0 0 29 2 *", tz=tz)
    start = datetime(2090, 1, 1, tzinfo=UTC)
    end = datetime(2112, 1, 1, tzinfo=UTC)
    assert [at.year for at in cron.between(start, end)] == [2092, 2096, 2104, 2108]
    assert cron.prev(datetime(2104, 1, 1, tzinfo=UTC)).year == 2096
    assert cron.count(start, end) == 4


def test_leap_days_come_round_every_400_years() -> None:
    cron = Cron("0 0 29 2 *")
    assert cron.next(datetime(2396, 12, 1, tzinfo=UTC)).year == 2400
    assert cron.next(datetime(1896, 12, 1, tzinfo=UTC)).year == 1904
    assert cron.count(datetime(2000, 1, 1, tzinfo=UTC), datetime(2400, 1, 1, tzinfo=UTC)) == 97


@pytest.mark.parametrize("tz", ["UTC", "Europe/Berlin", "Asia/Kolkata"])
@pytest.mark.parametrize("year", [2, 476, 1582, 1883, 1969, 2100, 3000, 9990])
def test_any_year_will_do(tz: str, year: int) -> None:
    cron = Cron("30 4 1 7 *", tz=tz)
    at = datetime(year, 3, 1, tzinfo=UTC)
    later = cron.next(at)
    earlier = cron.prev(at)
    assert (later.year, later.month, later.day, later.hour, later.minute) == (year, 7, 1, 4, 30)
    assert (earlier.year, earlier.hour) == (year - 1, 4)
    assert cron.count(at, at.replace(year=year + 5)) == 5


def test_summer_time_goes_on_in_the_year_3000() -> None:
    cron = Cron("30 2 * * *", tz="Europe/Berlin")
    fires = islice(cron.between(datetime(3000, 3, 29, tzinfo=UTC), datetime(3001, 1, 1, tzinfo=UTC)), 3)
    assert [f"{at:%d %H:%M%z}" for at in fires] == ["29 02:30+0100", "30 03:00+0200", "31 02:30+0200"]


def ask(question: Callable[[], object]) -> object:
    """The answer, or the one error that is allowed out here."""
    try:
        return question()
    except CronCalculationError as error:
        return error


@pytest.mark.parametrize("zone", SAMPLES)
@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("dst", ["once", "wallclock"])
def test_the_ends_of_the_calendar_are_no_overflow(zone: str, expression: str, dst: str) -> None:
    cron = Cron(expression, tz=zone, dst=dst)
    near = datetime(9998, 1, 1, tzinfo=UTC)
    far = datetime(2, 1, 1, tzinfo=UTC)
    for tz in map(ZoneInfo, SAMPLES):
        for face in (FIRST, FIRST + timedelta(hours=13), LAST - timedelta(hours=13), LAST):
            at = face.replace(tzinfo=tz)
            for question in (cron.next, cron.prev, cron.matches, cron.get_next_occurrence):
                ask(lambda: question(at))  # noqa: B023
            ask(lambda: cron.count(near, at))  # noqa: B023
            ask(lambda: cron.count(at, far))  # noqa: B023
            ask(lambda: list(islice(cron.between(near, at), 3)))  # noqa: B023
            ask(lambda: list(islice(cron.between(at, far), 3)))  # noqa: B023


@pytest.mark.parametrize("zone", SAMPLES)
def test_the_last_fire_and_the_first(zone: str) -> None:
    """On the zone's own clocks the calendar is used to its last minute."""
    cron = Cron("* * * * *", tz=zone)
    tz = Cron("* * * * *", tz=zone).next(datetime(2026, 1, 1, tzinfo=UTC)).tzinfo
    last = LAST.replace(second=0, microsecond=0, tzinfo=tz)
    first = FIRST.replace(tzinfo=tz)
    assert cron.next(last - timedelta(minutes=1)) == last
    assert cron.prev(LAST.replace(tzinfo=tz)) == last
    assert cron.prev(first + timedelta(minutes=1)) == first
    assert list(cron.between(last - timedelta(minutes=2), LAST.replace(tzinfo=tz))) == [
        last - timedelta(minutes=1),
        last,
    ]
    assert cron.count(last - timedelta(minutes=2), LAST.replace(tzinfo=tz)) == 2
    with pytest.raises(CronCalculationError, match="before the year 10000") as caught:
        cron.next(last)
    assert caught.value.direction == "next"
    with pytest.raises(CronCalculationError, match="since the year 1") as caught:
        cron.prev(first)
    assert caught.value.direction == "previous"
    assert cron.get_next_occurrence(last) is None


@pytest.mark.parametrize("of", [None, "UTC", "America/New_York"])
@pytest.mark.parametrize("zone", SAMPLES)
def test_an_end_beyond_all_calendars_means_until_it_stops(zone: str, of: str | None) -> None:
    cron = Cron("0 12 1 1 *", tz=zone)
    until = LAST.replace(tzinfo=ZoneInfo(of or zone))
    start = datetime(9990, 6, 1, tzinfo=UTC)
    assert [at.year for at in cron.between(start, until)] == list(range(9991, 10_000))
    assert cron.count(start, until) == 9


def test_an_instant_without_a_local_time_is_named() -> None:
    cron = Cron("0 0 * * *", tz="America/New_York")
    with pytest.raises(CronCalculationError, match="which clocks in America/New_York cannot show") as caught:
        cron.next(FIRST)
    error = caught.value
    assert error.expression == "0 0 * * *"
    assert error.current_time == FIRST
    assert error.details["currentTime"] == "0001-01-01T00:00:00+00:00"
    assert error.details["cause"] is error.__cause__


def test_the_message_of_a_calculation_error() -> None:
    at = LAST
    with pytest.raises(CronCalculationError) as caught:
        Cron("0 9 * * *").next(at)
    error = caught.value
    cause = '"0 9 * * *" has no occurrence before the year 10000'
    assert str(error) == f"Failed to calculate next occurrence: {cause}"
    assert (error.expression, error.current_time, error.cause) == ("0 9 * * *", at, cause)
    assert set(error.details) == {"expression", "currentTime", "cause"}


@pytest.mark.parametrize("name", ["after", "before", "at", "start", "end"])
def test_a_naive_datetime_is_refused_by_name(name: str) -> None:
    cron = Cron("* * * * *", tz="Europe/Berlin")
    good = datetime(2026, 1, 1, tzinfo=UTC)
    naive = datetime(2026, 1, 1)  # noqa: DTZ001
    ask_with: dict[str, Callable[[], object]] = {
        "after": lambda: cron.next(naive),
        "before": lambda: cron.prev(naive),
        "at": lambda: cron.matches(naive),
        "start": lambda: cron.count(naive, good),
        "end": lambda: list(cron.between(good, naive)),
    }
    with pytest.raises(NaiveDatetimeError, match=f"^{name} must be timezone-aware, got the naive 2026-01-01T00:00:00"):
        ask_with[name]()


class NoOffset(tzinfo):
    """A zone that does not know."""

    def utcoffset(self, _at: datetime | None) -> None:
        return None

    dst = tzname = utcoffset


def test_a_datetime_whose_zone_gives_no_offset_is_naive() -> None:
    with pytest.raises(NaiveDatetimeError):
        Cron("* * * * *").next(datetime(2026, 1, 1, tzinfo=NoOffset()))


@examples(60)
@given(st.sampled_from(ZONES), st.datetimes(), st.sampled_from(EXPRESSIONS), st.sampled_from(["once", "wallclock"]))
def test_the_whole_calendar_obeys_the_laws(zone: str, face: datetime, expression: str, dst: str) -> None:
    cron = Cron(expression, tz=zone, dst=dst)
    at = face.replace(tzinfo=UTC)
    later = ask(lambda: cron.next(at))
    earlier = ask(lambda: cron.prev(at))
    if isinstance(later, datetime):
        assert at < later
    if isinstance(earlier, datetime):
        assert earlier < at
    if isinstance(later, datetime) and isinstance(earlier, datetime):
        assert cron.prev(later) <= at
        assert cron.next(earlier) >= at
