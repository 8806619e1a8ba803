"""Frozen values to plain JSON data and back, driven by their type hints.

Nothing is dropped on the way back: an unknown key, a wrong type or a value the class refuses is an error that names
the place.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import timedelta
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from duly.errors import DecodeError, InvalidInputError

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """JSON-ready data. Fields that hold their default are left out."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            name: to_plain(held)
            for name, default in _defaults(type(value))
            if (held := getattr(value, name)) is not default and held != default
        }
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    return value


def from_plain(kind: type[T], data: Any, path: str) -> T:
    """Read back what `to_plain` wrote."""
    if not isinstance(data, dict):
        raise DecodeError(path, data, "must be an object")
    hints = _hints(cast(Any, kind))
    for key in data:
        if key not in hints:
            raise DecodeError(f"{path}.{key}", data[key], "is not a known field")
    values = {key: _read(hints[key], item, f"{path}.{key}") for key, item in data.items()}
    try:
        return kind(**values)
    except TypeError as error:
        raise DecodeError(path, data, f"is incomplete ({error})") from error
    except InvalidInputError as error:
        raise DecodeError(path, data, f"is refused ({error})") from error


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(
        (each.name, each.default if each.default_factory is MISSING else each.default_factory())
        for each in fields(kind)
    )


def _read(hint: Any, value: Any, path: str) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in get_args(hint):
            return None
        hint = next(option for option in get_args(hint) if option is not type(None))
        origin = get_origin(hint)
    if origin is tuple:
        if not isinstance(value, list):
            raise DecodeError(path, value, "must be a list")
        return tuple(_read(get_args(hint)[0], item, f"{path}[{index}]") for index, item in enumerate(value))
    if origin is Mapping:
        return _of_type(dict, value, path)
    if is_dataclass(hint):
        return from_plain(hint, value, path)  # type: ignore[arg-type]  # a hint is a class, never an instance
    return _scalar(hint, value, path)


def _scalar(hint: Any, value: Any, path: str) -> Any:
    if hint is timedelta:
        seconds = _of_type(float, value, path)
        try:
            return timedelta(seconds=seconds)
        except (ArithmeticError, ValueError) as error:  # not a number, or too large a one
            raise DecodeError(path, value, f"is no length of time ({error})") from error
    if isinstance(hint, type) and issubclass(hint, Enum):
        try:
            return hint(value)
        except ValueError:
            options = ", ".join(str(option.value) for option in hint)
            raise DecodeError(path, value, f"must be one of {options}") from None
    return value if hint is Any else _of_type(hint, value, path)


def _of_type(wanted: type, value: Any, path: str) -> Any:
    accepted = (int, float) if wanted is float else wanted
    if not isinstance(value, accepted) or (isinstance(value, bool) and wanted is not bool):
        raise DecodeError(path, value, f"must be {wanted.__name__}")
    return value
