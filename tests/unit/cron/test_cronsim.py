"""Beside cronsim, which follows Debian's cron: policy `once`, forwards and backwards, in zones that change."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim
from hypothesis import assume, given
from hypothesis import strategies as st

from duly.cron import Cron, is_valid
from tests.unit.cron.strategies import examples, moments, posix_fields

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Europe/Dublin",
    "Antarctica/Troll",
    "Asia/Kolkata",
    "Asia/Gaza",
    "America/Santiago",
    "Africa/Cairo",
    "Australia/Lord_Howe",
)
CHANGES_AT_MIDNIGHT = {"America/Santiago", "Africa/Cairo", "Asia/Gaza"}
CHANGES_BY_HALF_AN_HOUR = {"Australia/Lord_Howe"}

_HOURS = st.sampled_from(["*", "0", "1", "2", "3", "23", "1-3", "0,2", "*/2"]) | posix_fields(0, 23)
_MINUTES = st.sampled_from(["*/15", "7-50/9"]) | posix_fields(0, 59)
_DATES = st.sampled_from(["*", "*", "L", "LW", "*/5"]) | posix_fields(1, 31)
_WEEKDAYS = st.sampled_from(["*", "*", "mon-fri", "5#2", "1#5,2#5", "0L", "7", "sat,7"]) | posix_fields(0, 6)
EXPRESSIONS = st.tuples(_MINUTES, _HOURS, _DATES, posix_fields(1, 12), _WEEKDAYS).map(" ".join)


def joins_days_otherwise(expression: str) -> bool:
    """Debian reads a day field that begins with * as no restriction, even with more after it."""
    day = expression.split()[2]
    weekday = expression.split()[4]
    return "*" not in (day, weekday) and (day.startswith("*") or weekday.startswith("*"))


def is_beyond_cronsim(cron: Cron, start: datetime) -> bool:
    """Where cronsim's own arithmetic slips: its rhythms at odd changes, its fixed times in a repeated hour."""
    if cron._once:
        return start.fold == 1
    return cron.tz in CHANGES_AT_MIDNIGHT | CHANGES_BY_HALF_AN_HOUR


@examples(250)
@given(st.data())
def test_fires_at_the_same_times(data: st.DataObject) -> None:
    expression = data.draw(EXPRESSIONS)
    assume(is_valid(expression) and not joins_days_otherwise(expression))
    zone = data.draw(st.sampled_from(ZONES))
    start = data.draw(moments(zone)).replace(microsecond=0).astimezone(ZoneInfo(zone))
    cron = Cron(expression, tz=zone, dst="once")
    assume(not is_beyond_cronsim(cron, start))
    later = earlier = start
    forward = CronSim(expression, start)
    backward = CronSim(expression, start, reverse=True)
    for theirs, before in islice(zip(forward, backward, strict=False), 8):
        later = cron.next(later)
        earlier = cron.prev(earlier)
        assert later.astimezone(UTC) == theirs.astimezone(UTC)
        assert earlier.astimezone(UTC) == before.astimezone(UTC)


@pytest.mark.parametrize(
    ("expression", "zone", "start", "theirs", "ours"),
    [
        # the day field begins with *
        ("0 0 */2 * 1", "UTC", "2026-06-02T00:00", "2026-06-15T00:00+00:00", "2026-06-03T00:00+00:00"),
        # half an hour is half of the hour it ticks by
        ("45 * * * *", "Australia/Lord_Howe", "2013-04-07T01:50", "2013-04-07T02:45+10:30", "2013-04-07T01:45+10:30"),
        # there is no midnight on that day
        ("* 0,2 * * 0", "America/Santiago", "2033-09-02T17:06", "2033-09-04T00:00-04:00", "2033-09-04T02:00-03:00"),
    ],
)
def test_a_difference_is_known(expression: str, zone: str, start: str, theirs: str, ours: str) -> None:
    at = datetime.fromisoformat(start).replace(tzinfo=ZoneInfo(zone))
    assert next(CronSim(expression, at)).isoformat(timespec="minutes") == theirs
    assert Cron(expression, tz=zone).next(at).isoformat(timespec="minutes") == ours


def test_a_fixed_time_does_not_run_again_in_the_repeated_hour() -> None:
    second_pass = datetime(2016, 10, 30, 2, 16, tzinfo=ZoneInfo("Antarctica/Troll"), fold=1)
    assert next(CronSim("58 2 * * *", second_pass)).astimezone(UTC) < second_pass.astimezone(UTC)
    assert Cron("58 2 * * *", tz="Antarctica/Troll").next(second_pass).isoformat() == "2016-10-31T02:58:00+00:00"
