"""What a description says is what a person would write, and no two meanings share one."""

from calendar import isleap
from datetime import date
from functools import cache
from itertools import product

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from duly.cron import Cron
from duly.cron.parser import parse
from duly.errors import InvalidCronExpressionError
from tests.support import tries

STANDARD = {
    # rhythms
    "* * * * *": "every minute",
    "*/1 * * * *": "every minute",
    "*/5 * * * *": "every 5 minutes",
    "0,15,30,45 * * * *": "every 15 minutes",
    "*/7 * * * *": "at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour",
    "1-59/2 * * * *": "at minutes 1, 3, 5, ..., 59 of every hour",
    "5/15 * * * *": "at minutes 5, 20, 35 and 50 of every hour",
    "1-5,7 * * * *": "at minutes 1 to 5 and 7 of every hour",
    "10-50 * * * *": "at minutes 10 to 50 of every hour",
    "0 * * * *": "every hour",
    "15 * * * *": "every hour at minute 15",
    "0 */2 * * *": "every 2 hours",
    "15 */2 * * *": "every 2 hours at minute 15",
    "0 */6 * * *": "every 6 hours",
    "0 1-23/2 * * *": "every 2 hours from 01:00 to 23:00",
    "0 */5 * * *": "every 5 hours from 00:00 to 20:00",
    "0 9-17 * * *": "every hour from 09:00 to 17:00",
    "30 9-17 * * mon-fri": "every hour from 09:30 to 17:30, Monday to Friday",
    "*/15 9-17 * * 1-5": "every 15 minutes from 09:00 to 17:45, Monday to Friday",
    "5/15 9-17 * * *": "every 15 minutes from 09:05 to 17:50",
    "* 9 * * *": "every minute from 09:00 to 09:59",
    "0-10 9 * * *": "every minute from 09:00 to 09:10",
    "0,30 8-11 * * mon,wed,fri": "every 30 minutes from 08:00 to 11:30 on Mondays, Wednesdays and Fridays",
    # over midnight, which only makes sense where every day is meant
    "0 22-2 * * *": "every hour from 22:00 to 02:00",
    "* 22-2 * * *": "every minute from 22:00 to 02:59",
    "0 22-2 * * 1": "every Monday at 00:00, 01:00, 02:00, 22:00 and 23:00",
    "* 22-2 * 1 *": "every minute during hours 0 to 2, 22 and 23 in January",
    # times of day
    "0 9 * * *": "every day at 09:00",
    "@daily": "every day at 00:00",
    "0 0,12 * * *": "every day at 00:00 and 12:00",
    "0 9,14,17 * * *": "every day at 09:00, 14:00 and 17:00",
    "0,1 7,19 * * *": "every day at 07:00, 07:01, 19:00 and 19:01",
    # neither
    "5,7,23 1,4,9 * * *": "at minutes 5, 7 and 23 past hours 1, 4 and 9",
    "0 0,1,3,5,9,12,20 * * *": "at minute 0 past hours 0, 1, 3, 5, 9, 12 and 20",
    "*/20 9,12,15 * * *": "every 20 minutes during hours 9, 12 and 15",
    "* */2 * * *": "every minute during hours 0, 2, 4, ..., 22",
    # weekdays
    "30 9 * * 1-5": "every weekday at 09:30",
    "0 10 * * sat,sun": "every Saturday and Sunday at 10:00",
    "@weekly": "every Sunday at 00:00",
    "0 0 * * 1": "every Monday at 00:00",
    "0 0 * * 7": "every Sunday at 00:00",
    "0 0 * * 1-6": "every day except Sunday at 00:00",
    "0 0 * * thu-sat": "every day from Thursday to Saturday at 00:00",
    "0 0 * * sat-tue": "every day from Saturday to Tuesday at 00:00",
    "0 9 ? * mon-sun": "every day at 09:00",
    "*/5 * * * 1": "every 5 minutes on Mondays",
    "*/5 * * * 0-5": "every 5 minutes except on Saturdays",
    # dates
    "30 4 1,15 * *": "on the 1st and 15th of every month at 04:30",
    "0 0 1-10,20 * *": "on the 1st to 10th and 20th of every month at 00:00",
    "0 0 */2 * *": "on the 1st, 3rd, 5th, ..., 31st of every month at 00:00",
    "0 0 2,3,11,12,13,21,22,23 * *": "on the 2nd, 3rd, 11th to 13th and 21st to 23rd of every month at 00:00",
    "0 0 29 2 *": "on 29 February at 00:00",
    "@yearly": "on 1 January at 00:00",
    "0 0 1,15 3 *": "on the 1st and 15th of March at 00:00",
    "0 0 1 1-6 *": "on the 1st of every month from January to June at 00:00",
    "0 0 1 */3 *": "on the 1st of January, April, July and October at 00:00",
    "* * 1 * *": "every minute on the 1st of every month",
    # months
    "* * * 1 *": "every minute in January",
    "0 12 * 1-3 *": "every day from January to March at 12:00",
    "0 12 * 6,12 *": "every day in June and December at 12:00",
    "*/5 * * 11-2 1-5": "every 5 minutes, Monday to Friday, November to February",
    "0 8 * 5 1": "every Monday in May at 08:00",
    # days to look up in each month
    "0 0 L * *": "on the last day of every month at 00:00",
    "0 0 LW * *": "on the last working day of every month at 00:00",
    "0 0 15W * *": "on the working day nearest the 15th of every month at 00:00",
    "0 0 L-3 * *": "3 days before the last day of every month at 00:00",
    "0 0 L-1 2 *": "1 day before the last day of February at 00:00",
    "0 0 L-2W * *": "on the working day nearest to 2 days before the last day of every month at 00:00",
    "0 0 * * 5#3": "on the third Friday of every month at 00:00",
    "0 0 * * friL": "on the last Friday of every month at 00:00",
    "0 12 * 3,6,9,12 5#3": "on the third Friday of March, June, September and December at 12:00",
    "0 0 1,L * *": "on the 1st and the last day of every month at 00:00",
    "0 0 1,15,L-3 * *": "on the 1st, the 15th and 3 days before the last day of every month at 00:00",
    "* * L-3 * *": "every minute 3 days before the last day of every month",
    # either restriction is enough
    "30 4 1,15 * 5": "on the 1st and 15th of every month and every Friday at 04:30",
    "* * 13 * 5": "every minute on the 13th of every month and every Friday",
    "0 9 1 * mon-fri": "on the 1st of every month and every weekday at 09:00",
    "0 9 1 * 5L": "on the 1st and the last Friday of every month at 09:00",
    "0 9 * * 1,5#2": "on the second Friday of every month and every Monday at 09:00",
    "0 9 1 6 1": "on 1 June and every Monday in June at 09:00",
    "0 9 1-7 */3 1": "on the 1st to 7th of January, April, July and October and every Monday in those months at 09:00",
    "0 9 1-31 * 5": "every day at 09:00",
    "0 9 13 * 0-6": "every day at 09:00",
}
SECONDS = {
    "* * * * * *": "every second",
    "*/10 * * * * *": "every 10 seconds",
    "5/10 * * * * *": "at seconds 5, 15, 25, 35, 45 and 55 of every minute",
    "30 * * * * *": "every minute at second 30",
    "30 */5 * * * *": "every 5 minutes at second 30",
    "30 15 * * * *": "every hour at minute 15 and second 30",
    "30 0 * * * *": "every hour at minute 0 and second 30",
    "0 0 9 * * *": "every day at 09:00",
    "0 9 * * *": "every day at 09:00",
    "30 0 9 * * mon": "every Monday at 09:00:30",
    "0,30 0 9 * * *": "every day at 09:00:00 and 09:00:30",
    "*/10 0 9 * * *": "every 10 seconds from 09:00:00 to 09:00:50",
    "*/10 * 9-17 * * *": "every 10 seconds from 09:00:00 to 17:59:50",
    "*/10 */5 * * * *": "every 10 seconds during minutes 0, 5, 10, ..., 55 of every hour",
    "*/10 * 1,5 * * *": "every 10 seconds during hours 1 and 5",
    "5,7 * * * * *": "at seconds 5 and 7 of every minute",
    "5,7 * 1,5 * * *": "at seconds 5 and 7 of every minute during hours 1 and 5",
    "5,7 1,2 * * * *": "at seconds 5 and 7 of minutes 1 and 2 of every hour",
    "30 5,7,23 1,4,9 * * *": "at second 30 of minutes 5, 7 and 23 past hours 1, 4 and 9",
}
BOTH = {
    "0 0 13 * 5": "on the 13th of every month if it is a Friday, at 00:00",
    "0 0 13 * 1-5": "on the 13th of every month if it is a weekday, at 00:00",
    "0 0 13 * 0-5": "on the 13th of every month if it is not a Saturday, at 00:00",
    "0 0 24 12 0,6": "on 24 December if it is a Saturday or a Sunday, at 00:00",
    "0 0 1-7 3 1,5#1": "on the 1st to 7th of March if it is a Monday or the first Friday, at 00:00",
    "*/5 * 13 * 5": "every 5 minutes on the 13th of every month if it is a Friday",
    "0 0 1-31 * 5": "every Friday at 00:00",
    "0 0 13 * 0-6": "on the 13th of every month at 00:00",
}


