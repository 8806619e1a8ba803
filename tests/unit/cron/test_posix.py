"""The `posix` dialect: IEEE 1003.1 to the letter, and an error that says what to write instead."""

from __future__ import annotations

import pytest

from duly.cron import Cron, is_valid
from duly.errors import FieldParseError, InvalidCronExpressionError

VALID = [
    "* * * * *",
    "0 0 * * *",
    "15 3 * * 1-5",
    "0,30 * * * *",
    "0 12 14 2 *",
    "15,30,45,0 * * * *",
    "0 0 1,15 * 1",
    "0-59 0-23 1-31 1-12 0-6",
    "5-5 5-5 5-5 5-5 5-5",
    "00 07 08 09 006",
    "1,1,1 * * * *",
    "1-3,2-5,4 * * * *",
    "  0   0\t*\t\t* *  ",
    "0 0 29 2 *",
]

# expression, field, what the reason says, and the text at which the error points
INVALID = [
    # steps
    ("*/15 * * * *", "minute", "uses the step */15, which POSIX cron does not have; write 0,15,30,45", "/15"),
    ("0 */2 * * *", "hour", "write 0,2,4,6,8,10,12,14,16,18,20,22", "/2"),
    ("0 0 1-15/5 * *", "day", "write 1,6,11", "/5"),
    ("*/2 * * * *", "minute", "list the values", "/2"),
    ("1/x * * * *", "minute", "uses the step 1/x", "/x"),
    # names
    ("0 0 * * mon", "weekday", 'uses the name "mon", which POSIX cron does not have; write 1', "mon"),
    ("0 0 * * 1-FRI", "weekday", 'uses the name "FRI"', "FRI"),
    ("0 0 * jan *", "month", "write 1", "jan"),
    ("0 0 * * sunday", "weekday", "has 's', expected digits", "sunday"),
    # macros
    ("@daily", "expression", 'is a macro, which POSIX cron does not have; write "0 0 * * *"', "@daily"),
    ("@HOURLY", "expression", 'write "0 * * * *"', "@HOURLY"),
    ("@reboot", "expression", "has 1 field, expected 5", "@reboot"),
    # Quartz
    ("0 0 ? * *", "day", 'uses "?", which POSIX cron does not have; write *', "? * *"),
    ("0 0 * * ?", "weekday", 'uses "?"', "?"),
    ("0 0 L * *", "day", 'uses "L", which POSIX cron does not have; use the standard dialect', "L"),
    ("0 0 15W * *", "day", 'uses "15W"', "W"),
    ("0 0 LW * *", "day", 'uses "LW"', "LW"),
    ("0 0 L-3 * *", "day", "POSIX cron does not have", "L-3"),
    ("0 0 * * 5#2", "weekday", 'uses "5#2"', "#2"),
    ("0 0 * * 5L", "weekday", 'uses "5L"', "L"),
    ("H * * * *", "minute", "has 'H'", "H"),
    # 7
    ("0 0 * * 7", "weekday", "value 7 is out of range 0-6; write 0 for Sunday", "7"),
    ("0 0 * * 07", "weekday", "value 07 is out of range 0-6; write 0 for Sunday", "07"),
    ("0 0 * * 1-7", "weekday", "value 7 is out of range 0-6; write 0 for Sunday", "7"),
    ("0 0 * * 0,3,7", "weekday", "value 7 is out of range 0-6", "7"),
    ("0 0 * * 7-7", "weekday", "value 7 is out of range 0-6", "7-7"),
    # wrap-around
    ("0 22-2 * * *", "hour", "range 22-2 runs backwards, which POSIX cron does not have; write 22-23,0-2", "22-2"),
    ("1,50-10 * * * *", "minute", "write 50-59,0-10", "50-10"),
    ("0 0 28-3 * *", "day", "write 28-31,1-3", "28-3"),
    ("0 0 * 11-2 *", "month", "write 11-12,1-2", "11-2"),
    ("0 0 * * 5-1", "weekday", "write 5-6,0-1", "5-1"),
    # out of range
    ("60 * * * *", "minute", "value 60 is out of range 0-59", "60"),
    ("0 24 * * *", "hour", "value 24 is out of range 0-23", "24"),
    ("0 0 0 * *", "day", "value 0 is out of range 1-31", "0 * *"),
    ("0 0 32 * *", "day", "value 32 is out of range 1-31", "32"),
    ("0 0 * 0 *", "month", "value 0 is out of range 1-12", "0 *"),
    ("0 0 * 13 *", "month", "value 13 is out of range 1-12", "13"),
    ("0 0 * * 8", "weekday", "value 8 is out of range 0-6", "8"),
    ("0-60 * * * *", "minute", "value 60 is out of range", "60"),
    ("70-5 * * * *", "minute", "value 70 is out of range", "70-5"),
    ("99999999999999999999 * * * *", "minute", "is out of range 0-59", "9999"),
    # not decimal
    ("+5 * * * *", "minute", "has '+', expected digits", "+5"),
    ("-5 * * * *", "minute", 'has "-5", expected a number or a range such as 0-59', "-5"),
    ("0 0 1--5 * *", "day", 'has "1--5"', "1--5"),
    ("0x1F * * * *", "minute", "has 'x', expected digits", "x1F"),
    ("1e1 * * * *", "minute", "has 'e', expected digits", "e1"),
    ("1_0 * * * *", "minute", "has '_', expected digits", "_0"),
    ("1.5 * * * *", "minute", "has '.', expected digits", ".5"),
    ("0b1 * * * *", "minute", "has 'b', expected digits", "b1"),
    ("٣ * * * *", "minute", "has '٣', expected digits", "٣"),
    ("１ * * * *", "minute", "has '１', expected digits", "１"),
    ("0 ² * * *", "hour", "has '²', expected digits", "²"),
    # not a blank
    ("0\u00a00 * * *", "expression", "has 4 fields", "0"),
    ("0\n0 * * *", "expression", "has 4 fields", "0"),
    ("0\f0 * * *", "expression", "has 4 fields", "0"),
    ("0\u20030 * * *", "expression", "has 4 fields", "0"),
    ("0\u00a0 0 * * *", "minute", r"has '\xa0', expected digits", "\u00a0"),
    ("0 0 * * *\n", "weekday", r"has '\n', expected digits", "\n"),
    ("0 0 * * *\r\n", "weekday", r"has '\r', expected digits", "\r"),
    ("0 0 * * *\f", "weekday", r"has '\x0c', expected digits", "\f"),
    ("0 0 * * *\v", "weekday", r"has '\x0b', expected digits", "\v"),
    ("\ufeff0 0 * * *", "minute", r"has '\ufeff', expected digits", "\ufeff"),
    # the number of fields
    ("", "expression", "is empty; write five fields", ""),
    (" \t ", "expression", "is empty; write five fields", ""),
    ("* * * *", "expression", "has 4 fields, expected 5 (minute hour day month weekday)", "*"),
    (
        "0 0 9 * * *",
        "expression",
        'has 6 fields, expected 5 (minute hour day month weekday); without seconds: "0 9',
        "0",
    ),
    ("0 0 * * * # daily", "expression", "has 7 fields", "0"),
    # lists and ranges
    ("1,,2 * * * *", "minute", "has an empty element; remove the comma or write a value", ",2"),
    (",1 * * * *", "minute", "has an empty element", ",1"),
    ("1, * * * *", "minute", "has an empty element", " *"),
    (", * * * *", "minute", "has an empty element", ", *"),
    ("1- * * * *", "minute", 'has "1-"', "1-"),
    ("- * * * *", "minute", 'has "-"', "-"),
    ("1-2-3 * * * *", "minute", 'has "1-2-3", expected a number or a range such as 0-59', "1-2-3"),
    ("** * * * *", "minute", "has * beside other values", "**"),
    ("*,5 * * * *", "minute", "has * beside other values; write * alone or list the values", "*,5"),
    ("5,* * * * *", "minute", "has * beside other values", "* *"),
    ("*-5 * * * *", "minute", "has * beside other values", "*-5"),
    ("* * * * *;", "weekday", "has ';'", ";"),
    # dates that never come
    ("0 0 31 2 *", "day", "would never fire", "31"),
    ("0 0 30,31 2 *", "day", "would never fire", "30"),
    ("0 0 31 4,6,9,11 *", "day", "would never fire", "31"),
]
RANGES = {"minute": (0, 59), "hour": (0, 23), "day": (1, 31), "month": (1, 12), "weekday": (0, 6), "expression": None}


