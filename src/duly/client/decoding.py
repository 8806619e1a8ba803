"""Views from JSON: the same classes that the library shows, made again from the answers of a daemon.

Fields that this version does not know are ignored, so that a newer daemon can be asked.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from duly.errors import DulyError
from duly.service.schedules.when import When

View = TypeVar("View")


def decode(kind: type[View], value: Any) -> View:
    """Make a view from JSON."""
    try:
        made: View = _read(kind, value)
    except (TypeError, ValueError, KeyError) as error:
        raise DulyError(f"the answer is no {kind.__name__}: {error}; is the daemon of another version?") from error
    return made


def _read(kind: Any, value: Any) -> Any:
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return None if value is None else _read_one_of(get_args(kind), value)
    if origin in (list, tuple) and isinstance(value, list):
        return _read_items(origin, get_args(kind), value)
    if origin is dict and isinstance(value, dict):
        return {key: _read(get_args(kind)[1], each) for key, each in value.items()}
    if kind is datetime:
        return datetime.fromisoformat(value)
    if kind is When:
        return When.read(value)
    if kind is date:
        return date.fromisoformat(value)
    if dataclasses.is_dataclass(kind) and isinstance(value, Mapping):
        return _read_view(kind, value)
    return value


def _read_one_of(kinds: tuple[Any, ...], value: Any) -> Any:
    """Read a value of several kinds; of the classes, the one that has all of its fields."""
    rest = [each for each in kinds if each is not NoneType]
    views = [each for each in rest if dataclasses.is_dataclass(each)]
    if isinstance(value, Mapping) and views:
        names = [({each.name for each in dataclasses.fields(view)}, view) for view in views]
        return _read(next((view for known, view in names if value.keys() <= known), views[0]), value)
    return _read(rest[0], value)


def _read_items(origin: type, kinds: tuple[Any, ...], value: list[Any]) -> Any:
    if origin is tuple and Ellipsis not in kinds:
        return tuple(_read(each, item) for each, item in zip(kinds, value, strict=True))
    return origin(_read(kinds[0], item) for item in value)


@cache
def _fields(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in dataclasses.fields(kind) if each.init}


def _read_view(kind: Any, value: Mapping[str, Any]) -> Any:
    known = _fields(kind)
    return kind(**{name: _read(known[name], each) for name, each in value.items() if name in known})
