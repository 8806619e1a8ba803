"""Frozen values whose fields know their kind: checked on construction, written and read by one mechanism.

The kind of a field follows from its annotation, so a dataclass says everything once. `CheckedRecord` is any such value,
`TriggerRecord` one that is a trigger by itself and says which in its JSON.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime, time, timedelta
from functools import cache
from types import NoneType
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeVar, cast, get_args, get_origin, get_type_hints

from duly.errors import InvalidInputError, TriggerDecodeError
from duly.model.calendar import Month, Weekday
from duly.recurrence.fields import (
    DURATION,
    FLAG,
    INSTANT,
    MONTH,
    TIME,
    WEEKDAY,
    FieldKind,
    Many,
    Maybe,
    NestedTrigger,
    Reader,
)

VERSION = 1
_HEADER = ("v", "kind")
_BY_TYPE: Mapping[type, FieldKind] = {
    bool: FLAG,
    datetime: INSTANT,
    time: TIME,
    timedelta: DURATION,
    Month: MONTH,
    Weekday: WEEKDAY,
}

R = TypeVar("R", bound="CheckedRecord")


def kinds(cls: type[Any]) -> Mapping[str, FieldKind]:
    """The fields of a record and their kinds."""
    return _kinds(cast(Any, cls))


@cache
def _kinds(cls: type[Any]) -> Mapping[str, FieldKind]:
    hints = get_type_hints(cls, include_extras=True)
    return {field.name: _kind_of(hints[field.name]) for field in fields(cls) if field.init}


def _kind_of(hint: Any) -> FieldKind:
    """A kind named by `Annotated`, or the one a plain type, a list or an optional of it stands for."""
    if get_origin(hint) is Annotated:
        kind: FieldKind = hint.__metadata__[0]
        return kind
    if hint in _BY_TYPE:
        return _BY_TYPE[hint]
    inner = get_args(hint)
    if get_origin(hint) in (tuple, frozenset):
        return Many(_kind_of(inner[0]), get_origin(hint))
    if NoneType in inner:
        present = [each for each in inner if each is not NoneType]
        return Maybe(_kind_of(present[0]) if len(present) == 1 else NestedTrigger(*present))
    is_part = issubclass(hint, CheckedRecord) and not issubclass(hint, TriggerRecord)
    return NestedRecord(hint) if is_part else NestedTrigger(hint)


class CheckedRecord:
    """A frozen value with fields that check themselves."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, kind in kinds(type(self)).items():
            given = getattr(self, name)
            checked = kind.check(name, given)
            if checked is not given:
                self._put(name, checked)
        self._settle()

    def _settle(self) -> None:
        """Check the fields against each other, and compute what derives from them."""

    def _put(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """The record with these fields."""
        return cls(**values)

    def to_parts(self) -> dict[str, Any]:
        """Every field as JSON; one that is not set is left out, because schedules are read and written very often."""
        return {
            name: kind.encode(value)
            for name, kind in kinds(type(self)).items()
            if (value := getattr(self, name)) is not None
        }


class Leap(NamedTuple):
    """A stride over occurrences that need not be visited one by one."""

    passed: int
    """How many there were."""
    last: datetime
    """The last of them, or where the stride began if there was none."""


class TriggerRecord(CheckedRecord, ABC):
    """A record that is a trigger."""

    __slots__ = ()

    KIND: ClassVar[str]
    """Its name in JSON."""

    @abstractmethod
    def get_next_occurrence(self, current: datetime) -> datetime | None:
        """The first occurrence strictly after `current`, in UTC; None when there is none any more."""

    @abstractmethod
    def describe(self) -> str:
        """The trigger in words a person would use."""

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form that `trigger_from_dict` reads back."""
        return {"v": VERSION, "kind": self.KIND, **self.to_parts()}

    def begun(self, at: datetime) -> TriggerRecord:  # noqa: ARG002  # most triggers have nothing to fix
        """The trigger of a series that begins at `at`, with everything fixed that it takes from its beginning."""
        return self

    def unbegun(self) -> TriggerRecord:
        """The trigger as it was before its series began: what its author said."""
        return self

    @property
    def fixed_slots(self) -> bool:
        """True when the occurrences are the same wherever one begins to ask; False when they count from there."""
        return True

    def leap(self, current: datetime, limit: datetime) -> Leap:  # noqa: ARG002  # not every trigger can leap
        """From an occurrence towards `limit` over as many occurrences as plain arithmetic can count; often none."""
        return Leap(0, current)


def at(path: str, name: str) -> str:
    """The path of a field inside the value at `path`."""
    return f"{path}.{name}" if path else name


def read_record(cls: type[R], path: str, raw: Any, read: Reader, *, header: bool = True) -> R:
    """Read the record that was written to `raw`; every required key must be there, and no unknown one."""
    if not isinstance(raw, Mapping):
        raise TriggerDecodeError(path or "trigger", raw, "must be an object")
    expected = kinds(cls)
    for key in raw:
        if key not in expected and not (header and key in _HEADER):
            raise TriggerDecodeError(at(path, str(key)), raw[key], "is not a known field")
    values = {}
    for name, kind in expected.items():
        if name not in raw and not isinstance(kind, Maybe):
            raise TriggerDecodeError(at(path, name), None, "is missing")
        values[name] = kind.decode(at(path, name), raw.get(name), read)
    try:
        return cls.from_values(values)
    except InvalidInputError as error:
        raise TriggerDecodeError(path or "trigger", raw, f"is refused ({error})") from error


class NestedRecord(FieldKind):
    """A record inside another, written without a `kind` of its own."""

    __slots__ = ("cls",)

    def __init__(self, cls: type[CheckedRecord]) -> None:
        super().__init__(f"of type {cls.__name__}")
        self.cls = cls

    def check(self, name: str, value: Any) -> Any:
        if not isinstance(value, self.cls):
            raise self.refusal(name, value)
        return value

    def encode(self, value: CheckedRecord) -> dict[str, Any]:
        return value.to_parts()

    def decode(self, path: str, raw: Any, read: Reader) -> Any:
        return read_record(self.cls, path, raw, read, header=False)
