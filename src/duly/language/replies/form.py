"""The form of the reply words of a language: what people answer, by the role that each phrase plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from duly.language.atoms import Unit


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
    DENY = "deny"
    """The same in more words, "I haven't": unlike a bare no, thanks after it do not turn the reminder down."""
    CROSS = "cross"
    """A sign that crosses it out (❌): a no after which duly does not ask again."""
    DROP = "drop"
    """An order to let it be."""
    REFUSE = "refuse"
    """Unwillingness to do it, which contradicts a claim that it is done."""
    LATER = "later"
    """Not yet; perhaps with a length of time or a time."""
    NOT_YET = "not_yet"
    """The same, so plainly that an excuse beside it need not be understood: "not yet, the baby is crying"."""
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
    STRANGE = "strange"
    """A word of no known phrase. Only beside a plain "not yet" does it not matter."""
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
    doing: tuple[str, ...] = ()
    """Endings of a word for what a person is doing just now: "driving", "manejando"."""
    no_negates: bool = False
    """Whether the word for no is also the word for not, so that "no, done" and "not done" differ by a comma."""
