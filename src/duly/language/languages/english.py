"""English."""

from __future__ import annotations

from duly.language.atoms import (
    AFTERNOON,
    AM,
    DEADLINE,
    DONE,
    EVENING,
    EVERY,
    HALF,
    INCLUDED,
    LEAD,
    MIDNIGHT,
    MORNING,
    NEXT,
    NIGHT,
    NOON,
    NOW,
    OCLOCK,
    ONWARD,
    ORDINAL_MARK,
    PAST,
    PER_DAY,
    PM,
    QUARTER,
    THIS,
    THREE_QUARTERS,
    TIMES,
    VAGUE,
    WEEKEND,
    WORKDAYS,
    Atom,
    AtomKind,
    Atoms,
    Unit,
    WordRole,
    day,
    further,
    little,
    number,
    ordinal,
    span,
    unit,
)
from duly.language.languages.form import (
    Language,
    Templates,
    at_most,
    first_form,
    tens_and_units,
    until_end,
    words,
)

_UNITS = words("zero one two three four five six seven eight nine")
_TEENS = words("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
_TENS = words("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third "
    "twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
)
_NUMBERS: dict[float, str] = {
    **dict(enumerate(_UNITS + _TEENS)),
    **tens_and_units(_TENS, _UNITS, "{ten}-{unit}"),
    1: "one|a|an",
    100: "hundred|a hundred|one hundred",
}
_WEEKDAYS = (
    "Monday|mon",
    "Tuesday|tue|tues",
    "Wednesday|wed|weds",
    "Thursday|thu|thur|thurs",
    "Friday|fri",
    "Saturday|sat",
    "Sunday|sun",
)
_DAYS = [first_form(forms) for forms in _WEEKDAYS]


def _week_after() -> dict[str, Atoms]:
    """Make "Thursday week", as the British say."""
    days = {name: Atom(AtomKind.WEEKDAY, index) for index, name in enumerate(_DAYS)}
    days |= {"today": day(0), "tomorrow": day(1)}
    return {
        f"{name} {word}": (atom, further(length))
        for name, atom in days.items()
        for word, length in (("week", 7), ("fortnight", 14))
    }


_TOMORROW = "tomorrow|tmrw|tmr|tomorow|tommorow|tommorrow|tmw|tomoz"
LANGUAGE = Language(
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
        Unit.WORKDAY: "business day|business days|working day|working days|workday|workdays|work day|work days"
        "|weekday|weekdays|week-day|week-days",
    },
    weekdays=_WEEKDAYS,
    habits=("Mondays|mons", *(f"{name}s" for name in _DAYS[1:])),
    months=(
        "January|jan",
        "February|feb|febr",
        "March|mar",
        "April|apr",
        "May",
        "June|jun",
        "July|jul",
        "August|aug",
        "September|sep|sept",
        "October|oct",
        "November|nov",
        "December|dec",
    ),
    little={
        WordRole.AT: "at|@",
        WordRole.ON: "on",
        WordRole.IN | WordRole.ON: "in",
        WordRole.FROM | WordRole.START: "from",
        WordRole.START: "starting|starting on|starting from|beginning|beginning on|as of|from the",
        WordRole.TO | WordRole.BEFORE: "to",
        WordRole.TO: "till|until|til|through|thru|up to|up to and|until and|through and",
        WordRole.BEFORE: "before|of the hour before",
        WordRole.BETWEEN: "between",
        WordRole.AND: "and|&|+|plus|and also|as well as|n|and then",
        WordRole.OF: "of",
        WordRole.THE: "the",
        WordRole.AFTER: "past|after",
        WordRole.AROUND: "around|about|roughly|approximately|approx|circa|ca|around about",
        WordRole.LASTING: "for|for the|for the next|over the next|at most|no more than|for only|max|for max|for at most"
        "|for up to|in all",
        WordRole.EXCEPT: "but not|but not on|excluding|apart from|other than|save|and not|and not on",
        WordRole.EXCEPT | WordRole.INSTEAD: "except|except for|except on|but|but on",
    },
    others={
        "before|beforehand|earlier|ahead|in advance|before it|before that|ahead of it|ahead of time": (LEAD,),
        "the day before": (number(1), unit(Unit.DAY), LEAD),
        "after it is done|after it's done|after its done|after it was done|after i am done|after i'm done|after im done"
        "|after i did it|after i have done it|after i've done it|after doing it|after done|after completion"
        "|after completing it|after finishing|after finishing it|after it is finished|after it's finished"
        "|after it is completed|after it's completed|after each completion|after i finish|after i finish it": (DONE,),
        "onwards|onward|and onwards|on and after": (ONWARD,),
        "inclusive|included|including|incl|inclusively": (INCLUDED,),
        **until_end(
            "until|till|til|through|thru|up to",
            "the end of|end of|the very end of",
            {
                Unit.DAY: "the day's end|eod",
                Unit.WEEK: "the week's end|eow",
                Unit.MONTH: "month end|month's end|the month's end|eom",
                Unit.YEAR: "year end|the year end|year's end|the year's end|the years end|eoy",
            },
        ),
        "times|x|times in total|times in all|times altogether|times only|times max": (TIMES,),
        "twice": (number(2), TIMES),
        "thrice": (number(3), TIMES),
        "times a week|times per week|times weekly|x a week|x per week|x weekly": (TIMES, EVERY, unit(Unit.WEEK)),
        "twice a week|twice weekly|twice per week": (number(2), TIMES, EVERY, unit(Unit.WEEK)),
        "times a month|times per month|times monthly": (TIMES, EVERY, unit(Unit.MONTH)),
        **at_most("days weeks months", "max tops maximum"),
        "within|by|no later than|not later than|at the latest|latest|at latest": (DEADLINE,),
        "twice a day|twice daily|twice per day": (number(2), PER_DAY),
        "thrice daily|thrice a day": (number(3), PER_DAY),
        "times a day|times daily|times per day|x a day|x daily|x per day": (PER_DAY,),
        "every|each|every single|always on|always|once every": (EVERY,),
        "always at": (EVERY, unit(Unit.DAY), little(WordRole.AT)),
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
        _TOMORROW: (day(1),),
        "overmorrow": (day(2),),
        "|".join(f"day after {each}|the day after {each}" for each in _TOMORROW.split("|")): (day(2),),
        "yesterday|ago|day before yesterday|earlier": (PAST,),
        "tonight|tonite|to-night": (day(0), NIGHT),
        "tomorrow night": (day(1), NIGHT),
        "this morning|this mornin": (day(0), MORNING),
        "this afternoon|this arvo": (day(0), AFTERNOON),
        "this evening|this evenin": (day(0), EVENING),
        "morning|mornin|in the morning|in the mornin|early morning|in the early morning|early in the morning": (
            MORNING,
        ),
        "afternoon|in the afternoon|arvo|in the arvo|aft": (AFTERNOON,),
        "evening|in the evening|eve|evenin|in the evenin": (EVENING,),
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
        "week from": (unit(Unit.WEEK), little(WordRole.FROM)),
        "soon|later|sometime|some time|some|few|a few|several|couple|a couple|couple of|a couple of|whenever|eventually"
        "|asap|as soon as possible|or|maybe|ish|shortly|a bit|occasionally|often"
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
    courtesies="please|kindly|thanks|thank you|thank u|ty|cheers|hello|if you can|if u can|if possible|then|again|just"
    "|mate|bro|pretty please|alright|sounds good|if that works",
    hour_marks={},
    night_has_hour=True,
    day_first=False,
    twelve_hours=True,
    article_makes_date=False,
    templates=Templates(
        conjunction="and",
        every=dict.fromkeys(Unit, ("every {unit}", "every {n} {units}")),
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
        at_most="in all {n} times",
        until="until {moment}",
    ),
)
