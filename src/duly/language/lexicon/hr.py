"""Croatian and Serbian: both standards, in every form that a time takes. Cyrillic is folded before it gets here."""

from __future__ import annotations

from duly.language.atoms import Role, Unit
from duly.language.lexicon.numerals import tens_and_units
from duly.language.lexicon.source import (
    AFTERNOON,
    EVENING,
    EVERY,
    HALF,
    MIDNIGHT,
    MORNING,
    NEXT,
    NIGHT,
    NOON,
    NOW,
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
    half_to,
    little,
    number,
    unit,
)

_UNITS = ["nula", "jedan", "dva", "tri", "četiri", "pet", "šest", "sedam", "osam", "devet"]
_TEENS = [
    "deset",
    "jedanaest",
    "dvanaest",
    "trinaest",
    "četrnaest",
    "petnaest",
    "šesnaest",
    "sedamnaest",
    "osamnaest",
    "devetnaest",
]
_TENS = ["dvadeset", "trideset", "četrdeset", "pedeset", "šezdeset", "sedamdeset", "osamdeset", "devedeset"]
_HARD = ("i", "a", "o", "e", "og", "oga", "om", "ome", "u", "im", "ih")
_SOFT = ("i", "a", "e", "eg", "ega", "em", "emu", "u", "im", "ih")


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


def _in_one() -> dict[str, Atoms]:
    """Za sat: one of a unit needs no number."""
    singular = {
        Unit.SECOND: "sekundu",
        Unit.MINUTE: "minutu|minut",
        Unit.HOUR: "sat|sat vremena|čas",
        Unit.DAY: "dan",
        Unit.WEEK: "tjedan|tjedan dana|sedmicu|sedmicu dana|nedelju dana|nedjelju dana",
        Unit.MONTH: "mjesec|mjesec dana|mesec|mesec dana",
        Unit.YEAR: "godinu|godinu dana",
    }
    return {
        "|".join(f"{word} {form}" for form in forms.split("|") for word in ("za", "kroz")): (
            little(Role.IN),
            number(1),
            unit(each),
        )
        for each, forms in singular.items()
    }


