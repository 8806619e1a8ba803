"""Atoms: the units of meaning that the grammar reads, the same in every language.

A language file says which atoms a word stands for, and the grammar looks only at atoms. One word may stand for several
("tonight" is today and night), and one word may have several readings ("morgen" is tomorrow and the morning).
"""

from __future__ import annotations

from enum import Enum, IntEnum, auto
from typing import Any, NamedTuple


class AtomKind(IntEnum):
    """The kind of an atom. An `IntEnum`: the grammar looks kinds up all the time, and other enums hash slowly."""

    NUMBER = auto()
    """A cardinal: `Numeral`."""
    ORDINAL = auto()
    """First is 1, last is -1."""
    ORDINAL_MARK = auto()
    """Makes an ordinal of the number before it: the "th" of "20th"."""
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
    """A `DayPart`."""
    TIME = auto()
    """Hour, minute and second in digits, and whether the hour had a leading zero."""
    FIXED_TIME = auto()
    """A time of day that needs no further word, as the hour: noon, midnight."""
    EVERY = auto()
    NEXT = auto()
    """Of the next week."""
    THIS = auto()
    COMING = auto()
    """The first one after today."""
    FURTHER = auto()
    """A number of days after the day that is named: the "week" of "Thursday week"."""
    MERIDIEM = auto()
    """0 for am, 12 for pm."""
    OCLOCK = auto()
    PER_DAY = auto()
    """Behind a number: that many times a day."""
    HALF_TO = auto()
    """Before an hour: that many minutes are missing to the hour ("halb acht" is 07:30)."""
    NOW = auto()
    """Ends a length of time that counts from now: "five minutes from now"."""
    PAST = auto()
    """Speaks of the past: "yesterday", "ago"."""
    VAGUE = auto()
    """Names no time: "soon". With a reason as its value, a phrase that begins with it is refused for that reason."""
    REFUSED = auto()
    """Is understood, and refused wherever it stands, for the reason that is its value: "within", "ocho días"."""
    LEAD = auto()
    """Behind a length of time: so long before ("an hour before")."""
    DONE = auto()
    """Behind a length of time: so long after it is done."""
    LASTED = auto()
    """Behind a length of time: so long the series lasts ("2 Wochen lang")."""
    TIMES = auto()
    """Behind a number: so often ("10 times")."""
    UNTIL_END = auto()
    """Before a period: the series goes on to its last day ("until the end of the month")."""
    ONWARD = auto()
    """Behind the first day of a series: from Monday "onwards"."""
    INCLUDED = auto()
    """Beside the last day of a series: that day is one of its days, as it is without the word."""
    LITTLE = auto()
    """A preposition, an article or a conjunction. Its value is a set of `WordRole` bits."""
    COMMA = auto()
    SEMICOLON = auto()
    """Always ends a clause."""
    DASH = auto()
    BREAK = auto()
    """Between two stretches of one sentence: what stands on one side of it is never read together with the other."""
    END = auto()


class WordRole:
    """The roles a little word can play, as bits: most words can play several.

    Plain integers, because each test of an `IntFlag` costs a microsecond.
    """

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
    AROUND = 131072
    """An hour follows, more or less: "around five" is at five."""
    LASTING = 262144
    """How long or how often a series runs follows: "for 2 weeks", "at most 10 times"."""
    INSTEAD = 524288
    """Days that have a time of their own follow: "but on Sundays at 10"."""
    STRAY = 65536
    """Set by the cursor for several little words in a row, if one of them can only stand between two things."""


class Unit(Enum):
    """Units of time. Up to hours they are elapsed time, from days on they belong to the calendar."""

    SECOND = 1
    MINUTE = 60
    HOUR = 3600
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"
    WORKDAY = "workday"

    @property
    def elapsed(self) -> bool:
        """Whether the unit has a fixed number of seconds."""
        return isinstance(self.value, int)


class DayPart(Enum):
    """Parts of the day. They move an hour of a twelve-hour clock face."""

    MORNING = "morning"
    MIDDAY = "midday"
    AFTERNOON = "afternoon"
    EVENING = "evening"
    NIGHT = "night"
    DAWN = "dawn"
    """The small hours, which some languages call the early morning: "de madrugada"."""


SHORT_MARK = 2
LONG_MARK = 1


