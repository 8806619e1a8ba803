"""The voice of a language: the names and templates with which `describe` speaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from duly.language.atoms import Unit
from duly.language.languages import language
from duly.language.languages.form import Gendered, Language, Templates, first_form

_SPOKEN_UNITS = tuple(unit for unit in Unit if unit not in (Unit.YEAR, Unit.WORKDAY))


@dataclass(frozen=True, slots=True)
class Voice:
    """The names of days, months and rhythms in one language, and its templates."""

    templates: Templates
    weekdays: Sequence[str]
    """As in "on Monday, 1 December"; behind Sunday the word for a working day."""
    habits: Sequence[str]
    """As in "on Mondays and Fridays"."""
    months: Sequence[str]
    """As in a date."""
    paces: Mapping[Unit, Sequence[str]]
    """Every hour, every {n} hours; a third form where the language counts two to four apart."""
    ordinals: Mapping[int, Gendered]

    def day(self, number: int) -> str:
        """Say a day of the month."""
        if number == 1 and self.templates.first_numeral:
            return self.templates.first_numeral
        return self.templates.numeral.format(n=number, suffix=_suffix(number))

    def pace(self, count: int, unit: Unit) -> str:
        """Say "every 3 hours"."""
        return self.counted(count, self.paces[unit])

    def counted(self, count: int, forms: Sequence[str]) -> str:
        """Choose the form for a count: one, several; or one, two to four, many."""
        if count == 1:
            return forms[0].format(n=count)
        # Slavic languages have one form for 2, 3, 4, 22, 23, 24, … and another one for the rest, 12 to 14 included.
        few = self.templates.counts_few and count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14)
        return forms[1 if few else -1].format(n=count)

    def listed(self, items: Sequence[str]) -> str:
        """Say "one, two and three"."""
        if len(items) == 1:
            return items[0]
        return f"{', '.join(items[:-1])} {self.templates.conjunction} {items[-1]}"


def _suffix(number: int) -> str:
    return "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


@cache
def voice(code: str) -> Voice:
    """Take the voice of a language from its tables, whose first forms are the spoken ones."""
    known = language(code)
    weekdays = [first_form(forms) for forms in known.weekdays]
    workday = first_form(known.units[Unit.WORKDAY])
    return Voice(
        templates=known.templates,
        weekdays=[*weekdays, workday],
        habits=[_habit(known, index, weekday) for index, weekday in enumerate(weekdays)],
        months=[first_form(forms) for forms in known.months],
        paces={unit: _paces(known, unit) for unit in _SPOKEN_UNITS},
        ordinals={value: _ordinal(known, value) for value in (1, 2, 3, 4, 5, -1)},
    )


def _habit(known: Language, index: int, weekday: str) -> str:
    with_article = known.templates.habit[index in known.templates.feminine]
    return with_article.format(day=weekday) if with_article else first_form(known.habits[index]) or weekday


def _paces(known: Language, unit: Unit) -> tuple[str, ...]:
    one, *several = known.units[unit].split("|")
    few = several[0] if several else one  # the French month has one form
    many = several[1] if known.templates.counts_few else few
    return tuple(
        template.replace("{units}", many).replace("{few}", few).replace("{unit}", one)
        for template in known.templates.every[unit]
    )


def _ordinal(known: Language, value: int) -> Gendered:
    masculine, *others = known.ordinals[value].split("|")
    feminine = others[0] if others else masculine
    template = known.templates.last if value < 0 else known.templates.ordinal
    return template[0].format(nth=masculine), template[1].format(nth=feminine)
