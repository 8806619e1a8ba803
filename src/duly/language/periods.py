"""The last day of the period behind "until the end of", as the end of a series and as that of a pause."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, timedelta

from duly.language.atoms import AtomKind, Unit
from duly.language.grammar.bounds import SpokenPeriod, read_period
from duly.language.grammar.clauses import Which
from duly.language.grammar.cursor import Cursor, ImpossibleError
from duly.language.grammar.scan import Scan, readings
from duly.language.lexicon import lexicon
from duly.language.moments import DayParts, Present, default_clock, of_clock, present
from duly.language.text import tidy, tokens
from duly.zones import Zone

_WEEK = 7
_MONTHS = 12


def last_day(period: SpokenPeriod, begins: date, here: Present) -> date:
    """Return the last day of a period. Without a word that says which one, it is the one of the beginning."""
    base = here.today if period.which is not None else begins
    after = int(period.which in (Which.NEXT, Which.COMING))
    if period.unit is Unit.DAY:
        return base + timedelta(after)
    if period.unit is Unit.WEEK:
        return base + timedelta(_WEEK - 1 - base.weekday() + _WEEK * after)
    year = base.year if period.year is None else period.year
    month = base.month if period.month is None else period.month
    if period.unit is Unit.YEAR:
        year += after
        month = _MONTHS
    elif period.month is None:
        year += (month - 1 + after) // _MONTHS
        month = (month - 1 + after) % _MONTHS + 1
    elif period.year is None and month < base.month:
        year += 1
    return date(year, month, monthrange(year, month)[1])


def end_of_period(text: str, now: datetime, zone: Zone, code: str, parts: DayParts | None = None) -> datetime | None:
    """Return the morning after the period of "until the end of the week"; None for other words."""
    known = lexicon(code)
    here = present(now, zone, known.language, parts)
    try:
        options = Scan(tokens(tidy(text)), known).options()
    except ImpossibleError:
        return None
    for atoms, _ in readings(options or []):
        cursor = Cursor(atoms, known.language)
        period = read_period(cursor) if cursor.skip(AtomKind.UNTIL_END) else None
        if period is not None and cursor.on(AtomKind.END):
            morning = of_clock(default_clock(None, here))
            return here.instant(last_day(period, here.today, here) + timedelta(1), morning)
    return None
