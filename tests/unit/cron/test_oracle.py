"""The engine and a brute-force walk through real time give the same answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.cron import Cron
from tests.unit.cron.oracle import Oracle, faces, transitions
from tests.unit.cron.strategies import ON_THE_MINUTE, WITH_SECONDS, Case, cases, examples, moments

HOURS = timedelta(hours=1)
APIA = "Pacific/Apia"
ODD_OFFSETS = {
    # A change between offsets that are no whole minutes, and an hour or so around it.
    "Africa/Monrovia": datetime(1972, 1, 7, 0, 44, 30, tzinfo=UTC),
    "Europe/Amsterdam": datetime(1937, 6, 30, 22, 40, 28, tzinfo=UTC),
    "Europe/Dublin": datetime(1916, 10, 1, 2, 25, 21, tzinfo=UTC),
    "America/New_York": datetime(1883, 11, 18, 17, 0, 0, tzinfo=UTC),
    "Asia/Singapore": datetime(1905, 5, 31, 17, 4, 35, tzinfo=UTC),
}


def check_window(case: Case, middle: datetime, reach: timedelta, fires: list[datetime]) -> None:
    """All the ways of asking, over (middle - reach, middle + reach]."""
    cron = case.cron()
    start = middle - reach
    end = middle + reach
    assert [at.astimezone(UTC) for at in cron.between(start, end)] == fires
    assert cron.count(start, end) == len(fires)
    later = [at for at in fires if at > middle]
    earlier = [at for at in fires if at < middle]
    if later:
        assert cron.next(middle).astimezone(UTC) == later[0]
    else:
        assert cron.next(middle) > end
    if earlier:
        assert cron.prev(middle).astimezone(UTC) == earlier[-1]
    else:
        assert cron.prev(middle) <= start
    for one, two in pairwise(fires):
        assert cron.next(one).astimezone(UTC) == two
        assert cron.prev(two).astimezone(UTC) == one


@examples(100)
@given(st.data())
def test_agrees_with_the_walk_minute_by_minute(data: st.DataObject) -> None:
    case = data.draw(cases(ON_THE_MINUTE))
    middle = data.draw(moments(case.zone))
    reach = 30 * HOURS
    check_window(case, middle, reach, case.oracle().fires(middle - reach, middle + reach))


@examples(40)
@given(st.data())
def test_agrees_with_the_walk_second_by_second(data: st.DataObject) -> None:
    case = data.draw(cases(WITH_SECONDS))
    middle = data.draw(moments(case.zone, reach=2 * HOURS))
    reach = HOURS
    fires = case.oracle().fires(middle - reach, middle + reach, lookback=3 * HOURS)
    check_window(case, middle, reach, fires)


@examples(40)
@given(st.data())
def test_agrees_where_a_whole_day_is_missing(data: st.DataObject) -> None:
    case = data.draw(cases(ON_THE_MINUTE, zones=(APIA,)))
    middle = datetime(2011, 12, 30, 10, tzinfo=UTC) + data.draw(st.integers(-2000, 2000)) * timedelta(minutes=1)
    reach = 40 * HOURS
    check_window(case, middle, reach, case.oracle().fires(middle - reach, middle + reach))


@examples(40)
@given(st.data())
def test_agrees_where_offsets_are_no_whole_minutes(data: st.DataObject) -> None:
    zone = data.draw(st.sampled_from(sorted(ODD_OFFSETS)))
    case = data.draw(cases(ON_THE_MINUTE, zones=(zone,)))
    middle = ODD_OFFSETS[zone] + data.draw(st.integers(-3000, 3000)) * timedelta(seconds=1)
    fires = case.oracle().fires(middle - HOURS, middle + HOURS, grain=timedelta(seconds=1), lookback=2 * HOURS)
    check_window(case, middle, HOURS, fires)


@pytest.mark.parametrize("zone", sorted(ODD_OFFSETS))
def test_the_odd_offsets_do_change_there(zone: str) -> None:
    year = ODD_OFFSETS[zone].year
    assert ODD_OFFSETS[zone] in transitions(zone, year, year)


@examples(100)
@given(st.data())
def test_matches_says_whether_it_fires_in_this_minute(data: st.DataObject) -> None:
    case = data.draw(cases(ON_THE_MINUTE))
    at = data.draw(moments(case.zone))
    begun = at.replace(second=0, microsecond=0)
    fires = case.oracle().fires(begun - timedelta(hours=2), begun + timedelta(hours=2))
    cron = case.cron()
    assert cron.matches(at) == (begun in fires)
    for fire in fires:
        assert all(cron.matches(fire + timedelta(seconds=inside)) for inside in (0, 1, 59.999))


@examples(40)
@given(st.data())
def test_matches_says_whether_it_fires_in_this_second(data: st.DataObject) -> None:
    case = data.draw(cases(WITH_SECONDS))
    at = data.draw(moments(case.zone, reach=timedelta(minutes=5)))
    begun = at.replace(microsecond=0)
    fires = case.oracle().fires(begun - timedelta(minutes=1), begun + timedelta(minutes=1), lookback=3 * HOURS)
    cron = case.cron()
    assert cron.matches(at) == (begun in fires)
    assert all(cron.matches(fire + timedelta(seconds=0.999)) for fire in fires)


@examples(40)
@given(st.data())
def test_matches_where_offsets_are_no_whole_minutes(data: st.DataObject) -> None:
    """A change may fall into the middle of a minute, which then begins with it."""
    zone = data.draw(st.sampled_from(sorted(ODD_OFFSETS)))
    case = data.draw(cases(ON_THE_MINUTE, zones=(zone,)))
    at = ODD_OFFSETS[zone] + data.draw(st.integers(-90, 200)) * timedelta(seconds=1)
    fires = case.oracle().fires(at - HOURS, at, grain=timedelta(seconds=1), lookback=2 * HOURS)
    begun = _minute_begun(zone, at)
    assert case.cron().matches(at) == any(fire >= begun for fire in fires)


def test_a_fire_in_the_middle_of_a_minute() -> None:
    """On 1972-01-07 Monrovia's clocks went from 00:00:00 to 00:44:30, and 00:30 was over."""
    cron = Cron("30 0 * * *", tz="Africa/Monrovia")
    change = datetime(1972, 1, 7, 0, 44, 30, tzinfo=UTC)
    assert cron.next(change - HOURS) == change
    assert cron.matches(change)
    assert cron.matches(change + timedelta(seconds=15))
    assert not cron.matches(change + timedelta(seconds=30))


