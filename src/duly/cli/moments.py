"""Instants between people and programs: reading `--from`, and three ways of writing a time."""

from __future__ import annotations

from datetime import UTC, datetime

from duly.errors import InvalidInputError
from duly.zones import Zone

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def read_moment(text: str, zone: Zone, option: str = "--from") -> datetime:
    """An instant from ISO 8601; a time without an offset is on the clocks of `zone`."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.utcoffset() is not None else zone.shifted(moment)
    except (ValueError, OverflowError):
        raise InvalidInputError(
            f'{option} "{text}" is not a time: write it as 2026-11-15, 2026-11-15T09:30 or 2026-11-15T09:30Z'
        ) from None


def iso(moment: datetime) -> str:
    """For programs: ISO 8601, with `Z` for UTC."""
    return moment.isoformat().replace("+00:00", "Z") if moment.tzinfo is UTC else moment.isoformat()


def readable(moment: datetime, *, seconds: bool) -> str:
    """For people: the weekday, the date and the time."""
    return (
        f"{moment:%a} {moment.date()} {moment:%H:%M:%S}" if seconds else f"{moment:%a} {moment.date()} {moment:%H:%M}"
    )


def in_how_long(seconds: int) -> str:
    """`in 3 h 20 min`: the two largest units that matter."""
    return f"in {how_long(seconds)}" if seconds >= 1 else "now"


def how_long(seconds: int) -> str:
    """`3 h 20 min`: the two largest units that matter."""
    for index, (size, unit) in enumerate(_UNITS):
        if seconds >= size:
            text = f"{seconds // size} {unit}"
            smaller, smaller_unit = _UNITS[min(index + 1, 3)]
            rest = seconds % size // smaller
            return f"{text} {rest} {smaller_unit}" if rest else text
    return "0 s"
