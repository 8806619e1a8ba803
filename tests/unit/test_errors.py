"""Errors carry their facts as attributes and in `details`, and survive a trip through pickle."""

import pickle
from datetime import UTC, datetime

import pytest

from duly.errors import (
    CronCalculationError,
    DulyError,
    FieldParseError,
    InvalidCronExpressionError,
    InvalidInputError,
    NaiveDatetimeError,
    TriggerDecodeError,
    UnknownTimezoneError,
)

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
ERRORS: list[DulyError] = [
    InvalidCronExpressionError("60 * * * *", "minute", "value 60 is out of range 0-59", position=0, allowed=(0, 59)),
    FieldParseError("60", "minute", "value 60 is out of range 0-59", 3),
    UnknownTimezoneError("Europe/Berln", ("Europe/Berlin",)),
    NaiveDatetimeError("after", MOMENT.replace(tzinfo=None)),
    TriggerDecodeError("interval", 0, "must be at least 1"),
    CronCalculationError("* * * * *", MOMENT, "the calendar ended", direction="previous"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling(error: DulyError) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_what_a_caller_can_correct_is_a_value_error(error: DulyError) -> None:
    assert isinstance(error, ValueError) is isinstance(error, InvalidInputError)


def test_messages_and_details_of_cron_errors() -> None:
    invalid, field, *_, calculation = ERRORS
    assert str(invalid) == 'Invalid cron expression "60 * * * *": minute field value 60 is out of range 0-59'
    assert invalid.details == {
        "expression": "60 * * * *",
        "field": "minute",
        "reason": "value 60 is out of range 0-59",
    }
    assert field.details == {"fieldValue": "60", "fieldName": "minute"}
    assert str(calculation) == "Failed to calculate previous occurrence: the calendar ended"
    assert calculation.details["currentTime"] == "2026-01-01T00:00:00+00:00"


def test_a_plain_error_has_no_details() -> None:
    assert DulyError("oh").details == {}
