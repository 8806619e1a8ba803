"""Checks of the values that callers give: options, numbers, flags, texts, lengths of time, amounts of money.

Every refusal is an `InvalidInputError` that names the field, the value and the values that are allowed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import timedelta
from enum import StrEnum
from typing import TypeVar

from duly.errors import InvalidInputError

Choice = TypeVar("Choice", bound=StrEnum)
LARGEST = 2**31 - 1
"""The largest whole number that every store keeps."""
LONGEST = timedelta(days=36_525)
"""A hundred years: no wait, window or timeout is meant to be longer."""
_LONGEST_NAME = 100
_PART = re.compile(
    r"(\d++(?:\.\d++)?)\s*+(ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d|weeks?|w)\s*+"
)  # possessive: each part is matched once from where the last one ended, so the time is linear in the length
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def choice(kind: type[Choice], value: str, name: str) -> Choice:
    """Give the member of `kind` that `value` names."""
    if type(value) is kind:
        return value
    try:
        return kind(value)
    except ValueError:
        options = ", ".join(repr(str(option)) for option in kind)
        raise InvalidInputError(f"{name} must be one of {options}, got {value!r}") from None


def suggestion(name: str, known: Iterable[str], likeness: float = 0.7) -> str:
    """Give "did you mean …?" for a name that is at least so like a known one, from 0 to 1; else an empty text."""
    if len(name) > _LONGEST_NAME:  # what is compared grows faster than the name, which may be a megabyte
        return ""
    from difflib import get_close_matches  # late: most names are right

    bare = {each.lstrip("-"): each for each in known}  # their dashes make any two options alike
    near = get_close_matches(name.lstrip("-"), bare, n=1, cutoff=likeness)
    return f"did you mean {bare[near[0]]}?" if near else ""


def refuse_unknown(given: Iterable[str], known: Collection[str], holder: str, where: str = "") -> None:
    """Refuse a name that is not known: `holder` takes the known ones, `where` stands before the name."""
    for name in given:
        if name not in known:
            raise InvalidInputError(f"{where}{name} {is_unknown(name, known, holder)}")


def is_unknown(name: str, known: Iterable[str], holder: str) -> str:
    """Say that a name is unknown, and which names `holder` takes."""
    return " ".join(filter(None, ("is unknown:", suggestion(name, known), f"{holder} takes {', '.join(known)}")))


def at_least(name: str, value: object, low: int) -> None:
    """Refuse a value that is no whole number, below `low`, or too large for a store."""
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise InvalidInputError(f"{name} must be a whole number of at least {low}, got {value!r}")
    if value > LARGEST:
        raise InvalidInputError(f"{name} must not exceed {LARGEST}, got a number of {value.bit_length()} bits")


def within(name: str, value: object, low: int, high: int) -> None:
    """Refuse a value that is no whole number from `low` to `high`."""
    at_least(name, value, low)
    if isinstance(value, int) and value > high:
        raise InvalidInputError(f"{name} must not exceed {high}, got {value}")


def yes_or_no(name: str, value: object) -> None:
    """Refuse a value that is neither true nor false: a word such as "no" would count as yes."""
    if not isinstance(value, bool):
        raise InvalidInputError(f"{name} must be true or false, got {value!r}")


def not_empty(name: str, value: object) -> None:
    """Refuse a value that is no text, or a text of white space only."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInputError(f"{name} must not be empty, got {value!r}")


def text_or_none(name: str, value: object) -> str | None:
    """Give the text, or None for a text of white space only."""
    if value is not None and not isinstance(value, str):
        raise InvalidInputError(f"{name} must be text, got {value!r}")
    return value if value and value.strip() else None


def amount(name: str, value: object, below: float = float("inf")) -> None:
    """Refuse a value that is no amount of money above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < below:
        raise InvalidInputError(f"{name} must be an amount above 0 in US dollars, got {value!r}")


def share(name: str, value: object) -> None:
    """Refuse a value that is no number from 0 to 1."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise InvalidInputError(f"{name} must lie between 0 and 1, got {value}")


def length(name: str, value: object, *, zero: bool) -> None:
    """Refuse a value that is no length of time, negative or longer than `LONGEST`; `zero` says whether 0 is allowed."""
    if not isinstance(value, timedelta):
        raise InvalidInputError(f"{name} must be a timedelta, got {value!r}")
    if value > LONGEST:
        raise InvalidInputError(f"{name} must not be longer than a hundred years, got {value}")
    if value < timedelta(0) and zero:
        raise InvalidInputError(f"{name} must not be negative, got {value}")
    if value <= timedelta(0) and not zero:
        raise InvalidInputError(f"{name} must be longer than zero, got {value}")


def seconds_in(value: object) -> float | None:
    """Read a length of time: seconds as a number, or text such as 90s, 5m, 2h, 1d, 1h30m; None if it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 2 * LONGEST.total_seconds() else None  # not nan, and fits
    if not isinstance(value, str):
        return None
    text = value.strip().lower()
    if re.fullmatch(r"\d++(\.\d++)?", text):
        return float(text)
    seconds = 0.0
    position = 0
    while position < len(text):
        part = _PART.match(text, position)
        if part is None:
            return None
        number, unit = part.groups()
        seconds += float(number) * _UNITS[unit if unit == "ms" else unit[0]]
        position = part.end()
    return seconds if text else None
