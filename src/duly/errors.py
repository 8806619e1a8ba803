"""Every error that duly raises on purpose, in one tree. Messages say what was wrong, with which value, and the fix.

DulyError
├── InvalidInputError (ValueError)           a value a caller can correct
│   ├── InvalidCronExpressionError           a cron expression that cannot be read, or can never fire
│   ├── FieldParseError                      one field of a cron expression
│   ├── ConfigError                          a setting of duly.toml or of the environment
│   │   └── UntrustedFileError               a duly.toml of another folder that the user has not trusted
│   ├── EntryError                           a schedule of a file
│   ├── UnknownTimezoneError                 a zone name that is not in the IANA database
│   ├── NaiveDatetimeError                   a datetime without a zone
│   ├── InvalidRecurrenceError               an interval or builder step out of its range
│   ├── QuotaError                           more than a person or a project may have
│   ├── ExpansionError                       more times to work out than one request may take
│   ├── PhraseError                          a time in plain words that duly cannot read, or that does not exist
│   ├── DoubtfulSentenceError                a sentence that may mean several things, with what it may mean
│   ├── SnoozeRangeError                     a snooze until a moment that has passed, or too far ahead
│   └── DecodeError                          a stored value that is unknown or damaged
│       └── TriggerDecodeError               … in a trigger
├── ConflictError                            what was to be changed has changed meanwhile
├── ReportRefusedError                       a report about a handover to which duly does not listen any more
├── NotFoundError (LookupError)              no schedule, run or job of that name
├── AccessDeniedError (PermissionError)       a token lacks the scope or the grant
├── TooManyRequestsError                     more at once, or in a minute, than a caller may ask for
├── RunCancelledError                        raised inside a handler that was asked to stop
├── RunSkippedError                          raised inside a handler that finds nothing to do
├── RunFailedError                           raised inside a handler whose failure must not be retried
├── RunMissedError                           raised inside a handler that finds that the time of the run has passed
├── RunTimeoutError                          a handler took longer than its schedule allows
├── CronCalculationError                     a legal expression with no occurrence in the calendar's reach
├── ExecutorUnreachableError                 those who carry out work elsewhere cannot be reached now
├── ChannelError                             a message was not handed over, or that is unknown
│   ├── ChannelTemporaryError                not now; a retry may help
│   ├── ChannelUnknownError                  no answer after sending: it may have arrived
│   └── ChannelPermanentError                never, to this address or in this way
│       └── ChannelNotConfiguredError        a token, key or setting is missing or was refused
├── InboundRefusedError                      a request that is not from the vendor it names, or a repeated one
├── BackupError                              a backup that was not made, cannot be read, or may not be put back
└── StoreError                               the store, not the caller, is at fault
    ├── StoreUnavailableError                cannot be reached or written now; a retry may help
    │   ├── StoreReplacedError               its file was deleted or replaced while it was open
    │   └── StoreNotOpenError                used before it was opened, or after it was closed
    └── StoreVersionError                    written by a newer duly; this one does not touch it

`details` has the same facts as the attributes, under the names that callers in other languages know. An error without
facts of its own that was made from another has that one there, under `cause`: never itself, so that walking from cause
to cause ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta


class DulyError(Exception):
    """The root of all errors of duly: catch it to catch everything that duly raises on purpose."""

    summary: str | None = None
    """The text for the log where the message quotes the output of an agent or of a gate."""

    @property
    def details(self) -> Mapping[str, Any]:
        return {} if self.__cause__ is None else {"cause": self.__cause__}

    def __reduce__(self) -> tuple[Any, ...]:
        """Survive the trip to another process: most constructors take other arguments than the message."""
        return (_rebuild, (type(self), self.args, self.__dict__))


def _rebuild(kind: type[DulyError], args: tuple[Any, ...], facts: dict[str, Any]) -> DulyError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(facts)
    return error


_LONGEST_MESSAGE = 2000


class InvalidInputError(DulyError, ValueError):
    """Raised for a value that the caller can correct. Nothing was stored; the message names the value and the fix."""

    def __str__(self) -> str:
        """Give the message, which quotes the value; the middle of a very long one is left out."""
        text = super().__str__()
        if len(text) <= _LONGEST_MESSAGE:
            return text
        half = _LONGEST_MESSAGE // 2
        return f"{text[:half]} … {len(text) - 2 * half} characters left out … {text[-half:]}"


class QuotaError(InvalidInputError):
    """Raised for a request beyond the quota of a person or a project. Use less, or let an admin raise the quota."""

    def __init__(self, owner: str, quota: str, limit: object, used: str, least: timedelta | None = None) -> None:
        """`least` is the length of the shortest interval, where one is too short."""
        super().__init__(
            f"over quota: {quota} of {owner} is {limit}, and {used}; an admin can raise it: {quota} in "
            f'[quotas."{owner}"] of duly.toml'
        )
        self.owner = owner
        self.quota = quota
        self.limit = limit
        self.used = used
        self.least = least

    @property
    def details(self) -> Mapping[str, Any]:
        return {"owner": self.owner, "quota": self.quota, "limit": str(self.limit)}


class ExpansionError(InvalidInputError):
    """Raised for a request that names more times than may be worked out for it. Ask for less, as the message says."""

    def __init__(self, what: str, limit: int, advice: str) -> None:
        super().__init__(f"{what} takes more than {limit} steps to work out: {advice}")
        self.what = what
        self.limit = limit
        self.advice = advice

    @property
    def details(self) -> Mapping[str, Any]:
        return {"limit": self.limit}


class InvalidCronExpressionError(InvalidInputError):
    """Raised for a cron expression that cannot be parsed, or that can never fire. Correct the field that it names."""

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

    @property
    def details(self) -> Mapping[str, Any]:
        return {"expression": self.expression, "field": self.field, "reason": self.reason}


class FieldParseError(InvalidInputError):
    """Raised for one field of a cron expression that cannot be parsed; `position` counts from its start."""

    def __init__(self, field_value: str, field_name: str, reason: str, position: int = 0) -> None:
        super().__init__(f'{field_name} field "{field_value}": {reason}')
        self.field_value = field_value
        self.field_name = field_name
        self.reason = reason
        self.position = position

    @property
    def details(self) -> Mapping[str, Any]:
        return {"fieldValue": self.field_value, "fieldName": self.field_name}


class ConfigError(InvalidInputError):
    """Raised for a setting that cannot be used. Correct `key`, in `file` at `line` if it comes from a file."""

    def __init__(self, key: str, reason: str, file: str | None = None, line: int | None = None) -> None:
        place = ":".join(str(each) for each in (file, line) if each is not None)
        super().__init__(": ".join(each for each in (place, key, reason) if each))
        self.key = key
        self.reason = reason
        self.file = file
        self.line = line


class UntrustedFileError(ConfigError):
    """Raised for a configuration file of another folder whose present content the local user has not trusted yet."""


class EntryError(InvalidInputError):
    """Raised for a schedule of a file that cannot be used: entry `number`, counted from 0, at `field` if given."""

    def __init__(self, number: int, name: object, field: str | None, reason: str) -> None:
        super().__init__(f"schedule {name!r} of the file: {reason}")
        self.number = number
        self.name = name
        self.field = field
        self.reason = reason


class UnknownTimezoneError(InvalidInputError):
    """Raised for a time zone that is not in the IANA database. Use a name such as those in `suggestions`."""

    def __init__(self, name: object, suggestions: tuple[str, ...] = ()) -> None:
        hint = f"; did you mean {' or '.join(suggestions)}?" if suggestions else ""
        super().__init__(f"unknown time zone {name!r}: expected an IANA name such as Europe/Berlin{hint}")
        self.name = name
        self.suggestions = suggestions


class NaiveDatetimeError(InvalidInputError):
    """Raised for a datetime without a time zone, which names no instant. Give it a `tzinfo`."""

    def __init__(self, name: str, value: datetime) -> None:
        super().__init__(
            f"{name} must be timezone-aware, got the naive {value.isoformat()}: "
            f"add a zone, for example value.replace(tzinfo=datetime.UTC)"
        )
        self.name = name
        self.value = value


class InvalidRecurrenceError(InvalidInputError):
    """Raised for an interval or a builder step out of its range, or for steps that contradict each other."""


class PhraseError(InvalidInputError):
    """Raised for a time in plain words that duly cannot read completely, or that does not exist.

    `understood` and `missed` hold the parts of the text that duly could read and those that it could not: say the
    missed ones in other words. `fault` is the reason for programs: `unread` (words that it does not know or that make
    no sense together), `past`, `deadline`, `doubtful` (it could mean two things) or `impossible` (no such time).
    """

    def __init__(
        self,
        text: str,
        reason: str,
        *,
        understood: tuple[str, ...] = (),
        missed: tuple[str, ...] = (),
        fault: str = "unread",
    ) -> None:
        super().__init__(f"cannot read {text!r} as a time: {reason}")
        self.fault = fault
        self.text = text
        self.reason = reason
        self.understood = understood
        self.missed = missed

    @property
    def details(self) -> Mapping[str, Any]:
        return {
            "text": self.text,
            "reason": self.reason,
            "understood": list(self.understood),
            "missed": list(self.missed),
        }


class DoubtfulSentenceError(InvalidInputError):
    """Raised for a sentence that may mean several things, or that names a time which duly cannot build.

    `understood` and `missed` are its words of time. Each of the `readings` says by `message` and `schedule`, without
    doubt, what it may mean: send one of them.
    """

    def __init__(self, message: str, understood: str, missed: str, readings: list[dict[str, Any]]) -> None:
        super().__init__(message)
        self.understood = understood
        self.missed = missed
        self.readings = readings

    @property
    def details(self) -> Mapping[str, Any]:
        return {"understood": self.understood, "missed": self.missed, "readings": self.readings}


class SnoozeRangeError(InvalidInputError):
    """Raised for a snooze until a moment that has passed or lies too far ahead. Choose another moment."""

    def __init__(self, message: str, until: datetime) -> None:
        super().__init__(message)
        self.until = until


class DecodeError(InvalidInputError):
    """Raised for a stored value that is damaged or of an unknown kind; `field` says where. Store it again."""

    what = "stored value"

    def __init__(self, field: str, value: object, reason: str) -> None:
        super().__init__(f"cannot read {self.what}: {field} {reason}, got {value!r}")
        self.field = field
        self.value = value
        self.reason = reason

    @property
    def details(self) -> Mapping[str, Any]:
        return {"field": self.field, "value": self.value, "reason": self.reason}


class TriggerDecodeError(DecodeError):
    """Raised for a stored trigger that is damaged or of an unknown kind. Store the schedule again."""

    what = "trigger"


class CronCalculationError(DulyError):
    """Raised for a legal expression without an occurrence in the calendar (years 1 to 9999)."""

    def __init__(self, expression: str, current_time: datetime, cause: str, *, direction: str = "next") -> None:
        super().__init__(f"Failed to calculate {direction} occurrence: {cause}")
        self.expression = expression
        self.current_time = current_time
        self.cause = cause
        self.direction = direction

    @property
    def details(self) -> Mapping[str, Any]:
        return {
            "expression": self.expression,
            "currentTime": self.current_time.isoformat(),
            "cause": self.__cause__ or OverflowError(self.cause),
        }


class ConflictError(DulyError):
    """Raised when something has changed since the caller read it. Nothing was stored; read it again, then decide."""

    def __init__(
        self, message: str, *, current_version: int | None = None, changed: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.current_version = current_version
        self.changed = dict(changed or {})
        """The stored values of the fields that the caller wanted to change, where they differ from the caller's."""

    @property
    def details(self) -> Mapping[str, Any]:
        return {"currentVersion": self.current_version, "changed": self.changed}