@pytest.mark.parametrize("expression", STANDARD)
def test_it_reads_like_a_person_wrote_it(expression: str) -> None:
    assert Cron(expression).describe() == STANDARD[expression]


@pytest.mark.parametrize("expression", SECONDS)
def test_seconds_are_mentioned_only_where_they_matter(expression: str) -> None:
    assert Cron(expression, dialect="seconds").describe() == SECONDS[expression]


@pytest.mark.parametrize("expression", BOTH)
def test_both_restrictions_sound_unlike_either(expression: str) -> None:
    assert Cron(expression, day_match="and").describe() == BOTH[expression]


def test_posix_has_the_same_words() -> None:
    assert Cron("0,30 9 * * 1-5", dialect="posix").describe() == "every weekday at 09:00 and 09:30"


def test_a_zone_is_named_unless_it_is_utc() -> None:
    assert Cron("0 9 * * *", tz="Europe/Berlin").describe() == "every day at 09:00 (Europe/Berlin)"
    assert Cron("0 9 * * *", tz="UTC").describe() == "every day at 09:00"


# The law below: many expressions, much alike, and those that share a description must share every fire.

MINUTES = (
    *("*", "0", "15", "59", "*/2", "1/2", "*/7", "*/15", "5/15", "*/30", "0,30", "1,31", "0-10", "1-11", "10-12"),
    *("0-58/2", "0-56/7", "0-49/7", "1,2", "1-3", "5,7,23", "*/5,1", "0,1,2,4", "0,59", "1-59"),
)
HOURS = (
    *("*", "0", "9", "*/2", "1/2", "*/6", "*/5", "9-17", "9-17/2", "22-2", "0-2", "22,23", "0-22", "1-23", "0,23"),
    *("9,12", "9,12,15", "0,2,4,6", "1,4,9", "0-2,22,23", "0,12"),
)
SECOND_FIELDS = ("*", "0", "30", "*/10", "5/10", "0,30", "1-59", "0-9", "5,7")
DATES = (
    *("*", "?", "1", "13", "31", "1,15", "1-7", "1-31", "*/2", "2/2", "1-30", "2-31", "L", "LW", "L-1", "L-1W"),
    *("1W", "15W", "1,L", "13,15W", "L,LW", "1-3,L-3", "L-3,L-4", "29-31"),
)
MONTHS = ("*", "1", "2", "1-3", "11-2", "1,7", "*/2", "2-12", "1-12", "1,2", "1,2,4")
WEEKDAYS = (
    *("*", "?", "0", "5", "1-5", "0,6", "0-6", "1-6", "0-5", "4-6", "6-2", "1,3,5", "5#1", "5#5", "5L", "1,5#2"),
    *("5,5L", "1-5,6#1", "1-3#1", "1#1,1L"),
)


