"""English."""

from __future__ import annotations

from duly.language.atoms import Atom, Kind, Role, Unit
from duly.language.lexicon.numerals import tens_and_units
from duly.language.lexicon.source import (
    AFTERNOON,
    AM,
    EVENING,
    EVERY,
    HALF,
    MIDNIGHT,
    MORNING,
    NEXT,
    NIGHT,
    NOON,
    NOW,
    OCLOCK,
    ORDINAL_MARK,
    PAST,
    PER_DAY,
    PM,
    QUARTER,
    THIS,
    THREE_QUARTERS,
    VAGUE,
    WEEKEND,
    WORKDAYS,
    Atoms,
    Source,
    day,
    further,
    little,
    number,
    ordinal,
    span,
    unit,
)

_UNITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twenty-first",
    "twenty-second",
    "twenty-third",
    "twenty-fourth",
    "twenty-fifth",
    "twenty-sixth",
    "twenty-seventh",
    "twenty-eighth",
    "twenty-ninth",
    "thirtieth",
    "thirty-first",
]

_NUMBERS: dict[float, str] = {
    **dict(enumerate(_UNITS + _TEENS)),
    **tens_and_units(_TENS, _UNITS, "{ten}-{unit}"),
    100: "hundred|a hundred|one hundred",
}
_NUMBERS[1] = "one|a|an"

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _week_after() -> dict[str, Atoms]:
    """Thursday week, as the British say."""
    days = {name: Atom(Kind.WEEKDAY, index) for index, name in enumerate(_DAYS)}
    days |= {"today": day(0), "tomorrow": day(1)}
    return {
        f"{name} {word}": (atom, further(length))
        for name, atom in days.items()
        for word, length in (("week", 7), ("fortnight", 14))
    }


