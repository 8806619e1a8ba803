"""Values as people and agents write them: lengths of time, moments, JSON inside text."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from duly.errors import InvalidInputError, NaiveDatetimeError, UnknownTimezoneError
from duly.model.choices import LARGEST, yes_or_no
from duly.service.limits import check_given
from duly.zones import Zone

_PART = re.compile(
    r"(\d++(?:\.\d++)?)\s*+(ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d|weeks?|w)\s*+"
)  # each part is read once from where the last one ended: the time grows with the length, no faster
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_LONGEST = timedelta(days=3660)


def duration(value: Any, name: str) -> timedelta:
    """A length of time: seconds as a number, or text such as 90s, 5m, 2h, 1d, 1h30m."""
    if isinstance(value, timedelta):
        return value
    seconds = _seconds(value)
    if seconds is None or seconds < 0 or seconds > _LONGEST.total_seconds():
        raise InvalidInputError(
            f'{name} must be a number of seconds or text like "90s", "5m", "2h", "1d", got {value!r:.200}'
        )
    return timedelta(seconds=seconds)


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < _LONGEST.total_seconds() * 2 else None  # not nan, and fits
    if not isinstance(value, str):
        return None
    text = value.strip().lower()
    if re.fullmatch(r"\d++(\.\d++)?", text):
        return float(text)
    seconds, position = 0.0, 0
    while position < len(text):
        part = _PART.match(text, position)
        if part is None:
            return None
        number, unit = part.groups()
        seconds += float(number) * _UNITS[unit if unit == "ms" else unit[0]]
        position = part.end()
    return seconds if text else None


def moment(value: Any, name: str) -> datetime:
    """An instant: ISO 8601 with an offset."""
    if isinstance(value, str):
        value = _written_moment(value.strip(), name)
    if not isinstance(value, datetime):
        raise InvalidInputError(f"{name} must be a time in ISO 8601 with an offset, got {value!r}")
    return instant(value, name)


def instant(value: Any, name: str) -> datetime:
    """A datetime that names an instant which can be stored."""
    if not isinstance(value, datetime):
        raise InvalidInputError(f"{name} must be a datetime, got {value!r}")
    if value.utcoffset() is None:
        raise NaiveDatetimeError(name, value)
    try:
        value.astimezone(UTC)
    except OverflowError:
        raise InvalidInputError(f"{name} {value.isoformat()} lies outside the years 1 to 9999 in UTC") from None
    return value


def _written_moment(text: str, name: str) -> datetime:
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInputError(
            f"{name} must be a time in ISO 8601 with an offset, such as 2026-11-16T09:00:00Z, got {text!r}"
        ) from None
    if read.utcoffset() is None:
        raise InvalidInputError(
            f"{name} {text!r} has no offset, so it names no instant: must be timezone-aware, "
            f"such as {read.isoformat()}Z for UTC or {read.isoformat()}+01:00"
        )
    return read


def structure(value: Any, name: str) -> Any:
    """A list or an object; agents sometimes send one as JSON text, which is understood."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"{name} must be a list or an object, got text that is not JSON: {value!r:.200}"
        ) from error
    check_given({name: read})
    return read


def mapping(value: Any, name: str) -> dict[str, Any]:
    """An object, maybe as JSON text."""
    read = structure(value, name)
    if not isinstance(read, dict) or not all(isinstance(key, str) for key in read):
        raise InvalidInputError(f"{name} must be an object, got {value!r}")
    return read


def text(value: Any, name: str) -> str:
    """Words that are there."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInputError(f"{name} must be a text that is not empty, got {value!r}")
    return storable(value, name)


def name(value: Any, what: str) -> str:
    """A name, without the white space around it: copied text brings some along, and it is invisible."""
    return text(value, what).strip()


def zone(value: Any, name: str) -> str:
    """The name of a time zone; the error says which argument it was in."""
    written = text(value, name).strip()
    try:
        return Zone.of(written).name
    except UnknownTimezoneError as error:
        raise InvalidInputError(f"{name}: {error}") from error


def storable(value: Any, name: str) -> str:
    """Text that every store can keep: no NUL, no half characters."""
    if not isinstance(value, str):
        raise InvalidInputError(f"{name} must be text, got {value!r}")
    if "\0" in value or (not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value)):
        raise InvalidInputError(f"{name} has a character that cannot be stored (NUL, or half of one): {value[:80]!r}")
    return value


def whole(value: Any, name: str) -> int:
    """A whole number that fits."""
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST:
        raise InvalidInputError(f"{name} must be a whole number, at most {LARGEST}, got {value!r}")
    return value


def flag(value: Any, name: str) -> bool:
    """Yes or no."""
    yes_or_no(name, value)
    return bool(value)


def amount(value: Any, name: str) -> float:
    """A sum of money in US dollars."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        raise InvalidInputError(f"{name} must be an amount in US dollars above 0, got {value!r}")
    return float(value)
