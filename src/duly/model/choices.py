"""Options given as words: the member of an enum, or an error that lists what there is."""

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
