"""The form of a language file: everything duly knows about one language, as data.

Forms are separated by `|` and written as the language writes them; case, missing diacritics and other spellings follow
by themselves. A hyphen in a form may be typed as a hyphen, as a space or not at all.

`describe` says the first form of a weekday, a habit, a month and an ordinal, and the first forms of a unit: singular
and plural, or singular, few and many. The order of the other forms has no meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from duly.language.atoms import SHORT_MARK, Atoms, Unit

Gendered = tuple[str, str]
"""A masculine and a feminine form."""


class ReplyRole(StrEnum):
    """The role of a phrase in a reply; the roles together decide what the reply means."""

    YES = "yes"
    """Consent. The question asks whether it is done, so consent says that it is."""
    HEARD = "heard"
    """Receipt or praise, "noted" or "great": not even consent, so nothing follows from it. Beside a no it contradicts
    as much as consent does."""
    DONE = "done"
    """A claim that it is done."""
    ALREADY = "already"
    """The same, so clearly in the past that a leading "no" cannot be its negation."""
    NO = "no"
    """A bare no: it is not done, so duly asks again."""
    CROSS = "cross"
    """A sign that crosses it out (❌): a no after which duly does not ask again."""
    DROP = "drop"
    """An order to let it be."""
    REFUSE = "refuse"
    """Unwillingness to do it, which contradicts a claim that it is done."""
    LATER = "later"
    """Not yet; perhaps with a length of time or a time."""
    REMIND = "remind"
    """A request to be asked again; perhaps with a length of time or a time."""
    ASK = "ask"
    """The same as a polite question, the only question that is understood."""
    AGO = "ago"
    """A length of time in the past."""
    JOIN = "join"
    """But, and: what counts comes after it."""
    OTHER = "other"
    """Looks like another role and has none: "well done" is praise. Nothing is decided beside it."""
    MOCK = "mock"
    """Consent as it is said in disbelief: "yeah, right". Nothing is taken for done beside it."""
    PARTING = "parting"
    """See you later: a courtesy beside a claim that it is done, otherwise a delay."""
    POLITE = "polite"
    """Greetings and fillers: the reply means the same without them."""
    THANKS = "thanks"
    """The same, except right after a no: "no, thanks" turns the reminder down."""


@dataclass(frozen=True, slots=True)
class ReplyWords:
    """How people answer a reminder. Numbers and units are those of the language; here is what only replies use."""

    phrases: Mapping[ReplyRole, str]
    """Patterns by role, one a line: `duly.language.replies.patterns` says how they are written."""
    macros: Mapping[str, str]
    """Named parts of patterns."""
    negations: str
    """Words with which a negated phrase may begin."""
    future: str
    """Makes a point in time of a length of time: "in"."""
    at: str
    """Makes a point in time of a number: "at"."""
    until: str
    """Forms of "until", a longer one before its beginning."""
    openers: str
    """Words that begin a point in time, provided that a number or a day follows."""
    days: str
    """Words that are a point in time by themselves, beside the weekdays."""
    inner: str
    """Words that may follow within a point in time."""
    plus: str
    """Joins two lengths of time: "and"."""
    half: str
    """Adds half a unit after "and": "a half"."""
    more: str
    """May stand between number and unit: "5 more minutes"."""
    lengths: Mapping[int, str]
    """Lengths of time, in minutes, that are no number with its unit: "half an hour"."""
    numbers: Mapping[float, str] = field(default_factory=dict)
    """Number words that only replies use: "another"."""
    units: Mapping[Unit, str] = field(default_factory=dict)
    """Units that only replies use: "minütchen"."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """Short forms as people type them, and the word each stands for: "nich" is "nicht"."""
    no_negates: bool = False
    """Whether the word for no is also the word for not, so that "no, done" and "not done" differ by a comma."""


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
    replies: ReplyWords
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
        for value, unit in enumerate(units[1:], 1):
            found[index * 10 + value] = "|".join(way.format(ten=ten, unit=unit) for way in joined)
    return found


def words(text: str) -> list[str]:
    """Split a line of words."""
    return text.split()


def first_form(forms: str) -> str:
    """Return the form that `describe` says."""
    return forms.partition("|")[0]
