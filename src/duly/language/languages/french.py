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
    LEAD,
    LONG_MARK,
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
    ReplyRole,
    ReplyWords,
    Templates,
    first_form,
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
    "samedi|sam",
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


_MACROS = {
    "done": (
        "fait|pris|prise|prises|fini|terminé|bu|mangé|avalé|achevé|accompli|complété|payé|appelé|envoyé|acheté"
        "|réglé|arrosé|nettoyé|lavé|réservé|rendu|fermé|nourri|effectué"
    ),
    "bare": "fait|fini|=terminé|=réglé|=payé|=envoyé|=accompli|pris|prise|=effectué|=complété|=validé|=confirmé",
    "medicine": (
        "médicament|médicaments|pilule|pilules|cachet|cachets|comprimé|comprimés|vitamine|vitamines|dose|gouttes"
        "|traitement|médoc|médocs"
    ),
    "thing": "ça|cela|tout|(le|la|les|mon|ma|mes|ce|cette) {medicine}",
    "have": "j'ai|je l'ai|je les ai|nous avons|on a|on l'a|l'ai|ai|je viens de l'avoir|moi j'ai|moi je l'ai",
    "already": "déjà|tout|juste|enfin|aujourd'hui|ce matin",
    "reminder": "ça|cela|le|la|tout|le rappel|rappel|ce rappel|l'alarme",
    "again": "encore|à nouveau|de nouveau|encore une fois|s'il te plaît|s'il vous plaît|stp|svp|plutôt",
    "about": "environ|à peu près|encore|peut être|juste|genre",
    "when": (
        "dans [{about}] <duration>|d'ici [{about}] <duration>|(pour|pendant|après|de) [{about}] <duration>|<time>"
    ),
    "soon": (
        "plus tard|un peu plus tard|peut être plus tard|tout à l'heure|bientôt|après|tantôt"
        "|plus tard dans la journée|dans un (moment|instant|petit moment)|dans (quelques|deux trois) minutes"
        "|tout de suite|une autre fois|sous peu|ensuite"
    ),
    "now": "maintenant|là|pour le moment|pour l'instant|tout de suite|en ce moment|là maintenant|immédiatement",
    "act": (
        "fais|prends|ferai|prendrai|finis|termine|vais le faire|vais le prendre|vais la prendre|vais faire|vais prendre"
    ),
    "drop": (
        "annule|annuler|annulez|annulé|arrête|arrêter|arrêtez|stop|stoppe|laisse|laisse tomber|laissez|oublie"
        "|oublier|oubliez|ignore|ignorer|passe|passer|saute|sauter|supprime|supprimer|abandonne|abandonner|efface"
        "|termine ça|laisse moi tranquille|laisse moi|enlève|retire"
    ),
    "isnt": "ce n'est|c'est|c|j'en ai|je n'en ai|il n'y a|y a",
    "could": "[est ce que] (tu peux|vous pouvez|tu pourrais)|(peux|pourrais) tu|(pouvez|pourriez) vous",
    "please": "s'il te plaît|s'il vous plaît|stp|svp",
}
_PHRASES = {
    ReplyRole.YES: """
oui|ouais|ouep|ouaip|yep|yes|mais si|si si|mais oui|bien sûr|d'accord|dac|bien|bon
exact|d'acc
exactement|tout à fait|absolument|certainement|(c'est|c) bon|tout est bon|voilà|oui déjà|c'est bien|c'est ok
tout est ok|c'est tout bon|tout va bien|ça marche|ça roule|ça va
évidemment|carrément|confirmé|je confirme|c'est d'accord""",
    ReplyRole.HEARD: """
entendu|bien entendu|[j'ai] [bien] compris|[c'est] [bien] noté|je note|[bien] reçu|volontiers
parfait|très bien|génial|nickel|impeccable|excellent|cool|bravo|formidable""",
    ReplyRole.DONE: """
[c'est|c est|c|tout est|tout|voilà|tout c'est|voilà c'est] {bare}
(c'est|tout est|voilà c'est) (terminé|réglé|payé|envoyé|fait|fini|bon pour moi|prise|pris)
{have} [bien] ({done}|termine) [{thing}]|[mes|les|mon|le|la] {medicine} (pris|prise|prises)|mission accomplie|ça y est
je suis prêt c'est fait|tâche (accomplie|terminée|faite)""",
    ReplyRole.ALREADY: """
{have} {already} [{already}] {done} [{thing}] [{already}]|{have} {done} [{thing}] {already}
[c'est|c|tout est] déjà {bare}|déjà (terminé|réglé|payé|envoyé|{bare})
(c'est|tout est) déjà (terminé|réglé|payé|envoyé|{bare})
(c'est|tout est) {bare} (déjà|depuis longtemps|depuis <duration>)|{bare} (déjà|depuis longtemps|depuis <duration>)
je viens (juste|tout juste) de (le|la|les) (prendre|faire|finir|terminer)
je viens de (le|la|les) (prendre|faire|finir|terminer)|je viens (de finir|de terminer)
[je] viens de (finir|terminer|le faire|le prendre|la prendre|les prendre)
{have} [{already}] {done} [{thing}] il y a [{about}] <duration>|(c'est|tout est) {bare} il y a [{about}] <duration>
{bare} il y a [{about}] <duration>|[déjà] {bare} ce matin|ce matin {have} [déjà] {done} [{thing}]
il y a [{about}] <duration> {have} {done} [{thing}]""",
    ReplyRole.NO: "non|nan|nope|mais non|no|que non",
    ReplyRole.DROP: """
{drop} [{reminder}] [{please}|pour aujourd'hui|aujourd'hui|cette fois]
[{isnt}] (pas|plus) (besoin|nécessaire|la peine|obligé|utile) [de ça|aujourd'hui]
[je] [n'ai] (pas|plus) besoin|inutile|pas la peine|ce n'est (pas|plus) nécessaire|c'est (pas|plus) nécessaire
non nécessaire|pas nécessaire|plus nécessaire|pas besoin de ça
(arrête|arrêtez) de me [le] rappeler|oublie tout ça|c'est inutile|ça suffit|tant pis|peu importe|n'importe
c'est pas grave|ne me le rappelle (pas|plus)
ne me rappelle (pas|plus)|plus de rappel|plus la peine""",
    ReplyRole.REFUSE: """
pas aujourd'hui|pas cette fois|pas intéressé|pas intéressée|je n'en veux (pas|plus)|[je] [ne] veux pas|j'ai pas envie
je n'ai pas envie""",
    ReplyRole.LATER: """
{soon}|pas {now}|pas de suite|pas encore|non pas encore|toujours pas|pas tout à fait|pas là|plutôt {soon}|plutôt {when}
une autre fois|à plus tard pour ça|pas ce moment
[je suis] [trop|très|un peu|assez] (occupé|occupée|pris) (là|en ce moment|maintenant|pour l'instant)
[je suis] [trop|très|un peu|encore] (occupé|occupée|occupe) [{now}]
(pas le temps|[je] [n'ai] pas le temps|j'ai pas le temps) [{now}]|je (ne peux|peux) pas [{now}]|je suis en réunion
en réunion|je conduis
(attends|attendez|attend|patiente) [un (peu|moment|instant|petit peu)|une seconde|{when}|<duration>]
(attends|attendez|attend|patiente) [encore <duration>]|un (instant|moment|petit moment|petit instant) [stp|svp]
une (seconde|petite seconde)|deux secondes|minute|un peu plus|encore un peu|plus de temps|encore un (moment|instant)
(donne|donnez|laisse) moi [encore] [{about}] (<duration>|un (moment|instant|peu de temps)) [de plus|encore]
(donne|donnez|laisse) moi [encore] [{about}] (une seconde|quelques minutes|plus de temps) [de plus|encore]
[il me faut|j'ai besoin de] [encore] [{about}] (<duration>|plus de temps|quelques minutes) [de plus]
[j'ai besoin d'encore] [encore] [{about}] (<duration>|plus de temps|quelques minutes) [de plus]
[dans|encore] [quelques|deux trois] minutes
[juste|encore|encore juste] [{about}] <duration> [de plus|encore|plus tard|stp|svp|s'il te plaît]
[juste|plutôt|mais|alors|pas avant] {when} [de plus|encore|stp|svp|plutôt]
(pas encore|toujours pas) ({done}|prêt|prête) [{thing}]
[je] [ne] [l'ai|n'ai|ai|j'ai|je l'ai|c'est|ce n'est|l'a] (pas encore|toujours pas) ({done}|prêt) [{thing}]
je ne (l'ai|les ai) (pas encore|toujours pas) {done}|je [ne] suis (pas encore|toujours pas) (prêt|prête)
pas (dispo|disponible)|(c'est|c) (pas encore|toujours pas) {done}
[c'est|j'ai|je l'ai|je suis] (presque|bientôt|quasiment|à moitié) ({done}|prêt|prête)|presque
[c'est|ce sera|j'aurai|je l'aurai|sera] {done} (dans [{about}] <duration>|{soon})
[ce sera] {done} dans [{about}] <duration>|je [le|la|les] {act} [{soon}|{when}|{now}]
je vais (le|la|les) (faire|prendre) [{soon}|{when}|{now}]|j'y vais|j'arrive|je m'en occupe|en cours|je suis en train
ça vient|je le ferai|je suis dessus
(reporte|reporter|reportez|repousse|repousser|décale) [{reminder}] [à|de|pour] [{when}|{soon}|<duration>|<number>]
(décaler|retarde|retarder|remets|snooze|différer) [{reminder}] [à|de|pour] [{when}|{soon}|<duration>|<number>]
diffère [{reminder}] [à|de|pour] [{when}|{soon}|<duration>|<number>]""",
    ReplyRole.REMIND: """
(rappelle|rappelez|redemande|demande|préviens|relance) [le|la] [moi|me] [ça|le] [{again}] [{when}|{soon}] [{again}]
(réveille|reviens|avertis) [le|la] [moi|me] [ça|le] [{again}] [{when}|{soon}] [{again}]
(rappelle|rappelez) le moi [{again}] [{when}|{soon}]|(me rappeler|me le rappeler|rappeler) [{again}] [{when}|{soon}]
(à nouveau|de nouveau|encore une fois) [{when}|{soon}]|({when}|{soon}) (rappelle|rappelez) moi [ça|le]
recommence {when}""",
    ReplyRole.ASK: """
{could} [{please}] me [le] (rappeler|redemander|relancer) [ça] [{again}] [{when}|{soon}] [{again}]
(tu me [le] rappelles|me [le] rappelles tu|vous me [le] rappelez) [ça] [{again}] [{when}|{soon}] [{again}]
(je peux|puis je|est ce que je peux) avoir [encore] [{about}] <duration> [de plus]
(tu me donnes|{could} me donner) [encore] [{about}] <duration> [de plus]""",
    ReplyRole.AGO: "il y a [{about}] <duration>|à l'instant|il y a un (moment|instant)",
    ReplyRole.JOIN: "mais|et|alors que|sauf",
    ReplyRole.OTHER: """
[très|trop|plutôt] (bien|mal|à peine|à moitié|si|vite) {done}|pas du tout|ah bon|bon [,] (ben|bah|alors|bon)
(si|quand|comme si|dès que|une fois que) (c'est|j'ai|je l'ai|tout est|tout|fini|fait) [{done}]|tout à fait pas
au fait""",
    ReplyRole.MOCK: """
mais oui [,] (bien sûr|c'est ça)|[mais|oui] [,] (c'est ça|bien sûr) [,] (oui|ouais)
(oh|ah|bah|ben|haha|lol|mdr) [,] [oui] [,] (bien sûr|parfait|super|génial|bravo|bien|évidemment)""",
    ReplyRole.PARTING: "à plus|à plus tard|à bientôt|à tout à l'heure",
    ReplyRole.THANKS: "merci|merci beaucoup|merci bien|merci à toi|grand merci|mille mercis",
    ReplyRole.POLITE: """
merci (pour le|du|de ton|de votre) rappel|merci de (me le rappeler|demander)
s'il te plaît|s'il vous plaît|stp|svp|désolé|désolée|pardon|excuse moi|excusez moi
bonjour|bonsoir|bonne (nuit|journée|soirée)|salut|coucou|au revoir|ben|bah|eh bien|euh
alors|donc|mon ami|chéri|chérie|allez|en fait|finalement|moi""",
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
        Unit.HOUR: "heure|heures|h|hr",
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
        WordRole.LASTING: "pendant|durant|pendant les|durant les|au plus|au maximum|pour",
        WordRole.OF | WordRole.FROM: "de|d|du|des",
        WordRole.START: "à partir de|à partir du|à compter du|à compter de|dès|dès le|en commençant le|en commençant"
        "|à partir d",
        WordRole.TO | WordRole.AT | WordRole.ON: "au|aux",
        WordRole.TO: "jusqu'à|jusqu'au|jusque",
        WordRole.BETWEEN: "entre",
        WordRole.AND: "et|&|+|puis|ainsi que|plus",
        WordRole.LESS: "moins",
        WordRole.AROUND: "vers|environ|vers les|aux alentours de|autour de|aux environs de|à peu près à|à environ"
        "|aux alentours d|aux environs d",
        WordRole.EXCEPT: "sauf|sauf le|excepté|hormis|à part|mais pas|hors",
    },
    others={
        "avant|à l'avance|plus tôt|d'avance|auparavant": (LEAD,),
        "la veille|le jour avant|le jour d'avant": (number(1), unit(Unit.DAY), LEAD),
        "après l'avoir fait|après que c'est fait|une fois fait|après que ce soit fait|après avoir fini"
        "|après l'avoir terminé|après avoir terminé|une fois que c'est fait|après que je l'ai fait|après que c fait": (
            DONE,
        ),
        "fois": (TIMES,),
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
        "demi-heure|demi-heures|demie-heure|demie heure": (span(1800),),
        "quart d'heure|quarts d'heure|quart-d'heure": (span(900),),
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
    "|si tu peux|de nouveau|à nouveau",
    hour_marks={"h": SHORT_MARK, "heure": LONG_MARK, "heures": LONG_MARK},
    replies=ReplyWords(
        phrases=_PHRASES,
        macros=_MACROS,
        negations="non|pas|plus|ne|je|ce|toujours",
        future="dans",
        at="à",
        until="jusqu'à|jusqu'au|jusque|pas avant",
        openers="à|vers|ce|cet|cette|aujourd'hui",
        days="demain|après-demain|soir|midi|minuit",
        inner="à|vers|matin|après|midi|h|heure|heures|et|demie|quart|moins|le|la|prochain|prochaine|semaine|ce|du",
        plus="et",
        typed={"cest": "c'est", "pa": "pas", "jai": "j'ai", "ds": "dans", "tt": "tout"},
        half="demie|demi",
        more="petites|bonnes|autres",
        lengths={
            1: "une petite minute",
            15: "quart d'heure|un quart d'heure|un petit quart d'heure",
            30: "demi heure|une demi heure|d'une demi heure|demie heure|une demie heure",
            45: "trois quarts d'heure",
            60: "une petite heure",
            90: "heure et demie|une heure et demie|une heure trente",
        },
        numbers={1: "d'un|d'une"},
        units={Unit.MINUTE: "minutte"},
    ),
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
        at_most="au plus {n} fois",
        until="jusqu'au {moment}",
    ),
)
