"""English."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.voice import Voice

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

VOICE = Voice(
    conjunction="and",
    weekdays=_DAYS,
    habits=tuple(f"{day}s" for day in _DAYS),
    months=(
        *("January", "February", "March", "April", "May", "June"),
        *("July", "August", "September", "October", "November", "December"),
    ),
    paces={
        Unit.SECOND: ("every second", "every {n} seconds"),
        Unit.MINUTE: ("every minute", "every {n} minutes"),
        Unit.HOUR: ("every hour", "every {n} hours"),
        Unit.DAY: ("every day", "every {n} days"),
        Unit.WEEK: ("every week", "every {n} weeks"),
        Unit.MONTH: ("every month", "every {n} months"),
    },
    ordinals={
        1: ("first", "first"),
        2: ("second", "second"),
        3: ("third", "third"),
        4: ("fourth", "fourth"),
        5: ("fifth", "fifth"),
        -1: ("last", "last"),
    },
    at="at {times}",
    every_day="every day",
    workdays="on weekdays",
    weekend="on weekends",
    on_habits="on {days}",
    date="{day} {month} {year}",
    yearly="every year on {day} {month}",
    moment="on {weekday}, {date} at {time}",
    monthday="on the {day} of every month",
    last_day="on the last day of every month",
    nth=("on the {nth} {weekday} of every month",) * 2,
    of_months="on the {day}",
    nth_of_months=("on the {nth} {weekday} of the month",) * 2,
    window="from {start} to {end}",
    start="starting {date}",
    numeral="{n}{suffix}",
    minute_mark="at minute {n}",
    second_mark="at second {n}",
    only="only {what}",
    in_months="in {names}",
    now_then="now, then {rest}",
    after_then="after {length}, then {rest}",
    then="{first}, then {rest}",
    at_most="at most {n} times",
    until="until {moment}",
)
