"""The form of a lexicon: what each word of a language means. A language is data; everything else is shared.

Forms are separated by `|` and written as the language writes them; other spellings follow by themselves. A hyphen in a
form may be typed as a hyphen, as a space or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from duly.language.atoms import Atom, Kind, Numeral, Part, Unit
from duly.language.text import spellings

Atoms = tuple[Atom, ...]

EVERY = Atom(Kind.EVERY)
THIS = Atom(Kind.THIS)
NEXT = Atom(Kind.NEXT)
COMING = Atom(Kind.COMING)
NOW = Atom(Kind.NOW)
OCLOCK = Atom(Kind.OCLOCK)
PAST = Atom(Kind.PAST)
PER_DAY = Atom(Kind.PER_DAY)
VAGUE = Atom(Kind.VAGUE)
ORDINAL_MARK = Atom(Kind.ORDINAL_MARK)
NOON = Atom(Kind.FIXED_TIME, 12)
MIDNIGHT = Atom(Kind.FIXED_TIME, 0)
HALF = Atom(Kind.FRACTION, 0.5)
QUARTER = Atom(Kind.FRACTION, 0.25)
THREE_QUARTERS = Atom(Kind.FRACTION, 0.75)
AM = Atom(Kind.MERIDIEM, 0)
PM = Atom(Kind.MERIDIEM, 12)
WORKDAYS = Atom(Kind.WEEKDAYS, (0, 1, 2, 3, 4))
WEEKEND = Atom(Kind.WEEKDAYS, (5, 6))
MORNING, MIDDAY, AFTERNOON, EVENING, NIGHT = (Atom(Kind.PART, part) for part in Part)


def number(value: float) -> Atom:
    """A number word."""
    return Atom(Kind.NUMBER, Numeral(value))


def ordinal(value: int) -> Atom:
    """Its ordinal; -1 is the last."""
    return Atom(Kind.ORDINAL, value)


def unit(value: Unit) -> Atom:
    """A unit of time."""
    return Atom(Kind.UNIT, value)


def span(seconds: int) -> Atom:
    """A length of time in one word."""
    return Atom(Kind.SPAN, seconds)


def day(offset: int) -> Atom:
    """A day counted from today."""
    return Atom(Kind.RELATIVE_DAY, offset)


def further(days: int) -> Atom:
    """Stands beside a day, and means one so many days after it."""
    return Atom(Kind.FURTHER, days)


def half_to(minutes: int) -> Atom:
    """Stands before an hour of which that many minutes are missing."""
    return Atom(Kind.HALF_TO, minutes)


def little(role: int) -> Atom:
    """A little word."""
    return Atom(Kind.LITTLE, role)


@dataclass(frozen=True, slots=True)
class Source:
    """The words of one language."""

    code: str
    numbers: Mapping[float, str]
    ordinals: Mapping[int, str]
    units: Mapping[Unit, str]
    weekdays: Sequence[str]
    """Monday to Sunday."""
    months: Sequence[str]
    """January to December."""
    little: Mapping[int, str]
    others: Mapping[str, Atoms]
    """Everything else: forms to atoms."""
    habits: Sequence[str] = ()
    """Weekdays in the form that means each of them: "mondays"."""
    glued: Mapping[str, Atoms] = field(default_factory=dict)
    """What means something else right behind a number."""
    based_on: Source | None = None
    """A language whose words are understood, too, after this one's own."""
    day_first: bool = True
    """How a numeric date is read; False where both orders are in use."""
    twelve_hours: bool = False
    """Whether a bare hour without a day is the next one on a clock face of twelve."""
    has_articles: bool = True
    """Whether an ordinal needs an article to be a day: "the fifth"."""
    article_makes_date: bool = True
    """Whether "the 20" is the 20th, without a mark of an ordinal."""

    sunday_is_week: bool = False
    """Whether the word for Sunday means weeks behind a number: "svake dve nedelje"."""

    def entries(self) -> Iterator[tuple[str, Atoms]]:
        """Every form with its atoms, the preferred reading of a form first."""
        for forms, atoms in self.others.items():
            for form in forms.split("|"):
                yield form, atoms
        for kind, table in _tables(self):
            for value, forms in table:
                for form in filter(None, forms.split("|")):
                    yield form, (Atom(kind, value),)
        if self.based_on is not None:
            yield from self.based_on.entries()


def _tables(source: Source) -> Iterator[tuple[Kind, list[tuple[Any, str]]]]:
    yield Kind.NUMBER, [(Numeral(value), forms) for value, forms in source.numbers.items()]
    yield Kind.ORDINAL, list(source.ordinals.items())
    yield Kind.WEEKDAY, list(enumerate(source.weekdays))
    yield Kind.WEEKDAYS, [((index,), forms) for index, forms in enumerate(source.habits)]
    yield Kind.MONTH, list(enumerate(source.months, 1))
    yield Kind.UNIT, list(source.units.items())
    yield Kind.LITTLE, list(source.little.items())


def variants(form: str) -> set[tuple[str, ...]]:
    """The token sequences under which a form is typed."""
    written = {form}
    if "-" in form:
        written = {form.replace("-", " - "), form.replace("-", " "), form.replace("-", "")}
    found: set[tuple[str, ...]] = set()
    for way in written:
        sequences: list[tuple[str, ...]] = [()]
        for word in way.replace("'", " ").split():
            sequences = [(*start, spelt) for start in sequences for spelt in sorted(spellings(word))]
        found.update(sequences)
    return found
