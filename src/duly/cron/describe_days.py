"""Days and months in words. Where either of two restrictions is enough, the words say "and every"; where both must
hold, they say "if it is".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duly.cron.dialect import DAY, WEEKDAY, DayMatch
from duly.cron.words import MONTHS, NTH, WEEKDAYS, circle_run, elements, joined, ordinal, span, values

if TYPE_CHECKING:
    from duly.cron.days import Special
    from duly.cron.parser import Columns

_WORKING_WEEK = [1, 2, 3, 4, 5]


class DayWords(NamedTuple):
    """The days, for both kinds of sentence."""

    before: str
    """What precedes "at 09:00": `every weekday`."""
    after: str
    """What follows "every 5 minutes": `, Monday to Friday`; nothing where no day is left out."""


class _Named(NamedTuple):
    """Days as a field names them: numbers, and those that have to be looked up in each month."""

    numbers: list[int]
    specials: list[Special]


def describe_days(columns: Columns, day_match: DayMatch) -> DayWords:
    """The day, month and weekday fields in words."""
    months = values(columns.month.bits)
    dates, weekdays = _restrictions(columns, day_match)
    if not any(dates) and not any(weekdays):
        return DayWords("every day" + _in_months(months), _in_months(months, lead=", "))
    if day_match is DayMatch.AND and any(dates) and any(weekdays):
        text = f"{_monthly(dates, months)} if it is {_condition(weekdays)}"
        return DayWords(f"{text},", f" {text}")
    return _either(dates, weekdays, months)


def _restrictions(columns: Columns, day_match: DayMatch) -> tuple[_Named, _Named]:
    """What the day and the weekday field leave out; empty where they leave out nothing."""
    dates, weekdays = (
        _Named([], []) if column.bits == field.all else _Named(values(column.bits), list(column.specials))
        for column, field in ((columns.day, DAY), (columns.weekday, WEEKDAY))
    )
    restricted = not (columns.day.anything or columns.weekday.anything)
    if day_match is DayMatch.OR and restricted and not (any(dates) and any(weekdays)):
        return _Named([], []), _Named([], [])  # one of the two lists all there is, and either is enough
    return dates, weekdays


def _either(dates: _Named, weekdays: _Named, months: list[int]) -> DayWords:
    """One restriction, or two of which one is enough: all that is looked up in a month, then all that is weekly."""
    monthly = _Named(dates.numbers, dates.specials + weekdays.specials)
    weekly = sorted(weekdays.numbers, key=_monday_first)
    if not any(monthly):
        after = _on_weekdays(weekly) + _in_months(months, lead=", ")
        return DayWords(_every_weekday(weekly) + _in_months(months), after)
    text = _monthly(monthly, months)
    if weekly:
        again = " in those months" if 1 < len(months) < 12 else _in_months(months)
        text += f" and {_every_weekday(weekly)}{again}"
    return DayWords(text, f" {text}")


def _monthly(days: _Named, months: list[int]) -> str:
    """`on the 1st and the last day of every month`."""
    if len(days.numbers) == len(months) == 1 and not days.specials:
        return f"on {days.numbers[0]} {MONTHS[months[0]]}"
    dates = elements(days.numbers, ordinal) if days.numbers else []
    if not days.specials:
        return f"on the {joined(dates)} {_of_months(months)}"
    items = [f"the {date}" for date in dates] + _specials(days)
    return f"{'on ' if items[0].startswith('the') else ''}{joined(items)} {_of_months(months)}"


def _special(special: Special) -> str:
    match special.kind:
        case "nth":
            return f"the {NTH[special.number]} {WEEKDAYS[special.day]}"
        case "last-weekday":
            return f"the last {WEEKDAYS[special.day]}"
        case "last":
            return _before_the_end(special.number) if special.number else "the last day"
        case _ if special.day:
            return f"the working day nearest the {ordinal(special.day)}"
        case _ if special.number:
            return f"the working day nearest to {_before_the_end(special.number)}"
        case _:
            return "the last working day"


def _before_the_end(days: int) -> str:
    return f"{days} day{'' if days == 1 else 's'} before the last day"


def _specials(days: _Named) -> list[str]:
    """In a settled order; "3 days before the last day" comes at the end, since it does not go with "on the"."""
    order = sorted(days.specials, key=lambda special: (special.kind == "last" and special.number > 0, special))
    return [_special(special) for special in order]


def _condition(weekdays: _Named) -> str:
    """What "if it is" asks for."""
    numbers = sorted(weekdays.numbers, key=_monday_first)
    if len(numbers) == 6 and not weekdays.specials:
        return f"not a {_missing(numbers)}"
    plain = ["a weekday"] if numbers == _WORKING_WEEK else [f"a {WEEKDAYS[number]}" for number in numbers]
    return joined(plain + _specials(weekdays), "or")


def _every_weekday(weekdays: list[int]) -> str:
    if weekdays == _WORKING_WEEK:
        return "every weekday"
    if len(weekdays) == 6:
        return f"every day except {_missing(weekdays)}"
    run = _run(weekdays)
    return f"every day from {run}" if run else f"every {joined(WEEKDAYS[number] for number in weekdays)}"


def _on_weekdays(weekdays: list[int]) -> str:
    if len(weekdays) == 6:
        return f" except on {_missing(weekdays)}s"
    run = _run(weekdays)
    return f", {run}" if run else f" on {joined(f'{WEEKDAYS[number]}s' for number in weekdays)}"


def _run(weekdays: list[int]) -> str | None:
    run = circle_run(sorted(weekdays), 7)
    return span(WEEKDAYS[run[0]], WEEKDAYS[run[1]]) if run and len(weekdays) > 2 else None


def _missing(weekdays: list[int]) -> str:
    return next(name for number, name in enumerate(WEEKDAYS) if number not in weekdays)


def _monday_first(weekday: int) -> int:
    return (weekday - 1) % 7


def _in_months(months: list[int], lead: str = " from ") -> str:
    if len(months) == 12:
        return ""
    run = _month_run(months)
    return f"{lead}{run}" if run else f" in {_month_list(months)}"


def _of_months(months: list[int]) -> str:
    run = _month_run(months)
    if len(months) == 12 or run:
        return "of every month" + (f" from {run}" if run else "")
    return f"of {_month_list(months)}"


def _month_run(months: list[int]) -> str | None:
    run = circle_run(months, 12)
    return span(MONTHS[run[0]], MONTHS[run[1]]) if run and len(months) > 2 else None


def _month_list(months: list[int]) -> str:
    return joined(MONTHS[month] for month in months)
