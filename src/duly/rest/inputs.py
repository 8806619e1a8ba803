"""What requests may contain: parameters of queries, and bodies.

The bodies of schedules come from the description of their fields, and the lengths from the limits of the service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model
from pydantic_core import PydanticCustomError

from duly.model.action import LONGEST_LEAD, MOST_LEADS, MOST_PEOPLE
from duly.model.policy import Backoff
from duly.model.reminder import ReminderStatus
from duly.model.reminder import Response as AnswerKind
from duly.model.run import StatusName
from duly.service.limits import LONGEST, LONGEST_OTHER
from duly.service.pages import MAX_PAGE
from duly.service.schedules.fields import OPTIONS, SETTINGS
from duly.service.schedules.listing import STATES
from duly.service.schedules.settings import LEADS, LENGTH, MOMENT, PEOPLE, RETRY, TARGETS, Setting, ValueKind

# queries


def _flag(value: Any) -> Any:
    if value in (True, False, "true", "false"):
        return value in (True, "true")
    raise PydanticCustomError("flag", "must be true or false")


def whole(value: Any) -> Any:
    """Refuse what pydantic would take for a whole number: 1.0, 1_000."""
    if isinstance(value, str) and not (value.isascii() and value.isdecimal() and len(value) < 19):
        raise PydanticCustomError("whole", "must be a whole number")
    return value


Flag = Annotated[bool | None, BeforeValidator(lambda value: None if value is None else _flag(value))]
Yes = Annotated[bool, BeforeValidator(_flag)]
Limit = Annotated[int, Field(ge=1, le=MAX_PAGE), BeforeValidator(whole), Query(description="Items on a page")]
Count = Annotated[int, Field(ge=1, le=100), BeforeValidator(whole), Query(description="How many")]
Cursor = Annotated[str | None, Query(description="next_cursor of the page before", max_length=LONGEST_OTHER)]
Words = Annotated[str | None, Query(max_length=LONGEST_OTHER)]
Moment = Annotated[str | None, Query(description="ISO 8601 with offset", json_schema_extra={"format": "date-time"})]
WhoseReminders = Annotated[
    str | None, Query(description="Whose, by id or name; default: the caller's own", max_length=LONGEST_OTHER)
]
_REMINDER_STATES: dict[str, Any] = {"enum": [*(str(each) for each in ReminderStatus), None]}
ReminderStatusName = Annotated[
    str | None,
    Query(description="Only reminders whose latest run has this status", json_schema_extra=_REMINDER_STATES),
]
PriorityWanted = Annotated[
    Literal["low", "normal", "high", "critical"] | None, Query(description="Only reminders of this priority")
]
WordsWithin = Annotated[str | None, Query(description="Only with this text in name or message", max_length=200)]
DueBefore = Annotated[
    str | None,
    Query(
        description="Only reminders that come before: ISO 8601 with offset", json_schema_extra={"format": "date-time"}
    ),
]
Statuses = Annotated[list[StatusName] | None, Query(description="Only runs of these statuses")]

Kind = Annotated[Literal["agent", "job", "person"] | None, Query(description="What the schedule carries out")]
Sort = Annotated[Literal["name", "attention", "next"], Query(description="By name, by what needs a person, by time")]
_STATES: dict[str, Any] = {"enum": [*STATES, None]}
InState = Annotated[str | None, Query(description="Only schedules in this state", json_schema_extra=_STATES)]
Attempt = Annotated[
    Annotated[int, Field(ge=1, le=10**6), BeforeValidator(whole)] | None, Query(description="Number of the attempt")
]
Offset = Annotated[int, Field(ge=0, le=10**12), BeforeValidator(whole), Query(description="Where to begin, in bytes")]
Bytes = Annotated[int, Field(ge=1, le=10**6), BeforeValidator(whole), Query(description="At most so many bytes")]

# paths

SchedulePath = Annotated[str, Path(description="Id (sched_…) or name", examples=["morning-news"])]
RunPath = Annotated[str, Path(description="Id (run_…)")]
ReminderPath = Annotated[str, Path(description="Id (sched_…) or name of a reminder")]
AnsweredPath = Annotated[str, Path(description="Id or name of a reminder, or the id of its run")]
PersonPath = Annotated[str, Path(description="Id (user_…) or name", examples=["local"])]
TokenPath = Annotated[str, Path(description="Id (tok_…)")]
ItemPath = Annotated[int, Field(ge=1, le=2**53), BeforeValidator(whole), Path(description="Number of the message")]


# bodies


class RequestBody(BaseModel):
    """A body; fields that it does not have are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TargetBody(RequestBody):
    """Where a prompt runs."""

    project_id: str = Field(min_length=1, max_length=200)
    workspace_id: str | None = Field(None, max_length=200)


