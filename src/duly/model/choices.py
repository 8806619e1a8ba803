"""What people hand in, checked: words that name an option, whole numbers. An error says what would be right."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from duly.errors import InvalidInputError

Choice = TypeVar("Choice", bound=StrEnum)


def choice(kind: type[Choice], value: str, name: str) -> Choice:
    """The member of `kind` that `value` names."""
    if type(value) is kind:
        return value
    try:
        return kind(value)
    except ValueError:
        options = ", ".join(repr(str(option)) for option in kind)
        raise InvalidInputError(f"{name} must be one of {options}, got {value!r}") from None


def at_least(name: str, value: object, low: int) -> None:
    """Refuse what is not a whole number from `low` on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise InvalidInputError(f"{name} must be a whole number of at least {low}, got {value!r}")
