"""The three cron dialects: the fields of an expression, and the values and names that each field takes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Dialect(StrEnum):
    """How an expression is read."""

    POSIX = "posix"
    """IEEE 1003.1 to the letter: five fields of numbers, lists and ranges."""
    STANDARD = "standard"
    """Five fields or a macro, with steps, names, `L`, `W`, `#` and `?`."""
    SECONDS = "seconds"
    """`standard` with an optional sixth field, seconds first."""


class DayMatch(StrEnum):
    """Which days count when day-of-month and day-of-week are both restricted."""

    OR = "or"
    """Either is enough, as POSIX has it."""
    AND = "and"
    """Both must hold, as in Cronos."""


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """One column of an expression."""

    name: str
    low: int
    high: int
    names: Mapping[str, int]
    all: int
    """The bits of every value the field takes."""


def _field(name: str, low: int, high: int, names: Mapping[str, int] | None = None) -> Field:
    bits = (2 << high) - (1 << low)  # from bit `low` to bit `high`
    return Field(name=name, low=low, high=high, names=names or {}, all=bits)


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")

SECOND = _field("second", 0, 59)
MINUTE = _field("minute", 0, 59)
HOUR = _field("hour", 0, 23)
DAY = _field("day", 1, 31)
MONTH = _field("month", 1, 12, {name: number for number, name in enumerate(_MONTHS, 1)})
WEEKDAY = _field("weekday", 0, 6, {name: number for number, name in enumerate(_DAYS)})

FIVE_FIELDS = (MINUTE, HOUR, DAY, MONTH, WEEKDAY)
SIX_FIELDS = (SECOND, *FIVE_FIELDS)

MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