class ReportRefusedError(DulyError):
    """Raised for a report of a worker that does not count. `refusal` says why, the message what to do about it."""

    def __init__(self, refusal: str, message: str) -> None:
        super().__init__(message)
        self.refusal = refusal
        """One of `planning.handovers.Refusal`."""

    @property
    def details(self) -> Mapping[str, Any]:
        return {"refusal": self.refusal}


class NotFoundError(DulyError, LookupError):
    """Raised when there is no schedule, run, job or person of that name. List them to find the right one."""


class AccessDeniedError(DulyError, PermissionError):
    """Raised when the scope or the grants of a token do not allow a request. Ask an admin for a token that does."""


class TooManyRequestsError(DulyError):
    """Raised when a caller asks for more at once, or in a minute, than it may. Retry after `retry_after` seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    @property
    def details(self) -> Mapping[str, Any]:
        return {"retryAfter": self.retry_after}


class RunCancelledError(DulyError):
    """Raised inside a handler that was asked to stop: let it pass, and the run ends as cancelled."""


class RunSkippedError(DulyError):
    """Raised by a handler that finds nothing to do: the run ends as skipped, with this as the reason."""


class RunFailedError(DulyError):
    """Raised by a handler whose failure must not be retried: the run fails at once, even if its policy has retries."""


class RunMissedError(DulyError):
    """Raised inside a handler that finds that the time of its run has passed: it is recorded as missed."""


class RunTimeoutError(DulyError):
    """Raised when a handler takes longer than the timeout of its schedule. Make it faster, or the timeout longer."""

    def __init__(self, seconds: float, where: str | None = None) -> None:
        """`where` names the part of the run that took so long: a target, a gate."""
        super().__init__(f"timed out after {seconds:g} s" + (f" ({where})" if where else ""))
        self.seconds = seconds
        self.where = where


class ExecutorUnreachableError(DulyError):
    """An executor could not be reached: nothing was handed over. Trying again later may help."""


class ChannelError(DulyError):
    """Raised when a message was not handed over to a channel, or when that is unknown."""


class ChannelTemporaryError(ChannelError):
    """Raised when a channel cannot take a message now. Retry, after `retry_after` seconds if the vendor named them."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ChannelUnknownError(ChannelError):
    """Raised when a message was sent and no answer came: it may have arrived, and a retry may repeat it."""


