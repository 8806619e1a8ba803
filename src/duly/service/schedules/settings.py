"""How a field that callers may set is described: its meaning, its part of the definition, its kind of value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from datetime import timedelta
from enum import Enum, StrEnum, auto
from functools import partial
from typing import Any, Literal

from duly.model.action import Target
from duly.model.checks import choice
from duly.model.policy import Retry
from duly.service.schedules import values
from duly.service.schedules.view_parts import TargetView

DESCRIPTION = "setting"
"""The key of a description among the metadata of a field."""
_RETRY = tuple(each.name for each in fields(Retry))


def _unchanged(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True, eq=False)
class ValueKind:
    """How the values of a setting are read from JSON or text, and shown. Each is a kind of its own."""

    read: Callable[[Any, str], Any]
    """Takes a value and the name of its field; raises `InvalidInputError` for a value that the field cannot have."""
    given: Any = str
    """The type of the JSON that callers give."""
    show: Callable[[Any], Any] = _unchanged


class DefinitionPart(Enum):
    """The part of a definition that holds a setting."""

    SCHEDULE = auto()
    STATE = auto()
    WHEN = auto()
    MODE = auto()
    PROMPT = auto()
    JOB = auto()
    POLICY = auto()
    MESSAGE = auto()


@dataclass(frozen=True, slots=True)
class Setting:
    """The description of one field that callers may set."""

    meaning: str
    """Completes the line "NAME: …" in the help, in the schema of a tool and in the documentation."""
    part: DefinitionPart
    kind: ValueKind
    attribute: str = ""
    """The name of the value in its part; empty where that is the name of the field."""
    example: str | None = None
    needs: str | None = None
    """The name of another field, without which this one has no effect."""
    needed_value: str | None = None
    """The value which the other field must have; None takes any."""
    needs_too: str | None = None
    """The name of a second field that this one needs."""
    within: tuple[int, int] | None = None
    """The least and the most of a number, for faces that check it before the use case does."""
    says_itself: bool = False
    """Whether the name says enough where each character costs, as in the tools for agents."""
    option: str = ""
    """Its name on the command line, where that is another."""
    label: str = ""
    """Its name in the editor of the dashboard, where that shows it by its kind."""
    usual: str = ""
    """What holds where nothing is said, if the meaning does not say that."""

    @property
    def short_words(self) -> str:
        """The meaning with what holds otherwise."""
        return f"{self.meaning} (default: {self.usual})" if self.usual else self.meaning

    @property
    def words(self) -> str:
        """The meaning with what holds otherwise, and the example."""
        return self.short_words if self.example is None else f"{self.short_words}, e.g. {self.example}"


def setting(meaning: str, part: DefinitionPart, kind: ValueKind, *, default: Any = None, **more: Any) -> Any:
    """Declare a field of a view that callers may set; `more` are further values of its `Setting`."""
    return field(default=default, metadata={DESCRIPTION: Setting(meaning, part, kind, **more)})


def always(meaning: str, part: DefinitionPart, kind: ValueKind, **more: Any) -> Any:
    """Declare the same for a field that always has a value."""
    return field(metadata={DESCRIPTION: Setting(meaning, part, kind, **more)})


def one_of(options: type[StrEnum]) -> ValueKind:
    """Make the kind of the values of an enum, which callers name."""
    names = tuple(str(each) for each in options)
    return ValueKind(partial(choice, options), Literal[names], str)


def _seconds(length: timedelta) -> float:
    return length.total_seconds()


def _shown_retry(retry: Retry) -> dict[str, object]:
    shown = {name: getattr(retry, name) for name in _RETRY}
    return {**shown, "delay": _seconds(retry.delay), "cap": _seconds(retry.cap), "backoff": str(retry.backoff)}


def _shown_targets(targets: tuple[Target, ...]) -> list[TargetView]:
    return [TargetView(target.project_id, target.workspace_id) for target in targets]


TEXT = ValueKind(values.text)
NAME = ValueKind(values.name)
KEY = ValueKind(lambda value, name: None if value == "" else values.text(value, name))
STORABLE = ValueKind(values.storable)
ZONE = ValueKind(values.zone)
MOMENT = ValueKind(values.moment, str)
FLAG = ValueKind(values.flag, bool)
WHOLE = ValueKind(values.whole, int)
AMOUNT = ValueKind(values.amount, float)
MINUTES = ValueKind(values.whole, int)
"""Minutes; people say them as a number, or as a length such as 1h."""
SPAN = ValueKind(values.whole, int)
"""Minutes of a longer time, which people say as a length such as 3d."""
LEADS = ValueKind(values.numbers, list[int])
"""Several of them."""
PEOPLE = ValueKind(values.texts, list[str])
LENGTH = ValueKind(values.duration, float | str, _seconds)
OBJECT = ValueKind(values.mapping, dict[str, Any], dict)
RETRY = ValueKind(values.retry, dict[str, Any], _shown_retry)
NOTIFY = ValueKind(values.notify, list[str], lambda rules: [str(each) for each in rules])
LIST = ValueKind(values.listed, list[Any], list)
TARGETS = ValueKind(values.targets, list[str | dict[str, Any]], _shown_targets)
MODE = ValueKind(values.text, Literal["prompt", "job"])
