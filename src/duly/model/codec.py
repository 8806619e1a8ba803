"""Dataclasses to JSON data and back: one engine for actions, policies and triggers.

Every field has a kind, which follows from its annotation and which writes and reads the values of the field. A `Layout`
has the kinds of all fields of a class. Decoding guesses and drops nothing: an unknown key, a wrong type or a value that
the class refuses is a `DecodeError` with the path of the field.

Stored data differ in two ways, and both stay as they are. Actions and policies leave out fields that have their default
value, and write lengths of time in seconds and instants in UTC. Triggers (see `duly.recurrence.record`) leave out only
None, and have kinds of their own.
"""

from __future__ import annotations

import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, Generic, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from duly.errors import DecodeError, InvalidInputError
from duly.model.trigger import Trigger
from duly.zones import iso

T = TypeVar("T")
Json = Mapping[str, Any]
"""An object of JSON that came from outside: from a caller, a file or a store, before its fields are checked."""
Reader = Callable[[str, Any], Any]
"""Reads a value that names its own class, such as a trigger inside another: the path to it, and its JSON."""


def once_per_class(make: Callable[[type[Any]], T]) -> Callable[[type[Any]], T]:
    """Cache the results of a function of a class. The cast: for mypy some classes are not hashable."""
    return cast("Callable[[type[Any]], T]", cache(make))


def at(path: str, name: str) -> str:
    """Give the path of a field of the value at `path`."""
    return f"{path}.{name}" if path else name


class FieldKind(ABC):
    """One kind of value. `expects` completes the sentence "it must be …"."""

    __slots__ = ("expects",)

    def __init__(self, expects: str) -> None:
        self.expects = expects

    def check(self, name: str, value: Any) -> Any:  # noqa: ARG002  # kinds of triggers check, others have no need
        """Give the value in its normal form, or refuse it."""
        return value

    def encode(self, value: Any) -> Any:
        """Give the value as JSON."""
        return value

    @abstractmethod
    def decode(self, path: str, raw: Any, read: Reader) -> Any:
        """Give the value that `encode` wrote."""

    def damage(self, path: str, raw: Any) -> DecodeError:
        """Make the error for JSON that is not of this kind."""
        return DecodeError(path, raw, f"must be {self.expects}")


class Maybe(FieldKind):
    """Another kind, or None."""

    __slots__ = ("kind",)

    def __init__(self, kind: FieldKind) -> None:
        super().__init__(f"{kind.expects}, or nothing")
        self.kind = kind

    def check(self, name: str, value: Any) -> Any:
        return None if value is None else self.kind.check(name, value)

    def encode(self, value: Any) -> Any:
        return None if value is None else self.kind.encode(value)

    def decode(self, path: str, raw: Any, read: Reader) -> Any:
        return None if raw is None else self.kind.decode(path, raw, read)


class Nested(FieldKind):
    """A dataclass inside another, without a name of its class in the JSON."""

    __slots__ = ("cls", "layout")

    def __init__(self, cls: type[Any], layout: Callable[[type[Any]], Layout[Any]]) -> None:
        super().__init__(f"of type {cls.__name__}")
        self.cls = cls
        self.layout = layout

    def encode(self, value: Any) -> dict[str, Any]:
        return self.layout(self.cls).write(value)

    def decode(self, path: str, raw: Any, read: Reader) -> Any:
        return self.layout(self.cls).read(path, raw, read)


class Layout(Generic[T]):
    """The fields of a class: the kind of each, and the value that is left out when it is written."""

    __slots__ = ("_left_out", "_make", "_needs_all", "kinds")

    def __init__(
        self,
        make: Callable[..., T],
        kinds: Mapping[str, FieldKind],
        left_out: Mapping[str, Any],
        *,
        needs_all: bool = False,
    ) -> None:
        """`needs_all` refuses data without a field that cannot be None; otherwise the class has a default for it."""
        self._make = make
        self.kinds = kinds
        self._left_out = tuple((name, kind, left_out[name]) for name, kind in kinds.items())
        self._needs_all = needs_all

    def write(self, value: T) -> dict[str, Any]:
        """Give the fields as JSON data."""
        return {
            name: kind.encode(held)
            for name, kind, left_out in self._left_out
            if (held := getattr(value, name)) is not left_out and held != left_out
        }

    def read(self, path: str, raw: Any, read: Reader, *, header: Iterable[str] = ()) -> T:
        """Make the value that `write` wrote; `header` names further keys, which the caller has read."""
        if not isinstance(raw, Mapping):
            raise DecodeError(path, raw, "must be an object")
        for key in raw:
            if key not in self.kinds and key not in header:
                raise DecodeError(at(path, str(key)), raw[key], "is not a known field")
        values = {}
        for name, kind in self.kinds.items():
            if name in raw:
                values[name] = kind.decode(at(path, name), raw[name], read)
            elif self._needs_all:
                if not isinstance(kind, Maybe):
                    raise DecodeError(at(path, name), None, "is missing")
                values[name] = None
        try:
            return self._make(**values)
        except TypeError as error:
            raise DecodeError(path, raw, f"is incomplete ({error})") from error
        except InvalidInputError as error:
            raise DecodeError(path, raw, f"is refused ({error})") from error


