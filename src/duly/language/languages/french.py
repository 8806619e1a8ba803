"""French."""

from __future__ import annotations

from duly.language.atoms import (
    AFTERNOON,
    COMING,
    DEADLINE,
    DONE,
    EVENING,
    EVERY,
    HALF,
    INCLUDED,
    LEAD,
    LONG_MARK,
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
    QUARTER,
    SHORT_MARK,
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
    span,
    unit,
)
from duly.language.languages.form import (
    Language,
    Templates,
    at_most,
    first_form,
    until_end,
    words,
)

_TO_19 = words(
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
    "dix-huit dix-neuf"
)
_TENS = {20: "vingt", 30: "trente", 40: "quarante", 50: "cinquante", 60: "soixante"}
_WEEKDAYS = (
    "lundi|lun",
    "mardi|mar",
    "mercredi|mer",
    "jeudi|jeu",
    "vendredi|ven",
    "samedi|samdi|sam",
    "dimanche|dim",
)
_DAYS = [first_form(forms) for forms in _WEEKDAYS]
_ORDINALS = words("deux trois quatr cinqu six sept huit neuv dix onz douz treiz quatorz quinz")


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
    return {
        f"un {name} sur deux": (EVERY, number(2), Atom(AtomKind.WEEKDAY, index)) for index, name in enumerate(_DAYS)
    }


LANGUAGE = Language(
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
        Unit.HOUR: "heure|heures|petite heure|ptite heure|h|hr",
        Unit.DAY: "jour|jours|j",
        Unit.WEEK: "semaine|semaines|sem",
        Unit.MONTH: "mois",
        Unit.YEAR: "an|ans|année|années",
        Unit.WORKDAY: "jour ouvré|jours ouvrés|jour ouvrable|jours ouvrables",
    },
    weekdays=_WEEKDAYS,
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
        WordRole.AT | WordRole.TO: "à|@",
        WordRole.THE | WordRole.HABIT | WordRole.ON: "le|les|chaque fois le",
        WordRole.THE: "la|l",
        WordRole.IN: "dans|ds",
        WordRole.IN | WordRole.ON: "en",
        WordRole.ON: "pendant",
        WordRole.LASTING: "pendant|durant|pendant les|durant les|au plus|au maximum|pour|en tout",
        WordRole.OF | WordRole.FROM: "de|d|du|des",
        WordRole.START: "à partir de|à partir du|à compter du|à compter de|dès|dès le|en commençant le|en commençant"
        "|à partir d",
        WordRole.TO | WordRole.AT | WordRole.ON: "au|aux",
        WordRole.TO: "jusqu'à|jusqu'au|jusqu'en|jusque",
        WordRole.BETWEEN: "entre",
        WordRole.AND: "et|&|+|puis|ainsi que|plus",
        WordRole.LESS: "moins",
        WordRole.AROUND: "vers|environ|vers les|aux alentours de|autour de|aux environs de|à peu près à|à environ"
        "|aux alentours d|aux environs d",
        WordRole.EXCEPT: "hormis|à part|mais pas|mais pas le|hors",
        WordRole.EXCEPT | WordRole.INSTEAD: "sauf|sauf le|excepté",
        WordRole.INSTEAD: "mais",
    },
    others={
        "avant|à l'avance|plus tôt|d'avance|auparavant": (LEAD,),
        "la veille|le jour avant|le jour d'avant": (number(1), unit(Unit.DAY), LEAD),
        "après l'avoir fait|après que c'est fait|une fois fait|après que ce soit fait|après avoir fini"
        "|après l'avoir terminé|après avoir terminé|une fois que c'est fait|après que je l'ai fait|après que c fait": (
            DONE,
        ),
        "et après|et au delà|et ensuite": (ONWARD,),
        "inclus|incluse|compris|comprise|y compris|inclusivement": (INCLUDED,),
        **until_end("jusqu'à|jusqu'à la|jusqu'en|jusque|jusqu'a|jusqu'a la|jusqu", "fin|fin de|fin du|fin d'"),
        "fois|fois en tout|fois au total|fois max|fois maximum": (TIMES,),
        "fois la semaine": (TIMES, EVERY, unit(Unit.WEEK)),
        **at_most("jours semaines mois", "max maximum"),
        "d'ici|d'ici à|avant|avant le|avant la|au plus tard|au plus tard le|d'ici le": (DEADLINE,),
        "quinze jours": (number(2), unit(Unit.WEEK)),
        "huit jours": (number(1), unit(Unit.WEEK)),
        "fois par jour|x par jour": (PER_DAY,),
        **_alternating(),
        "tous les|toutes les|tout les|ts les|ttes les|chaque|tous|toutes|ts|ttes|toujours"
        "|une fois toutes les|une fois tous les": (EVERY,),
        "toujours à": (EVERY, unit(Unit.DAY), little(WordRole.AT)),
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
        "demi-heure|demi-heures|petite demi-heure|ptite demi-heure|demie-heure|demie heure": (span(1800),),
        "quart d'heure|petit quart d'heure|ptit quart d'heure|quarts d'heure|quart-d'heure": (span(900),),
        "trois quarts d'heure|trois-quarts d'heure": (span(2700),),
        "quinzaine|une quinzaine": (number(2), unit(Unit.WEEK)),
        "à partir de maintenant|dès maintenant": (NOW,),
        "dès que possible|au plus vite"
        "|bientôt|plus tard|tout à l'heure|parfois|quelques|qq|qqs|qques|plusieurs|ou|peut-être|souvent"
        "|tantôt|prochainement|un moment|de temps en temps": (VAGUE,),
    },
    glued={
        "er": (ORDINAL_MARK,),
        "ere": (ORDINAL_MARK,),
        "e": (ORDINAL_MARK,),
        "eme": (ORDINAL_MARK,),
        "j": (unit(Unit.DAY),),
    },
    courtesies="s'il te plaît|s'il vous plaît|stp|svp|merci|merci beaucoup|coucou|salut|bonjour|alors|si possible"
    "|si tu peux|de nouveau|à nouveau|d'accord|ça marche|ça te va|d'acc",
    hour_marks={"h": SHORT_MARK, "heure": LONG_MARK, "heures": LONG_MARK},
    templates=Templates(
        conjunction="et",
        every=dict.fromkeys(Unit, ("toutes les {units}", "toutes les {n} {units}"))
        | dict.fromkeys((Unit.DAY, Unit.MONTH), ("tous les {units}", "tous les {n} {units}")),
        habit=("le {day}",) * 2,
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
        at_most="en tout {n} fois",
        until="jusqu'au {moment}",
    ),
)
