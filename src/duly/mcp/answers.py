"""Views of the service as answers of tools: a schema for each, and values without the fields that say nothing."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from typing import Any, get_type_hints

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field, create_model

from duly.zones import iso


def model_of(view: Any) -> type[BaseModel]:
    """A model with the fields of a dataclass, for its schema; every answer may carry a warning."""
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
    """What a tool gives back: as structure, and as text for clients that read only text.

    The warning is for answers that have none of their own.
    """
    content = lean(view)
    if warning is not None and content.get("status") != "error":  # then nothing was stored that could go wrong
        content.setdefault("warning", warning)
    text = json.dumps(content, ensure_ascii=False)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=content)


def lean(value: Any) -> Any:
    """Plain values without what says nothing: fields of views that may be left out, and are null or an empty list.

    What people wrote themselves, such as the arguments of a job, stays as it is.
    """
    if isinstance(value, list | tuple):
        return [lean(each) for each in value]
    if isinstance(value, datetime):
        return iso(value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    shown = {}
    for each in fields(value):
        content = getattr(value, each.name)
        needed = each.default is MISSING and each.default_factory is MISSING
        if needed or not (content is None or content == []):
            shown[each.name] = lean(content)
    return shown
