"""One moment, and cron as an interval."""

from datetime import timedelta
from typing import Any

import pytest

from duly.cron import Cron
from duly.errors import InvalidCronExpressionError, InvalidInputError, InvalidRecurrenceError, NaiveDatetimeError
from duly.recurrence import CronInterval, Once
from tests.unit.recurrence.helpers import following, utc

AT = utc("2026-11-15 10:00")


def test_a_moment_comes_once() -> None:
    assert Once(AT).get_next_occurrence(AT - timedelta(microseconds=1)) == AT
    assert Once(AT).get_next_occurrence(AT) is None


def test_a_moment_is_an_instant() -> None:
    with pytest.raises(NaiveDatetimeError, match="at must be timezone-aware"):
        Once(AT.replace(tzinfo=None))
    nonsense: Any = "tomorrow"
    with pytest.raises(InvalidRecurrenceError, match="at must be a datetime with a time zone, got 'tomorrow'"):
        Once(nonsense)


def test_cron_takes_five_fields_or_six() -> None:
    assert following(CronInterval("0 0 * * *"), AT, 1) == ["2026-11-16 00:00"]
    assert following(CronInterval("30 0 0 * * *"), AT, 1) == ["2026-11-16 00:00:30"]
    assert following(CronInterval("0 0 * * MON"), AT, 2) == ["2026-11-16 00:00", "2026-11-23 00:00"]


def test_cron_looks_at_the_clock_of_its_zone() -> None:
    assert following(CronInterval("0 9 * * *", tz="Europe/Berlin"), AT, 1, "Europe/Berlin") == ["2026-11-16 09:00"]


def test_the_dialect_decides_what_a_clock_change_does_unless_said() -> None:
    assert CronInterval("0 9 * * *").dst == "once"
    assert CronInterval("0 9 * * *", "posix").dst == "wallclock"
    assert CronInterval("0 9 * * *", "posix", dst="once").dst == "once"


def test_cron_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(InvalidCronExpressionError):
        CronInterval("0 0 * *")
    with pytest.raises(InvalidInputError, match="dialect"):
        CronInterval("0 0 * * *", "klingon")
    number: Any = 5
    with pytest.raises(InvalidRecurrenceError, match="cron_expression must be a text, got 5"):
        CronInterval(number)


def test_the_calendar_ends_for_cron_too() -> None:
    assert CronInterval("0 0 * * *").get_next_occurrence(utc("9999-12-31 00:00")) is None
    assert Cron("0 0 * * *").get_next_occurrence(utc("9999-12-31 00:00")) is None
