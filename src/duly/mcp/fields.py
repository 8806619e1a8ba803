"""The arguments of tools, each with a type and the words that tell an agent what to fill in."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from duly.errors import InvalidInputError
from duly.service.schedules.fields import SETTINGS, TARGETS, Setting
from duly.service.schedules.values import structure


def _no_flag(value: Any) -> Any:
    """Refuse true and false where a number is meant: Python takes them for 1 and 0."""
    if isinstance(value, bool):
        raise PydanticCustomError("number", "Input should be a number, not true or false")
    return value


_NUMBER = BeforeValidator(_no_flag)


ScheduleRef = Annotated[str, Field(description="Id (sched_…) or name")]
DeletedRef = Annotated[str, Field(description="Id (sched_…)")]


def _opened(value: Any) -> Any:
    """Parse an object in a list that came as JSON text; the SDK parses such text only as a whole argument."""
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


def _argument(setting: Setting) -> Any:
    """Give the type of an argument for one setting, with the words that describe it."""
    kind = list[_Target] if setting.kind is TARGETS else setting.kind.given
    words = Field(description=setting.words[0].upper() + setting.words[1:])
    if kind in (int, float, float | str):
        return Annotated[kind | None, words, _NUMBER]
    return Annotated[kind | None, words]


ARGUMENTS: dict[str, Any] = {name: _argument(each) for name, each in SETTINGS.items() if name != "name"}
"""Every field of a schedule that a caller may set, but the name, as an optional argument."""
CHANGES: dict[str, Any] = {"name": str | None, **ARGUMENTS}
"""The arguments of an update."""
TIMES: dict[str, Any] = {name: ARGUMENTS[name] for name in ("cron", "when", "cron_timezone", "timezone")}
"""The arguments that say when, and in which zone to show it."""