SOURCE = Source(
    code="hr",
    numbers=_NUMBERS,
    ordinals=_ordinals(),
    units={
        Unit.SECOND: "sekunda|sekunde|sekundi|sekundu|sekund|sek|sec",
        Unit.MINUTE: "minuta|minute|minuti|minutu|minut|min",
        Unit.HOUR: "sat|sata|sati|satova|sat vremena|h|čas|časa|časova|čas vremena|ura",
        Unit.DAY: "dan|dana|dani|danu|danom|dane",
        Unit.WEEK: "tjedan|tjedna|tjedana|tjedne|tjednu|tjedan dana|tj|sedmica|sedmice|sedmicu|sedmici|sedmicu dana"
        "|nedelju dana|nedjelju dana|nedelja|nedelje|nedelju|nedelji",
        Unit.MONTH: "mjesec|mjeseca|mjeseci|mjesecu|mjesece|mjesec dana|mj|mesec|meseca|meseci|mesecu|mesece"
        "|mesec dana",
        Unit.YEAR: "godina|godine|godinu|godini|godinu dana|god",
    },
    weekdays=(
        "ponedjeljak|ponedjeljka|ponedjeljku|ponedeljak|ponedeljka|ponedeljku|pon",
        "utorak|utorka|utorku|uto",
        "srijeda|srijede|srijedu|srijedi|sreda|srede|sredu|sredi|sri|sre",
        "četvrtak|četvrtka|četvrtku|čet",
        "petak|petka|petku|pet",
        "subota|subote|subotu|suboti|sub",
        "nedjelja|nedjelje|nedjelju|nedjelji|nedelja|nedelje|nedelju|nedelji|ned",
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
        "siječanj|siječnja|siječnju|sij|januar|januara|januaru|jan",
        "veljača|veljače|veljači|velj|februar|februara|februaru|feb",
        "ožujak|ožujka|ožujku|ožu|mart|marta|martu|mar",
        "travanj|travnja|travnju|trav|april|aprila|aprilu|apr",
        "svibanj|svibnja|svibnju|svi|maj|maja|maju",
        "lipanj|lipnja|lipnju|lip|jun|juna|junu|juni",
        "srpanj|srpnja|srpnju|srp|jul|jula|julu|juli",
        "kolovoz|kolovoza|kolovozu|kol|avgust|avgusta|avgustu|avg|august|augusta",
        "rujan|rujna|rujnu|ruj|septembar|septembra|septembru|sep|sept",
        "listopad|listopada|listopadu|lis|oktobar|oktobra|oktobru|okt",
        "studeni|studenog|studenoga|studenome|studenom|stu|novembar|novembra|novembru|nov",
        "prosinac|prosinca|prosincu|pro|decembar|decembra|decembru|dec",
    ),
    little={
        Role.AT | Role.ON | Role.OF: "u|@",
        Role.ON: "na|dana",
        Role.OF: "od svakog",
        Role.IN: "za|kroz|unutar",
        Role.FROM | Role.START: "od|počevši od|počev od|s početkom|sa početkom|od dana",
        Role.TO | Role.BEFORE: "do",
        Role.BETWEEN: "između",
        Role.AND | Role.PLUS: "i",
        Role.AND: "te|pa|a|&|+|kao i",
        Role.LESS: "manje",
        Role.EXCEPT: "osim|izuzev|sem|ali ne|osim u|sem u|izuzev u",
    },
    others={
        "dvaput dnevno|dvaput na dan": (number(2), PER_DAY),
        "triput dnevno|triput na dan": (number(3), PER_DAY),
        "puta dnevno|puta na dan|put dnevno|x dnevno": (PER_DAY,),
        **_in_one(),
        "svaki|svaka|svako|svake|svakog|svakoga|svaku|svakom|svakih|svakim|svakome|uvijek|uvek"
        "|jednom svaka|jednom svake|jednom svakih|jednom svaki": (EVERY,),
        "uvijek u|uvek u": (EVERY, unit(Unit.DAY), little(Role.AT)),
        "svakodnevno|dnevno|jednom dnevno|jedanput dnevno|jednom na dan|svaki božji dan": (EVERY, unit(Unit.DAY)),
        "satno|svakosatno|jednom na sat": (EVERY, unit(Unit.HOUR)),
        "tjedno|sedmično|nedeljno|nedjeljno|jednom tjedno|jednom sedmično|jednom nedeljno": (EVERY, unit(Unit.WEEK)),
        "mjesečno|mesečno|jednom mjesečno|jednom mesečno": (EVERY, unit(Unit.MONTH)),
        "tromjesečno|kvartalno|tromesečno": (EVERY, number(3), unit(Unit.MONTH)),
        "godišnje|jednom godišnje|jednom u godini": (EVERY, unit(Unit.YEAR)),
        "radnim danom|radnim danima|radnog dana|radnih dana|radne dane|radni dan|radni dani|radnim danom u tjednu"
        "|preko tjedna|tijekom tjedna|preko nedelje|tokom nedelje|preko sedmice|tokom sedmice|radnim": (WORKDAYS,),
        "vikendom|vikendima|vikend|vikenda|vikende|vikendu|za vikend|preko vikenda|tijekom vikenda|tokom vikenda": (
            WEEKEND,
        ),
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
        "popodne|popodneva|poslijepodneva|poslepodneva|poslijepodne|poslije podne|posle podne|poslepodne|po podne": (
            AFTERNOON,
        ),
        "navečer|uvečer|uveče|naveče|večer|večeri|veče|večera|predvečer|predveče": (EVENING,),
        "noću|u noći|po noći|noć|noći|u noć": (NIGHT,),
        "podne|podneva|podnevu": (NOON,),
        "ponoć|ponoći": (MIDNIGHT,),
        "točno|tačno|točno u|tačno u": (little(Role.AT),),
        "pola|pol": (half_to(30),),
        "tri četvrt|tri frtalja": (half_to(15),),
        "pola|pol|po|pol vremena|po vremena": (HALF,),
        "četvrt|četvrtina|kvarat|kvarta|frtalj|frtalja": (QUARTER,),
        "tri četvrt|tri četvrtine|tri frtalja": (THREE_QUARTERS,),
        "od sada|odsad|od sad|od ovog trenutka": (NOW,),
        "uskoro|kasnije|nekad|nekada|jednom|jednog dana|možda|par|nekoliko|ili|oko|otprilike|ponekad|često"
        "|poslije|posle"
        "|malo|negdje|negde|povremeno|redovito|redovno": (VAGUE,),
    },
    glued={"sati": (unit(Unit.HOUR),), "c": (unit(Unit.HOUR),)},
    has_articles=False,
    sunday_is_week=True,
)
