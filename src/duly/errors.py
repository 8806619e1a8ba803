"""Every error duly raises on purpose, in one tree. Messages say what was wrong, with which value, and the fix.

DulyError
├── InvalidInputError (ValueError)           a value a caller can correct
│   ├── InvalidCronExpressionError           a cron expression that cannot be read, or can never fire
│   ├── FieldParseError                      one field of a cron expression
│   ├── ConfigError                          a setting of duly.toml or of the environment
│   │   └── UntrustedFileError               a duly.toml of another folder that the user has not trusted
│   ├── EntryError                           a schedule of a file
│   ├── UnknownTimezoneError                 a zone name nobody knows
│   ├── NaiveDatetimeError                   a datetime without a zone
│   ├── InvalidRecurrenceError               an interval or builder step out of its range
│   ├── QuotaError                           more than a person or a project may have
│   ├── PhraseError                          a time in plain words that cannot be understood, or cannot be
│   └── DecodeError                          a stored value that is unknown or damaged
│       └── TriggerDecodeError               … in a trigger
├── NotFoundError (LookupError)              no schedule, run or job of that name
├── AccessDeniedError (PermissionError)       a token does not reach that far
├── RunCancelledError                        raised inside a handler that was asked to stop
├── RunSkippedError                          raised inside a handler that finds nothing to do
├── RunFailedError                           raised inside a handler for which trying again is of no use
├── RunTimeoutError                          a handler took longer than its schedule allows
├── CronCalculationError                     a legal expression with no occurrence in the calendar's reach
├── ChannelError                             a message was not handed over, or nobody knows whether it was
│   ├── ChannelTemporaryError                not now; trying again may help
│   ├── ChannelUnknownError                  no answer after sending: it may have arrived
│   └── ChannelPermanentError                never, to this address or in this way
│       └── ChannelNotConfiguredError        a token, key or setting is missing or was refused
├── InboundRefusedError                      a request that is not from the vendor it names, or a repeated one
└── StoreError                               the store, not the caller, is at fault
    ├── StoreUnavailableError                cannot be reached or written now; trying again may help
    │   └── StoreReplacedError               its file was deleted or replaced while it was open
    └── StoreVersionError                    written by a newer duly; this one does not touch it

`details` carries the same facts as the attributes under the names that callers of other languages know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


class DulyError(Exception):
    """The root: catch this to catch everything duly raises on purpose."""

    summary: str | None = None
    """What the log tells where the message quotes the output of an agent or of a gate."""

    @property
    def details(self) -> Mapping[str, Any]:
        return {}


_LONGEST_MESSAGE = 2000


class InvalidInputError(DulyError, ValueError):
    """A value that a caller can correct. Nothing was stored."""

    def __str__(self) -> str:
        """The message. It quotes the value; of a very long one, the middle is left out."""
        text = super().__str__()
        if len(text) <= _LONGEST_MESSAGE:
            return text
        half = _LONGEST_MESSAGE // 2
        return f"{text[:half]} … {len(text) - 2 * half} characters left out … {text[-half:]}"


class QuotaError(InvalidInputError):
    """More than the quota of a person or a project allows. It names the quota, its owner and who can raise it."""

    def __init__(self, owner: str, quota: str, limit: object, used: str) -> None:
        super().__init__(
            f"over quota: {quota} of {owner} is {limit}, and {used}; an admin can raise it: {quota} in "
            f'[quotas."{owner}"] of duly.toml'
        )
        self.owner = owner
        self.quota = quota
        self.limit = limit
        self.used = used

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.owner, self.quota, self.limit, self.used))

    @property
    def details(self) -> Mapping[str, Any]:
        return {"owner": self.owner, "quota": self.quota, "limit": str(self.limit)}


class InvalidCronExpressionError(InvalidInputError):
    """A cron expression that cannot be read, or that can never fire."""

    def __init__(
        self,
        expression: str,
        field: str,
        reason: str,
        *,
        position: int = 0,
        allowed: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(f'Invalid cron expression "{expression}": {field} field {reason}')
        self.expression = expression
        self.field = field
        self.reason = reason
        self.position = position
        """Where the fault begins: an index into `expression`."""
        self.allowed = allowed
        """The smallest and the largest value the field takes, when the fault lies in one field."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild_cron_error, (self.expression, self.field, self.reason, self.position, self.allowed))

    @property
    def details(self) -> Mapping[str, Any]:
        return {"expression": self.expression, "field": self.field, "reason": self.reason}


