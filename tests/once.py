"""What is the same in all tests of a process is worked out once. The worlds with an MCP server import this.

Making an MCP server takes a sixth of a second, and each client that calls a tool takes as long again: nearly all of it
goes into the schemas of the tools, which never change. They are made and checked for the first server and the first
client as for anyone; the others are given what came of it. The same holds for the parameters and paths of the routes of
a daemon: they are read from the functions of the first one.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from types import CodeType, FunctionType
from typing import Any

import fastapi.dependencies.models as dependency_models
import fastapi.routing
from fastapi.dependencies.models import Dependant
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from mcp.server.mcpserver.resources import ResourceTemplate
from mcp.server.mcpserver.tools.base import Tool
from pydantic import validate_call

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


def _make_template_once(make: Callable[..., ResourceTemplate]) -> Callable[..., ResourceTemplate]:
    """Make a resource of a function, from that of an earlier server if nothing but the function's closure is new."""
    made: dict[str, ResourceTemplate] = {}

    def making(function: Callable[..., Any], *given: Any, **options: Any) -> ResourceTemplate:
        key = repr((function.__module__, function.__qualname__, given, sorted(options.items())))
        if key not in made:
            made[key] = make(function, *given, **options)
            return made[key]
        earlier = made[key]
        update = {"fn": validate_call(function), "parameters": copy.deepcopy(earlier.parameters)}
        return earlier.model_copy(update=update)

    return making


def _code_of(function: Callable[..., Any]) -> Any:
    """Tell what decides which parameters a function has and what it gives; None if that cannot be told."""
    if function.__module__.startswith("duly.rest."):
        return function  # these are made once, with their module
    if not isinstance(function, FunctionType) or {"__wrapped__", "__signature__"} & vars(function).keys():
        return None
    given = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    plain = all(each is None or isinstance(each, str | int) for each in given)
    return (function.__code__, repr(given)) if plain else None


def _give_once(read: Callable[..., Any]) -> Callable[..., Any]:
    """Read what a function gives, unless it was read of an earlier one with the same code."""
    known: dict[Any, Any] = {}

    def reading(call: Callable[..., Any]) -> Any:
        if (code := _code_of(call)) is None:
            return read(call)
        if code not in known:
            known[code] = read(call)
        return known[code]

    return reading


def _decide_once(decide: Callable[..., bool]) -> Callable[..., bool]:
    """Tell whether a function is of a kind, as the first one with the same code was."""
    known: dict[CodeType, bool] = {}

    def deciding(identity: Any) -> bool:
        call = identity.call
        if not isinstance(call, FunctionType) or vars(call):
            return decide(identity)
        if call.__code__ not in known:
            known[call.__code__] = decide(identity)
        return known[call.__code__]

    return deciding


_LISTS = tuple(each.name for each in fields(Dependant) if each.default_factory is list)


def _own(dependant: Dependant, function: Callable[..., Any] | None) -> Dependant:
    """Give a route what it may change."""
    own = replace(dependant, call=function)
    for name in _LISTS:
        setattr(own, name, [*getattr(own, name)])
    return own


def _read_once(read: Callable[..., Dependant]) -> Callable[..., Dependant]:
    """Read the parameters of a function, from those of an earlier one with the same code if there was one."""
    known: dict[Any, Dependant] = {}

    def reading(*, path: str, call: Callable[..., Any], **options: Any) -> Dependant:
        if (code := _code_of(call)) is None:
            return read(path=path, call=call, **options)
        key = (path, code, repr(options))
        if key not in known:
            known[key] = _own(read(path=path, call=call, **options), None)
        return _own(known[key], call)

    return reading


Draft202012Validator.check_schema = staticmethod(_check_once(Draft202012Validator.check_schema))
Tool.from_function = staticmethod(_make_once(Tool.from_function))  # type: ignore[method-assign]
duly.mcp.server.model_of = cache(duly.mcp.server.model_of)  # type: ignore[attr-defined]
ResourceTemplate.from_function = staticmethod(_make_template_once(ResourceTemplate.from_function))  # type: ignore[method-assign]
fastapi.routing.get_dependant = _read_once(fastapi.routing.get_dependant)  # type: ignore[attr-defined]
fastapi.routing.compile_path = cache(fastapi.routing.compile_path)  # type: ignore[attr-defined]
fastapi.routing.get_typed_return_annotation = _give_once(fastapi.routing.get_typed_return_annotation)  # type: ignore[attr-defined]
for _name in ("_is_gen_callable_cached", "_is_async_gen_callable_cached", "_is_coroutine_callable_cached"):
    setattr(dependency_models, _name, _decide_once(getattr(dependency_models, _name)))
