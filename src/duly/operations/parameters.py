"""The fields of asks: what each may contain, said once for the API, its document and its clients.

A field is written as `limit: Limit = 50`. Where it stands over HTTP follows from its operation: in the path where the
path names it, otherwise in the query of what only reads and in the body of what changes something, unless its
description says another place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from duly.model.run import Origin, StatusName
from duly.operations.ask import Ask, Operation
from duly.service.limits import LONGEST_OTHER
from duly.service.pages import MAX_PAGE

R = TypeVar("R")
Where = Literal["path", "query", "body", "header", "content"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """The description of one field of an ask."""

    words: str = ""
    where: Where | None = None
    """None for the usual place."""
    header: str = ""
    """The name of the header that has it."""
    least: float | None = None
    most: float | None = None
    shortest: int | None = None
    longest: int | None = None
    """Of a text its characters, of a list its items."""
    choices: tuple[str, ...] = ()
    """Shown in the document; the use case refuses others."""
    format: str = ""
    example: Any = None
    model: str = ""
    """The name of the model of an object with fields of its own."""


@dataclass(frozen=True, slots=True)
class AskField:
    """One field of an ask, with its place over HTTP."""

    name: str
    kind: Any
    where: Where
    param: Param
    needed: bool
    default: Any


@cache
def fields_of(operation: Operation) -> tuple[AskField, ...]:
    """Give the fields of the ask of an operation, in order."""
    return tuple(_fields(operation))


def _fields(operation: Operation) -> list[AskField]:
    hints = get_type_hints(operation.ask, include_extras=True)
    found = []
    for each in fields(operation.ask):
        kind, param = _parted(hints[each.name])
        where = param.where or _usual(operation, each.name)
        needed = each.default is each.default_factory  # both are MISSING
        default = None if needed else each.default
        found.append(AskField(each.name, kind, where, param, needed, default))
    return found


def _parted(hint: Any) -> tuple[Any, Param]:
    if get_origin(hint) is not Annotated:
        return hint, Param()
    kind, *notes = get_args(hint)
    return kind, next((each for each in notes if isinstance(each, Param)), Param())


def _usual(operation: Operation, name: str) -> Where:
    if f"{{{name}}}" in operation.path:
        return "path"
    return "body" if operation.method in ("POST", "PATCH") else "query"


def is_whole_body(field: AskField) -> bool:
    """Whether a field is the body as it came, with just the fields that were given."""
    return field.where == "body" and bool(field.param.model) and get_origin(field.kind) is Mapping


Object = Mapping[str, Any]
"""An object of JSON with the fields that its model has."""
When = datetime | str
"""A moment: over HTTP ISO 8601 with offset."""

Text = Annotated[str | None, Param(longest=LONGEST_OTHER)]
Limit = Annotated[int, Param(words="Items on a page", least=1, most=MAX_PAGE)]
Cursor = Annotated[str | None, Param(words="next_cursor of the page before", longest=LONGEST_OTHER)]
After = Annotated[int, Param(words="Only entries with a larger seq: what came since one was seen", least=0)]
Moment = Annotated[When | None, Param(words="ISO 8601 with offset", format="date-time")]
Bound = Annotated[When, Param(words="ISO 8601 with offset", format="date-time")]
"""A moment that must be said."""
Day = Annotated[date | None, Param(words="A day; default: today")]
Statuses = Annotated[Sequence[StatusName], Param(words="Only runs of these statuses")]
Kind = Annotated[Literal["agent", "job", "person"] | None, Param(words="What the schedule carries out")]
RunOrigin = Annotated[str | None, Param(words="Why it ran", choices=tuple(map(str, Origin)))]
Patterns = Annotated[Sequence[str], Param(words="Names such as run.failed, or patterns such as run.*", longest=50)]
Whose = Annotated[
    str | None,
    Param(words="Whose, by id or name; default: the caller's own", longest=LONGEST_OTHER, where="query"),
]
Version = Annotated[int | None, Param(where="header", header="If-Match")]
"""The version that a change is meant for; None for any."""

SchedulePath = Annotated[str, Param(words="Id (sched_…) or name", example="morning-news")]
RunPath = Annotated[str, Param(words="Id (run_…)")]


def asked_by_name(ask: Ask[Any]) -> Mapping[str, Any]:
    """Give the fields of an ask by name."""
    return {each.name: getattr(ask, each.name) for each in fields(ask)}


def ask_from(ask: type[Ask[R]], given: Mapping[str, Any], names: Mapping[str, str]) -> Ask[R]:
    """Make an ask of arguments by name, where a face calls fields otherwise: `names` says how they are called here.

    An argument that is no field goes into the object of the ask, such as the fields of a schedule.
    """
    known = {each.name for each in fields(ask)}
    said = {names.get(name, name): value for name, value in given.items()}
    if rest := {name: said.pop(name) for name in said.keys() - known}:
        said[_object_of(ask)] = rest
    return ask(**said)


def _object_of(ask: type[Ask[Any]]) -> str:
    """Give the name of the field that is an object with fields of its own."""
    hints = get_type_hints(ask, include_extras=True)
    return next(each.name for each in fields(ask) if _parted(hints[each.name])[1].model)
