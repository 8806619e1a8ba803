"""The form of a language file: the words for times that duly reads and says in one language, as data.

Forms are separated by `|` and written as the language writes them; case, missing diacritics and other spellings follow
by themselves. A hyphen in a form may be typed as a hyphen, as a space or not at all.

`describe` says the first form of a weekday, a habit, a month and an ordinal, and the first forms of a unit: singular
and plural, or singular, few and many. The order of the other forms has no meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from duly.language.atoms import SHORT_MARK, UNTIL_END, Atoms, Unit, unit
from duly.language.text import fold

Gendered = tuple[str, str]
"""A masculine and a feminine form."""


@dataclass(frozen=True, slots=True)
class Templates:
    """The sentences of `describe`. What they say, the grammar reads back to the same meaning."""

    conjunction: str
    every: Mapping[Unit, Sequence[str]]
    """Every {unit}, every {n} {units}; between them a form with {few} where the language counts two to four apart."""
    at: str = "{times}"
    every_day: str = ""
    workdays: str = ""
    weekend: str = ""
    on_habits: str = "{days}"
    habit: Gendered = ("", "")
    """A weekday as a habit, where it is the weekday with an article."""
    date: str = "{day} {month} {year}"
    yearly: str = ""
    moment: str = "{weekday} {date} {time}"
    monthday: str = ""
    """On a day of every month."""
    last_day: str = ""
    nth: Gendered = ("", "")
    """On a weekday of every month."""
    ordinal: Gendered = ("{nth}", "{nth}")
    """The ordinal within `nth`."""
    last: Gendered = ("{nth}", "{nth}")
    """The same for the last one."""
    of_months: str = ""
    """On a day, behind "every 3 months"."""
    nth_of_months: Gendered = ("", "")
    window: str = ""
    start: str = ""
    numeral: str = "{n}"
    """A day of the month."""
    first_numeral: str = ""
    """The first of the month, where it differs."""
    feminine: frozenset[int] = frozenset()
    """Weekdays that are feminine."""
    counts_few: bool = False
    """Whether two to four have a form of their own, as in Slavic languages."""
    minute_mark: str = ""
    second_mark: str = ""
    only: str = "{what}"
    in_months: str = ""
    now_then: str = ""
    after_then: str = ""
    then: str = ""
    at_most: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Language:
    """One language. Its tables of numbers, units, weekdays and months serve phrases, replies and `describe` alike."""

    code: str
    numbers: Mapping[float, str]
    ordinals: Mapping[int, str]
    """-1 is the last. Where weekdays have genders, the second form is the feminine one that `describe` says."""
    units: Mapping[Unit, str]
    weekdays: tuple[str, ...]
    """Monday to Sunday."""
    months: tuple[str, ...]
    """January to December."""
    little: Mapping[int, str]
    """Prepositions, articles and conjunctions by the `WordRole` bits they can play."""
    others: Mapping[str, Atoms]
    """All other time words: forms to atoms. A form with several meanings is listed several times, the likeliest
    first."""
    templates: Templates
    courtesies: str = ""
    """Words that people put around a time, and that change nothing: "please", "thanks"."""
    habits: tuple[str, ...] = ("",) * 7
    """Weekdays in the form that means each of them: "mondays"."""
    glued: Mapping[str, Atoms] = field(default_factory=dict)
    """Words that mean something else right behind a number."""
    hour_marks: Mapping[str, int] = field(default_factory=lambda: {"h": SHORT_MARK})
    """Words that make an hour of the clock of the number before them, where nothing says that it is a length."""
    day_first: bool = True
    """How a numeric date is read; False where both orders are in use."""
    night_has_hour: bool = False
    """Whether the word for the night means the late evening as well, so that it has an hour of its own: "tonight"."""
    twelve_hours: bool = False
    """Whether a bare hour without a day is the next one on a clock face of twelve."""
    has_articles: bool = True
    """Whether an ordinal needs an article to be a day: "the fifth"."""
    article_makes_date: bool = True
    """Whether "the 20" is the 20th, without a mark of an ordinal."""
    sunday_is_week: bool = False
    """Whether the word for Sunday means weeks behind a number: "svake dve nedelje"."""


def tens_and_units(tens: Sequence[str], units: Sequence[str], *joined: str) -> dict[float, str]:
    """Make the numbers 20 to 99: the tens as they are, the rest joined from `{ten}` and `{unit}` in each given way."""
    found: dict[float, str] = {}
    for index, ten in enumerate(tens, 2):
        found[index * 10] = ten
        for value, one in enumerate(units[1:], 1):
            found[index * 10 + value] = "|".join(way.format(ten=ten, unit=one) for way in joined)
    return found


def at_most(lengths: str, most: str) -> dict[str, Atoms]:
    """Make "days max", which is how long a series lasts, at most."""
    return {f"{name} {word}": (unit(_LENGTHS[fold(name)]),) for name in lengths.split() for word in most.split()}


_LENGTHS = {
    fold(name): each
    for each, names in {
        Unit.DAY: "days Tage Tagen jours días giorni dana",
        Unit.WEEK: "weeks Wochen semaines semanas settimane tjedna tjedana",
        Unit.MONTH: "months Monate Monaten mois meses mesi mjeseca mjeseci",
    }.items()
    for name in names.split()
}


def until_end(until: str, end: str, compounds: Mapping[Unit, str] | None = None) -> dict[str, Atoms]:
    """Make "until the end of", and "bis Monatsende" of its compounds.

    "Until" is part of each form: "end" alone is a word of many texts, and no time.
    """
    untils = until.split("|")
    found: dict[str, Atoms] = {f"{first} {last}": (UNTIL_END,) for first in untils for last in end.split("|")}
    for each, names in (compounds or {}).items():
        found |= {f"{first} {name}": (UNTIL_END, unit(each)) for first in untils for name in names.split("|")}
    return found


def words(text: str) -> list[str]:
    """Split a line of words."""
    return text.split()


def first_form(forms: str) -> str:
    """Return the form that `describe` says."""
    return forms.partition("|")[0]
