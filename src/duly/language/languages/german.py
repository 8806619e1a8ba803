"""German."""

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
    LASTED,
    LEAD,
    MIDDAY,
    MIDNIGHT,
    MORNING,
    NEXT,
    NIGHT,
    NOW,
    OCLOCK,
    ONWARD,
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
    half_to,
    little,
    number,
    ordinal,
    refused,
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

_UNITS = words("null ein zwei drei vier fünf sechs sieben acht neun")
_TEENS = words("zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn")
_TENS = words("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
_WEEKDAYS = (
    "Montag|mo",
    "Dienstag|di",
    "Mittwoch|mi",
    "Donnerstag|do",
    "Freitag|fr",
    "Samstag|sonnabend|sa",
    "Sonntag|so",
)
_DAYS = [first_form(forms) for forms in _WEEKDAYS]
_STEMS = words("erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft")
_STEMS += [f"{word}t" for word in _TEENS[3:]]
_HABIT = little(WordRole.HABIT)
_NUMBERS: dict[float, str] = {
    **dict(enumerate(_UNITS + _TEENS)),
    **tens_and_units(_TENS, _UNITS, "{unit}und{ten}"),
    1: "ein|eins|eine|einer|einem|einen|eines|ne|ner|nem|nen",
    1.5: "anderthalb|eineinhalb|einundeinhalb",
    2: "zwei|zwo",
    100: "hundert|einhundert",
    **{count + 0.5: f"{_UNITS[count]}einhalb" for count in range(2, 10)},
}
_LATE_STEMS = [f"{first_form(_NUMBERS[value])}st" for value in range(20, 32)]


def _inflected(stem: str) -> str:
    return "|".join(f"{stem}{ending}" for ending in ("en", "e", "er", "es", "em"))


def _parts_of_weekdays() -> dict[str, Atoms]:
    """Make "Montagabend", and "montagabends" for each of them."""
    parts = {"morgen": MORNING, "früh": MORNING, "vormittag": MORNING, "mittag": MIDDAY, "nachmittag": AFTERNOON}
    parts |= {"abend": EVENING, "nacht": NIGHT}
    found: dict[str, Atoms] = {}
    for index, name in enumerate(_DAYS):
        for word, part in parts.items():
            found[f"{name}{word}"] = (Atom(AtomKind.WEEKDAY, index), part)
            found[f"{name}{word}s"] = (Atom(AtomKind.WEEKDAYS, (index,)), part)
    return found


_PER_WEEK = ("die Woche", "pro Woche", "in der Woche", "wöchentlich")
_TIMES = words("zwei drei vier fünf sechs sieben acht neun zehn")
LANGUAGE = Language(
    code="de",
    numbers=_NUMBERS,
    ordinals={
        **{value: _inflected(stem) for value, stem in enumerate(_STEMS + _LATE_STEMS, 1)},
        -1: _inflected("letzt"),
    },
    units={
        Unit.SECOND: "Sekunde|Sekunden|sek|sec",
        Unit.MINUTE: "Minute|Minuten|Minütchen|min|mins",
        Unit.HOUR: "Stunde|Stunden|Stündchen|Stunderl|std|stdn|h",
        Unit.DAY: "Tag|Tage|tagen|tages|tags",
        Unit.WEEK: "Woche|Wochen|wo",
        Unit.MONTH: "Monat|Monate|monaten|monats|monates",
        Unit.YEAR: "Jahr|Jahre|jahren|jahres|jahrs",
        Unit.WORKDAY: "Werktag|Werktage|werktagen|werktages|arbeitstag|arbeitstage|arbeitstagen|arbeitstages",
    },
    weekdays=_WEEKDAYS,
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
        "Januar|jänner|jan|januars",
        "Februar|feber|feb|februars",
        "März|mrz|mär",
        "April|apr",
        "Mai",
        "Juni|jun",
        "Juli|jul",
        "August|aug",
        "September|sep|sept",
        "Oktober|okt",
        "November|nov",
        "Dezember|dez",
    ),
    little={
        WordRole.AT: "um|punkt|um punkt|@",
        WordRole.ON | WordRole.THE: "am",
        WordRole.ON: "an|zum|zur|zu",
        WordRole.ON | WordRole.IN | WordRole.OF: "im",
        WordRole.IN | WordRole.ON: "in",
        WordRole.FROM | WordRole.OF: "von|vom",
        WordRole.START | WordRole.FROM: "ab|beginnend|beginnend am|startend am|ab dem|ab den",
        WordRole.TO: "bis|bis um|bis zum",
        WordRole.BETWEEN: "zwischen",
        WordRole.AND: "und|&|+|sowie|plus",
        WordRole.OF | WordRole.THE: "des",
        WordRole.THE: "der|die|das|den|dem",
        WordRole.AFTER: "nach",
        WordRole.AROUND: "gegen|etwa|ungefähr|circa|ca|etwa um|ungefähr um|circa um|ca um|um circa|um ca|um etwa"
        "|so ungefähr um",
        WordRole.LASTING: "für|für die|höchstens|maximal|max|für max|für maximal|für höchstens|insgesamt",
        WordRole.BEFORE: "vor",
        WordRole.EXCEPT: "ausgenommen|bis auf|nur nicht|aber nicht|aber nicht am|jedoch nicht",
        WordRole.EXCEPT | WordRole.INSTEAD: "außer|ausser|außer am",
        WordRole.INSTEAD: "aber|jedoch|aber am|jedoch am",
    },
    others={
        "binnen|innerhalb|innerhalb von|spätestens|bis spätestens|bis spätestens am|bis spätestens zum": (DEADLINE,),
        "vorher|davor|zuvor|früher|im Voraus|vorab|eher": (LEAD,),
        "am Tag davor|am Tag vorher|am Tag zuvor|am Vortag|tags zuvor|einen Tag vorher": (
            number(1),
            unit(Unit.DAY),
            LEAD,
        ),
        "am Vorabend": (refused("the evening before has no hour: say how long before"),),
        "nachdem es erledigt ist|nachdem ich es erledigt habe|nachdem es gemacht ist|nachdem ich es gemacht habe"
        "|nachdem es getan ist|nachdem es fertig ist|nach Erledigung|nach der Erledigung|nach dem Erledigen"
        "|nachdem ich fertig bin|nach Abschluss": (DONE,),
        "lang": (LASTED,),
        "und danach|und weiter|aufwärts|fortan": (ONWARD,),
        "einschließlich|inklusive|inkl|eingeschlossen": (INCLUDED,),
        **until_end(
            "bis|bis zum|bis zu|bis einschließlich",
            "Ende|Ende von|Ende vom",
            {
                Unit.DAY: "Tagesende",
                Unit.MONTH: "Monatsende|Monatsschluss|Ultimo",
                Unit.YEAR: "Jahresende|Jahresschluss",
            },
        ),
        "mal|x|mal insgesamt|mal in allem": (TIMES,),
        "einmal": (number(1), TIMES),
        **{f"{word}mal": (number(value), TIMES) for value, word in enumerate(_TIMES, 2)},
        **{
            f"{word}mal {each}": (number(value), TIMES, EVERY, unit(Unit.WEEK))
            for value, word in enumerate(_TIMES, 2)
            for each in _PER_WEEK
        },
        "|".join(f"{word} {each}" for word in ("mal", "x") for each in _PER_WEEK): (TIMES, EVERY, unit(Unit.WEEK)),
        **at_most("Tage Tagen Wochen Monate Monaten", "max maximal höchstens"),
        "acht Tage|acht Tagen|acht Tg": (number(1), unit(Unit.WEEK)),
        "zweimal täglich|zweimal am tag|zweimal pro tag": (number(2), PER_DAY),
        "dreimal täglich|dreimal am tag|dreimal pro tag": (number(3), PER_DAY),
        "viermal täglich|viermal am tag|viermal pro tag": (number(4), PER_DAY),
        "mal täglich|mal am tag|mal pro tag|x täglich|x am tag|x pro tag|x tgl|mal tgl": (PER_DAY,),
        **_parts_of_weekdays(),
        "morgen": (day(1),),
        "morgen|am morgen": (MORNING,),
        "alle|jede|jeder|jedes|jeden|jedem|immer|aller|eines jeden|einmal alle|einmal jede": (EVERY,),
        "immer um": (EVERY, unit(Unit.DAY), little(WordRole.AT)),
        "täglich|tagtäglich|alltäglich|einmal täglich|einmal am tag|einmal pro tag|tgl": (EVERY, unit(Unit.DAY)),
        "stündlich|einmal pro stunde|einmal stündlich|einmal in der stunde": (EVERY, unit(Unit.HOUR)),
        "minütlich": (EVERY, unit(Unit.MINUTE)),
        "halbstündlich": (EVERY, span(1800)),
        "viertelstündlich": (EVERY, span(900)),
        "zweistündlich": (EVERY, number(2), unit(Unit.HOUR)),
        "wöchentlich|einmal pro woche|einmal die woche|einmal in der woche": (EVERY, unit(Unit.WEEK)),
        "zweiwöchentlich|vierzehntäglich|vierzehntägig|14-täglich": (EVERY, number(2), unit(Unit.WEEK)),
        "monatsersten": (ordinal(1), little(WordRole.OF), unit(Unit.MONTH)),
        "monatsletzten": (ordinal(-1), unit(Unit.DAY), little(WordRole.OF), unit(Unit.MONTH)),
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
        "vormittag|am vormittag|in der fruah|morgn|früh|in der früh|in der frühe|früh morgens|frühmorgens": (MORNING,),
        "morgens|vormittags": (_HABIT, MORNING),
        "mittag|am mittag|zu mittag|mittags": (MIDDAY,),
        "nachmittag|am nachmittag": (AFTERNOON,),
        "nachmittags": (_HABIT, AFTERNOON),
        "abend|am abend": (EVENING,),
        "abends": (_HABIT, EVENING),
        "nacht|in der nacht|auf d nacht|auf die nacht": (NIGHT,),
        "nachts": (_HABIT, NIGHT),
        "mitternacht": (MIDNIGHT,),
        "uhr": (OCLOCK,),
        "halb": (half_to(30),),
        "halbe|halben|halber|halbes": (HALF,),
        "viertel": (QUARTER,),
        "drei-viertel": (THREE_QUARTERS,),
        "viertel|viertl": (half_to(45),),
        "drei-viertel|drei-viertl": (half_to(15),),
        "viertelstunde|viertelstunden|viertelstündchen|viertelstunderl": (span(900),),
        "halbstunde|halbstündchen": (span(1800),),
        "dreiviertelstunde": (span(2700),),
        "so um|so gegen": (Atom(AtomKind.VAGUE, "so may be about or Sunday: say which"),),
        "ab jetzt|von jetzt an|ab sofort": (NOW,),
        "so bald wie möglich|sobald wie möglich|so schnell wie möglich|asap"
        "|bald|später|irgendwann|demnächst|gleich|oder|einige|einigen|ein paar|paar|mehrere"
        "|mehreren|vielleicht|manchmal|gelegentlich|ab und zu|öfter|oft|regelmäßig": (VAGUE,),
    },
    glued={
        "te": (Atom(AtomKind.ORDINAL_MARK),),
        "ten": (Atom(AtomKind.ORDINAL_MARK),),
        "ter": (Atom(AtomKind.ORDINAL_MARK),),
    },
    courtesies="bitte|danke|dankeschön|bitte schön|vielen Dank|moin|hallo|servus|dann|mal|doch|wenn möglich|wenn's geht"
    "|wenns geht|wieder|erneut|passt|passt das|geht das|gell|wär super|wäre super|wär toll|wäre toll"
    "|wär nett|wäre nett",
    templates=Templates(
        conjunction="und",
        every=dict.fromkeys(Unit, ("jede {unit}", "alle {n} {units}"))
        | dict.fromkeys((Unit.DAY, Unit.MONTH), ("jeden {unit}", "alle {n} {units}")),
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
        at_most="insgesamt {n} Mal",
        until="bis zum {moment}",
    ),
)
