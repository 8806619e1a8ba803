"""What the auditor of sentences sees: stretches of time in a text, and what a reading has taken for the time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from duly.language.forms import Form


class Loose(Enum):
    """What a stretch of time says that was left in a text."""

    CLOCK = auto()
    DAY = auto()
    PART = auto()
    RHYTHM = auto()
    FROM_NOW = auto()
    """In ten minutes."""
    LENGTH = auto()
    """Ten minutes: how long something is done."""
    PERIOD = auto()
    """Ten days: how long something is done, or goes on."""
    LASTING = auto()
    """For ten days, or ten days at an end of the text: how long a series goes on."""
    NOW = auto()
    BESIDE = auto()
    """Two hours after lunch."""
    TIMES = auto()
    END = auto()
    START = auto()
    """A condition, or a start that is not said with a day: "as needed"."""
    SINCE = auto()
    """From Monday."""
    EXCEPTION = auto()


class WordPlace(Enum):
    """Where a word of a text stands."""

    OPEN = auto()
    JOINED = auto()
    """The first half of a word: no time ends with it ("tomorrow's")."""
    APART = auto()
    """In quotes, or behind a colon."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Words of a text that say a time, from one word to before another."""

    start: int
    end: int
    says: Loose


@dataclass(frozen=True, slots=True)
class TakenTime:
    """What a reading has taken for the time."""

    recurs: bool
    is_frequent: bool
    """Whether it comes again within days: ten days are an end of it."""
    has_day: bool
    has_clock: bool
    has_open_clock: bool
    """Whether a part of the day would move the hour."""
    has_length: bool
    """Whether it is a length from now."""
    has_bare_length: bool
    """Whether no word such as "in" stands before that length."""
    is_firm: bool
    """Whether a word that begins a text stands behind it, so that what follows belongs to that."""


@dataclass(frozen=True, slots=True)
class Lists:
    """The closed lists of a language that only the auditor needs."""

    code: str
    parts: frozenset[Form]
    """Say a part of the day, as people say when: "in the morning"."""
    ends: frozenset[Form]
    """Begin an end: "until the"."""
    starts: frozenset[Form]
    exceptions: frozenset[Form]
    bounds: frozenset[Form]
    """Bound a series where a time or an occasion stands behind them: "not" on Sundays."""
    occasions: frozenset[Form]
    """Days that no clock knows: "the holidays"."""
    befores: frozenset[Form]
    """Make of a length one that counts from something else: "after"."""
    links: frozenset[Form]
    """Join what follows to a noun: "for", "about"."""
    lasting: frozenset[Form]
    nows: frozenset[Form]
    doses: frozenset[Form]
    """Follow a number that is a dose, behind an article that hours have too: "las 20 gotas"."""
