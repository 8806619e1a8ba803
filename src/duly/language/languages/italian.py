"""Italian."""

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
    refused,
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

_UNITS = words("zero uno due tre quattro cinque sei sette otto nove")
_TEENS = words("dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove")
_TENS = words("venti trenta quaranta cinquanta sessanta settanta ottanta novanta")
_ORDINALS = words("prim second terz quart quint sest settim ottav non decim")
_WEEKDAYS = (
    "lunedì|lunedi|lun",
    "martedì|mar",
    "mercoledì|mer",
    "giovedì|gio",
    "venerdì|ven",
    "sabato|sab",
    "domenica|dom",
)
_DAYS = [first_form(forms) for forms in _WEEKDAYS]


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
            Atom(AtomKind.WEEKDAY, index),
        )
    return found


LANGUAGE = Language(
    code="it",
    numbers=_numbers(),
    ordinals={
        **{value: f"{stem}o|{stem}a" for value, stem in enumerate(_ORDINALS, 1)},
        -1: "ultimo|ultima|ultimi",
    },
    units={
        Unit.SECOND: "secondo|secondi|sec",
        Unit.MINUTE: "minuto|minuti|minutino|minutini|min|mins",
        Unit.HOUR: "ora|ore|oretta|h",
        Unit.DAY: "giorno|giorni|gg",
        Unit.WEEK: "settimana|settimane|sett",
        Unit.MONTH: "mese|mesi",
        Unit.YEAR: "anno|anni",
        Unit.WORKDAY: "giorno lavorativo|giorni lavorativi|giorno feriale|giorni feriali",
    },
    weekdays=_WEEKDAYS,
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
        WordRole.AT | WordRole.TO: "alle|all|alla|alle ore|ore|@",
        WordRole.AT | WordRole.TO | WordRole.ON: "a|ad|al",
        WordRole.THE | WordRole.HABIT | WordRole.ON: "il|lo|la|i|gli|il giorno|il dì",
        WordRole.THE | WordRole.AT | WordRole.HABIT: "le",
        WordRole.THE: "l",
        WordRole.IN | WordRole.ON: "in|nel|nella|nei|nelle|negli|nello",
        WordRole.IN | WordRole.BETWEEN: "tra|fra",
        WordRole.OF | WordRole.HABIT: "di",
        WordRole.OF: "del|della|dello|dell|dei|degli|d",
        WordRole.FROM | WordRole.OF | WordRole.START: "da|dal|dalla|dalle|dall|dallo|dai|dalle ore",
        WordRole.START: "a partire da|a partire dal|a partire dalla|a partire dall|a partire dalle"
        "|a partire dalle ore|iniziando da|iniziando dal"
        "|cominciando dal",
        WordRole.TO: "fino alle|fino a|fino al|fino alla|fino ad|sino alle|sino a|sino al|sino alla"
        "|fin al|fin alle|fin alla",
        WordRole.AND | WordRole.PLUS: "e|ed",
        WordRole.AND: "&|+|più|e anche",
        WordRole.LESS | WordRole.EXCEPT: "meno",
        WordRole.EXCEPT: "escluso|esclusa|esclusi|a parte|ma non|ma non il|ma non la|fuorché",
        WordRole.EXCEPT | WordRole.INSTEAD: "tranne|eccetto|salvo|tranne il|tranne la",
        WordRole.INSTEAD: "ma",
        WordRole.ON: "durante|durante il",
        WordRole.LASTING: "durante|per|per le|per i|per le prossime|per i prossimi|al massimo|massimo|in tutto"
        "|per la durata di",
        WordRole.AROUND: "verso|verso le|verso l|verso la|circa alle|intorno alle|intorno all|attorno alle|circa",
        WordRole.AT: "h",
    },
    others={
        "entro|entro il|entro le|entro la|non oltre|non oltre il|prima di|prima del|prima delle|al più tardi": (
            DEADLINE,
        ),
        "prima|in anticipo|d'anticipo|di anticipo": (LEAD,),
        "il giorno prima|il giorno precedente": (number(1), unit(Unit.DAY), LEAD),
        "dopo averlo fatto|dopo che è fatto|dopo averla fatta|dopo aver finito|dopo che l'ho fatto|dopo averlo finito"
        "|una volta fatto|dopo che è stato fatto|dopo il completamento|dopo averlo completato": (DONE,),
        "in poi|in avanti|e oltre": (ONWARD,),
        "compreso|compresa|incluso|inclusa|inclusivo": (INCLUDED,),
        **until_end("fino a|fino alla|sino a|sino alla|fino|fin alla", "fine|fine di|fine del"),
        "volte|volte in tutto|volte in totale": (TIMES,),
        "una volta": (number(1), TIMES),
        "volte alla settimana|volte la settimana|x a settimana": (TIMES, EVERY, unit(Unit.WEEK)),
        **at_most("giorni settimane mesi", "max massimo"),
        "quindici giorni": (number(2), unit(Unit.WEEK)),
        "otto giorni": (refused("otto giorni may be a week or eight days: say una settimana or 8 giorni"),),
        "volte al giorno|x al giorno": (PER_DAY,),
        **_alternating(),
        "ogni|tutti i|tutte le|tutti|tutte|ciascun|ciascuna|sempre|una volta ogni": (EVERY,),
        "ogni altro|ogni altra": (EVERY, number(2)),
        "sempre alle": (EVERY, unit(Unit.DAY), little(WordRole.AT)),
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
        "pome|pom|pomeriggio|del pomeriggio|di pomeriggio|nel pomeriggio|al pomeriggio|pomeriggi": (AFTERNOON,),
        "sera|di sera|della sera|serata|in serata|sere|alla sera": (EVENING,),
        "notte|di notte|della notte|notti|nella notte": (NIGHT,),
        "mezzogiorno|mezzodì": (NOON,),
        "mezzanotte": (MIDNIGHT,),
        "in punto": (OCLOCK,),
        "mezza|mezzo|mezz": (HALF,),
        "quarto|un quarto": (QUARTER,),
        "tre quarti": (THREE_QUARTERS,),
        "mezzora|mezz'ora|mezza ora|mezzoretta|mezz'oretta|mezza oretta": (span(1800),),
        "quarto d'ora|quarti d'ora|quartino d'ora": (span(900),),
        "tre quarti d'ora": (span(2700),),
        "da adesso|da ora|a partire da adesso|a partire da ora": (NOW,),
        "appena possibile|il prima possibile"
        "|presto|più tardi|dopo|poi|qualche|alcuni|alcune|parecchi|forse|o|oppure|boh|più avanti"
        "|ogni tanto|a volte"
        "|prima o poi|un paio di|un po|tra poco|fra poco": (VAGUE,),
    },
    glued={"o": (ORDINAL_MARK,), "a": (ORDINAL_MARK,)},
    courtesies="per favore|per piacere|x favore|perfavore|pf|grazie|grazie mille|ciao|dai|allora|se puoi|se possibile"
    "|di nuovo|ancora|va bene|va benissimo|ti va|d'accordo",
    templates=Templates(
        conjunction="e",
        every=dict.fromkeys(Unit, ("ogni {unit}", "ogni {n} {units}")),
        habit=("il {day}", "la {day}"),
        ordinal=("il {nth}", "la {nth}"),
        last=("l'{nth}",) * 2,
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
        at_most="in tutto {n} volte",
        until="fino al {moment}",
    ),
)