def _rebuild_cron_error(
    expression: str, field: str, reason: str, position: int, allowed: tuple[int, int] | None
) -> InvalidCronExpressionError:
    return InvalidCronExpressionError(expression, field, reason, position=position, allowed=allowed)


class FieldParseError(InvalidInputError):
    """One field of a cron expression that cannot be read; `position` counts from the start of the field."""

    def __init__(self, field_value: str, field_name: str, reason: str, position: int = 0) -> None:
        super().__init__(f'{field_name} field "{field_value}": {reason}')
        self.field_value = field_value
        self.field_name = field_name
        self.reason = reason
        self.position = position

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.field_value, self.field_name, self.reason, self.position))

    @property
    def details(self) -> Mapping[str, Any]:
        return {"fieldValue": self.field_value, "fieldName": self.field_name}


class ConfigError(InvalidInputError):
    """A setting that cannot be used: `key` says which one, `file` and `line` where it stands, if it stands anywhere."""

    def __init__(self, key: str, reason: str, file: str | None = None, line: int | None = None) -> None:
        place = ":".join(str(each) for each in (file, line) if each is not None)
        super().__init__(": ".join(each for each in (place, key, reason) if each))
        self.key = key
        self.reason = reason
        self.file = file
        self.line = line

    def __reduce__(self) -> tuple[Any, ...]:
        return (ConfigError, (self.key, self.reason, self.file, self.line))


