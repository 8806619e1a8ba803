"""Clauses: what has been read so far, as slots that the words fill in any order.

"Monday at 9 and Thursday at 15:00" are two clauses. A new one begins where a slot is spoken of that is already full.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from duly.language.atoms import DayPart, Unit
from duly.language.grammar.clocks import ClockTime
from duly.language.grammar.cursor import Cursor
from duly.language.grammar.lengths import TimeLength

if TYPE_CHECKING:
    from duly.language.grammar.bounds import Bounds


class Slot(Enum):
    """The part of a clause that a component fills."""

    NONE = auto()
    DAYS = auto()
    TIMES = auto()
    PACE = auto()
    WINDOW = auto()
    EXCEPT = auto()
    OFFSET = auto()
    START = auto()
    PART = auto()
    RHYTHM = auto()
    END = auto()
    COUNT = auto()
    BESIDE = auto()
    """What stands beside a time: a notice before it, the next time after it is done."""


class Which(Enum):
    """Which Friday or which week is meant."""

    NEXT = auto()
    THIS = auto()
    COMING = auto()


@dataclass(slots=True)
class SpokenDate:
    """A date as it was said, perhaps without its year or month."""

    day: int
    month: int | None = None
    year: int | None = None


@dataclass(slots=True)
class Clause:
    """One rule or one moment, as far as it was said."""

    weekdays: list[int] = field(default_factory=list)
    habit: bool = False
    """Whether the weekdays were said as a habit."""
    pinned: bool = False
    """Whether a preposition says that one certain weekday is meant: "am Montag"."""
    which: Which | None = None
    week: Which | None = None
    month: Which | None = None
    relative_day: int | None = None
    date: SpokenDate | None = None
    monthdays: list[int] = field(default_factory=list)
    """Days of the month; -1 is the last."""
    nth: list[tuple[int, int]] = field(default_factory=list)
    """Weekdays of the month, as ordinal and weekday; -1 is the last."""
    each_month: bool = False
    every: tuple[int, Unit] | None = None
    """A rhythm of the calendar: every 2 weeks."""
    per_day: int | None = None
    """How many times a day it was said to be."""
    pace: TimeLength | None = None
    """Elapsed time from one to the next."""
    without: list[int] = field(default_factory=list)
    """Weekdays that are left out."""
    times: list[ClockTime] = field(default_factory=list)
    settled: int = 0
    """How many of the times have had their part of the day."""
    part: DayPart | None = None
    window: tuple[ClockTime, ClockTime] | None = None
    offset: TimeLength | None = None
    loose_offset: bool = False
    """Whether the length of time was said without "in" or "from now"."""
    from_day: bool = False
    """Whether it is counted from the day that is named: "3 days from Friday"."""
    start: Clause | None = None
    anchored: bool = False
    """Whether the series counts from its first day, so that its rule knows it already."""
    last: Slot = Slot.NONE
    """The slot that was filled last."""

    @property
    def has_day(self) -> bool:
        """Whether the clause says on which day."""
        return bool(
            self.weekdays
            or self.monthdays
            or self.nth
            or self.every
            or self.date is not None
            or self.relative_day is not None
            or self.week is not None
        )

    @property
    def recurs(self) -> bool:
        """Whether this clause alone speaks of more than one moment."""
        return (
            self.habit
            or self.each_month
            or (bool(self.nth) and self.month is None)
            or self.every is not None
            or self.pace is not None
            or len(self.weekdays) > 1
        )


class Piece(NamedTuple):
    """A component as it was read: its kind, and the atoms that it took."""

    slot: Slot
    start: int
    end: int


class PhraseReading:
    """A phrase while it is being read: the cursor and the clauses so far."""

    __slots__ = ("boundary", "bounds", "clauses", "cursor", "other_length", "pieces", "recurring", "said")

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.clauses = [Clause()]
        self.recurring = False
        """Whether "every" or "three times a day" has been read."""
        self.bounds: Bounds | None = None
        """The end and the count of a series, and what stands beside its times; none in most phrases."""
        self.other_length: TimeLength | None = None
        """The length of time that a bare "9h" may mean as well."""
        self.boundary = False
        """Whether a comma or "and" stands before what is read now."""
        self.pieces: list[Piece] = []
        """What was read so far."""
        self.said: Slot | None = None
        """What the component that is read now fills, where it is no part of its clause."""

    @property
    def doubtful(self) -> bool:
        """Whether one of the hours may be in the morning or in the afternoon."""
        return any(clock.doubtful for clause in self.clauses if clause.part is None for clock in clause.times)

    @property
    def current(self) -> Clause:
        return self.clauses[-1]

    def note(self, start: int) -> None:
        """Note the component that was read from an atom on."""
        self.pieces.append(Piece(self.said or self.current.last, start, self.cursor.at))
        self.said = None

    def speak_of(self, slot: Slot) -> Clause:
        """Return the clause that a component belongs to: the current one, or a new one if that is complete."""
        clause = self.clauses[-1]
        if _is_complete(clause, slot, boundary=self.boundary):
            clause = Clause()
            self.clauses.append(clause)
        clause.last = slot
        return clause


def _is_complete(clause: Clause, slot: Slot, *, boundary: bool) -> bool:
    """Tell whether a component begins a new clause, because the slot it fills is full or belongs to what follows.

    "Monday at 9, Thursday at 15" are two clauses, because the second day comes after a time. "At 9 on Monday" is one,
    because the first day does. "Monday, Thursday at 9" is one, because days follow each other.
    """
    if clause.last is slot:
        return False
    timed = bool(clause.times) or clause.window is not None
    if slot is Slot.DAYS:
        named = bool(clause.weekdays or clause.monthdays or clause.nth)
        dated = named or (boundary and (clause.has_day or clause.part is not None))
        return timed and dated and clause.last is not Slot.START
    if slot is Slot.PACE:
        return timed and boundary
    if slot is Slot.TIMES:
        return bool(clause.times) and clause.has_day
    return False
