"""The declarative scheduler: `initialize` and `stop`, for programs that define all their tasks in code."""

from __future__ import annotations

from duly.declarative.errors import (
    CronExpressionInvalidError,
    InvalidRegistrationError,
    NegativeRetryDelayError,
    RegistrationShapeError,
    RegistrationsNotArrayError,
    ScheduleDuplicateTaskError,
    SchedulerAlreadyActiveError,
    SchedulerInitializationError,
    TaskInvalidStructureError,
    TaskInvalidTypeError,
    TaskInvalidValueError,
    TaskMissingFieldError,
    TaskTryDeserializeError,
)
from duly.declarative.registration import Registration
from duly.declarative.scheduler import Scheduler
from duly.declarative.state import PollingState, SchedulerState, TaskState, TaskStatus
from duly.errors import CronCalculationError, FieldParseError, InvalidCronExpressionError

__all__ = [
    "CronCalculationError",
    "CronExpressionInvalidError",
    "FieldParseError",
    "InvalidCronExpressionError",
    "InvalidRegistrationError",
    "NegativeRetryDelayError",
    "PollingState",
    "Registration",
    "RegistrationShapeError",
    "RegistrationsNotArrayError",
    "ScheduleDuplicateTaskError",
    "Scheduler",
    "SchedulerAlreadyActiveError",
    "SchedulerInitializationError",
    "SchedulerState",
    "TaskInvalidStructureError",
    "TaskInvalidTypeError",
    "TaskInvalidValueError",
    "TaskMissingFieldError",
    "TaskState",
    "TaskStatus",
    "TaskTryDeserializeError",
]
