"""German."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.voice import Voice

_DAYS = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")

VOICE = Voice(
    conjunction="und",
    weekdays=_DAYS,
    habits=tuple(f"{day.lower()}s" for day in _DAYS),
    months=(
        *("Januar", "Februar", "März", "April", "Mai", "Juni"),
        *("Juli", "August", "September", "Oktober", "November", "Dezember"),
    ),
    paces={
        Unit.SECOND: ("jede Sekunde", "alle {n} Sekunden"),
        Unit.MINUTE: ("jede Minute", "alle {n} Minuten"),
        Unit.HOUR: ("jede Stunde", "alle {n} Stunden"),
        Unit.DAY: ("jeden Tag", "alle {n} Tage"),
        Unit.WEEK: ("jede Woche", "alle {n} Wochen"),
        Unit.MONTH: ("jeden Monat", "alle {n} Monate"),
    },
    ordinals={
        1: ("ersten", "ersten"),
        2: ("zweiten", "zweiten"),
        3: ("dritten", "dritten"),
        4: ("vierten", "vierten"),
        5: ("fünften", "fünften"),
        -1: ("letzten", "letzten"),
    },
    at="um {times} Uhr",
    every_day="jeden Tag",
    workdays="werktags",
    weekend="am Wochenende",
    on_habits="{days}",
    date="{day} {month} {year}",
    yearly="jedes Jahr am {day} {month}",
    moment="am {weekday}, den {date} um {time} Uhr",
    monthday="am {day} jedes Monats",
    last_day="am letzten Tag jedes Monats",
    nth=("am {nth} {weekday} jedes Monats",) * 2,
    of_months="am {day}",
    nth_of_months=("am {nth} {weekday} des Monats",) * 2,
    window="von {start} bis {end} Uhr",
    start="ab dem {date}",
    numeral="{n}.",
    minute_mark="bei Minute {n}",
    second_mark="bei Sekunde {n}",
    only="nur {what}",
    in_months="im {names}",
    now_then="jetzt, dann {rest}",
    after_then="nach {length}, dann {rest}",
    then="{first}, dann {rest}",
    at_most="höchstens {n} Mal",
    until="bis {moment}",
)
