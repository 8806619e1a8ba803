"""French."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.voice import Voice

_DAYS = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")

VOICE = Voice(
    conjunction="et",
    weekdays=_DAYS,
    habits=tuple(f"le {day}" for day in _DAYS),
    months=(
        *("janvier", "février", "mars", "avril", "mai", "juin"),
        *("juillet", "août", "septembre", "octobre", "novembre", "décembre"),
    ),
    paces={
        Unit.SECOND: ("toutes les secondes", "toutes les {n} secondes"),
        Unit.MINUTE: ("toutes les minutes", "toutes les {n} minutes"),
        Unit.HOUR: ("toutes les heures", "toutes les {n} heures"),
        Unit.DAY: ("tous les jours", "tous les {n} jours"),
        Unit.WEEK: ("toutes les semaines", "toutes les {n} semaines"),
        Unit.MONTH: ("tous les mois", "tous les {n} mois"),
    },
    ordinals={
        1: ("premier", "première"),
        2: ("deuxième", "deuxième"),
        3: ("troisième", "troisième"),
        4: ("quatrième", "quatrième"),
        5: ("cinquième", "cinquième"),
        -1: ("dernier", "dernière"),
    },
    at="à {times}",
    every_day="tous les jours",
    workdays="en semaine",
    weekend="le week-end",
    date="{day} {month} {year}",
    yearly="tous les ans le {day} {month}",
    moment="le {weekday} {date} à {time}",
    monthday="le {day} de chaque mois",
    last_day="le dernier jour de chaque mois",
    nth=("le {nth} {weekday} de chaque mois",) * 2,
    of_months="le {day}",
    nth_of_months=("le {nth} {weekday} du mois",) * 2,
    window="de {start} à {end}",
    start="à partir du {date}",
    first_numeral="1er",
    minute_mark="à la minute {n}",
    second_mark="à la seconde {n}",
    only="seulement {what}",
    in_months="en {names}",
    now_then="maintenant, puis {rest}",
    after_then="après {length}, puis {rest}",
    then="{first}, puis {rest}",
    at_most="au plus {n} fois",
    until="jusqu'à {moment}",
)
