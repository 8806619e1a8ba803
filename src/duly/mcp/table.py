"""Tools that are one operation each: a line says which, with the words for agents, and the tool is made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from inspect import Parameter, Signature
from typing import Any, Generic, TypeVar, get_type_hints

from mcp.server.mcpserver import Context

from duly.mcp.server import DulyServer, add_tool
from duly.operations.ask import Ask, answer_of
from duly.operations.parameters import ask_from

R = TypeVar("R")
REQUIRED = Parameter.empty
NAMES = {"schedule_id": "schedule", "run_id": "run", "item_id": "item", "project_id": "project"}
"""What agents call a field of an ask, where they call it otherwise."""


@dataclass(frozen=True, slots=True)
class ToolLine(Generic[R]):
    """A line of the table."""

    name: str
    ask: type[Ask[R]]
    title: str
    words: str
    takes: Mapping[str, Any]
    """Its arguments with their types; the ask has their defaults. Those that it has no field for go into its object."""
    shows: Callable[[R], Any] | None = None
    """How the answer is shown, where that is not as it is."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Where they are not those of the ask."""
    hints: str = ""


def offer(server: DulyServer, tool: ToolLine[Any]) -> None:
    """Register the tool of a line."""

    async def carry_out(ctx: Context[Any, Any], **given: Any) -> Any:
        said = {name: value for name, value in given.items() if value is not None}
        answered = await server.ask(ctx, ask_from(tool.ask, said, NAMES))
        return answered if tool.shows is None else tool.shows(answered)

    shown = answer_of(tool.ask) if tool.shows is None else get_type_hints(tool.shows)["return"]
    defaults = {each.name: REQUIRED if each.default is MISSING else each.default for each in fields(tool.ask)}
    carry_out.__name__ = tool.name
    carry_out.__doc__ = tool.words
    carry_out.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=Context[Any, Any]),
            *(
                Parameter(
                    name,
                    Parameter.KEYWORD_ONLY,
                    default=tool.defaults.get(name, defaults.get(NAMES.get(name, name))),
                    annotation=kind,
                )
                for name, kind in tool.takes.items()
            ),
        ],
        return_annotation=shown,
    )
    add_tool(server, carry_out, tool.title, tool.ask, tool.hints)
