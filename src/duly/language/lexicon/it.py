"""Italian."""

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

_UNITS = ["zero", "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove"]
_TEENS = [
    "dieci",
    "undici",
    "dodici",
    "tredici",
    "quattordici",
    "quindici",
    "sedici",
    "diciassette",
    "diciotto",
    "diciannove",
]
_TENS = ["venti", "trenta", "quaranta", "cinquanta", "sessanta", "settanta", "ottanta", "novanta"]
_ORDINALS = ["prim", "second", "terz", "quart", "quint", "sest", "settim", "ottav", "non", "decim"]
_DAYS = ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica")


def _numbers() -> dict[float, str]:
    found: dict[float, str] = dict(enumerate(_UNITS + _TEENS))
    for index, ten in enumerate(_TENS, 2):
        found[index * 10] = ten
        for value, word in enumerate(_UNITS[1:], 1):
            stem = ten[:-1] if word[0] in "uo" else ten  # ventuno, ventotto
            found[index * 10 + value] = f"{stem}{'tré' if value == 3 else word}"
        found[index * 10 + 1] += f"|{ten[:-1]}un"
    found[1] = "un|uno|una"
    found[100] = "cento"
    return found


def _alternating() -> dict[str, Atoms]:
    found: dict[str, Atoms] = {}
    for index, name in enumerate(_DAYS):
        one, other = ("una", "una") if name == "domenica" else ("un", "uno")
        found[f"{one} {name} sì e {other} no|{one} {name} sì, {other} no|a {name} alterni|{one} {name} su due"] = (
            EVERY,
            number(2),
            Atom(Kind.WEEKDAY, index),
        )
    return found


