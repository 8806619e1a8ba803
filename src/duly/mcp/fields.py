"""The arguments of tools, each with the few words an agent needs to fill it in."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from duly.errors import InvalidInputError
from duly.service.schedules.values import structure


def _said(kind: Any, words: str) -> Any:
    return Annotated[kind | None, Field(description=words)]


def _no_flag(value: Any) -> Any:
    """Refuse true and false where a number is meant: Python takes them for 1 and 0."""
    if isinstance(value, bool):
        raise PydanticCustomError("number", "Input should be a number, not true or false")
    return value


_NUMBER = BeforeValidator(_no_flag)


def _number(kind: Any, words: str) -> Any:
    return Annotated[kind | None, Field(description=words), _NUMBER]


ScheduleRef = Annotated[str, Field(description="Id (sched_…) or name")]
DeletedRef = Annotated[str, Field(description="Id (sched_…)")]
Cron = Annotated[str | None, Field(description='5 fields: minute hour day month weekday, e.g. "0 9 * * 1-5"')]
When = Annotated[str | None, Field(description='Instead of cron: words, e.g. "weekdays at 7:30"')]
CronTimezone = Annotated[
    str | None, Field(description="IANA zone the time is meant in; default: of cron UTC, of words the person's")
]
Zone = Annotated[str | None, Field(description="IANA zone for display only")]
Status = Literal["waiting", "pending", "running", "succeeded", "failed", "skipped", "missed", "cancelled", "dead"]

_LENGTH = 'Seconds, or "5m", "2h"'
_MOMENT = "ISO 8601 with offset"
_TARGETS = 'Where the prompt runs: ["blog", "shop/main"] or [{"project_id": "shop", "workspace_id": "main"}]'
_RETRY = '{"max_attempts": 3, "delay": "30s", "backoff": "exponential"}; default no retry'


def _opened(value: Any) -> Any:
    """An object inside a list that came as JSON text; the SDK opens such text only where it is the whole argument."""
    try:
        opened = structure(value, "target")
    except InvalidInputError:
        return value
    return opened if isinstance(opened, dict) else value  # a project may be called 7


_Target = Annotated[str | dict[str, Any], BeforeValidator(_opened)]
Whole = Annotated[int | None, _NUMBER]
Cursor = Annotated[str | None, Field(description="next_cursor of the page before")]
PageSize = Annotated[int, Field(ge=1, le=200), _NUMBER]
OptionalPageSize = Annotated[int | None, Field(ge=1, le=200), _NUMBER]
PreviewCount = Annotated[int, Field(ge=1, le=100), _NUMBER]

SCHEDULE: dict[str, Any] = {
    "cron": Cron,
    "when": When,
    "cron_timezone": CronTimezone,
    "prompt": _said(str, "Text for the agent that is started"),
    "targets": _said(list[_Target], _TARGETS),
    "dispatch_mode": _said(Literal["prompt", "job"], "Default prompt"),
    "job_name": _said(str, "Registered job (mode job)"),
    "job_args": _said(dict[str, Any], "Arguments of the job"),
    "description": str | None,
    "enabled": bool | None,
    "overlap_behavior": _said(Literal["skip", "queue", "parallel"], "If a run is still going; default skip"),
    "queue_limit": Whole,
    "max_parallel": Whole,
    "session_behavior": _said(Literal["resume", "new"], "Go on with the last session (default) or start afresh"),
    "spawner": _said(str, "Which agent command line, as configured"),
    "model": str | None,
    "gate": _said(str, "Configured check that decides whether the prompt runs"),
    "max_cost_per_run": _number(float, "US dollars"),
    "max_cost_per_day": _number(float, "US dollars"),
    "catch_up": _said(Literal["skip", "once"], "Missed runs: make up the latest (once, default) or none"),
    "catch_up_window": _number(float | str, _LENGTH),
    "retry": _said(dict[str, Any], _RETRY),
    "timeout": _number(float | str, _LENGTH),
    "max_runs": Whole,
    "stagger_key": _said(str, "Spreads schedules of the same minute"),
    "max_stagger_seconds": Whole,
    "start_at": _said(str, _MOMENT),
    "end_at": _said(str, _MOMENT),
    "until_at": _said(str, "Last moment at which it may fire, ISO 8601 with offset"),
    "timezone": Zone,
    "display_title": str | None,
    "calendar_event_id": str | None,
}
"""Everything a schedule may have besides its name."""
