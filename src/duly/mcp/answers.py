"""Views of the service as answers of tools: a schema for each, and values without the fields that say nothing."""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, fields, is_dataclass
from typing import Any, get_type_hints

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field, create_model


def model_of(view: Any) -> type[BaseModel]:
    """A model with the fields of a dataclass, for its schema."""
    hints = get_type_hints(view)
    members: dict[str, Any] = {}
    for each in fields(view):
        if each.default is not MISSING:
            members[each.name] = (hints[each.name], each.default)
        elif each.default_factory is not MISSING:
            members[each.name] = (hints[each.name], Field(default_factory=each.default_factory))
        else:
            members[each.name] = (hints[each.name], ...)
    made: type[BaseModel] = create_model(view.__name__, **members)
    return made


def answer(view: Any) -> CallToolResult:
    """What a tool gives back: as structure, and as text for clients that read only text."""
    content = lean(asdict(view) if is_dataclass(view) and not isinstance(view, type) else view)
    text = json.dumps(content, ensure_ascii=False)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=content)


def lean(value: Any) -> Any:
    """The same without nulls and empty lists: what is not there need not be read."""
    if isinstance(value, dict):
        return {name: lean(each) for name, each in value.items() if each is not None and each != []}
    return [lean(each) for each in value] if isinstance(value, list) else value