def _crons(*fields: tuple[str, ...], day_match: str = "or") -> list[Cron]:
    found = []
    for words in product(*fields):
        try:
            found.append(Cron(" ".join(words), dialect="seconds", day_match=day_match))
        except InvalidCronExpressionError:  # never fires
            continue
    return found


YEARS = {(date(year, 1, 1).weekday(), isleap(year)): year for year in range(2001, 2029)}.values()
"""One of each of the 14 kinds: a year begins on one of seven days, and is a leap year or not."""


def _meaning(cron: Cron) -> tuple[object, ...]:
    """All there is to know: the time of day, and the days of every kind of year."""
    spec = parse(cron.expression, cron.dialect, cron.day_match)
    days = tuple(spec.days.of(year, month).bits for year in YEARS for month in range(1, 13))
    return (spec.seconds, spec.minutes, spec.hours, days)


def _assert_no_two_share_a_description(crons: list[Cron]) -> None:
    first: dict[str, Cron] = {}
    meaning = cache(_meaning)
    for cron in crons:
        other = first.setdefault(cron.describe(), cron)
        if other is not cron:
            assert meaning(other) == _meaning(cron), f"{other} and {cron} both read {cron.describe()!r}"


def test_every_time_of_day_has_its_own_words() -> None:
    _assert_no_two_share_a_description(_crons(SECOND_FIELDS, MINUTES, HOURS, ("*",), ("*",), ("*",)))
    _assert_no_two_share_a_description(_crons(("0",), MINUTES, HOURS, ("*", "1"), ("*", "2-4"), ("*", "1-3", "5")))


