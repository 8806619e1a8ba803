"""German."""

from __future__ import annotations

from duly.language.atoms import Atom, Kind, Role, Unit
from duly.language.lexicon.numerals import tens_and_units
from duly.language.lexicon.source import (
    AFTERNOON,
    COMING,
    EVENING,
    EVERY,
    HALF,
    MIDDAY,
    MIDNIGHT,
    MORNING,
    NEXT,
    NIGHT,
    NOW,
    OCLOCK,
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
    half_to,
    little,
    number,
    ordinal,
    span,
    unit,
)

_UNITS = ["null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]
_TEENS = ["zehn", "elf", "zwölf", "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"]
_TENS = ["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]
_DAYS = ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag")
_STEMS = ["erst", "zweit", "dritt", "viert", "fünft", "sechst", "siebt", "acht", "neunt", "zehnt", "elft", "zwölft"]
_STEMS += [f"{word}t" for word in _TEENS[3:]]
_HABIT = little(Role.HABIT)

_NUMBERS: dict[float, str] = {
    **dict(enumerate(_UNITS + _TEENS)),
    **tens_and_units(_TENS, _UNITS, "{unit}und{ten}"),
    1: "ein|eins|eine|einer|einem|einen|eines|ne|ner",
    1.5: "anderthalb|eineinhalb",
    2: "zwei|zwo",
    100: "hundert|einhundert",
    **{count + 0.5: f"{_UNITS[count]}einhalb" for count in range(2, 10)},
}
_LATE_STEMS = [f"{_NUMBERS[value].split('|', maxsplit=1)[0]}st" for value in range(20, 32)]


def _inflected(stem: str) -> str:
    return "|".join(f"{stem}{ending}" for ending in ("e", "en", "er", "es", "em"))


def _parts_of_weekdays() -> dict[str, Atoms]:
    """Montagabend, and montagabends for each of them."""
    parts = {"morgen": MORNING, "früh": MORNING, "vormittag": MORNING, "mittag": MIDDAY, "nachmittag": AFTERNOON}
    parts |= {"abend": EVENING, "nacht": NIGHT}
    found: dict[str, Atoms] = {}
    for index, name in enumerate(_DAYS):
        for word, part in parts.items():
            found[f"{name}{word}"] = (Atom(Kind.WEEKDAY, index), part)
            found[f"{name}{word}s"] = (Atom(Kind.WEEKDAYS, (index,)), part)
    return found


SOURCE = Source(
    code="de",
    numbers=_NUMBERS,
    ordinals={
        **{value: _inflected(stem) for value, stem in enumerate(_STEMS + _LATE_STEMS, 1)},
        -1: _inflected("letzt"),
    },
    units={
        Unit.SECOND: "sekunde|sekunden|sek|sec",
        Unit.MINUTE: "minute|minuten|min|mins",
        Unit.HOUR: "stunde|stunden|std|stdn|h",
        Unit.DAY: "tag|tage|tagen|tages|tags",
        Unit.WEEK: "woche|wochen|wo",
        Unit.MONTH: "monat|monate|monaten|monats|monates",
        Unit.YEAR: "jahr|jahre|jahren|jahres|jahrs",
    },
    weekdays=(
        "montag|mo",
        "dienstag|di",
        "mittwoch|mi",
        "donnerstag|do",
        "freitag|fr",
        "samstag|sonnabend|sa",
        "sonntag|so",
    ),
    habits=(
        "montags|montage|montagen",
        "dienstags|dienstage|dienstagen",
        "mittwochs|mittwoche",
        "donnerstags|donnerstage|donnerstagen",
        "freitags|freitage|freitagen",
        "samstags|sonnabends|samstage|samstagen",
        "sonntags|sonntage|sonntagen",
    ),
    months=(
        "januar|jänner|jan|januars",
        "februar|feber|feb|februars",
        "märz|mrz|mär",
        "april|apr",
        "mai",
        "juni|jun",
        "juli|jul",
        "august|aug",
        "september|sep|sept",
        "oktober|okt",
        "november|nov",
        "dezember|dez",
    ),
    little={
        Role.AT: "um|punkt|um punkt|@",
        Role.ON | Role.THE: "am",
        Role.ON: "an|zum|zur|zu",
        Role.ON | Role.IN | Role.OF: "im",
        Role.IN | Role.ON: "in",
        Role.IN: "binnen",
        Role.FROM | Role.OF: "von|vom",
        Role.START | Role.FROM: "ab|beginnend|beginnend am|startend am|ab dem|ab den",
        Role.TO: "bis|bis um|bis zum",
        Role.BETWEEN: "zwischen",
        Role.AND: "und|&|+|sowie|plus",
        Role.OF | Role.THE: "des",
        Role.THE: "der|die|das|den|dem",
        Role.AFTER: "nach",
        Role.BEFORE: "vor",
        Role.EXCEPT: "außer|ausser|außer am|ausgenommen|bis auf|nur nicht|aber nicht",
    },
    others={
        "zweimal täglich|zweimal am tag|zweimal pro tag": (number(2), PER_DAY),
        "dreimal täglich|dreimal am tag|dreimal pro tag": (number(3), PER_DAY),
        "viermal täglich|viermal am tag|viermal pro tag": (number(4), PER_DAY),
        "mal täglich|mal am tag|mal pro tag|x täglich|x am tag": (PER_DAY,),
        **_parts_of_weekdays(),
        "morgen": (day(1),),
        "morgen|am morgen": (MORNING,),
        "alle|jede|jeder|jedes|jeden|jedem|immer|aller|eines jeden|einmal alle|einmal jede": (EVERY,),
        "immer um": (EVERY, unit(Unit.DAY), little(Role.AT)),
        "täglich|tagtäglich|alltäglich|einmal täglich|einmal am tag|einmal pro tag|tgl": (EVERY, unit(Unit.DAY)),
        "stündlich|einmal pro stunde|einmal stündlich|einmal in der stunde": (EVERY, unit(Unit.HOUR)),
        "minütlich": (EVERY, unit(Unit.MINUTE)),
        "halbstündlich": (EVERY, span(1800)),
        "viertelstündlich": (EVERY, span(900)),
        "zweistündlich": (EVERY, number(2), unit(Unit.HOUR)),
        "wöchentlich|einmal pro woche|einmal die woche|einmal in der woche": (EVERY, unit(Unit.WEEK)),
        "zweiwöchentlich|vierzehntäglich|vierzehntägig|14-täglich": (EVERY, number(2), unit(Unit.WEEK)),
        "monatsersten": (ordinal(1), little(Role.OF), unit(Unit.MONTH)),
        "monatsletzten": (ordinal(-1), unit(Unit.DAY), little(Role.OF), unit(Unit.MONTH)),
        "monatlich|einmal im monat|einmal pro monat": (EVERY, unit(Unit.MONTH)),
        "vierteljährlich|quartalsweise": (EVERY, number(3), unit(Unit.MONTH)),
        "jährlich|alljährlich|einmal im jahr|einmal pro jahr": (EVERY, unit(Unit.YEAR)),
        "werktags|wochentags|werktag|werktage|werktagen|wochentag|wochentage|wochentagen|arbeitstag|arbeitstage"
        "|arbeitstagen|arbeitstags|unter der woche|während der woche|in der woche": (WORKDAYS,),
        "wochenende|wochenenden|wochenends|am wochenende|an wochenenden|we": (WEEKEND,),
        _inflected("nächst") + "|" + _inflected("folgend"): (NEXT,),
        _inflected("übernächst"): (further(7), NEXT),
        _inflected("kommend"): (COMING,),
        "diese|diesen|dieser|dieses|diesem": (THIS,),
        "heute|heut": (day(0),),
        "übermorgen": (day(2),),
        "überübermorgen": (day(3),),
        "gestern|vorgestern|vorhin|letzte woche|letzten monat": (PAST,),
        "vormittag|am vormittag|früh|in der früh|in der frühe|früh morgens|frühmorgens": (MORNING,),
        "morgens|vormittags": (_HABIT, MORNING),
        "mittag|am mittag|zu mittag|mittags": (MIDDAY,),
        "nachmittag|am nachmittag": (AFTERNOON,),
        "nachmittags": (_HABIT, AFTERNOON),
        "abend|am abend": (EVENING,),
        "abends": (_HABIT, EVENING),
        "nacht|in der nacht": (NIGHT,),
        "nachts": (_HABIT, NIGHT),
        "mitternacht": (MIDNIGHT,),
        "uhr": (OCLOCK,),
        "halb": (half_to(30),),
        "halbe|halben|halber|halbes": (HALF,),
        "viertel": (QUARTER,),
        "drei-viertel": (THREE_QUARTERS,),
        "viertel|viertl": (half_to(45),),
        "drei-viertel|drei-viertl": (half_to(15),),
        "viertelstunde|viertelstunden": (span(900),),
        "halbstunde": (span(1800),),
        "dreiviertelstunde": (span(2700),),
        "so um|so gegen": (Atom(Kind.VAGUE, "so may be about or Sunday: say which"),),
        "ab jetzt|von jetzt an|ab sofort": (NOW,),
        "bald|später|irgendwann|demnächst|gleich|oder|ungefähr|etwa|circa|ca|gegen|einige|einigen|ein paar|paar|mehrere"
        "|mehreren|vielleicht|manchmal|gelegentlich|ab und zu|öfter|oft|regelmäßig": (VAGUE,),
    },
    glued={"te": (Atom(Kind.ORDINAL_MARK),), "ten": (Atom(Kind.ORDINAL_MARK),), "ter": (Atom(Kind.ORDINAL_MARK),)},
)
