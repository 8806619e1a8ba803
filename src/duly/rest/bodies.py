"""The bodies of requests whose fields are not those of an ask: schedules, reminders, people, and objects in others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from duly.model.action import LONGEST_LEAD, MOST_LEADS, MOST_PEOPLE
from duly.model.policy import Backoff
from duly.ports.run_history import LineKind
from duly.service.limits import LONGEST, LONGEST_OTHER
from duly.service.schedules.fields import OPTIONS, SETTINGS
from duly.service.schedules.settings import LEADS, LENGTH, MOMENT, PEOPLE, RETRY, TARGETS, Setting, ValueKind

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


class FilterBody(RequestBody):
    """The filters of a list of schedules."""

    project: str | None = Field(None, max_length=200)
    enabled: bool | None = None
    owner: str | None = Field(None, max_length=200)
    text: str | None = Field(None, max_length=2000)


class LineBody(RequestBody):
    """A line of output."""

    kind: Literal[tuple(str(each) for each in LineKind)] = "text"  # type: ignore[valid-type]
    text: str


MODELS: Mapping[str, type[BaseModel]] = {
    each.__name__: each
    for each in (
        NewSchedule,
        ScheduleChanges,
        NewReminder,
        ReminderChanges,
        NewPerson,
        PersonChanges,
        FilterBody,
        LineBody,
    )
}
"""The models of objects with fields of their own, by name; other bodies are made from the fields of their ask."""
