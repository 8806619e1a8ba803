"""Whether arguments that came as JSON can be what a function says it takes.

Only what is certainly wrong is refused: text for a number, a number for a list. What JSON has no word for, such as a
date or a class of one's own, is between the function and whoever calls it.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Mapping
from inspect import Parameter, Signature
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_SIMPLE: dict[Any, tuple[type, ...]] = {type(None): (type(None),), bool: (bool,), str: (str,), int: (int,)}
_SIMPLE[float] = (int, float)
_NESTED: dict[Any, tuple[type, ...]] = {list: (list, tuple), dict: (dict,)}


def misfit(function: Callable[..., Any], signature: Signature, args: Mapping[str, Any]) -> str | None:
    """What is wrong with the first argument that cannot be what its annotation says; None when all can be."""
    hints = _hints(function) if args else {}  # reading annotations takes a while
    for name, value in args.items():
        parameter = signature.parameters.get(name)
        if parameter is None or name not in hints or _is_default(parameter, value):
            continue
        if not _fits(value, hints[name]):
            return f"{name} must be {_told(hints[name])}, got {value!r}"
    return None


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function)
    except Exception:  # names that exist for type checkers only, and callables that have no annotations at all
        return {}


def _is_default(parameter: Parameter, value: Any) -> bool:
    """Many write `x: int = None`; what a function gives itself can be given to it."""
    return type(parameter.default) is type(value) and parameter.default == value


def _fits(value: Any, hint: Any) -> bool:
    origin, inner = get_origin(hint), get_args(hint)
    if not isinstance(hint, Hashable):
        return True
    if origin in (Union, types.UnionType):
        return any(_fits(value, each) for each in inner)
    if origin is Literal:
        return value in inner
    if hint in _SIMPLE:
        return isinstance(value, _SIMPLE[hint]) and (hint is bool or not isinstance(value, bool))
    kind = _NESTED.get(origin or hint)
    if kind is None:
        return True
    items = value.values() if isinstance(value, dict) else value
    return isinstance(value, kind) and (not inner or all(_fits(item, inner[-1]) for item in items))


def _told(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint).replace("typing.", "")