class ChannelPermanentError(ChannelError):
    """Raised when a message can never arrive at this address or in this way. Correct the address; do not retry."""


class ChannelNotConfiguredError(ChannelPermanentError):
    """Raised when a channel lacks a token, key or setting, or the vendor refused it. Configure the channel."""


class InboundRefusedError(DulyError):
    """Raised for a request that is not from the vendor it names, is too old, or was seen before. It is ignored."""


class BackupError(DulyError):
    """Raised for a backup that was not made, cannot be read, or may not be put back. The store is as it was."""

    def __init__(self, message: object, reason: str) -> None:
        super().__init__(f"{message} {reason}")


class StoreError(DulyError):
    """Raised when the store, not the caller, is at fault."""


class StoreUnavailableError(StoreError):
    """Raised when the store cannot be reached or written now. Engines go on by themselves; callers may retry."""


class StoreReplacedError(StoreUnavailableError):
    """Raised when the file of an open store was deleted, replaced or overwritten. Nothing was stored; do it again."""


class StoreNotOpenError(StoreUnavailableError):
    """Raised for a call before the store was opened or after it was closed. Call it inside `async with app:`."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{url} is not open: call this inside `async with app:`, or after `app.start()`")
        self.url = url

    @property
    def details(self) -> Mapping[str, Any]:
        return {"url": self.url}


class StoreVersionError(StoreError):
    """Raised for a store that a newer version of duly has written. Upgrade duly, or open another store."""

    def __init__(self, url: str, found: int, known: int) -> None:
        super().__init__(
            f"{url} has schema version {found}, this duly knows up to {known}: upgrade duly and restart this process, "
            f"or open another store"
        )
        self.url = url
        self.found = found
        self.known = known