class Numeral(NamedTuple):
    """A number as it was written."""

    value: float
    digits: int = 0
    """How many digits were typed; 0 for a word."""
    dotted: bool = False
    """Whether a full stop followed: "20." is an ordinal in some languages."""
    halves: tuple[int, int] | None = None
    """Both sides of a point or comma: "20.30" may be a number, a time or two hours."""
    point: str = ""
    hour_mark: int = 0
    """Whether an hour is written so: `SHORT_MARK` in "9h", `LONG_MARK` in "9 heures"."""

    @property
    def whole(self) -> int | None:
        """The number, if it is a whole one without a fraction."""
        return int(self.value) if self.halves is None and self.value == int(self.value) else None


class Atom(NamedTuple):
    """One unit of meaning."""

    kind: AtomKind
    value: Any = None


Atoms = tuple[Atom, ...]

END = Atom(AtomKind.END)
BREAK = Atom(AtomKind.BREAK)
COMMA = Atom(AtomKind.COMMA)
SEMICOLON = Atom(AtomKind.SEMICOLON)
DASH = Atom(AtomKind.DASH)
EVERY = Atom(AtomKind.EVERY)
THIS = Atom(AtomKind.THIS)
NEXT = Atom(AtomKind.NEXT)
COMING = Atom(AtomKind.COMING)
NOW = Atom(AtomKind.NOW)
OCLOCK = Atom(AtomKind.OCLOCK)
PAST = Atom(AtomKind.PAST)
PER_DAY = Atom(AtomKind.PER_DAY)
LEAD = Atom(AtomKind.LEAD)
DONE = Atom(AtomKind.DONE)
LASTED = Atom(AtomKind.LASTED)
TIMES = Atom(AtomKind.TIMES)
UNTIL_END = Atom(AtomKind.UNTIL_END)
ONWARD = Atom(AtomKind.ONWARD)
INCLUDED = Atom(AtomKind.INCLUDED)
VAGUE = Atom(AtomKind.VAGUE)
DEADLINE = Atom(AtomKind.REFUSED, "a deadline does not say when: name the moment")
ORDINAL_MARK = Atom(AtomKind.ORDINAL_MARK)
NOON = Atom(AtomKind.FIXED_TIME, 12)
MIDNIGHT = Atom(AtomKind.FIXED_TIME, 0)
HALF = Atom(AtomKind.FRACTION, 0.5)
QUARTER = Atom(AtomKind.FRACTION, 0.25)
THREE_QUARTERS = Atom(AtomKind.FRACTION, 0.75)
AM = Atom(AtomKind.MERIDIEM, 0)
PM = Atom(AtomKind.MERIDIEM, 12)
ANY_WORKDAY = 7
"""Behind an ordinal, in the place of a weekday: Monday to Friday."""
WORKDAYS = Atom(AtomKind.WEEKDAYS, (0, 1, 2, 3, 4))
WEEKEND = Atom(AtomKind.WEEKDAYS, (5, 6))
MORNING, MIDDAY, AFTERNOON, EVENING, NIGHT, DAWN = (Atom(AtomKind.PART, part) for part in DayPart)


def number(value: float) -> Atom:
    """Make the atom of a number word."""
    return Atom(AtomKind.NUMBER, Numeral(value))


def ordinal(value: int) -> Atom:
    """Make the atom of an ordinal; -1 is the last."""
    return Atom(AtomKind.ORDINAL, value)


def unit(value: Unit) -> Atom:
    """Make the atom of a unit of time."""
    return Atom(AtomKind.UNIT, value)


def span(seconds: int) -> Atom:
    """Make the atom of a length of time in one word."""
    return Atom(AtomKind.SPAN, seconds)


def day(offset: int) -> Atom:
    """Make the atom of a day counted from today."""
    return Atom(AtomKind.RELATIVE_DAY, offset)


def further(days: int) -> Atom:
    """Make the atom that stands beside a day and means the day that many days later."""
    return Atom(AtomKind.FURTHER, days)


def half_to(minutes: int) -> Atom:
    """Make the atom that stands before an hour of which that many minutes are missing."""
    return Atom(AtomKind.HALF_TO, minutes)


def refused(reason: str) -> Atom:
    """Make the atom of words that are refused for a reason."""
    return Atom(AtomKind.REFUSED, reason)


def little(role: int) -> Atom:
    """Make the atom of a little word."""
    return Atom(AtomKind.LITTLE, role)


SHORT_UNITS: dict[str, Unit] = {
    "s": Unit.SECOND,
    "m": Unit.MINUTE,
    "min": Unit.MINUTE,
    "h": Unit.HOUR,
    "d": Unit.DAY,
    "w": Unit.WEEK,
}
"""What every language understands behind a number, in phrases and in replies."""
