"""The errors of the declarative scheduler, with the messages and details of its specification.

DulyError
├── InvalidInputError (ValueError)
│   ├── RegistrationsNotArrayError           not a list of registrations
│   ├── RegistrationShapeError               not (name, cron, callback, delay)
│   ├── InvalidRegistrationError             the right shape, the wrong contents
│   ├── ScheduleDuplicateTaskError           a name registered twice
│   ├── CronExpressionInvalidError           a cron expression that is not POSIX, or never fires
│   ├── NegativeRetryDelayError              a delay below zero
│   └── TaskTryDeserializeError              a stored task that cannot be decoded
│       ├── TaskMissingFieldError            … because a field is not there
│       ├── TaskInvalidTypeError             … or of the wrong type
│       ├── TaskInvalidValueError            … or says something impossible
│       └── TaskInvalidStructureError        … or because it is no JSON object
├── SchedulerAlreadyActiveError              initialize while initializing or running
└── SchedulerInitializationError             something unexpected; the original is its cause

Attributes are in Python spelling; `details` has the same facts under the names of the specification, and the original
under `cause` where one error was made out of another.
"""

from __future__ import annotations

from typing import Any, ClassVar

from duly.errors import DulyError, InvalidInputError


class _DetailedError(DulyError):
    """An error whose facts are its constructor's arguments, in order, under two names each."""

    _names: ClassVar[dict[str, str]] = {}
    """Attribute to the name in `details`."""

    def __init__(self, message: str, *facts: object) -> None:
        super().__init__(message)
        for name, value in zip(self._names, facts, strict=True):
            setattr(self, name, value)

    @property
    def details(self) -> dict[str, Any]:
        facts = {key: getattr(self, name) for name, key in self._names.items()}
        return facts if self.__cause__ is None else {**facts, "cause": self.__cause__}


class RegistrationsNotArrayError(_DetailedError, InvalidInputError):
    """`initialize` was called with something that is neither a list nor a tuple."""

    def __init__(self) -> None:
        super().__init__("Registrations must be an array")


class RegistrationShapeError(_DetailedError, InvalidInputError):
    """A registration has the wrong length, or a part of the wrong type."""

    registration_index: int
    received: object
    _names: ClassVar = {"registration_index": "registrationIndex", "received": "received"}

    def __init__(self, registration_index: int, received: object) -> None:
        message = "Invalid registration shape: expected [string, string, function, Duration]"
        super().__init__(message, registration_index, received)


class InvalidRegistrationError(_DetailedError, InvalidInputError):
    """A registration of the right shape that cannot be scheduled; `field` is `name`, `callback` or `retryDelay`."""

    field: str
    value: object
    reason: str
    _names: ClassVar = {"field": "field", "value": "value", "reason": "reason"}

    def __init__(self, field: str, value: object, reason: str) -> None:
        super().__init__(f"Invalid registration: {field} {reason}, got {value!r}", field, value, reason)


class ScheduleDuplicateTaskError(_DetailedError, InvalidInputError):
    """Two registrations have the same name."""

    task_name: str
    _names: ClassVar = {"task_name": "taskName"}

    def __init__(self, task_name: str) -> None:
        super().__init__(f'Task with name "{task_name}" is already scheduled', task_name)


class CronExpressionInvalidError(_DetailedError, InvalidInputError):
    """The cron expression of a registration cannot be used; the cause is the parser's `InvalidCronExpressionError`."""

    expression: str
    field: str
    reason: str
    _names: ClassVar = {"expression": "expression", "field": "field", "reason": "reason"}

    def __init__(self, expression: str, field: str, reason: str) -> None:
        message = f'Invalid cron expression "{expression}": {field} field {reason}'
        super().__init__(message, expression, field, reason)


class NegativeRetryDelayError(_DetailedError, InvalidInputError):
    """A registration has a retry delay below zero."""

    retry_delay_ms: float
    _names: ClassVar = {"retry_delay_ms": "retryDelayMs"}

    def __init__(self, retry_delay_ms: float) -> None:
        super().__init__("Retry delay must be non-negative", retry_delay_ms)


class SchedulerAlreadyActiveError(_DetailedError):
    """`initialize` was called on a scheduler that is initializing or running; nothing was changed."""

    current_state: str
    _names: ClassVar = {"current_state": "currentState"}

    def __init__(self, current_state: str) -> None:
        super().__init__(f"Cannot initialize scheduler: scheduler is already {current_state}", str(current_state))


class SchedulerInitializationError(_DetailedError):
    """`initialize` met an unexpected error, which is in `__cause__` and in `details["cause"]`."""

    scheduler: str
    _names: ClassVar = {"scheduler": "scheduler"}

    def __init__(self, scheduler: str, cause: BaseException) -> None:
        what = f"{type(cause).__name__}: {cause}"
        super().__init__(f'Cannot initialize scheduler "{scheduler}": unexpected {what}', scheduler)


class TaskTryDeserializeError(_DetailedError, InvalidInputError):
    """The stored state of a task cannot be decoded. Nothing was changed; the row is as it was."""

    field: str | None = None
    """The damaged field; None when the stored value has no fields."""
    value: object = None
    """The stored value; None when there is none."""
    expected_type: str | None = None
    """The right type; None when the type is not the fault."""
    _names: ClassVar = {"field": "field", "value": "value", "expected_type": "expectedType"}


class TaskMissingFieldError(TaskTryDeserializeError):
    """A required field is missing."""

    _names: ClassVar = {"field": "field"}

    def __init__(self, field: str) -> None:
        super().__init__(f"Missing required field: {field}", field)


class TaskInvalidTypeError(TaskTryDeserializeError):
    """A field is of the wrong type."""

    actual_type: str
    _names: ClassVar = {
        "field": "field",
        "value": "value",
        "expected_type": "expectedType",
        "actual_type": "actualType",
    }

    def __init__(self, field: str, value: object, expected_type: str, actual_type: str) -> None:
        message = f"Invalid type for field '{field}': expected {expected_type}, got {actual_type}"
        super().__init__(message, field, value, expected_type, actual_type)


class TaskInvalidValueError(TaskTryDeserializeError):
    """A field has the right type and an impossible value."""

    reason: str
    _names: ClassVar = {"field": "field", "value": "value", "reason": "reason"}

    def __init__(self, field: str, value: object, reason: str) -> None:
        super().__init__(f"Invalid value for field '{field}': {reason}", field, value, reason)


class TaskInvalidStructureError(TaskTryDeserializeError):
    """The stored value is not a JSON object."""

    _names: ClassVar = {"value": "value"}

    def __init__(self, value: object, reason: str) -> None:
        super().__init__(f"Invalid task structure: {reason}", value)
