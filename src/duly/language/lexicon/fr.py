"""French."""

from __future__ import annotations

from duly.language.atoms import Atom, Kind, Role, Unit
from duly.language.lexicon.source import (
    AFTERNOON,
    COMING,
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
    span,
    unit,
)

_TO_19 = [
    "zéro",
    "un",
    "deux",
    "trois",
    "quatre",
    "cinq",
    "six",
    "sept",
    "huit",
    "neuf",
    "dix",
    "onze",
    "douze",
    "treize",
    "quatorze",
    "quinze",
    "seize",
    "dix-sept",
    "dix-huit",
    "dix-neuf",
]
_TENS = {20: "vingt", 30: "trente", 40: "quarante", 50: "cinquante", 60: "soixante"}
_DAYS = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")
_ORDINALS = [
    "deux",
    "trois",
    "quatr",
    "cinqu",
    "six",
    "sept",
    "huit",
    "neuv",
    "dix",
    "onz",
    "douz",
    "treiz",
    "quatorz",
    "quinz",
]


def _numbers() -> dict[float, str]:
    found: dict[float, str] = dict(enumerate(_TO_19))
    for ten, word in _TENS.items():
        found[ten] = word
        found[ten + 1] = f"{word} et un|{word} et une|{word}-et-un|{word}-un"
        for value in range(2, 10):
            found[ten + value] = f"{word}-{_TO_19[value]}"
    for value in range(10, 20):
        found[60 + value] = f"soixante-{_TO_19[value]}"
        found[80 + value] = f"quatre-vingt-{_TO_19[value]}"
    found[71] = "soixante et onze|soixante-et-onze"
    found[80] = "quatre-vingt|quatre-vingts"
    for value in range(1, 10):
        found[80 + value] = f"quatre-vingt-{_TO_19[value]}"
    found[1] = "un|une"
    found[100] = "cent"
    return found


def _alternating() -> dict[str, Atoms]:
    return {f"un {name} sur deux": (EVERY, number(2), Atom(Kind.WEEKDAY, index)) for index, name in enumerate(_DAYS)}


