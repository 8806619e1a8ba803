"""Answers of tools: the views of the service, each with a schema."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field, create_model

from duly.service.schedules.views import plain


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
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=content)
