"""What people hand in, checked: words that name an option, numbers, flags. An error says what would be right."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from duly.errors import InvalidInputError

Choice = TypeVar("Choice", bound=StrEnum)
LARGEST = 2**31 - 1


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
    """Refuse what is not a whole number from `low` on, and what no database keeps."""
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise InvalidInputError(f"{name} must be a whole number of at least {low}, got {value!r}")
    if value > LARGEST:
        raise InvalidInputError(f"{name} must not exceed {LARGEST}, got a number of {value.bit_length()} bits")


def yes_or_no(name: str, value: object) -> None:
    """Refuse what is neither true nor false: a word such as "no" would count as yes."""
    if not isinstance(value, bool):
        raise InvalidInputError(f"{name} must be true or false, got {value!r}")
