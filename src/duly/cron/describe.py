"""An expression in the words a person would use, for every legal expression.

Two expressions that fire at different times never read the same; ones that fire at the same times mostly do. A few
times of day make a sentence about days ("every weekday at 09:30"), anything busier one about a rhythm ("every 5
minutes, Monday to Friday"). Where one of two restrictions of the day is enough, the words say "and every"; where both
must hold, they say "if it is".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duly.cron.dialect import DAY, WEEKDAY, DayMatch
from duly.cron.parser import read_columns
from duly.cron.words import (
    MONTHS,
    NTH,
    WEEKDAYS,
    circle_run,
    counted,
    elements,
    equal_step,
    joined,
    listed,
    ordinal,
    span,
    values,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duly.cron.days import Special
    from duly.cron.expression import Cron
    from duly.cron.parser import Columns

_WORKING_WEEK = [1, 2, 3, 4, 5]
_MINUTE = 60
_HOUR = 3_600
_DAY = 86_400
_UNITS = ((_HOUR, "hour"), (_MINUTE, "minute"), (1, "second"))
_FEW = 6  # as many times of day are named one by one
_NO_RHYTHM = 3  # as many equal steps are easier to name than to describe


def describe(cron: Cron) -> str:
    """Say an expression in lower case and without a full stop; the zone is named unless it is UTC."""
    columns = read_columns(cron.expression, cron.dialect)
    days = _describe_days(columns, cron.day_match)
    times = _describe_times(columns, over_midnight=not days.after)
    sentence = f"{days.before} at {times.text}" if times.listed else times.text + days.after
    return sentence if cron.tz == "UTC" else f"{sentence} ({cron.tz})"


# days and months


class _DayWords(NamedTuple):
    """The days in words, for both kinds of sentence."""

    before: str
    """The words before "at 09:00": `every weekday`."""
    after: str
    """The words after "every 5 minutes": `, Monday to Friday`; empty where no day is left out."""


class _Named(NamedTuple):
    """Days as a field names them: numbers, and those that have to be looked up in each month."""

    numbers: list[int]
    specials: list[Special]


def _describe_days(columns: Columns, day_match: DayMatch) -> _DayWords:
    """Say the day, month and weekday fields in words."""
    months = values(columns.month.bits)
    dates, weekdays = _restrictions(columns, day_match)
    if not any(dates) and not any(weekdays):
        return _DayWords("every day" + _in_months(months), _in_months(months, lead=", "))
    if day_match is DayMatch.AND and any(dates) and any(weekdays):
        text = f"{_monthly(dates, months)} if it is {_condition(weekdays)}"
        return _DayWords(f"{text},", f" {text}")
    return _either(dates, weekdays, months)


def _restrictions(columns: Columns, day_match: DayMatch) -> tuple[_Named, _Named]:
    """Give the days that the day and the weekday field restrict to; empty where a field restricts nothing."""
    dates, weekdays = (
        _Named([], []) if column.bits == field.all else _Named(values(column.bits), list(column.specials))
        for column, field in ((columns.day, DAY), (columns.weekday, WEEKDAY))
    )
    restricted = not (columns.day.anything or columns.weekday.anything)
    if day_match is DayMatch.OR and restricted and not (any(dates) and any(weekdays)):
        return _Named([], []), _Named([], [])  # one of the two lists all there is, and either is enough
    return dates, weekdays


def _either(dates: _Named, weekdays: _Named, months: list[int]) -> _DayWords:
    """Say one restriction, or two of which one is enough: first the days of the month, then the days of the week."""
    monthly = _Named(dates.numbers, dates.specials + weekdays.specials)
    weekly = sorted(weekdays.numbers, key=_monday_first)
    if not any(monthly):
        after = _on_weekdays(weekly) + _in_months(months, lead=", ")
        return _DayWords(_every_weekday(weekly) + _in_months(months), after)
    text = _monthly(monthly, months)
    if weekly:
        again = " in those months" if 1 < len(months) < 12 else _in_months(months)
        text += f" and {_every_weekday(weekly)}{again}"
    return _DayWords(text, f" {text}")


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
    """Name days in a settled order; "3 days before the last day" comes last, since it does not go with "on the"."""
    order = sorted(days.specials, key=lambda special: (special.kind == "last" and special.number > 0, special))
    return [_special(special) for special in order]


def _condition(weekdays: _Named) -> str:
    """Say the condition after "if it is"."""
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


# the time of day: a few times by name, a rhythm where the steps are equal, else the fields one by one


class _TimeWords(NamedTuple):
    """The words, and whether they are a list of times that goes with "at"."""

    text: str
    listed: bool


class _TimeSteps(NamedTuple):
    """Times at equal steps, all in seconds, within an hour or within a day."""

    start: int
    step: int
    times: int

    def within(self, outer: _TimeSteps, size: int) -> _TimeSteps | None:
        """Repeat these steps at each of `outer`, which counts units of `size` seconds; None if they become unequal."""
        start = outer.start * size + self.start
        if outer.times == 1:
            return _TimeSteps(start, self.step, self.times)
        if self.times == 1:
            return _TimeSteps(start, outer.step * size, outer.times)
        if outer.step == 1 and self.step * self.times == size:  # goes on where the unit before it ended
            return _TimeSteps(start, self.step, self.times * outer.times)
        return None


def _describe_times(columns: Columns, *, over_midnight: bool) -> _TimeWords:
    """Say the second, minute and hour fields in words.

    `over_midnight` allows "from 22:00 to 02:00". Where only some days are meant this would be read as leading into
    the next day, while the field means both ends of the same one.
    """
    seconds, minutes, hours = (values(column.bits) for column in columns[:3])
    rhythm = _as_steps(seconds, minutes, hours, over_midnight=over_midnight)
    words = _rhythm_words(rhythm) if rhythm and rhythm.times > _NO_RHYTHM else None
    if words is not None:
        return _TimeWords(words, listed=False)
    if len(seconds) * len(minutes) * len(hours) <= _FEW:
        times = [_HOUR * hour + _MINUTE * minute + second for hour in hours for minute in minutes for second in seconds]
        return _TimeWords(joined(_clocks(times)), listed=True)
    if seconds == [0]:
        return _TimeWords(_field_by_field(minutes, hours), listed=False)
    return _TimeWords(_with_seconds(seconds, minutes, hours), listed=False)


def _as_steps(
    seconds: Sequence[int], minutes: Sequence[int], hours: Sequence[int], *, over_midnight: bool
) -> _TimeSteps | None:
    """Read all times of the day as equal steps, if they are."""
    levels = [_steps(seconds), _steps(minutes), _steps(hours)]
    run = circle_run(hours, 24) if over_midnight else None
    if run is not None:
        levels[2] = _TimeSteps(run[0], 1, len(hours))
    second, minute, hour = levels
    if second is None or minute is None or hour is None:
        return None
    inner = second.within(minute, _MINUTE)
    return inner and inner.within(hour, _HOUR)


def _steps(numbers: Sequence[int]) -> _TimeSteps | None:
    step = equal_step(numbers)
    return _TimeSteps(numbers[0], step, len(numbers)) if step else None


def _rhythm_words(rhythm: _TimeSteps) -> str | None:
    """None when naming the minutes says it better."""
    unit, name = next((unit, name) for unit, name in _UNITS if rhythm.step % unit == 0)
    every = counted(rhythm.step // unit, name)
    if rhythm.step * rhythm.times == _DAY:
        if rhythm.start < unit:
            return every + _phase(rhythm.start, unit)
        if unit < _HOUR:
            return None
    end = (rhythm.start + rhythm.step * (rhythm.times - 1)) % _DAY
    return f"{every} from {span(*_clocks([rhythm.start, end], seconds=unit == 1))}"


def _phase(start: int, unit: int) -> str:
    """Where in its hour or minute a rhythm that goes on all day begins."""
    if start == 0:
        return ""
    minute, second = divmod(start, _MINUTE)
    parts = [f"minute {minute}"] if unit == _HOUR else []
    return f" at {joined(parts + ([f'second {second}'] if second else []))}"


def _clocks(times: Sequence[int], *, seconds: bool = False) -> list[str]:
    """Times of day as a clock shows them; if one needs seconds, all have them."""
    seconds = seconds or any(time % _MINUTE for time in times)
    return [
        f"{time // _HOUR:02}:{time // _MINUTE % 60:02}" + (f":{time % _MINUTE:02}" if seconds else "") for time in times
    ]


def _field_by_field(minutes: Sequence[int], hours: Sequence[int]) -> str:
    every = _all_round(minutes, "minute")
    if every and len(hours) < 24:
        return f"{every} during {listed('hour', hours)}"
    return f"at {listed('minute', minutes)} {_of_hours(hours)}"


def _with_seconds(seconds: Sequence[int], minutes: Sequence[int], hours: Sequence[int]) -> str:
    every = _all_round(seconds, "second")
    begin = f"{every} during" if every else f"at {listed('second', seconds)} of"
    if len(minutes) < 60:
        return f"{begin} {listed('minute', minutes)} {_of_hours(hours)}"
    if every:  # during some hours only: all of them would have been a rhythm
        return f"{begin} {listed('hour', hours)}"
    return f"{begin} every minute" + ("" if len(hours) == 24 else f" during {listed('hour', hours)}")


def _of_hours(hours: Sequence[int]) -> str:
    return "of every hour" if len(hours) == 24 else f"past {listed('hour', hours)}"


def _all_round(numbers: Sequence[int], unit: str) -> str | None:
    """`every 5 minutes`, if that is the whole truth: from 0 on, and evenly into the next hour."""
    step = equal_step(numbers)
    return counted(step, unit) if numbers[0] == 0 and step * len(numbers) == 60 else None