class _Value(FieldKind):
    """A value that one function reads and another one writes."""

    __slots__ = ("_parse", "_write")

    def __init__(self, expects: str, parse: Callable[[Any], Any], write: Callable[[Any], Any]) -> None:
        """`parse` raises TypeError, ValueError or ArithmeticError for JSON that it cannot read."""
        super().__init__(expects)
        self._parse = parse
        self._write = write

    def encode(self, value: Any) -> Any:
        return self._write(value)

    def decode(self, path: str, raw: Any, _read: Reader) -> Any:
        try:
            return self._parse(raw)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise self.damage(path, raw) from error


def _typed(*wanted: type) -> Callable[[Any], Any]:
    """Make a function that passes values of some types; true and false are no numbers."""

    def parse(raw: Any) -> Any:
        if not isinstance(raw, wanted) or (isinstance(raw, bool) and bool not in wanted):
            raise TypeError("another type")
        return raw

    return parse


def _jsonable(value: Any) -> Any:
    """Give a value that a caller gave, such as an argument of a job, as JSON data."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [_jsonable(item) for item in value]
    return {key: _jsonable(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _unchanged(value: Any) -> Any:
    return value


def _instant(raw: Any) -> datetime:
    read = datetime.fromisoformat(raw)
    if read.utcoffset() is None:
        raise ValueError("it has no offset, so it names no instant")
    return read


_NUMBER = _typed(int, float)
_SECONDS = _Value("a length of time in seconds", lambda raw: timedelta(seconds=_NUMBER(raw)), timedelta.total_seconds)
_INSTANT = _Value("a time in ISO 8601 with an offset", _instant, iso)
_OBJECT = _Value("an object", _typed(dict), _jsonable)
_ANY = _Value("JSON", _unchanged, _jsonable)


class _SelfNamed(FieldKind):
    """A value that names its own class in the JSON, such as a trigger."""

    __slots__ = ()

    def encode(self, value: Any) -> dict[str, Any]:
        written: dict[str, Any] = value.to_dict()
        return written

    def decode(self, path: str, raw: Any, read: Reader) -> Any:
        return read(path, raw)


class _Listed(FieldKind):
    """Any number of values of another kind, in their order."""

    __slots__ = ("kind",)

    def __init__(self, kind: FieldKind) -> None:
        super().__init__("a list")
        self.kind = kind

    def encode(self, value: Iterable[Any]) -> list[Any]:
        return [self.kind.encode(item) for item in value]

    def decode(self, path: str, raw: Any, read: Reader) -> tuple[Any, ...]:
        if not isinstance(raw, list):
            raise self.damage(path, raw)
        return tuple(self.kind.decode(f"{path}[{index}]", item, read) for index, item in enumerate(raw))


def _kind_of(hint: Any) -> FieldKind:
    """Give the kind of a field of an action or a policy."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return Maybe(_kind_of(next(each for each in get_args(hint) if each is not types.NoneType)))
    if origin is tuple:
        return _Listed(_kind_of(get_args(hint)[0]))
    if hint is Any:
        return _ANY
    if origin is Mapping:
        return _OBJECT
    if hint is timedelta:
        return _SECONDS
    if hint is datetime:
        return _INSTANT
    if hint is Trigger:
        return _SelfNamed("a trigger")
    if is_dataclass(hint):
        return Nested(cast("type[Any]", hint), _layout)
    if issubclass(hint, Enum):
        return _Value(f"one of {', '.join(str(option.value) for option in hint)}", hint, attrgetter("value"))
    return _Value(hint.__name__, _NUMBER if hint is float else _typed(hint), _unchanged)


@once_per_class
def _layout(cls: type[Any]) -> Layout[Any]:
    hints = get_type_hints(cls)
    kinds = {each.name: _kind_of(hints[each.name]) for each in fields(cls)}
    defaults = {
        each.name: each.default if each.default_factory is MISSING else each.default_factory() for each in fields(cls)
    }
    return Layout(cls, kinds, defaults)


def to_plain(value: Any) -> dict[str, Any]:
    """Give a dataclass, such as an action or a policy, as JSON data, without fields that have their default value."""
    return _layout(type(value)).write(value)


def _no_reader(path: str, raw: Any) -> Any:
    raise DecodeError(path, raw, "is not a known field")


def from_plain(kind: type[T], data: Any, path: str, read: Reader = _no_reader) -> T:
    """Make the value that `to_plain` wrote; `read` makes the triggers in it."""
    made: T = _layout(kind).read(path, data, read)
    return made


def some_to_plain(kind: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Give some fields of a dataclass as JSON data, those with their default value as well."""
    return {name: _layout(kind).kinds[name].encode(value) for name, value in values.items()}


def some_from_plain(kind: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Give the values that `some_to_plain` wrote."""
    return {name: _layout(kind).kinds[name].decode(name, raw, _no_reader) for name, raw in data.items()}
