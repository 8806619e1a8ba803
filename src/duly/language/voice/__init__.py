"""How each language says a schedule. A voice is templates and names; `describe` puts them together.

Whatever a voice says, the grammar of the same language reads back to the same meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from duly.language.atoms import Unit

Gendered = tuple[str, str]
"""A masculine and a feminine form."""


@dataclass(frozen=True, slots=True)
class Voice:
    """The sentences of one language."""

    conjunction: str
    weekdays: Sequence[str]
    """As in "on Monday, 1 December"."""
    habits: Sequence[str]
    """As in "on Mondays and Fridays"."""
    months: Sequence[str]
    """As in a date."""
    paces: Mapping[Unit, Sequence[str]]
    """Every hour, every {n} hours; a third form where the language counts two to four apart."""
    ordinals: Mapping[int, Gendered]
    """First to fifth; -1 is the last."""
    at: str = "{times}"
    every_day: str = ""
    workdays: str = ""
    weekend: str = ""
    on_habits: str = "{days}"
    date: str = "{day} {month} {year}"
    yearly: str = ""
    moment: str = "{weekday} {date} {time}"
    monthday: str = ""
    """On a day of every month."""
    last_day: str = ""
    nth: Gendered = ("", "")
    """On a weekday of every month."""
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
    nth_weekdays: Sequence[str] = ()
    """Weekdays behind an ordinal, where they differ."""
    slavic_plural: bool = False
    minute_mark: str = ""
    second_mark: str = ""
    only: str = "{what}"
    in_months: str = ""
    now_then: str = ""
    after_then: str = ""
    then: str = ""
    at_most: str = ""
    until: str = ""

    def day(self, number: int) -> str:
        """A day of the month."""
        if number == 1 and self.first_numeral:
            return self.first_numeral
        return self.numeral.format(n=number, suffix=_suffix(number))

    def pace(self, count: int, unit: Unit) -> str:
        """Every so many units."""
        forms = self.paces[unit]
        if count == 1:
            return forms[0]
        few = self.slavic_plural and count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14)
        return forms[1 if few else -1].format(n=count)

    def listed(self, items: Sequence[str]) -> str:
        """One, two and three."""
        if len(items) == 1:
            return items[0]
        return f"{', '.join(items[:-1])} {self.conjunction} {items[-1]}"


def _suffix(number: int) -> str:
    return "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


@cache
def voice(code: str) -> Voice:
    """The voice of a language."""
    found: Voice = import_module(f"duly.language.voice.{code}").VOICE
    return found