SOURCE = Source(
    code="fr",
    numbers=_numbers(),
    ordinals={
        **{value: f"{stem}ième|{stem}ièmes" for value, stem in enumerate(_ORDINALS, 2)},
        1: "premier|première|premiers",
        2: "deuxième|second|seconde",
        -1: "dernier|dernière|derniers",
    },
    units={
        Unit.SECOND: "seconde|secondes|sec|secs",
        Unit.MINUTE: "minute|minutes|min|mins|mn",
        Unit.HOUR: "heure|heures|h|hr",
        Unit.DAY: "jour|jours|j",
        Unit.WEEK: "semaine|semaines|sem",
        Unit.MONTH: "mois",
        Unit.YEAR: "an|ans|année|années",
    },
    weekdays=(
        "lundi|lun",
        "mardi|mar",
        "mercredi|mer",
        "jeudi|jeu",
        "vendredi|ven",
        "samedi|sam",
        "dimanche|dim",
    ),
    habits=tuple(f"{name}s" for name in _DAYS),
    months=(
        "janvier|janv|jan",
        "février|févr|fév",
        "mars",
        "avril|avr",
        "mai",
        "juin",
        "juillet|juil",
        "août|aout",
        "septembre|sept|sep",
        "octobre|oct",
        "novembre|nov",
        "décembre|déc",
    ),
    little={
        Role.AT | Role.TO: "à|@",
        Role.THE | Role.HABIT | Role.ON: "le|les|chaque fois le",
        Role.THE: "la|l",
        Role.IN: "dans|d'ici",
        Role.IN | Role.ON: "en",
        Role.ON: "pendant",
        Role.OF | Role.FROM: "de|d|du|des",
        Role.START: "à partir de|à partir du|à compter du|à compter de|dès|dès le|en commençant le|en commençant"
        "|à partir d",
        Role.TO | Role.AT | Role.ON: "au|aux",
        Role.TO: "jusqu'à|jusqu'au|jusque",
        Role.BETWEEN: "entre",
        Role.AND: "et|&|+|puis|ainsi que|plus",
        Role.LESS: "moins",
        Role.EXCEPT: "sauf|sauf le|excepté|hormis|à part|mais pas|hors",
    },
    others={
        "fois par jour|x par jour": (PER_DAY,),
        **_alternating(),
        "tous les|toutes les|tout les|chaque|tous|toutes|toujours|une fois toutes les|une fois tous les": (EVERY,),
        "toujours à": (EVERY, unit(Unit.DAY), little(Role.AT)),
        "quotidiennement|quotidien|journellement|une fois par jour|par jour": (EVERY, unit(Unit.DAY)),
        "une fois par heure|une fois l'heure|par heure": (EVERY, unit(Unit.HOUR)),
        "hebdomadaire|hebdomadairement|une fois par semaine|par semaine": (EVERY, unit(Unit.WEEK)),
        "une semaine sur deux|bimensuel": (EVERY, number(2), unit(Unit.WEEK)),
        "mensuellement|mensuel|une fois par mois|par mois": (EVERY, unit(Unit.MONTH)),
        "trimestriellement|chaque trimestre|tous les trimestres": (EVERY, number(3), unit(Unit.MONTH)),
        "annuellement|une fois par an|par an": (EVERY, unit(Unit.YEAR)),
        "un jour sur deux": (EVERY, number(2), unit(Unit.DAY)),
        "une heure sur deux": (EVERY, number(2), unit(Unit.HOUR)),
        "en semaine|pendant la semaine|jours ouvrés|jour ouvré|jours ouvrables|jour ouvrable"
        "|jours de semaine"
        "|jour de semaine|jours de la semaine|les jours ouvrés|les jours ouvrables|les jours de semaine"
        "|en jours ouvrés": (WORKDAYS,),
        "week-end|week-ends|le week-end|les week-ends|en week-end|we": (WEEKEND,),
        "prochain|prochaine|prochains|suivant|suivante": (NEXT,),
        "qui vient|à venir": (COMING,),
        "en huit": (further(7),),
        "en quinze": (further(14),),
        "ce|cet|cette|ces": (THIS,),
        "aujourd'hui|auj|ajd": (day(0),),
        "demain": (day(1),),
        "après-demain": (day(2),),
        "hier|avant-hier|il y a|passé|passée": (PAST,),
        "les matins|les matinées": (EVERY, MORNING),
        "les soirs|les soirées": (EVERY, EVENING),
        "matin|du matin|mat|au matin|matinée|dans la matinée|matins|de bon matin|tôt le matin|tôt": (MORNING,),
        "après-midi|de l'après-midi|dans l'après-midi|aprem|après-midis": (AFTERNOON,),
        "soir|du soir|au soir|soirée|dans la soirée|en soirée|soirs": (EVENING,),
        "nuit|de la nuit|dans la nuit|nuits|de nuit": (NIGHT,),
        "midi|midis": (NOON,),
        "ce midi": (day(0), NOON),
        "minuit": (MIDNIGHT,),
        "pile|précises|tapantes": (OCLOCK,),
        "demi|demie": (HALF,),
        "quart|un quart": (QUARTER,),
        "trois quarts|trois-quarts": (THREE_QUARTERS,),
        "demi-heure|demi-heures|demie-heure|demie heure": (span(1800),),
        "quart d'heure|quarts d'heure|quart-d'heure": (span(900),),
        "trois quarts d'heure|trois-quarts d'heure": (span(2700),),
        "quinzaine|une quinzaine": (number(2), unit(Unit.WEEK)),
        "à partir de maintenant|dès maintenant": (NOW,),
        "bientôt|plus tard|tout à l'heure|parfois|quelques|plusieurs|environ|vers|ou|peut-être|souvent"
        "|tantôt|prochainement|un moment|de temps en temps|à peu près": (VAGUE,),
    },
    glued={
        "er": (ORDINAL_MARK,),
        "ere": (ORDINAL_MARK,),
        "e": (ORDINAL_MARK,),
        "eme": (ORDINAL_MARK,),
        "j": (unit(Unit.DAY),),
    },
)
