"""What a person can ask for, as values, and the tables of words of each language."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from duly.language.languages import FILES, LANGUAGES, code_of
from duly.language.parsing import Phrase
from duly.language.requests.form import RequestWords

if TYPE_CHECKING:
    from duly.language.requests.doubts import Doubt

IT = ""
"""The name of a reminder that is not named: "it" is the one that was spoken of last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a person asks for, and the language in which they do."""

    lang: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remind(Request):
    """Remind the person of a text."""

    text: str
    """Empty when only a time was said."""
    phrase: Phrase | None
    """None when no time was said, or it is asked back."""
    doubt: Doubt | None = None
    """What is asked back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest(Request):
    """Tell what there is."""

    span: str
    """`today`, `tomorrow`, `week`, `next_week`, `weekend`, `all`, or `day`."""
    day: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Request):
    """Give a reminder another time."""

    target: str
    phrase: Phrase | None
    """None where a length of time was said."""
    clock_only: bool = False
    """Whether only a time of day was said: the day stays."""
    shift: timedelta | None = None
    """By how much; earlier, if negative."""
    weak: bool = False
    """Whether the words mean something else if there is no such reminder: "make dinner for seven"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel(Request):
    """Remove a reminder; without a target, all of them."""

    target: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOut(Request):
    """Leave out the next time of a reminder."""

    target: str
    day: date | None = None
    """The day on which that is."""
    weak: bool = True
    """As of a move: "skip the queue" is no request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause(Request):
    """Stop a reminder, or all, until it is resumed or until a time."""

    target: str | None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume(Request):
    """Go on with a paused reminder, or with all."""

    target: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoRequest(Request):
    """Take back the last step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Help(Request):
    """Say what can be said."""


@cache
def request_words(code: str) -> RequestWords:
    """Load the words of a language. Croatian and Serbian share theirs."""
    name = FILES["hr" if code == "sr" else code]
    found: RequestWords = import_module(f"duly.language.requests.{name}").WORDS
    return found


def languages_of(prefer: str | None, text: str) -> list[str]:
    """List the languages in which to read a text: the person's first, and only one of Croatian and Serbian."""
    first = code_of(prefer)
    cyrillic = any("\u0400" <= letter <= "\u04ff" for letter in text)
    slavic = first if first in ("hr", "sr") else ("sr" if cyrillic else "hr")
    others = [code for code in LANGUAGES if code not in ("hr", "sr")] + [slavic]
    return [first, *(code for code in others if code != first)] if first is not None else others