class UntrustedFileError(ConfigError):
    """A configuration file of another folder that the user has not trusted with its present content."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (UntrustedFileError, (self.key, self.reason, self.file, self.line))


class EntryError(InvalidInputError):
    """A schedule of a file that cannot be used: `number` counts them from 0, `field` is at fault if one alone is."""

    def __init__(self, number: int, name: object, field: str | None, reason: str) -> None:
        super().__init__(f"schedule {name!r} of the file: {reason}")
        self.number = number
        self.name = name
        self.field = field
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return (EntryError, (self.number, self.name, self.field, self.reason))


class UnknownTimezoneError(InvalidInputError):
    """A time zone that is not in the IANA database; `suggestions` holds the closest names that are."""

    def __init__(self, name: object, suggestions: tuple[str, ...] = ()) -> None:
        hint = f"; did you mean {' or '.join(suggestions)}?" if suggestions else ""
        super().__init__(f"unknown time zone {name!r}: expected an IANA name such as Europe/Berlin{hint}")
        self.name = name
        self.suggestions = suggestions

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.name, self.suggestions))


class NaiveDatetimeError(InvalidInputError):
    """A datetime without a time zone: it names no instant."""

    def __init__(self, name: str, value: datetime) -> None:
        super().__init__(
            f"{name} must be timezone-aware, got the naive {value.isoformat()}: "
            f"add a zone, for example value.replace(tzinfo=datetime.UTC)"
        )
        self.name = name
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.name, self.value))


class InvalidRecurrenceError(InvalidInputError):
    """An interval or a builder step with a value out of its range, or steps that contradict each other."""


class PhraseError(InvalidInputError):
    """A time in plain words that was not understood to the end, or that says what cannot be.

    `understood` and `missed` hold the parts of the text that made sense and those that did not.
    """

    def __init__(
        self, text: str, reason: str, *, understood: tuple[str, ...] = (), missed: tuple[str, ...] = ()
    ) -> None:
        super().__init__(f"cannot read {text!r} as a time: {reason}")
        self.text = text
        self.reason = reason
        self.understood = understood
        self.missed = missed

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild_phrase_error, (self.text, self.reason, self.understood, self.missed))

    @property
    def details(self) -> Mapping[str, Any]:
        return {
            "text": self.text,
            "reason": self.reason,
            "understood": list(self.understood),
            "missed": list(self.missed),
        }


def _rebuild_phrase_error(text: str, reason: str, understood: tuple[str, ...], missed: tuple[str, ...]) -> PhraseError:
    return PhraseError(text, reason, understood=understood, missed=missed)


class DecodeError(InvalidInputError):
    """A stored value that is of an unknown kind or damaged; `field` says where."""

    what = "stored value"

    def __init__(self, field: str, value: object, reason: str) -> None:
        super().__init__(f"cannot read {self.what}: {field} {reason}, got {value!r}")
        self.field = field
        self.value = value
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.field, self.value, self.reason))

    @property
    def details(self) -> Mapping[str, Any]:
        return {"field": self.field, "value": self.value, "reason": self.reason}


class TriggerDecodeError(DecodeError):
    """A stored trigger that is of an unknown kind or damaged."""

    what = "trigger"


class CronCalculationError(DulyError):
    """A legal expression with no occurrence before the calendar (years 1 to 9999) ends."""

    def __init__(self, expression: str, current_time: datetime, cause: str, *, direction: str = "next") -> None:
        super().__init__(f"Failed to calculate {direction} occurrence: {cause}")
        self.expression = expression
        self.current_time = current_time
        self.cause = cause
        self.direction = direction

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild_calculation_error, (self.expression, self.current_time, self.cause, self.direction))

    @property
    def details(self) -> Mapping[str, Any]:
        return {
            "expression": self.expression,
            "currentTime": self.current_time.isoformat(),
            "cause": self.__cause__ or self,
        }


def _rebuild_calculation_error(
    expression: str, current_time: datetime, cause: str, direction: str
) -> CronCalculationError:
    return CronCalculationError(expression, current_time, cause, direction=direction)


class NotFoundError(DulyError, LookupError):
    """There is no schedule, run or user of that name."""


class AccessDeniedError(DulyError, PermissionError):
    """A token does not reach that far."""


class RunCancelledError(DulyError):
    """Raised inside a handler that was asked to stop."""


class RunSkippedError(DulyError):
    """Raised inside a handler that finds nothing to do: the run ends as a recorded skip, with this as the reason."""


class RunFailedError(DulyError):
    """Raised inside a handler for which trying again is of no use: the run has failed, whatever its policy says."""


class RunTimeoutError(DulyError):
    """A handler took longer than its schedule allows."""

    def __init__(self, seconds: float, where: str | None = None) -> None:
        """`where` names the part of the run that took so long: a target, a gate."""
        super().__init__(f"timed out after {seconds:g} s" + (f" ({where})" if where else ""))
        self.seconds = seconds
        self.where = where

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.seconds, self.where))


class ChannelError(DulyError):
    """A message was not handed over to a channel, or nobody knows whether it was."""


class ChannelTemporaryError(ChannelError):
    """Not now; trying again may help, but not before `retry_after` seconds, where the vendor named them."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.retry_after))


class ChannelUnknownError(ChannelError):
    """The message had left when the answer failed to come: it may have arrived, and sending again may repeat it."""


class ChannelPermanentError(ChannelError):
    """It will not arrive at this address, or not in this way, however often it is tried."""


class ChannelNotConfiguredError(ChannelPermanentError):
    """The channel lacks a token, key or setting, or the vendor refused the one it has."""


class InboundRefusedError(DulyError):
    """A request that is not from the vendor it names, is too old, or was seen before. Nothing in it is believed."""


class StoreError(DulyError):
    """The store, not the caller, is at fault."""


class StoreUnavailableError(StoreError):
    """The store cannot be reached or written now. Work pauses and goes on by itself; trying again may help."""


class StoreReplacedError(StoreUnavailableError):
    """The file of the store was deleted, replaced or overwritten while it was open; what was asked for is not kept."""


class StoreVersionError(StoreError):
    """The store was written by a newer version of duly, and this one does not touch what it does not know."""

    def __init__(self, url: str, found: int, known: int) -> None:
        super().__init__(
            f"{url} has schema version {found}, this duly knows up to {known}: upgrade duly and restart this process, "
            f"or open another store"
        )
        self.url = url
        self.found = found
        self.known = known

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.url, self.found, self.known))
