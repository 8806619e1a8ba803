"""Error Model: every error under its name, with its message and its details."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from duly import declarative
from duly.cron import Cron
from duly.declarative import (
    CronCalculationError,
    CronExpressionInvalidError,
    FieldParseError,
    InvalidCronExpressionError,
    InvalidRegistrationError,
    NegativeRetryDelayError,
    RegistrationShapeError,
    RegistrationsNotArrayError,
    ScheduleDuplicateTaskError,
    SchedulerAlreadyActiveError,
    TaskInvalidStructureError,
    TaskInvalidTypeError,
    TaskInvalidValueError,
    TaskMissingFieldError,
    TaskTryDeserializeError,
)
from duly.declarative.persisted import naming_damage
from duly.errors import DecodeError, DulyError
from tests.conformance.declarative.harness import DELAY, EVERY_MINUTE, SchedulerHarness, scheduled

SHAPE = "Invalid registration shape: expected [string, string, function, Duration]"


async def nothing() -> None:
    """A callback."""


def good(name: str = "a") -> tuple[Any, ...]:
    return (name, EVERY_MINUTE, nothing, DELAY)


# Registration Validation Errors


@pytest.mark.parametrize("registrations", [None, "abc", {}, 7, {good()}, (each for each in [good()])])
@scheduled
async def test_registrations_not_array_error(harness: SchedulerHarness, registrations: Any) -> None:
    with pytest.raises(RegistrationsNotArrayError) as caught:
        harness.scheduler().initialize(registrations)
    assert (str(caught.value), caught.value.details) == ("Registrations must be an array", {})


@pytest.mark.parametrize(
    "received",
    [
        None,
        "abcd",
        {},
        (),
        ("a", EVERY_MINUTE, nothing),
        (*good(), "more"),
        (7, EVERY_MINUTE, nothing, DELAY),
        ("a", None, nothing, DELAY),
        ("a", EVERY_MINUTE, "nothing", DELAY),
        ("a", EVERY_MINUTE, nothing(), DELAY),
        ("a", EVERY_MINUTE, nothing, 300),
    ],
)
@pytest.mark.filterwarnings("ignore:coroutine 'nothing' was never awaited")
@scheduled
async def test_registration_shape_error(harness: SchedulerHarness, received: Any) -> None:
    with pytest.raises(RegistrationShapeError) as caught:
        harness.scheduler().initialize([good("first"), received])
    assert str(caught.value) == SHAPE
    assert caught.value.details == {"registrationIndex": 1, "received": received}
    assert (caught.value.registration_index, caught.value.received) == (1, received)


@pytest.mark.parametrize(
    ("registration", "field"),
    [
        (("", EVERY_MINUTE, nothing, DELAY), "name"),
        (("x" * 201, EVERY_MINUTE, nothing, DELAY), "name"),
        (("a\0b", EVERY_MINUTE, nothing, DELAY), "name"),
        (("a\ud800", EVERY_MINUTE, nothing, DELAY), "name"),
        (("a", EVERY_MINUTE, print, DELAY), "callback"),
        (("a", EVERY_MINUTE, nothing, timedelta(days=40_000)), "retryDelay"),
    ],
)
@scheduled
async def test_invalid_registration_error(harness: SchedulerHarness, registration: tuple[Any, ...], field: str) -> None:
    with pytest.raises(InvalidRegistrationError) as caught:
        harness.scheduler().initialize([registration])
    error = caught.value
    assert error.details == {"field": field, "value": error.value, "reason": error.reason}
    assert error.field == field
    assert error.value in registration
    assert error.reason in str(error)


@scheduled
async def test_schedule_duplicate_task_error(harness: SchedulerHarness) -> None:
    with pytest.raises(ScheduleDuplicateTaskError) as caught:
        harness.scheduler().initialize([good("a"), good("b"), good("a")])
    assert str(caught.value) == 'Task with name "a" is already scheduled'
    assert (caught.value.details, caught.value.task_name) == ({"taskName": "a"}, "a")


@scheduled
async def test_scheduler_already_active_error(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    started = scheduler.initialize([good()])
    for expected in ("initializing", "running"):
        with pytest.raises(SchedulerAlreadyActiveError) as caught:
            scheduler.initialize([good()])
        assert str(caught.value) == f"Cannot initialize scheduler: scheduler is already {expected}"
        assert (caught.value.details, caught.value.current_state) == ({"currentState": expected}, expected)
        await started


@scheduled
async def test_cron_expression_invalid_error(harness: SchedulerHarness) -> None:
    with pytest.raises(CronExpressionInvalidError) as caught:
        harness.scheduler().initialize([("a", "0 25 * * *", nothing, DELAY)])
    error = caught.value
    assert str(error) == f'Invalid cron expression "0 25 * * *": hour field {error.reason}'
    facts = {"expression": "0 25 * * *", "field": "hour", "reason": error.reason}
    assert error.details == {**facts, "cause": error.__cause__}
    assert (error.expression, error.field) == ("0 25 * * *", "hour")


@scheduled
async def test_negative_retry_delay_error(harness: SchedulerHarness) -> None:
    with pytest.raises(NegativeRetryDelayError) as caught:
        harness.scheduler().initialize([("a", EVERY_MINUTE, nothing, timedelta(seconds=-1.5))])
    assert str(caught.value) == "Retry delay must be non-negative"
    assert (caught.value.details, caught.value.retry_delay_ms) == ({"retryDelayMs": -1500}, -1500)


# Cron Expression Parsing Errors


@scheduled
async def test_invalid_cron_expression_error_is_the_cause(harness: SchedulerHarness) -> None:
    with pytest.raises(CronExpressionInvalidError) as caught:
        harness.scheduler().initialize([("a", "*/5 * * * *", nothing, DELAY)])
    cause = caught.value.__cause__
    assert isinstance(cause, InvalidCronExpressionError)
    assert str(cause) == str(caught.value)
    assert caught.value.details == {**cause.details, "cause": cause}


def test_field_parse_error_is_the_cause_of_that() -> None:
    with pytest.raises(InvalidCronExpressionError) as caught:
        Cron("*/5 * * * *", dialect="posix")
    cause = caught.value.__cause__
    assert isinstance(cause, FieldParseError)
    assert cause.details == {"fieldValue": "*/5", "fieldName": "minute"}


# Cron Calculation Errors


def test_cron_calculation_error() -> None:
    end = datetime(9999, 12, 31, 23, 59, 30, tzinfo=UTC)
    with pytest.raises(CronCalculationError) as caught:
        Cron("0 0 1 1 *", dialect="posix").next(end)
    assert str(caught.value).startswith("Failed to calculate next occurrence: ")
    details = caught.value.details
    assert (details["expression"], details["currentTime"]) == ("0 0 1 1 *", end.isoformat())
    assert isinstance(details["cause"], Exception)
    assert details["cause"] is not caught.value


@scheduled
async def test_cron_calculation_error_when_the_calendar_ends(harness: SchedulerHarness) -> None:
    harness.clock.step(datetime(9999, 12, 31, 23, 0, tzinfo=UTC) - harness.clock.now())
    scheduler = harness.scheduler()
    with pytest.raises(CronCalculationError, match=r"^Failed to calculate next occurrence: "):
        await scheduler.initialize([("a", "0 0 1 1 *", nothing, DELAY)])


# Task State Management Errors are in test_persistence, where there is something to damage.


TASK_ERRORS: list[tuple[TaskTryDeserializeError, str, dict[str, Any]]] = [
    (
        TaskMissingFieldError("lastAttemptAt"),
        "Missing required field: lastAttemptAt",
        {"field": "lastAttemptAt"},
    ),
    (
        TaskInvalidTypeError("delay", "x", "number", "string"),
        "Invalid type for field 'delay': expected number, got string",
        {"field": "delay", "value": "x", "expectedType": "number", "actualType": "string"},
    ),
    (
        TaskInvalidValueError("delay", -1, "must be non-negative"),
        "Invalid value for field 'delay': must be non-negative",
        {"field": "delay", "value": -1, "reason": "must be non-negative"},
    ),
    (
        TaskInvalidStructureError([], "policy must be an object"),
        "Invalid task structure: policy must be an object",
        {"value": []},
    ),
    (
        TaskTryDeserializeError("cannot be read", "delay", "x", "number"),
        "cannot be read",
        {"field": "delay", "value": "x", "expectedType": "number"},
    ),
]


@pytest.mark.parametrize(("error", "message", "details"), TASK_ERRORS, ids=lambda each: type(each).__name__)
def test_task_errors_have_their_messages_and_details(
    error: TaskTryDeserializeError, message: str, details: dict[str, Any]
) -> None:
    assert (str(error), error.details) == (message, details)
    assert isinstance(error, TaskTryDeserializeError)


# Error Throwing Guarantees


FAULTS: list[tuple[type[DulyError], Any]] = [
    (RegistrationsNotArrayError, None),
    (RegistrationShapeError, [("a",)]),
    (InvalidRegistrationError, [("", EVERY_MINUTE, nothing, DELAY)]),
    (ScheduleDuplicateTaskError, [good(), good()]),
    (CronExpressionInvalidError, [("a", "x", nothing, DELAY)]),
    (NegativeRetryDelayError, [("a", EVERY_MINUTE, nothing, -DELAY)]),
]


@pytest.mark.parametrize(("kind", "registrations"), FAULTS)
@scheduled
async def test_validation_errors_must_be_thrown_synchronously_before_anything_is_written(
    harness: SchedulerHarness, kind: type[DulyError], registrations: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("the store was touched")

    monkeypatch.setattr("duly.declarative.scheduler.open_store", never)
    with pytest.raises(kind):
        harness.scheduler().initialize(registrations)  # not awaited


@pytest.mark.parametrize("first", [each for each in FAULTS if each[0] is not RegistrationsNotArrayError])
@pytest.mark.parametrize("second", [each for each in FAULTS if each[0] is not RegistrationsNotArrayError])
@scheduled
async def test_the_first_fault_by_index_wins(
    harness: SchedulerHarness, first: tuple[type[DulyError], Any], second: tuple[type[DulyError], Any]
) -> None:
    with pytest.raises(DulyError) as caught:
        harness.scheduler().initialize([*first[1], *second[1]])
    assert type(caught.value) is first[0]


@pytest.mark.parametrize("store", ["postgresql://me:s3cret@127.0.0.1:1/db", "mysql://me:s3cret@127.0.0.1/db"])
@scheduled
async def test_errors_must_not_expose_secrets(
    harness: SchedulerHarness, store: str, caplog: pytest.LogCaptureFixture
) -> None:
    harness.store = store
    with pytest.raises(DulyError) as caught:
        await harness.scheduler().initialize([good()])
    told = [str(event.data) for event in harness.events]
    assert "s3cret" not in "".join([str(caught.value), repr(caught.value), *told, caplog.text])
    assert "SchedulerInitializationFailed" in caplog.text


EXAMPLES: list[Callable[[], DulyError]] = [
    RegistrationsNotArrayError,
    lambda: RegistrationShapeError(3, ("a",)),
    lambda: InvalidRegistrationError("name", "", "must not be empty"),
    lambda: ScheduleDuplicateTaskError("a"),
    lambda: SchedulerAlreadyActiveError("running"),
    lambda: CronExpressionInvalidError("x", "minute", "is wrong"),
    lambda: NegativeRetryDelayError(-1.0),
    lambda: declarative.SchedulerInitializationError("a", RuntimeError("b")),
    *(lambda each=error: each for error, _, _ in TASK_ERRORS),
]


@pytest.mark.parametrize("make", EXAMPLES)
def test_names_messages_and_details_survive_a_trip_to_another_process(make: Callable[[], DulyError]) -> None:
    error = make()
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(again), str(again), again.details) == (type(error), str(error), error.details)


def test_every_error_of_the_specification_is_there_under_its_name() -> None:
    names = [
        *("RegistrationsNotArrayError", "RegistrationShapeError", "InvalidRegistrationError"),
        *("ScheduleDuplicateTaskError", "SchedulerAlreadyActiveError", "CronExpressionInvalidError"),
        *("NegativeRetryDelayError", "InvalidCronExpressionError", "FieldParseError", "CronCalculationError"),
        *("TaskTryDeserializeError", "TaskMissingFieldError", "TaskInvalidTypeError", "TaskInvalidValueError"),
        "TaskInvalidStructureError",
    ]
    for name in names:
        assert issubclass(getattr(declarative, name), DulyError)
        assert name in declarative.__all__


def test_damage_that_the_store_cannot_pin_down_is_a_task_error_too() -> None:
    with (
        pytest.raises(TaskInvalidValueError, match="Invalid value for field 'schedule': cannot be read"),
        naming_damage(),
    ):
        raise DecodeError("schedule", {"name": "a"}, "cannot be read")
