"""What is the same in all tests of a process is worked out once. The worlds with an MCP server import this.

Making an MCP server takes a sixth of a second, and each client that calls a tool takes as long again: nearly all of it
goes into the schemas of the tools, which never change. They are made and checked for the first server and the first
client as for anyone; the others are given what came of it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from mcp.server.mcpserver.tools.base import Tool

import duly.mcp.server


def _check_once(check: Callable[..., None]) -> Callable[..., None]:
    """Check a schema against the schema of schemas, unless the same one was found good before."""
    good: set[str] = set()

    def checking(schema: Any, *options: Any) -> None:
        text = json.dumps(schema, sort_keys=True, default=repr)
        if options or text not in good:
            check(schema, *options)
            good.add(text)

    return checking


def _make_once(make: Callable[..., Tool]) -> Callable[..., Tool]:
    """Make a tool of a function, from that of an earlier server if nothing but the function's closure is new."""
    made: dict[str, Tool] = {}

    def making(function: Callable[..., Any], *given: Any, **options: Any) -> Tool:
        signature = getattr(function, "__signature__", None)
        if signature is None:
            return make(function, *given, **options)
        key = repr((function.__module__, function.__qualname__, str(signature), given, sorted(options.items())))
        if key not in made:
            made[key] = make(function, *given, **options)
        earlier = made[key]
        return earlier.model_copy(update={"fn": function, "parameters": copy.deepcopy(earlier.parameters)})

    return making


Draft202012Validator.check_schema = staticmethod(_check_once(Draft202012Validator.check_schema))
Tool.from_function = staticmethod(_make_once(Tool.from_function))  # type: ignore[method-assign]
duly.mcp.server.model_of = cache(duly.mcp.server.model_of)  # type: ignore[attr-defined]