class RetryBody(RequestBody):
    """How a failed run is tried again."""

    max_attempts: int | None = Field(1, ge=1, description="Attempts with the first; null for no limit")
    delay: float | str = Field(10, description='Wait before the second attempt: seconds or text such as "30s"')
    backoff: Literal[tuple(str(each) for each in Backoff)] = "exponential"  # type: ignore[valid-type]
    cap: float | str = Field(3600, description='Longest wait: seconds or text such as "1h"')
    jitter: float = Field(0.1, ge=0, le=1, description="Share of the wait that is added at random")
    superseded: bool = Field(False, description="Whether the next fire replaces a run that waits for its retry")


_MOMENTS: dict[str, Any] = {"format": "date-time"}
_MINUTES = Annotated[int, Field(ge=1, le=LONGEST_LEAD)]
_PERSON = Annotated[str, Field(min_length=1, max_length=100)]
_KINDS: dict[ValueKind, Any] = {
    TARGETS: list[str | TargetBody],
    RETRY: RetryBody,
    LEADS: list[_MINUTES],
    PEOPLE: list[_PERSON],
}
_MOST = {LEADS: MOST_LEADS, PEOPLE: MOST_PEOPLE}


def _argument(name: str, setting: Setting) -> tuple[Any, Any]:
    """Give the type and the description of the field of a body for one setting."""
    kind: Any = _KINDS.get(setting.kind, setting.kind.given)
    most = LONGEST.get(name, LONGEST_OTHER)
    more: dict[str, Any] = {"max_length": most} if kind is str else {}
    if setting.kind in _MOST:
        more["max_length"] = _MOST[setting.kind]
    if setting.kind is MOMENT:
        more["json_schema_extra"] = _MOMENTS
    if setting.kind is LENGTH:
        kind = Annotated[float, Field(ge=0)] | Annotated[str, Field(max_length=most)]
    words = setting.words[0].upper() + setting.words[1:]
    if setting.within is not None:
        more["ge"], more["le"] = setting.within
    return kind | None, Field(None, description=words, **more)


_SETTINGS: dict[str, Any] = {name: _argument(name, each) for name, each in SETTINGS.items() if name != "name"}
_NAME = Annotated[str, Field(min_length=1, max_length=LONGEST["name"], description="Unique name")]
_TEXT = Annotated[str, Field(min_length=1, max_length=LONGEST["message"])]
_EXAMPLE = {"name": "morning-news", "cron": "0 7 * * 1-5", "cron_timezone": "Europe/Berlin", "prompt": "Read the news"}

if TYPE_CHECKING:  # type checkers cannot see the fields
    NewSchedule = RequestBody
    ScheduleChanges = RequestBody
else:
    NewSchedule = create_model(
        "NewSchedule",
        __base__=RequestBody,
        __doc__="A schedule to make: when (cron or words), and what (a prompt or a job).",
        name=(_NAME, ...),
        **_SETTINGS,
    )
    ScheduleChanges = create_model(
        "ScheduleChanges",
        __base__=RequestBody,
        __doc__="Fields of a schedule, or options of a reminder, to change; null empties one. Fields left out stay.",
        name=(_NAME | None, None),
        **_SETTINGS,
        message=(_TEXT | None, Field(None, description="Of a reminder: its text")),
        **{name: _argument(name, each) for name, each in OPTIONS.items()},
    )
    NewSchedule.model_config["json_schema_extra"] = {"examples": [_EXAMPLE]}
    ScheduleChanges.model_config["json_schema_extra"] = {
        "examples": [{"cron": "30 7 * * 1-5", "description": None}, {"enabled": False}]
    }


class NewName(RequestBody):
    """A new name, where the old one is taken."""

    name: str | None = Field(None, min_length=1, max_length=LONGEST["name"])


class BackfillBody(RequestBody):
    """A range of past times, both ends included."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"start": "2026-11-01T00:00:00Z", "end": "2026-11-03T00:00:00Z"}]},
    )
    start: str = Field(max_length=100, json_schema_extra=_MOMENTS)
    end: str = Field(max_length=100, json_schema_extra=_MOMENTS)
    dry_run: bool = Field(False, description="Only count the runs")


class WhenBody(RequestBody):
    """When a reminder goes out; which fields go with a type is said with each."""

    type: Literal["once", "interval", "daily", "weekly", "cron", "smart", "trigger"]
    at: str | None = Field(None, max_length=100, description='once: ISO 8601, or a length from now such as "5m"')
    every: str | None = Field(None, max_length=100, description='interval: a length such as "2h"')
    time: str | list[str] | None = Field(None, description='daily, weekly: "08:00", or several')
    days: str | list[str] | None = Field(None, description='weekly: ["mon", "thu"] or ["weekdays"]')
    expr: str | None = Field(None, max_length=LONGEST_OTHER, description="cron: five fields")
    text: str | None = Field(
        None,
        max_length=LONGEST_OTHER,
        description="smart: words in any of seven languages; trigger: those that it was made of",
    )
    trigger: dict[str, Any] | None = Field(
        None, description="trigger: a trigger as JSON, as the Python library writes it; nothing is read again"
    )
    timezone: str | None = Field(None, max_length=100, description="IANA zone; default: the person's")


if TYPE_CHECKING:
    ReminderOptions = RequestBody
else:
    ReminderOptions = create_model(
        "ReminderOptions",
        __base__=RequestBody,
        __doc__="The options of a reminder.",
        name=(str | None, Field(None, min_length=1, max_length=LONGEST["name"])),
        **{name: _argument(name, each) for name, each in OPTIONS.items()},
    )


class NewReminder(ReminderOptions):
    """A message to a person, once or again and again."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {"schedule": {"type": "daily", "time": "08:00"}, "message": "Take the pills", "require_ack": True},
                {"schedule": {"type": "once", "at": "20m"}, "message": "Stretch"},
                {"text": "call mom tomorrow at 17:00"},
            ]
        },
    )
    schedule: WhenBody | None = None
    message: str | None = Field(None, min_length=1, max_length=LONGEST["message"])
    text: str | None = Field(
        None, min_length=1, max_length=300, description="What and when in one sentence, instead of schedule and message"
    )