def test_every_set_of_days_has_its_own_words() -> None:
    days = (DATES, MONTHS, WEEKDAYS)
    crons = _crons(("0",), ("0",), ("9",), *days) + _crons(("0",), ("0",), ("9", "*"), *days, day_match="and")
    _assert_no_two_share_a_description(crons)


def _items(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    step = st.integers(1, high)
    return st.one_of(
        st.just("*"),
        number.map(str),
        st.builds("{}-{}".format, number, number),
        st.builds("*/{}".format, step),
        st.builds("{}-{}/{}".format, number, number, step),
    )


def _fields(low: int, high: int, *special: str) -> st.SearchStrategy[str]:
    item = st.one_of(_items(low, high), st.sampled_from(special)) if special else _items(low, high)
    return st.lists(item, min_size=1, max_size=3).map(",".join)


EXPRESSIONS = st.tuples(
    st.just("0") | _fields(0, 59),
    _fields(0, 59),
    _fields(0, 23),
    _fields(1, 31, "L", "LW", "L-2", "15W", "L-2W"),
    _fields(1, 12),
    _fields(0, 6, "1#1", "5#5", "5L", "0L"),
)


@given(EXPRESSIONS, EXPRESSIONS, st.sets(st.integers(0, 5), max_size=2), st.sampled_from(["or", "and"]))
@example(("0", "0", "0", "1", "1", "*"), ("0", "0", "0", "1", "1", "*/2"), {5}, "and")
@settings(max_examples=tries(300), deadline=None)
def test_neighbours_with_one_description_are_one(
    words: tuple[str, ...], others: tuple[str, ...], changed: set[int], day_match: str
) -> None:
    neighbour = [
        other if index in changed else word for index, (word, other) in enumerate(zip(words, others, strict=True))
    ]
    crons = _crons(*((word,) for word in words), day_match=day_match)
    crons += _crons(*((word,) for word in neighbour), day_match=day_match)
    assume(crons)
    _assert_no_two_share_a_description(crons)
    for cron in crons:
        text = cron.describe()
        assert text == Cron(cron.expression, dialect="seconds", day_match=day_match).describe()
        assert text[0].islower() or text[0].isdecimal()
        assert not text.endswith(".")
        assert "  " not in text
