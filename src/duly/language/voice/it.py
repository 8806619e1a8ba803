"""Italian."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.voice import Voice

_DAYS = ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica")

VOICE = Voice(
    conjunction="e",
    weekdays=_DAYS,
    habits=tuple(f"{'la' if day == 'domenica' else 'il'} {day}" for day in _DAYS),
    months=(
        *("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno"),
        *("luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"),
    ),
    paces={
        Unit.SECOND: ("ogni secondo", "ogni {n} secondi"),
        Unit.MINUTE: ("ogni minuto", "ogni {n} minuti"),
        Unit.HOUR: ("ogni ora", "ogni {n} ore"),
        Unit.DAY: ("ogni giorno", "ogni {n} giorni"),
        Unit.WEEK: ("ogni settimana", "ogni {n} settimane"),
        Unit.MONTH: ("ogni mese", "ogni {n} mesi"),
    },
    ordinals={
        1: ("il primo", "la prima"),
        2: ("il secondo", "la seconda"),
        3: ("il terzo", "la terza"),
        4: ("il quarto", "la quarta"),
        5: ("il quinto", "la quinta"),
        -1: ("l'ultimo", "l'ultima"),
    },
    at="alle {times}",
    every_day="tutti i giorni",
    workdays="nei giorni feriali",
    weekend="nel fine settimana",
    date="{day} {month} {year}",
    yearly="ogni anno il {day} {month}",
    moment="{weekday} {date} alle {time}",
    monthday="il {day} di ogni mese",
    last_day="l'ultimo giorno di ogni mese",
    nth=("{nth} {weekday} di ogni mese",) * 2,
    of_months="il {day}",
    nth_of_months=("{nth} {weekday} del mese",) * 2,
    window="dalle {start} alle {end}",
    start="a partire dal {date}",
    feminine=frozenset({6}),
    minute_mark="al minuto {n}",
    second_mark="al secondo {n}",
    only="solo {what}",
    in_months="in {names}",
    now_then="adesso, poi {rest}",
    after_then="dopo {length}, poi {rest}",
    then="{first}, poi {rest}",
    at_most="al massimo {n} volte",
    until="fino a {moment}",
)
