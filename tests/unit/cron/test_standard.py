"""The `standard` dialect, and `seconds` on top of it."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice

import pytest

from duly.cron import Cron, is_valid
from duly.errors import FieldParseError, InvalidCronExpressionError

START = datetime(2026, 1, 1, tzinfo=UTC)  # a Thursday
END = datetime(2040, 1, 1, tzinfo=UTC)


def days(expression: str, number: int = 5) -> str:
    """The first fires after New Year 2026, as month-day."""
    return " ".join(f"{at:%m-%d}" for at in islice(Cron(expression).between(START, END), number))


@pytest.mark.parametrize(
    ("expression", "fires"),
    [
        ("0 9 L * *", "01-31 02-28 03-31 04-30 05-31"),
        ("0 9 L-3 * *", "01-28 02-25 03-28 04-27 05-28"),
        ("0 9 L-0 2 *", "02-28 02-28 02-29 02-28 02-28"),
        ("0 9 L-30 * *", "01-01 03-01 05-01 07-01 08-01"),
        ("0 9 L,15 * *", "01-15 01-31 02-15 02-28 03-15"),
        ("0 9 28-L 2 *", "02-28 02-28 02-28 02-29 02-28"),
        ("0 9 25-L/3 * *", "01-25 01-28 01-31 02-25 02-28"),
        ("0 9 15W * *", "01-15 02-16 03-16 04-15 05-15"),
        ("0 9 W15 * *", "01-15 02-16 03-16 04-15 05-15"),
        ("0 9 1W * *", "01-01 02-02 03-02 04-01 05-01"),
        ("0 9 1W 8 *", "08-03 08-02 08-01 08-01 08-01"),  # Saturday the 1st: Monday the 3rd, not July
        ("0 9 31W * *", "01-30 02-27 03-31 04-30 05-29"),  # a short month ends earlier
        ("0 9 LW * *", "01-30 02-27 03-31 04-30 05-29"),
        ("0 9 L-1W * *", "01-30 02-27 03-30 04-29 05-29"),
        ("0 9 1,15W * *", "01-01 01-15 02-01 02-16 03-01"),
        ("0 9 * * fri#2", "01-09 02-13 03-13 04-10 05-08"),
        ("0 9 * * 5#5", "01-30 05-29 07-31 10-30 01-29"),
        ("0 9 * * 7#1", "01-04 02-01 03-01 04-05 05-03"),
        ("0 9 * * mon-tue#1", "01-05 01-06 02-02 02-03 03-02"),
        ("0 9 * * mon#1,fri#3", "01-05 01-16 02-02 02-20 03-02"),
        ("0 9 * * 5L", "01-30 02-27 03-27 04-24 05-29"),
        ("0 9 * * friL", "01-30 02-27 03-27 04-24 05-29"),
        ("0 9 * * mon,5L", "01-05 01-12 01-19 01-26 01-30"),
        ("0 9 29 2 *", "02-29 02-29 02-29"),
        ("0 9 13 * 5", "01-02 01-09 01-13 01-16 01-23"),
        ("0 9 13 * ?", "01-13 02-13 03-13 04-13 05-13"),
        ("0 9 ? * 5", "01-02 01-09 01-16 01-23 01-30"),
        ("0 9 30-2 * *", "01-01 01-02 01-30 01-31 02-01"),
        ("0 9 1 nov-feb *", "01-01 02-01 11-01 12-01 01-01"),
        ("0 9 * * sat-tue", "01-03 01-04 01-05 01-06 01-10"),
        ("0 9 * * sat-tue/2", "01-03 01-05 01-10 01-12 01-17"),
        ("0 9 * * 5-7", "01-02 01-03 01-04 01-09 01-10"),
        ("0 9 */10 * *", "01-01 01-11 01-21 01-31 02-01"),
        ("0 9 5/10 * *", "01-05 01-15 01-25 02-05 02-15"),
        ("0 9 * */5 1#1", "01-05 06-01 11-02 01-04 06-07"),
    ],
)
def test_fires_on(expression: str, fires: str) -> None:
    assert days(expression, fires.count(" ") + 1) == fires


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0 9 * * MON", "0 9 * * 1"),
        ("0 9 * Jan-MAR *", "0 9 * 1-3 *"),
        ("0 9 * * 7", "0 9 * * 0"),
        ("0 9 * * sun-sat", "0 9 * * 0-7"),
        ("0 9 * * 7-2", "0 9 * * 0-2"),
        ("0 9 * * fri-sun", "0 9 * * 5-7"),
        ("0 9 * * sat-mon", "0 9 * * 6,0,1"),
        ("0 9 * * 3-3", "0 9 * * wed"),
        ("0 9 * * 0-0", "0 9 * * sun"),
        ("0 22-2 * * *", "0 0,1,2,22,23 * * *"),
        ("50-10/10 9 * * *", "50,0,10 9 * * *"),
        ("5/20 9 * * *", "5,25,45 9 * * *"),
        ("0 9 10-L * *", "0 9 10-31 * *"),
        ("0 9 * * L5", "0 9 * * 5L"),
        ("0 9 * * 5L", "0 9 * * FRIL"),
        ("0 9 W15 * *", "0 9 15w * *"),
        ("0 9 l,15W * *", "0 9 15W,L * *"),
        ("0 9 * * 1#1,2#1", "0 9 * * 2#1,1#01"),
        ("0 9 L-0 * *", "0 9 L * *"),
        ("0 9 L-0W * *", "0 9 LW * *"),
        ("0 9 ? * ?", "0 9 * * *"),
        ("0 9 1 * ?", "0 9 1 * *"),
        ("00 009 * * *", "0 9 * * *"),
        (" 0\t9  *\n* * ", "0 9 * * *"),
        ("@yearly", "0 0 1 1 *"),
        ("@annually", "0 0 1 1 *"),
        ("@monthly", "0 0 1 * *"),
        ("@weekly", "0 0 * * 0"),
        ("@daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@hourly", "0 * * * *"),
        ("@DaIlY", "@daily"),
        ("  @Hourly\n", "@hourly"),
    ],
)
def test_two_ways_to_write_the_same(one: str, other: str) -> None:
    assert Cron(one) == Cron(other)
    assert hash(Cron(one)) == hash(Cron(other))
    assert Cron(one, dialect="seconds") == Cron(other, dialect="seconds")


@pytest.mark.parametrize(
    ("expression", "field", "reason", "points_at"),
    [
        (
            "0 0 9 * * *",
            "expression",
            'has 6 fields, expected 5 (minute hour day month weekday); without seconds: "0 9',
            "",
        ),
        ("0 0 9 * * *", "expression", "or use the seconds dialect", ""),
        ("9 * * *", "expression", "has 4 fields", ""),
        ("daily", "expression", "has 1 field,", ""),
        ("", "expression", "is empty", ""),
        ("\n\u00a0", "expression", "is empty", ""),
        ("@dayly", "expression", "is not a macro duly knows; did you mean @daily?", ""),
        ("@reboot", "expression", "is not a macro duly knows; ", ""),
        ("@every 5m", "expression", "is not a macro duly knows; ", ""),
        ("@", "expression", "known are @yearly, @annually", ""),
        ("0 9 * * mon,@daily", "weekday", 'has "@daily"', "@daily"),
        ("*/0 * * * *", "minute", "has step 0, expected 1 or more", "0 *"),
        ("*/x * * * *", "minute", 'has step "x", expected a number after the slash', "x"),
        ("*/ * * * *", "minute", 'has step "", expected a number', " *"),
        ("1/2/3 * * * *", "minute", 'has step "2/3"', "2/3"),
        ("*/-5 * * * *", "minute", 'has step "-5"', "-5"),
        ("1,2/0 * * * *", "minute", "has step 0", "0 *"),
        ("0 9 * * xyz", "weekday", 'has "xyz", expected 0-6 or sun-sat', "xyz"),
        ("0 9 * foo *", "month", 'has "foo", expected 1-12 or jan-dec', "foo"),
        ("0 9 * * monday", "weekday", 'has "monday"', "monday"),
        ("0 9 * * 8", "weekday", "value 8 is out of range 0-7 (0 and 7 are Sunday)", "8"),
        ("0 9 * * 1-8", "weekday", "value 8 is out of range", "8"),
        ("0 9 0 * *", "day", "value 0 is out of range 1-31", "0"),
        ("0 9 0W * *", "day", "value 0 is out of range 1-31", "0W"),
        ("0 9 32W * *", "day", "value 32 is out of range 1-31", "32W"),
        ("0 9 5-0 * *", "day", "value 0 is out of range 1-31", "0"),
        ("0 9 L-31 * *", "day", "counts 31 days back from the last, allowed 0-30", "L-31"),
        ("0 9 WL * *", "day", 'has "wl", expected L, L-n, nW, LW or L-nW', "WL"),
        ("0 9 W * *", "day", 'has "w"', "W"),
        ("0 9 L5 * *", "day", 'has "l5"', "L5"),
        ("0 9 1-5W * *", "day", 'has "1-5w"', "1-5W"),
        ("0 9 L/2 * *", "day", 'has "l/2"', "L/2"),
        ("0 L * * *", "hour", 'has "l", expected 0-23', "L"),
        ("0 9 * L *", "month", 'has "l"', "L"),
        ("0 9 * * L", "weekday", 'has "l", expected a day before the L, such as 5L or friL', "L"),
        ("0 9 * * 8L", "weekday", "value 8 is out of range", "8L"),
        ("0 9 * * 5W", "weekday", 'has "5w"', "5W"),
        ("0 9 * * 5#0", "weekday", 'has "#0", expected #1 to #5', "#0"),
        ("0 9 * * 5#6", "weekday", 'has "#6", expected #1 to #5', "#6"),
        ("0 9 * * 5#", "weekday", 'has "#", expected #1 to #5', "#"),
        ("0 9 * * #2", "weekday", 'has "#2"', "#2"),
        ("0 9 5#2 * *", "day", 'has "5#2"', "5#2"),
        ("? * * * *", "minute", 'has "?", which stands alone and only in the day and weekday fields; write *', "?"),
        ("0 9 ?,5 * *", "day", 'has "?"', "?,5"),
        ("0 9 * ? *", "month", 'has "?"', "?"),
        ("0 9 1,,2 * *", "day", "has an empty element", ",2"),
        ("+5 9 * * *", "minute", 'has the signed value "+5", expected 0-59', "+5"),
        ("-5 9 * * *", "minute", 'has the incomplete range "-5", expected two values such as 0-59', "-5"),
        ("5- 9 * * *", "minute", 'has the incomplete range "5-"', "5-"),
        ("5-9-12 9 * * *", "minute", 'has "9-12"', "9-12"),
        ("0x5 9 * * *", "minute", 'has "0x5"', "0x5"),
        ("1e1 9 * * *", "minute", 'has "1e1"', "1e1"),
        ("H 9 * * *", "minute", 'has "h"', "H"),
        ("0 R(1-5) * * *", "hour", 'has "r(1"', "R(1"),
    ],
)
def test_refuses(expression: str, field: str, reason: str, points_at: str) -> None:
    with pytest.raises(InvalidCronExpressionError) as caught:
        Cron(expression)
    error = caught.value
    assert not is_valid(expression)
    assert (error.expression, error.field) == (expression, field)
    assert reason in error.reason
    assert expression[error.position :].startswith(points_at)
    assert (error.__cause__ is None) == (field == "expression")
    assert error.__cause__ is None or isinstance(error.__cause__, FieldParseError)


@pytest.mark.parametrize("expression", [None, 5, 5.0, b"* * * * *", ["* * * * *"], {"a": 1}, object, ("0", "9")])
def test_only_text_is_an_expression(expression: object) -> None:
    with pytest.raises(InvalidCronExpressionError, match=f"must be text, got {type(expression).__name__}"):
        Cron(expression)  # type: ignore[arg-type]
    assert not is_valid(expression)  # type: ignore[arg-type]


@pytest.mark.parametrize("dialect", ["posix", "standard", "seconds"])
@pytest.mark.parametrize("text", ["*", " ", "1,", "@", "\u0660"])
def test_ten_megabytes_are_refused_at_once(text: str, dialect: str) -> None:
    with pytest.raises(InvalidCronExpressionError, match="characters long, allowed are 1024") as caught:
        Cron(text * (10_000_000 // len(text)), dialect=dialect)
    assert len(str(caught.value)) < 200


def test_the_longest_sensible_expression_fits() -> None:
    everything = " ".join(
        ",".join(map(str, range(low, high + 1))) for low, high in ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
    )
    assert Cron(everything, dialect="seconds").count(START, datetime(2026, 1, 2, tzinfo=UTC)) == 86_400


@pytest.mark.parametrize(
    ("expression", "fires"),
    [
        ("*/20 * * * * *", "00:00:20 00:00:40 00:01:00"),
        ("30 0 9 * * *", "09:00:30 09:00:30 09:00:30"),
        ("50-10/10 59 23 * * *", "23:59:00 23:59:10 23:59:50"),
        ("0 9 * * *", "09:00:00 09:00:00 09:00:00"),
        ("@hourly", "01:00:00 02:00:00 03:00:00"),
    ],
)
def test_seconds_come_first(expression: str, fires: str) -> None:
    cron = Cron(expression, dialect="seconds")
    assert " ".join(f"{at:%H:%M:%S}" for at in islice(cron.between(START, END), 3)) == fires


@pytest.mark.parametrize("expression", ["* * * *", "* * * * * * *", "60 * * * * *", "? * * * * *", "L * * * * *", ""])
def test_seconds_are_as_strict(expression: str) -> None:
    assert not is_valid(expression, dialect="seconds")


def test_a_fault_is_found_behind_the_seconds_too() -> None:
    with pytest.raises(InvalidCronExpressionError) as caught:
        Cron("0 0 9 * * 1,mno", dialect="seconds")
    assert (caught.value.field, caught.value.position, caught.value.allowed) == ("weekday", 12, (0, 6))


@pytest.mark.parametrize(
    ("option", "value"),
    [("dialect", "quartz"), ("dst", "skip"), ("day_match", "xor"), ("dialect", None), ("day_match", 1), ("dst", [])],
)
def test_an_unknown_option_lists_the_choices(option: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{option} must be one of '"):
        Cron("* * * * *", **{option: value})  # type: ignore[arg-type]
