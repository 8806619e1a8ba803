"""Croatian."""

from __future__ import annotations

from duly.language.atoms import (
    AFTERNOON,
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
    ONWARD,
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
    Atoms,
    Unit,
    WordRole,
    day,
    half_to,
    little,
    number,
    refused,
    unit,
)
from duly.language.languages.form import (
    Language,
    Templates,
    at_most,
    tens_and_units,
    until_end,
    words,
)

_UNITS = words("nula jedan dva tri četiri pet šest sedam osam devet")
_TEENS = words("deset jedanaest dvanaest trinaest četrnaest petnaest šesnaest sedamnaest osamnaest devetnaest")
_TENS = words("dvadeset trideset četrdeset pedeset šezdeset sedamdeset osamdeset devedeset")
_HARD = words("i u a o e og oga om ome im ih")
_SOFT = words("i u a e eg ega em emu im ih")


def _inflected(stem: str, *, soft: bool = False) -> str:
    return "|".join(f"{stem}{ending}" for ending in (_SOFT if soft else _HARD))


def _ordinals() -> dict[int, str]:
    stems = ["prv", "drug", "treć", "četvrt", "pet", "šest", "sedm", "osm", "devet"]
    found = {value: _inflected(stem, soft=stem == "treć") for value, stem in enumerate(stems, 1)}
    for value, word in enumerate(_TEENS, 10):
        found[value] = _inflected(word)
    for ten, word in ((20, "dvadeset"), (30, "trideset")):
        found[ten] = _inflected(word)
        for value, stem in enumerate(stems[: 9 if ten == 20 else 1], 1):
            forms = _inflected(stem, soft=stem == "treć").split("|")
            found[ten + value] = "|".join(f"{word}{joint}{form}" for form in forms for joint in ("-", " i "))
    found[-1] = "|".join(_inflected(stem, soft=True) for stem in ("zadnj", "posljednj", "poslednj"))
    return found


_NUMBERS: dict[float, str] = {
    **dict(enumerate(_UNITS + _TEENS)),
    **tens_and_units(_TENS, _UNITS, "{ten}-{unit}", "{ten} i {unit}"),
    1: "jedan|jedna|jedno|jednu|jednog|jedne|jednom",
    2: "dva|dvije|dve|dvaju",
    22: "dvadeset dva|dvadeset i dva|dvadeset dvije|dvadeset dve",
    100: "sto|stotinu",
    1.5: "jedan i pol|jedan i po",
    2.5: "dva i pol|dva i po|dvije i pol|dve i po",
}


_SINGULAR = {
    Unit.SECOND: "sekundu",
    Unit.MINUTE: "minutu|minut",
    Unit.HOUR: "sat|sat vremena|čas|uru|uru vremena",
    Unit.DAY: "dan",
    Unit.WEEK: "tjedan|tjedan dana|tj dana|sedmicu|sedmicu dana|nedelju dana|nedjelju dana",
    Unit.MONTH: "mjesec|mjesec dana|mesec|mesec dana",
    Unit.YEAR: "godinu|godinu dana",
}


def _one() -> dict[str, Atoms]:
    """Make "za sat" and "sat prije": one of a unit needs no number."""
    found: dict[str, Atoms] = {}
    for each, forms in _SINGULAR.items():
        for form in forms.split("|"):
            found[f"za {form}|kroz {form}"] = (little(WordRole.IN), number(1), unit(each))
            found[f"{form} prije|{form} pre|{form} ranije"] = (number(1), unit(each), LEAD)
    return found


_EVERY_MASCULINE = ("svaki {unit}", "svaka {n} {few}", "svakih {n} {units}")
_EVERY_FEMININE = ("svaku {unit}", "svake {n} {few}", "svakih {n} {units}")

