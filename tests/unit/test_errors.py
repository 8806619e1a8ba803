"""Errors carry their facts as attributes and in `details`, and survive a trip through pickle."""

import inspect
import pickle
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import ModuleType
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly import errors
from duly.declarative import errors as declarative
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
def test_errors_that_a_caller_can_correct_are_value_errors(error: DulyError) -> None:
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


def _classes(module: ModuleType) -> Iterator[type[DulyError]]:
    for _, each in inspect.getmembers(module, inspect.isclass):
        if issubclass(each, DulyError) and each.__module__ == module.__name__ and not each.__name__.startswith("_"):
            yield each


_FACTS: dict[str, Any] = {
    "int": 3,
    "int | None": 3,
    "float": 2.5,
    "float | None": 2.5,
    "object": {"some": "value"},
    "Mapping[str, Any] | None": {"some": "value"},
    "datetime": MOMENT,
    "BaseException": OSError("disk full"),
    "tuple[str, ...]": ("one", "two"),
    "tuple[int, int] | None": (0, 59),
}
"""A value for every annotation a constructor has; anything else is a text."""


def _made(cls: type[DulyError]) -> tuple[DulyError, dict[str, Any]]:
    """An error with every argument its constructor takes, and those arguments."""
    if not inspect.isfunction(cls.__init__):  # Python's own takes any text
        return cls("what was wrong"), {}
    parameters = [
        each
        for each in inspect.signature(cls).parameters.values()
        if each.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    ]
    facts = {each.name: _FACTS.get(str(each.annotation), f"the {each.name}") for each in parameters}
    return cls(**facts), facts


EVERY_CLASS = [
    *_classes(errors),
    *(each for each in _classes(declarative) if each is not declarative.TaskTryDeserializeError),  # it has no facts
]


@pytest.mark.parametrize("cls", EVERY_CLASS, ids=lambda cls: cls.__name__)
def test_annotated_fields_of_an_error_are_set(cls: type[DulyError]) -> None:
    error, _ = _made(cls)
    for name, kind in get_type_hints(cls, vars(inspect.getmodule(cls)) | {"datetime": datetime}).items():
        if not name.startswith("_"):
            assert isinstance(getattr(error, name), kind), name


@pytest.mark.parametrize("cls", EVERY_CLASS, ids=lambda cls: cls.__name__)
def test_constructor_arguments_of_an_error_can_be_read(cls: type[DulyError]) -> None:
    error, facts = _made(cls)
    told = {name: value for name, value in facts.items() if hasattr(error, name)}
    assert {name: getattr(error, name) for name in told} == told
    assert facts.keys() - told.keys() <= {"message", "reason", "cause"}  # these are in the text, or are the cause
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def _reached(value: object) -> Iterator[DulyError]:
    """Walk through the details of an error, and the details of every error in them."""
    if isinstance(value, DulyError):
        yield value
        yield from _reached(value.details)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _reached(each)


def _from(error: DulyError, cause: Exception | None) -> DulyError:
    """Do to an error what `raise … from` does."""
    error.__cause__ = cause
    return error


@given(st.lists(st.sampled_from(EVERY_CLASS), min_size=1, max_size=8), st.booleans())
def test_details_lead_from_cause_to_cause_and_end(chain: list[type[DulyError]], begins_elsewhere: bool) -> None:
    raised: Exception | None = OSError("disk full") if begins_elsewhere else None
    for cls in chain:
        raised = _from(_made(cls)[0], raised)
    walked = list(_reached(raised))  # without an end, a RecursionError
    assert len({id(each) for each in walked}) == len(walked) <= len(chain)


@pytest.mark.parametrize("cls", EVERY_CLASS, ids=lambda cls: cls.__name__)
def test_the_cause_in_details_is_the_one_that_python_knows(cls: type[DulyError]) -> None:
    fault = OSError("disk full")
    details = _from(_made(cls)[0], fault).details
    assert details.get("cause", fault) is fault
    assert "cause" in details or details  # an error without facts of its own has at least its cause