def _minute_begun(zone: str, at: datetime) -> datetime:
    """Back to where the wall clock's minute began, or was jumped into."""
    seconds = faces(zone, at - timedelta(minutes=1), at, timedelta(seconds=1))[::-1]
    for (later, face), (_, earlier) in pairwise(seconds):
        if face.second == 0 or face - earlier != timedelta(seconds=1):
            return later
    raise AssertionError("a minute has sixty seconds")


def test_the_oracle_knows_the_textbook() -> None:
    """An oracle has to be right by itself: Berlin's clocks skip 02:00-03:00 on 2026-03-29, repeat it on 2026-10-25."""
    spring = datetime(2026, 3, 29, tzinfo=UTC)
    autumn = datetime(2026, 10, 25, tzinfo=UTC)
    day = timedelta(hours=22)

    def hours(expression: str, policy: str, start: datetime) -> list[str]:
        fires = Oracle(expression, "Europe/Berlin", policy).fires(start, start + day)
        return [f"{at:%H:%M}" for at in fires]

    assert hours("30 2 * * *", "once", spring) == ["01:00"]
    assert hours("30 2 * * *", "wallclock", spring) == []
    assert hours("30 2 * * *", "once", autumn) == ["00:30"]
    assert hours("30 2 * * *", "wallclock", autumn) == ["00:30", "01:30"]
    assert hours("*/30 2 * * *", "once", autumn) == ["00:30", "01:00", "01:30"]