LANGUAGE = Language(
    code="hr",
    numbers=_NUMBERS,
    ordinals=_ordinals(),
    units={
        Unit.SECOND: "sekundu|sekunde|sekundi|sekunda|sekund|sek|sec",
        Unit.MINUTE: "minutu|minute|minuta|minuti|minut|min|minutica|minuticu|minutice",
        Unit.HOUR: "sat|sata|sati|satova|sat vremena|uru vremena|ura vremena|satić|h|čas|časa|časova"
        "|čas vremena|ura|uru|ure",
        Unit.DAY: "dan|dana|dana|dani|danu|danom|dane",
        Unit.WEEK: "tjedan|tjedna|tjedana|tjedne|tjednu|tjedan dana|tj|tj dana|sedmica|sedmice|sedmicu|sedmici"
        "|sedmicu dana|nedelju dana|nedjelju dana|nedelja|nedelje|nedelju|nedelji",
        Unit.MONTH: "mjesec|mjeseca|mjeseci|mjesecu|mjesece|mjesec dana|mj|mesec|meseca|meseci|mesecu|mesece"
        "|mesec dana",
        Unit.YEAR: "godina|godine|godinu|godini|godinu dana|god",
        Unit.WORKDAY: "radni dan|radna dana|radnih dana|radnog dana|radne dane",
    },
    weekdays=(
        "ponedjeljak|ponedjeljka|ponedjeljku|ponedeljak|ponedeljka|ponedeljku|pon",
        "utorak|utorka|utorku|uto",
        "srijedu|srijeda|srijede|srijedi|sreda|srede|sredu|sredi|sri|sre",
        "četvrtak|četvrtka|četvrtku|čet",
        "petak|petka|petku|pet",
        "subotu|subota|subote|suboti|sub",
        "nedjelju|nedjelja|nedjelje|nedjelji|nedelja|nedelje|nedelju|nedelji|ned",
    ),
    habits=(
        "ponedjeljkom|ponedjeljcima|ponedeljkom|ponedeljcima",
        "utorkom|utorcima",
        "srijedom|srijedama|sredom|sredama",
        "četvrtkom|četvrtcima|četvrcima",
        "petkom|petcima",
        "subotom|subotama",
        "nedjeljom|nedjeljama|nedeljom|nedeljama",
    ),
    months=(
        "siječnja|siječanj|siječnju|sij|januar|januara|januaru|jan",
        "veljače|veljača|veljači|velj|februar|februara|februaru|feb",
        "ožujka|ožujak|ožujku|ožu|mart|marta|martu|mar",
        "travnja|travanj|travnju|trav|april|aprila|aprilu|apr",
        "svibnja|svibanj|svibnju|svi|maj|maja|maju",
        "lipnja|lipanj|lipnju|lip|jun|juna|junu|juni",
        "srpnja|srpanj|srpnju|srp|jul|jula|julu|juli",
        "kolovoza|kolovoz|kolovozu|kol|avgust|avgusta|avgustu|avg|august|augusta",
        "rujna|rujan|rujnu|ruj|septembar|septembra|septembru|sep|sept",
        "listopada|listopad|listopadu|lis|oktobar|oktobra|oktobru|okt",
        "studenoga|studeni|studenog|studenome|studenom|stu|novembar|novembra|novembru|nov",
        "prosinca|prosinac|prosincu|pro|decembar|decembra|decembru|dec",
    ),
    little={
        WordRole.AT | WordRole.ON | WordRole.OF: "u|@",
        WordRole.ON: "na|dana",
        WordRole.OF: "od svakog",
        WordRole.LASTING: "tijekom|tokom|u trajanju od|najviše|kroz|ukupno",
        WordRole.IN: "za|kroz",
        WordRole.FROM | WordRole.START: "od|počevši od|počev od|s početkom|sa početkom|od dana",
        WordRole.TO | WordRole.BEFORE: "do",
        WordRole.TO: "zaključno s|zaključno sa|zaključno do|sve do",
        WordRole.BETWEEN: "između",
        WordRole.AND | WordRole.PLUS: "i",
        WordRole.AND: "te|pa|a|&|+|kao i",
        WordRole.LESS: "manje",
        WordRole.AROUND: "oko|otprilike|negdje oko|negde oko|otprilike oko|tamo oko|cca",
        WordRole.EXCEPT: "izuzev|sem|ali ne|ali ne u|sem u|izuzev u",
        WordRole.EXCEPT | WordRole.INSTEAD: "osim|osim u",
        WordRole.INSTEAD: "ali|ali u",
    },
    others={
        "prije|pre|ranije|unaprijed|unapred|prije toga|pre toga": (LEAD,),
        "nakon što je gotovo|nakon što je obavljeno|nakon što obavim|nakon što sam gotov|nakon što sam gotova"
        "|nakon što to napravim|nakon što napravim|nakon što završim|nakon obavljanja|nakon završetka"
        "|nakon što bude gotovo|pošto je gotovo|pošto završim|pošto obavim|nakon što je završeno|nakon izvršenja"
        "|nakon što uradim|pošto uradim|posle završetka": (DONE,),
        "nadalje|pa nadalje|i nadalje|dalje|pa dalje|i dalje|naovamo": (ONWARD,),
        "zaključno|uključivo|uključujući|uključno": (INCLUDED,),
        **until_end("do|sve do", "kraja|samog kraja|kraj"),
        "puta|put|x|puta ukupno|puta sveukupno": (TIMES,),
        "dvaput": (number(2), TIMES),
        "triput": (number(3), TIMES),
        "jedanput": (number(1), TIMES),
        "puta u tjednu|puta na tjedan|puta sedmično|puta nedeljno|puta nedjeljno|x tjedno": (
            TIMES,
            EVERY,
            unit(Unit.WEEK),
        ),
        **at_most("dana tjedna tjedana mjeseca mjeseci", "max maksimalno najviše"),
        "unutar|u roku od|u roku|najkasnije|najkasnije do|najkasnije u|najdalje do": (DEADLINE,),
        "osam dana": (refused("osam dana may be a week or eight days: say tjedan dana or 8 dana"),),
        "za vikend": (refused("za vikend may be this weekend or every one: name the day, or say vikendom"),),
        "petnaest dana": (refused("petnaest dana may be two weeks or fifteen days: say dva tjedna or 15 dana"),),
        "dvaput dnevno|dvaput na dan": (number(2), PER_DAY),
        "triput dnevno|triput na dan": (number(3), PER_DAY),
        "puta dnevno|puta na dan|put dnevno|x dnevno": (PER_DAY,),
        **_one(),
        "svaki|svaka|svako|svake|svakog|svakoga|svaku|svakom|svakih|svakim|svakome|uvijek|uvek"
        "|jednom svaka|jednom svake|jednom svakih|jednom svaki": (EVERY,),
        "uvijek u|uvek u": (EVERY, unit(Unit.DAY), little(WordRole.AT)),
        "svakodnevno|dnevno|jednom dnevno|jedanput dnevno|jednom na dan|svaki božji dan": (EVERY, unit(Unit.DAY)),
        "satno|svakosatno|jednom na sat": (EVERY, unit(Unit.HOUR)),
        "tjedno|sedmično|nedeljno|nedjeljno|jednom tjedno|jednom sedmično|jednom nedeljno": (EVERY, unit(Unit.WEEK)),
        "mjesečno|mesečno|jednom mjesečno|jednom mesečno": (EVERY, unit(Unit.MONTH)),
        "tromjesečno|kvartalno|tromesečno": (EVERY, number(3), unit(Unit.MONTH)),
        "godišnje|jednom godišnje|jednom u godini": (EVERY, unit(Unit.YEAR)),
        "radnim danom|radnim danima|radnog dana|radnih dana|radne dane|radni dan|radni dani|radnim danom u tjednu"
        "|preko tjedna|tijekom tjedna|preko nedelje|tokom nedelje|preko sedmice|tokom sedmice|radnim": (WORKDAYS,),
        "vikendom|vikendima|vikend|vikenda|vikende|vikendu|preko vikenda|tijekom vikenda|tokom vikenda": (WEEKEND,),
        "|".join(_inflected(stem, soft=True) for stem in ("sljedeć", "slijedeć", "sledeć", "iduć")): (NEXT,),
        _inflected("naredn"): (NEXT,),
        "ovaj|ova|ovo|ove|ovog|ovoga|ovu|ovom": (THIS,),
        "danas": (day(0),),
        "sutra": (day(1),),
        "prekosutra|preksutra": (day(2),),
        "jučer|juče|jucer|prekjučer|prekjuče|prije|pre|sinoć|jutročer|prošli|prošle|prošlog|prošlu": (PAST,),
        "jutros": (day(0), MORNING),
        "večeras": (day(0), EVENING),
        "noćas": (day(0), NIGHT),
        "ujutro|ujutru|izjutra|jutro|jutra|jutru|rano ujutro|rano ujutru|rano|prijepodne|prije podne|pre podne|prepodne"
        "|dopodne|do podne": (MORNING,),
        "poslje podne|posljepodne"
        "|popodne|popodneva|poslijepodneva|poslepodneva|poslijepodne|poslije podne|posle podne|poslepodne|po podne": (
            AFTERNOON,
        ),
        "navečer|uvečer|uveče|naveče|večer|večeri|veče|večera|predvečer|predveče": (EVENING,),
        "noću|u noći|po noći|noć|noći|u noć": (NIGHT,),
        "podne|podneva|podnevu": (NOON,),
        "ponoć|ponoći": (MIDNIGHT,),
        "točno|tačno|točno u|tačno u": (little(WordRole.AT),),
        "pola|pol": (half_to(30),),
        "tri četvrt|tri frtalja": (half_to(15),),
        "pola|pol|po|pol vremena|po vremena": (HALF,),
        "četvrt|četvrtina|kvarat|kvarta|frtalj|frtalja": (QUARTER,),
        "tri četvrt|tri četvrtine|tri frtalja": (THREE_QUARTERS,),
        "od sada|odsad|od sad|od ovog trenutka": (NOW,),
        "čim prije|što prije|čim pre|što pre"
        "|uskoro|kasnije|nekad|nekada|jednom|jednog dana|možda|par|nekoliko|ili|ponekad|često"
        "|poslije|posle"
        "|malo|negdje|negde|povremeno|redovito|redovno": (VAGUE,),
    },
    glued={"sati": (unit(Unit.HOUR),), "c": (unit(Unit.HOUR),)},
    courtesies="molim|molim te|molim vas|molim lijepo|hvala|hvala ti|hvala vam|fala|ajde|hajde|aj|ej|hej|e|bok"
    "|zdravo|ćao|ako može|ak može|ako možeš|može|onda|daj|samo|ma|brate|opet|ponovo|ponovno"
    "|važi|jel može|je l može|može li|u redu|bilo bi super",
    hour_marks={"h": SHORT_MARK, "c": SHORT_MARK, "sati": LONG_MARK, "casova": LONG_MARK},
    has_articles=False,
    sunday_is_week=True,
    templates=Templates(
        conjunction="i",
        every=dict.fromkeys(Unit, _EVERY_MASCULINE) | dict.fromkeys((Unit.SECOND, Unit.MINUTE), _EVERY_FEMININE),
        at="u {times}",
        every_day="svaki dan",
        workdays="radnim danom",
        weekend="vikendom",
        date="{day} {month} {year}.",
        yearly="svake godine {day} {month}",
        moment="u {weekday}, {date} u {time}",
        monthday="svakog {day} u mjesecu",
        last_day="zadnjeg dana u mjesecu",
        nth=("svaki {nth} {weekday} u mjesecu", "svaku {nth} {weekday} u mjesecu"),
        of_months="{day}",
        nth_of_months=("u {nth} {weekday} u mjesecu",) * 2,
        window="od {start} do {end}",
        start="počevši od {date}",
        numeral="{n}.",
        feminine=frozenset({2, 5, 6}),
        counts_few=True,
        minute_mark="u {n}. minuti",
        second_mark="u {n}. sekundi",
        only="samo {what}",
        in_months="u mjesecima {numbers}",
        now_then="sada, zatim {rest}",
        after_then="nakon {length}, zatim {rest}",
        then="{first}, zatim {rest}",
        at_most="ukupno {n} puta",
        until="do {moment}",
    ),
)