SOURCE = Source(
    code="en",
    numbers=_NUMBERS,
    ordinals={**dict(enumerate(_ORDINALS, 1)), -1: "last"},
    units={
        Unit.SECOND: "second|seconds|sec|secs",
        Unit.MINUTE: "minute|minutes|min|mins",
        Unit.HOUR: "hour|hours|hr|hrs|h",
        Unit.DAY: "day|days",
        Unit.WEEK: "week|weeks|wk|wks",
        Unit.MONTH: "month|months|mth|mths|mo",
        Unit.YEAR: "year|years|yr|yrs",
    },
    weekdays=(
        "monday|mon",
        "tuesday|tue|tues",
        "wednesday|wed|weds",
        "thursday|thu|thur|thurs",
        "friday|fri",
        "saturday|sat",
        "sunday|sun",
    ),
    habits=(
        "mondays|mons",
        "tuesdays",
        "wednesdays",
        "thursdays",
        "fridays",
        "saturdays",
        "sundays",
    ),
    months=(
        "january|jan",
        "february|feb|febr",
        "march|mar",
        "april|apr",
        "may",
        "june|jun",
        "july|jul",
        "august|aug",
        "september|sep|sept",
        "october|oct",
        "november|nov",
        "december|dec",
    ),
    little={
        Role.AT: "at|@",
        Role.ON: "on",
        Role.IN | Role.ON: "in",
        Role.IN: "within",
        Role.FROM | Role.START: "from",
        Role.START: "starting|starting on|starting from|beginning|beginning on|as of|from the",
        Role.TO | Role.BEFORE: "to",
        Role.TO: "till|until|til|through|thru|up to",
        Role.BEFORE: "before|of the hour before",
        Role.BETWEEN: "between",
        Role.AND: "and|&|+|plus|and also|as well as",
        Role.OF: "of",
        Role.THE: "the",
        Role.AFTER: "past|after",
        Role.EXCEPT: "except|except for|except on|but|but not|but not on|excluding|apart from|other than|save",
    },
    others={
        "twice a day|twice daily|twice per day": (number(2), PER_DAY),
        "thrice daily|thrice a day": (number(3), PER_DAY),
        "times a day|times daily|times per day|x a day|x daily|x per day": (PER_DAY,),
        "every|each|every single|always on|always|once every": (EVERY,),
        "always at": (EVERY, unit(Unit.DAY), little(Role.AT)),
        "every other|every alternate|each other": (EVERY, number(2)),
        "daily|once a day|once daily|each and every day|everyday|per day|every day of the week|all days"
        "|seven days a week": (
            EVERY,
            unit(Unit.DAY),
        ),
        "hourly|once an hour|once per hour|per hour": (EVERY, unit(Unit.HOUR)),
        "weekly|once a week|once weekly|per week": (EVERY, unit(Unit.WEEK)),
        "fortnightly|every fortnight|once a fortnight": (EVERY, number(2), unit(Unit.WEEK)),
        "monthly|once a month|per month": (EVERY, unit(Unit.MONTH)),
        "quarterly|every quarter": (EVERY, number(3), unit(Unit.MONTH)),
        "yearly|annually|once a year|per year": (EVERY, unit(Unit.YEAR)),
        "nightly": (EVERY, NIGHT),
        "mornings|in the mornings|every morning": (EVERY, MORNING),
        "afternoons|in the afternoons": (EVERY, AFTERNOON),
        "evenings|in the evenings": (EVERY, EVENING),
        "nights": (EVERY, NIGHT),
        "fortnight": (number(2), unit(Unit.WEEK)),
        "a fortnight|one fortnight": (number(2), unit(Unit.WEEK)),
        "weekdays|weekday|m-f|workdays|workday|working days|working day|work days|work day|business days|business day"
        "|during the week|week-days|the week days": (WORKDAYS,),
        "weekends|weekend|week-end|week-ends": (WEEKEND,),
        **_week_after(),
        "next|following": (NEXT,),
        "the following": (NEXT,),
        "this|coming|upcoming|this coming|the coming": (THIS,),
        "today|tod": (day(0),),
        "tomorrow|tmrw|tmr|tomorow|tommorow|tommorrow|tmw": (day(1),),
        "day after tomorrow|the day after tomorrow|overmorrow": (day(2),),
        "yesterday|ago|day before yesterday|earlier": (PAST,),
        "tonight|tonite|to-night": (day(0), NIGHT),
        "tomorrow night": (day(1), NIGHT),
        "this morning": (day(0), MORNING),
        "this afternoon": (day(0), AFTERNOON),
        "this evening": (day(0), EVENING),
        "morning|in the morning|early morning|in the early morning|early in the morning": (MORNING,),
        "afternoon|in the afternoon": (AFTERNOON,),
        "evening|in the evening|eve": (EVENING,),
        "night|at night|in the night": (NIGHT,),
        "noon|midday|mid-day|noontime|at noontime|12 noon": (NOON,),
        "midnight|mid-night": (MIDNIGHT,),
        "am": (AM,),
        "pm": (PM,),
        "o'clock|oclock|hundred hours": (OCLOCK,),
        "sharp|on the dot|exactly": (OCLOCK,),
        "half|half a|half an": (HALF,),
        "half-hour|half-hours|half hour": (span(1800),),
        "half-hourly": (EVERY, span(1800)),
        "quarter|a quarter": (QUARTER,),
        "three quarters|three-quarters": (THREE_QUARTERS,),
        "from now|from right now|hence|from this moment|time|'s time|from now on": (NOW,),
        "week from": (unit(Unit.WEEK), little(Role.FROM)),
        "soon|later|sometime|some time|some|few|a few|several|couple|a couple|couple of|a couple of|whenever|eventually"
        "|asap|about|around|roughly|approximately|or|maybe|ish|shortly|a bit|occasionally|often"
        "|sometimes|now and then|regularly|someday": (VAGUE,),
        "penultimate|second to last|second-last|next to last": (ordinal(-2),),
    },
    glued={
        "st": (ORDINAL_MARK,),
        "nd": (ORDINAL_MARK,),
        "rd": (ORDINAL_MARK,),
        "th": (ORDINAL_MARK,),
        "a": (AM,),
        "p": (PM,),
    },
    day_first=False,
    twelve_hours=True,
    article_makes_date=False,
)