class ReminderChanges(ReminderOptions):
    """Fields of a reminder to change; fields that are left out stay."""

    schedule: WhenBody | None = None
    message: str | None = Field(None, min_length=1, max_length=LONGEST["message"])
    enabled: bool | None = None


class AnswerBody(RequestBody):
    """An answer to a reminder. A snooze says at most one of minutes, until and length."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"response": "ack"}, {"response": "snooze", "minutes": 30}]},
    )
    response: Literal[tuple(str(each) for each in AnswerKind)]  # type: ignore[valid-type]
    minutes: int | None = Field(None, ge=1, le=10**6)
    until: str | None = Field(None, max_length=100, json_schema_extra=_MOMENTS)
    length: str | None = Field(None, max_length=200, description='Words, as in a chat: "tomorrow at 9"')


class ChatBody(RequestBody):
    """A message of a person, in plain words."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"text": "remind me to call the bank tomorrow at 10"}]},
    )
    text: str = Field(min_length=1, max_length=LONGEST_OTHER)
    channel: str = Field("api", min_length=1, max_length=200, description="Where it was written")


class AddressBody(RequestBody):
    """A channel, and the address of a person there."""

    channel: str = Field(min_length=1, max_length=200)
    address: str = Field(min_length=1, max_length=LONGEST_OTHER)


class PersonChanges(RequestBody):
    """Fields of a person to change; null empties one. Fields that are left out stay."""

    name: str | None = Field(None, min_length=1, max_length=100)
    timezone: str | None = Field(None, max_length=100, description="IANA zone")
    language: str | None = Field(None, max_length=100, description="Such as en, de or hr")
    quiet: str | None = Field(None, max_length=100, description='Quiet hours on their clocks: "22:00-07:00"')
    snoozes: str | None = Field(None, max_length=100, description='Snoozes to offer: "10m, 1h, evening, tomorrow"')
    day_parts: str | None = Field(None, max_length=200, description='Parts of the day: "morning=08:00, evening=18:30"')
    digest_at: str | None = Field(
        None, max_length=10, description='When low priority comes as one message: "18:00", "off"'
    )
    wants_answer: str | None = Field(
        None, max_length=10, description='Which reminders made in a chat want an answer: "medicine", "always", "never"'
    )
    is_admin: bool | None = None
    channels: list[AddressBody] | None = Field(None, max_length=20, description="All ways to them, the preferred first")


class NewPerson(PersonChanges):
    """A person to add."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"name": "ana", "timezone": "Europe/Zagreb", "language": "hr"}]},
    )
    name: str = Field(min_length=1, max_length=100)


class PairingBody(RequestBody):
    """The chat to pair with a person."""

    channel: str = Field(min_length=1, max_length=200, examples=["telegram"])


class TokenRights(RequestBody):
    """For how long a token is valid, and what it may do beyond its scope."""

    grants: list[str] | None = Field(
        None, max_length=100, description="prompts:SPAWNER, gates:NAME, projects:ID, executors:NAME"
    )
    expires_in: float | str | None = Field(None, description='How long it is valid: seconds or text such as "90d"')


class NewTokenBody(TokenRights):
    """A token to make."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"name": "laptop", "scope": "project:shop"}]}
    )
    name: str = Field(min_length=1, max_length=100)
    scope: str = Field(
        max_length=LONGEST_OTHER, description="admin, admin:ro, project:ID, project:ID:ro, user:NAME or user:NAME:ro"
    )


class RotateBody(RequestBody):
    """How a token gets a new secret."""

    grace: float | str | None = Field(None, description="How long the old secret stays valid (default: not at all)")
    expires_in: float | str | None = Field(None, description="How long the token is valid from now on")
    end_calendar_links: bool = Field(False, description="Whether the calendar links end that the token has made")


class GrantBody(RequestBody):
    """Grants to give to a token, and grants to take from it."""

    give: list[str] = Field(default_factory=list, max_length=100)
    take: list[str] = Field(default_factory=list, max_length=100)


def given(body: BaseModel | None) -> dict[str, Any]:
    """Give the fields that a body has, as the service reads them."""
    return {} if body is None else body.model_dump(exclude_unset=True)