SOURCE = Source(
    code="it",
    numbers=_numbers(),
    ordinals={
        **{value: f"{stem}o|{stem}a" for value, stem in enumerate(_ORDINALS, 1)},
        -1: "ultimo|ultima|ultimi",
    },
    units={
        Unit.SECOND: "secondo|secondi|sec",
        Unit.MINUTE: "minuto|minuti|min|mins",
        Unit.HOUR: "ora|ore|h",
        Unit.DAY: "giorno|giorni|gg",
        Unit.WEEK: "settimana|settimane|sett",
        Unit.MONTH: "mese|mesi",
        Unit.YEAR: "anno|anni",
    },
    weekdays=(
        "lunedì|lunedi|lun",
        "martedì|mar",
        "mercoledì|mer",
        "giovedì|gio",
        "venerdì|ven",
        "sabato|sab",
        "domenica|dom",
    ),
    habits=("", "", "", "", "", "sabati", "domeniche"),
    months=(
        "gennaio|gen",
        "febbraio|feb",
        "marzo|mar",
        "aprile|apr",
        "maggio|mag",
        "giugno|giu",
        "luglio|lug",
        "agosto|ago",
        "settembre|set|sett",
        "ottobre|ott",
        "novembre|nov",
        "dicembre|dic",
    ),
    little={
        Role.AT | Role.TO: "alle|all|alla|alle ore|ore|@",
        Role.AT | Role.TO | Role.ON: "a|ad|al",
        Role.THE | Role.HABIT | Role.ON: "il|lo|la|i|gli|il giorno|il dì",
        Role.THE | Role.AT | Role.HABIT: "le",
        Role.THE: "l",
        Role.IN | Role.ON: "in|nel|nella|nei|nelle|negli|nello",
        Role.IN | Role.BETWEEN: "tra|fra",
        Role.OF | Role.HABIT: "di",
        Role.OF: "del|della|dello|dell|dei|degli|d",
        Role.FROM | Role.OF | Role.START: "da|dal|dalla|dalle|dall|dallo|dai|dalle ore",
        Role.START: "a partire da|a partire dal|a partire dalla|a partire dall|iniziando da|iniziando dal"
        "|cominciando dal",
        Role.TO: "fino alle|fino a|fino al|fino alla|sino alle",
        Role.AND | Role.PLUS: "e|ed",
        Role.AND: "&|+|più|e anche",
        Role.LESS | Role.EXCEPT: "meno",
        Role.EXCEPT: "tranne|eccetto|salvo|escluso|esclusa|esclusi|a parte|tranne il|tranne la|ma non|fuorché",
        Role.ON: "durante|durante il",
    },
    others={
        "volte al giorno|x al giorno": (PER_DAY,),
        **_alternating(),
        "ogni|tutti i|tutte le|tutti|tutte|ciascun|ciascuna|sempre|una volta ogni": (EVERY,),
        "ogni altro|ogni altra": (EVERY, number(2)),
        "sempre alle": (EVERY, unit(Unit.DAY), little(Role.AT)),
        "quotidianamente|giornalmente|giornaliero|una volta al giorno|al giorno": (EVERY, unit(Unit.DAY)),
        "una volta all'ora|una volta l'ora|all'ora": (EVERY, unit(Unit.HOUR)),
        "settimanalmente|settimanale|una volta alla settimana|una volta a settimana|a settimana": (
            EVERY,
            unit(Unit.WEEK),
        ),
        "a settimane alterne|una settimana sì e una no": (EVERY, number(2), unit(Unit.WEEK)),
        "mensilmente|mensile|una volta al mese": (EVERY, unit(Unit.MONTH)),
        "trimestralmente|ogni trimestre": (EVERY, number(3), unit(Unit.MONTH)),
        "annualmente|una volta all'anno": (EVERY, unit(Unit.YEAR)),
        "a giorni alterni|un giorno sì e uno no|un giorno sì, uno no": (EVERY, number(2), unit(Unit.DAY)),
        "giorni feriali|giorno feriale|feriali|nei feriali|giorni lavorativi|giorno lavorativo|nei giorni feriali"
        "|giorni di lavoro|nei giorni lavorativi|durante la settimana|in settimana|i giorni feriali"
        "|i giorni lavorativi": (WORKDAYS,),
        "week-end|fine settimana|finesettimana|i week-end|nei week-end|il week-end|il fine settimana|nel fine settimana"
        "|nei fine settimana": (WEEKEND,),
        "prossimo|prossima|prossimi|seguente": (NEXT,),
        "che viene|entrante|venturo|ventura": (COMING,),
        "a otto": (further(7),),
        "a quindici": (further(14),),
        "questo|questa|questi|quest": (THIS,),
        "oggi": (day(0),),
        "domani": (day(1),),
        "dopodomani|dopo domani": (day(2),),
        "ieri|l'altro ieri|altroieri|fa|scorso|scorsa": (PAST,),
        "stasera|sta sera": (day(0), EVENING),
        "stamattina|stamani|stamane": (day(0), MORNING),
        "stanotte": (day(0), NIGHT),
        "domattina": (day(1), MORNING),
        "domani sera": (day(1), EVENING),
        "mattina|mattino|di mattina|del mattino|della mattina|mattinata|in mattinata|al mattino|mattine"
        "|presto la mattina"
        "|di prima mattina|di buon mattino": (MORNING,),
        "pomeriggio|del pomeriggio|di pomeriggio|nel pomeriggio|al pomeriggio|pomeriggi": (AFTERNOON,),
        "sera|di sera|della sera|serata|in serata|sere|alla sera": (EVENING,),
        "notte|di notte|della notte|notti|nella notte": (NIGHT,),
        "mezzogiorno|mezzodì": (NOON,),
        "mezzanotte": (MIDNIGHT,),
        "in punto": (OCLOCK,),
        "mezza|mezzo|mezz": (HALF,),
        "quarto|un quarto": (QUARTER,),
        "tre quarti": (THREE_QUARTERS,),
        "mezzora|mezz'ora|mezza ora": (span(1800),),
        "quarto d'ora|quarti d'ora": (span(900),),
        "tre quarti d'ora": (span(2700),),
        "da adesso|da ora|a partire da adesso|a partire da ora": (NOW,),
        "presto|più tardi|dopo|poi|qualche|alcuni|alcune|parecchi|forse|circa|verso|o|oppure"
        "|ogni tanto|a volte"
        "|prima o poi|un paio di|un po|tra poco|fra poco": (VAGUE,),
    },
    glued={"o": (ORDINAL_MARK,), "a": (ORDINAL_MARK,)},
)