def refusal(expression: str, dialect: str = "posix") -> InvalidCronExpressionError:
    with pytest.raises(InvalidCronExpressionError) as caught:
        Cron(expression, dialect=dialect)
    return caught.value


@pytest.mark.parametrize("expression", VALID)
def test_accepts(expression: str) -> None:
    assert is_valid(expression, dialect="posix")
    assert Cron(expression, dialect="posix").expression == expression


@pytest.mark.parametrize(("expression", "field", "reason", "points_at"), INVALID, ids=[repr(row[0]) for row in INVALID])
def test_refuses(expression: str, field: str, reason: str, points_at: str) -> None:
    error = refusal(expression)
    assert not is_valid(expression, dialect="posix")
    assert error.expression == expression
    assert error.field == field
    assert reason in error.reason
    assert expression[error.position :].startswith(points_at)
    assert error.allowed == RANGES[field]
    assert str(error) == f'Invalid cron expression "{expression}": {field} field {error.reason}'
    assert error.details == {"expression": expression, "field": field, "reason": error.reason}


@pytest.mark.parametrize(
    ("expression", "field_value", "field_name", "position"),
    [("0 0 * * 1,7", "1,7", "weekday", 2), ("1,60 0 * * *", "1,60", "minute", 2), ("0 */2 * * *", "*/2", "hour", 1)],
)
def test_the_fault_of_a_field_is_the_cause(expression: str, field_value: str, field_name: str, position: int) -> None:
    error = refusal(expression)
    cause = error.__cause__
    assert isinstance(cause, FieldParseError)
    assert isinstance(cause, ValueError)
    assert (cause.field_value, cause.field_name, cause.position) == (field_value, field_name, position)
    assert cause.reason == error.reason
    assert cause.details == {"fieldValue": field_value, "fieldName": field_name}
    assert str(cause) == f'{field_name} field "{field_value}": {error.reason}'


@pytest.mark.parametrize(
    ("expression", "runs_on"),
    [
        ("0 0 * * *", "1 2 3 4 5 6 7 8 9 10"),
        ("0 0 * * 1", "1 8 15 22 29"),
        ("0 0 15 * *", "15"),
        ("0 0 1,15 * 1", "1 8 15 22 29"),
        ("0 0 3,15 * 1", "1 3 8 15 22 29"),
    ],
)
def test_the_truth_table_of_the_days(expression: str, runs_on: str) -> None:
    """June 2026 begins on a Monday."""
    days = Cron(expression, dialect="posix")._spec.days.of(2026, 6).bits
    assert " ".join(str(day) for day in range(1, 31) if days >> day & 1).startswith(runs_on)


def test_the_usual_policy_is_the_wall_clock() -> None:
    assert Cron("0 2 * * *", dialect="posix").dst == "wallclock"
    assert Cron("0 2 * * *", dialect="standard").dst == "once"
    assert Cron("0 2 * * *", dialect="seconds").dst == "once"
