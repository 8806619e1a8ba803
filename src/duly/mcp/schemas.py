"""The schemas of the MCP tools: arguments with the words that tell an agent what to fill in, and answers."""

from __future__ import annotations

import json
from dataclasses import MISSING, dataclass, field, fields
from typing import Annotated, Any, Literal, get_type_hints

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, BeforeValidator, Field, create_model
from pydantic_core import PydanticCustomError

from duly.cron import Cron
from duly.errors import InvalidCronExpressionError, InvalidInputError
from duly.service.schedules.fields import OPTIONS, SETTINGS
from duly.service.schedules.settings import TARGETS, Setting
from duly.service.schedules.values import structure
from duly.service.schedules.views import plain


def _no_flag(value: Any) -> Any:
    """Refuse true and false where a number is meant: Python takes them for 1 and 0."""
    if isinstance(value, bool):
        raise PydanticCustomError("number", "Input should be a number, not true or false")
    return value


def _opened(value: Any) -> Any:
    """Parse an object in a list that came as JSON text; the SDK parses such text only as a whole argument."""
    try:
        opened = structure(value, "target")
    except InvalidInputError:
        return value
    return opened if isinstance(opened, dict) else value  # a project may be called 7


_NUMBER = BeforeValidator(_no_flag)
_Target = Annotated[str | dict[str, Any], BeforeValidator(_opened)]
ScheduleRef = Annotated[str, Field(description="Id (sched_…) or name")]
AnyScheduleRef = Annotated[str | None, Field(description="Id (sched_…) or name; all if left out")]
Kind = Annotated[Literal["agent", "job", "person"] | None, Field(description="Only these")]
DeletedRef = Annotated[str, Field(description="Id (sched_…)")]
RunRef = Annotated[str, Field(description="Id (run_…)")]
Whole = Annotated[int | None, _NUMBER]
Cursor = Annotated[str | None, Field(description="next_cursor of the page before")]
PageSize = Annotated[int, Field(ge=1, le=200), _NUMBER]
OptionalPageSize = Annotated[int | None, Field(ge=1, le=200), _NUMBER]
PreviewCount = Annotated[int, Field(ge=1, le=100), _NUMBER]


def _argument(setting: Setting, words: str) -> Any:
    """Give the type of an argument for one setting, with the words that describe it."""
    kind = list[_Target] if setting.kind is TARGETS else setting.kind.given
    about = Field(description=words[0].upper() + words[1:]) if words else Field()
    if kind in (int, float, float | str):
        return Annotated[kind | None, about, _NUMBER]
    return Annotated[kind | None, about]


ARGUMENTS: dict[str, Any] = {name: _argument(each, each.words) for name, each in SETTINGS.items() if name != "name"}
"""Every field of a schedule that a caller may set, but the name, as an optional argument."""
OPTIONAL: dict[str, Any] = {
    name: _argument(each, "" if each.says_itself else each.meaning) for name, each in OPTIONS.items()
}
"""The options of a reminder."""
CHANGES: dict[str, Any] = {"name": str | None, **ARGUMENTS}
"""The arguments of an update."""
TIMES: dict[str, Any] = {name: ARGUMENTS[name] for name in ("cron", "when", "cron_timezone", "timezone")}
"""The arguments that say when, and in which zone to show it."""


@dataclass(frozen=True, slots=True)
class Reminded:
    """The result of `remind`: `scheduled` with the details, or `error` with the reason."""

    status: str
    id: str | None = None
    remind_at: str | None = None
    remind_at_local: str | None = None
    timezone: str | None = None
    when: str | None = None
    """The schedule in words."""
    repeats: bool | None = None
    """Whether it comes again after that."""
    channel: str | None = None
    message: str | None = None
    error: str | None = None
    readings: list[dict[str, Any]] = field(default_factory=list)
    """What a doubtful text may mean: give message and schedule of one to scheduler, action add."""
    warning: str | None = None
    note: str | None = None
    """That it falls into the person's quiet hours."""


def as_list(value: Any) -> Any:
    """Take a single value for a list of one: agents write `"ana"` where `["ana"]` is meant."""
    return [value] if isinstance(value, str | int | float | dict) else value


def as_schedule(value: Any) -> Any:
    """Take a text for the schedule that it says: a cron expression, or words."""
    if not isinstance(value, str):
        return value
    try:
        Cron(value)
    except InvalidCronExpressionError:
        return {"type": "smart", "text": value}
    return {"type": "cron", "expr": value}


def model_of(view: Any) -> type[BaseModel]:
    """Make a model with the fields of a dataclass, for its schema; every answer may carry a warning."""
    hints = get_type_hints(view)
    members: dict[str, Any] = {}
    for each in fields(view):
        if each.default is not MISSING:
            members[each.name] = (hints[each.name], each.default)
        elif each.default_factory is not MISSING:
            members[each.name] = (hints[each.name], Field(default_factory=each.default_factory))
        else:
            members[each.name] = (hints[each.name], ...)
    members.setdefault("warning", (str | None, None))
    made: type[BaseModel] = create_model(view.__name__, **members)
    return made


def answer(view: Any, warning: str | None = None) -> CallToolResult:
    """Make the answer of a tool: as structure, and as text for clients that read only text.

    The warning is added to answers that have none of their own.
    """
    content = plain(view)
    if warning is not None and content.get("status") != "error":  # after an error nothing was stored
        content.setdefault("warning", warning)
    text = json.dumps(content, ensure_ascii=False)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=content,
        is_error=content.get("status") == "error",
    )
