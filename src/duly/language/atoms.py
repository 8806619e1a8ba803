"""The vocabulary of the grammar: what a word can mean, whatever the language it is said in.

A lexicon turns words into atoms; the grammar only ever looks at atoms. One word may stand for several of them
("tonight" is today and night), and one word may have several readings.
"""

from __future__ import annotations

from enum import Enum, IntEnum, auto
from typing import Any, NamedTuple


class Kind(IntEnum):
    """What an atom is. Integers, because they are looked up all the time and other enums hash slowly."""

    NUMBER = auto()
    """A cardinal: `Numeral`."""
    ORDINAL = auto()
    """First is 1, last is -1."""
    ORDINAL_MARK = auto()
    """What makes an ordinal of the number before it: the "th" of "20th"."""
    UNIT = auto()
    """A `Unit` of time."""
    FRACTION = auto()
    """A half, a quarter, three quarters."""
    SPAN = auto()
    """A length of time in one word, in seconds: "Viertelstunde"."""
    WEEKDAY = auto()
    """One weekday, Monday is 0."""
    WEEKDAYS = auto()
    """Weekdays as a habit, a tuple: "mondays", "weekend"."""
    MONTH = auto()
    """A month, January is 1."""
    DATE = auto()
    """Year (or None), month and day."""
    RELATIVE_DAY = auto()
    """Days from today."""
    PART = auto()
    """A `Part` of the day."""
    TIME = auto()
    """Hour, minute and second in digits, and whether the hour had a leading zero."""
    FIXED_TIME = auto()
    """A time that needs no further word, as the hour: noon, midnight."""
    EVERY = auto()
    NEXT = auto()
    """Of the next week."""
    THIS = auto()
    COMING = auto()
    """The first one after today."""
    FURTHER = auto()
    """So many days after the day that is named: the "week" of "Thursday week"."""
    MERIDIEM = auto()
    """0 for am, 12 for pm."""
    OCLOCK = auto()
    PER_DAY = auto()
    """Behind a number: so many times a day."""
    HALF_TO = auto()
    """Before an hour: that much of the hour is missing, in minutes."""
    NOW = auto()
    """What ends "five minutes from now"."""
    PAST = auto()
    """What speaks of the past: "yesterday", "ago"."""
    VAGUE = auto()
    """What names no time: "soon". With a reason for a value, what begins so is not read in another way."""
    LITTLE = auto()
    """A word that holds others together: `Role`."""
    COMMA = auto()
    SEMICOLON = auto()
    """What ends a clause for certain."""
    DASH = auto()
    END = auto()


class Role:
    """What a little word can do; most do several things. Plain bits: an `IntFlag` costs a microsecond a question."""

    AT = 1
    """An hour follows."""
    ON = 2
    """A day follows."""
    IN = 4
    """A length of time follows."""
    FROM = 8
    """A range begins."""
    TO = 16
    """A range ends."""
    BETWEEN = 32
    """A range begins that ends with "and"."""
    AND = 64
    OF = 128
    THE = 256
    HABIT = 512
    """An article that makes a habit of the weekday after it: "le lundi"."""
    EXCEPT = 1024
    START = 2048
    """The first day of a series follows."""
    AFTER = 4096
    """Ten after eight."""
    BEFORE = 8192
    """Ten before eight."""
    LESS = 16384
    """Eight less ten."""
    PLUS = 32768
    """Eight and ten: joins minutes to an hour."""
    STRAY = 65536
    """Of some little words in a row: one of them can only stand between two things."""


class Unit(Enum):
    """Units of time. Up to hours they are elapsed time, from days on they belong to the calendar."""

    SECOND = 1
    MINUTE = 60
    HOUR = 3600
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"

    @property
    def elapsed(self) -> bool:
        """Whether the unit has a fixed number of seconds."""
        return isinstance(self.value, int)


class Part(Enum):
    """Parts of the day, with the hours a twelve-hour reading is moved by."""

    MORNING = "morning"
    MIDDAY = "midday"
    AFTERNOON = "afternoon"
    EVENING = "evening"
    NIGHT = "night"


class Numeral(NamedTuple):
    """A number as it was said."""

    value: float
    digits: int = 0
    """How many digits were typed; 0 for a word."""
    dotted: bool = False
    """Whether a full stop followed: "20." is an ordinal in some languages."""
    halves: tuple[int, int] | None = None
    """Both sides of a point or comma: "20.30" may be a number, a time or two hours."""
    point: str = ""

    @property
    def whole(self) -> int | None:
        """The number, if it is a whole one without a fraction."""
        return int(self.value) if self.halves is None and self.value == int(self.value) else None


class Atom(NamedTuple):
    """One piece of meaning."""

    kind: Kind
    value: Any = None


END = Atom(Kind.END)
COMMA = Atom(Kind.COMMA)
SEMICOLON = Atom(Kind.SEMICOLON)
DASH = Atom(Kind.DASH)
