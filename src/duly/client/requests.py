"""An ask as a request over HTTP, and the answer to it: derived from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, TypeVar
from urllib.parse import quote

from duly.client.decoding import decode
from duly.errors import DulyError
from duly.operations.ask import JSON, Ask, Operation, PagedAsk, PageOf
from duly.operations.parameters import AskField, fields_of, is_whole_body
from duly.operations.reminders import AnswerNewestReminder, AnswerReminder
from duly.operations.views import AnsweredView
from duly.zones import iso

R = TypeVar("R")
View = TypeVar("View")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request."""

    operation: Operation
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    content: bytes | None = None
    """A body that is not JSON."""
    headers: Mapping[str, str] = field(default_factory=dict)
    once: bool = False
    """Whether the daemon carries it out once however often it is sent: it then gets a key, and may be tried again."""


def call_of(ask: Ask[Any]) -> Call:
    """Write an ask as a request."""
    operation = ask.operation
    path = operation.path
    query: dict[str, Any] = {}
    body: dict[str, Any] = {}
    content: bytes | None = None
    headers: dict[str, str] = {}
    for each in fields_of(operation):
        value = getattr(ask, each.name)
        if each.where == "path":
            path = path.replace(f"{{{each.name}}}", quote(str(value), safe=""))
        elif each.where == "content":
            content = value
            headers["Content-Type"] = operation.reads
        elif is_whole_body(each):
            body = {name: _json(member) for name, member in value.items()}
        elif _is_left_out(each, value):
            continue
        elif each.where == "header":
            headers[each.param.header] = f'"{value}"'
        elif each.where == "query":
            query[each.name] = _text(value)
        else:
            body[each.name] = _json(value)
    return Call(
        operation=operation,
        method=operation.method,
        path=path,
        query=query,
        body=body if operation.body else None,
        content=content,
        headers=headers,
        once=operation.once,
    )


def _is_left_out(field: AskField, value: Any) -> bool:
    return not field.needed and value == field.default


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, Mapping):
        return {name: _json(each) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_json(each) for each in value]
    return value.isoformat() if isinstance(value, date) else value


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _json(value)


def answer_of(ask: Ask[R], content: Any, raw: bytes, undo: str | None) -> R:
    """Read the answer to an ask: `content` is its JSON, `raw` its bytes, `undo` the token among its headers."""
    operation = ask.operation
    answer: Any
    if operation.media != JSON:
        answer = raw
    elif isinstance(operation.gives, PageOf):
        items, cursor = _page(operation.gives, content)
        answer = (items, cursor) if isinstance(ask, PagedAsk) else items
    else:
        view = decode(operation.gives, content)
        answer = view if operation.wire is None else operation.wire.back(view, undo)
    return answer  # type: ignore[no-any-return]


def _page(page: PageOf, content: Any) -> tuple[list[Any], str | None]:
    if not isinstance(content, dict) or "items" not in content:
        raise DulyError("the answer is no page: is the daemon of another version?")
    return [decode(page.items, each) for each in content["items"]], content.get("next_cursor")


def next_page(ask: PagedAsk[View], cursor: str) -> PagedAsk[View]:
    """Give the ask for the next page."""
    return replace(ask, cursor=cursor)  # type: ignore[call-arg]  # all of them have a cursor


def answer_reminder(
    response: Any,
    reminder: str | None = None,
    *,
    minutes: int | None = None,
    until: datetime | None = None,
    length: str | None = None,
    user: str | None = None,
) -> Ask[AnsweredView]:
    """Answer a reminder (ack, snooze, dismiss), by id, name or run; by default the only one that waits."""
    if reminder is None:
        return AnswerNewestReminder(response, minutes=minutes, until=until, length=length, user=user)
    return AnswerReminder(reminder, response, minutes=minutes, until=until, length=length, user=user)
