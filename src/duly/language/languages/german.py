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
    LASTED,
    LEAD,
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
    ReplyRole,
    ReplyWords,
    Templates,
    first_form,
    tens_and_units,
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
    1: "ein|eins|eine|einer|einem|einen|eines|ne|ner",
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


_MACROS = {
    "done": (
        "erledigt|gemacht|genommen|eingenommen|getan|getrunken|gegessen|geschluckt|geschafft|abgeschlossen"
        "|beendet|bezahlt|angerufen|gekauft|geschickt|abgeschickt|gesendet|gegossen|gefüttert|geputzt|gewaschen"
        "|gebucht|geprüft|abgehakt|abgegeben|bestellt|aufgeräumt|ausgeschaltet|abgeschlossen|vollbracht"
    ),
    "medicine": "tablette|tabletten|pille|pillen|medizin|medikament|medikamente|vitamine|tropfen|dosis|mittel",
    "thing": "es|sie|ihn|das|alles|alle|beide|[das] [ganze] zeug|(meine|die|meine ganzen|das|mein) {medicine}|s",
    "have": "hab|habe|haben|hab's|habe es|hab es|habs|habe das|hab das|hab die|hab sie|habe sie",
    "already": "schon|bereits|längst|schon längst|ja schon|doch schon",
    "just": ("gerade|grad|eben|soeben|grade|gerade eben|eben gerade|gerade schon|jetzt|nun|heute|{lately}|endlich"),
    "lately": "heute (morgen|früh|vormittag|mittag|nachmittag|abend)|vorhin",
    "sure": "[{already}] [{just}] [{already}]",
    "again": "nochmal|noch mal|noch einmal|wieder|erneut|bitte|einfach",
    "about": "ca|circa|etwa|ungefähr|so|vielleicht|nochmal|noch|weitere|weiteren|rund|gut",
    "when": "in [{about}] <duration>|nach [{about}] <duration>|für [{about}] <duration>|um <duration>|<time>",
    "soon": (
        "später|etwas später|ein bisschen später|bisschen später|nachher|gleich|bald|demnächst|sofort|danach"
        "|ein andermal|ein anderes mal|in (einem moment|ein paar minuten|kürze|einer weile|paar minuten)"
    ),
    "reminder": "es|das|sie|ihn|die erinnerung|erinnerung|diese erinnerung|den termin|mich",
    "act": "mache|mach|nehme|nehm|erledige|erledig|tue|tu|trinke",
    "drop": (
        "lösche|lösch|stoppe|stopp|beende|ignoriere|ignorier|überspringe|überspring|streiche|storniere|verwirf"
        "|vergiss|lass|lasse"
    ),
    "dropping": (
        "abbrechen|abbruch|stopp|stop|halt|aufhören|löschen|verwerfen|ignorieren|überspringen|auslassen|beenden"
        "|absagen|stornieren|storno|stoppen|ausschalten|abschalten|abstellen"
    ),
}
_PHRASES = {
    ReplyRole.YES: """
ja|jap|jep|jup|jo|joa|jawohl|jawoll|klar|na klar|aber klar|klar doch|natürlich|selbstverständlich|sicher
gut|na gut|passt|passt so|in ordnung|geht in ordnung|geht klar|einverstanden|genau|stimmt
richtig|passt schon
alles gut|alles ok|alles okay|bestätigt|bestätige|jau|jepp|jupp
ja (hab ich|habe ich|klar|doch|natürlich|genau|sicher)|doch|yes|yep""",
    ReplyRole.HEARD: """
[hab|habe] [ich] verstanden|alles klar|zur kenntnis genommen|notiert|ist notiert|vermerkt
gern|gerne|sehr gut|prima|toll|klasse|perfekt|klingt (gut|super|toll)|hört sich gut an|wunderbar""",
    ReplyRole.DONE: """
[alles|ist|jetzt|wurde] ({done}|fertig)|bin [jetzt|endlich|so weit] fertig|ich bin [jetzt|endlich] fertig
wir sind fertig|fertig damit|damit fertig
(die|meine) {medicine} (genommen|eingenommen|ist genommen|sind genommen|habe ich genommen|hab ich genommen)
{medicine} [ist|sind] (genommen|eingenommen)|done|finished""",
    ReplyRole.ALREADY: """
[ich|wir] {have} [{thing}] {sure} [{thing}] [{sure}] {done}|[das|die] {have} (ich|wir) {sure} {done}
(das|die {medicine}|alles|es) {have} (ich|wir) {sure} [{thing}] {sure} {done}
(schon|bereits|längst|schon längst|ja schon|gerade|grad|eben|soeben|gerade eben) [{thing}] [{just}] ({done}|fertig)
endlich [{thing}] [{just}] ({done}|fertig)|[schon] {lately} [schon] {done}
(ist|wurde|es ist|das ist|alles|sind) {sure} ({done}|fertig)|[ich] bin {sure} fertig
({done}|fertig) (ist es|bin ich) {sure}
[ich|das|die] [{have}] [ich|wir] [{thing}] [schon|bereits] vor [{about}] <duration> [schon|bereits] [{thing}] {done}
{done} vor [{about}] <duration>|vor [{about}] <duration> [{have} ich [{thing}]] {done}|fertig seit <duration>
seit <duration> fertig
{have} ich {sure}|habs (schon|bereits)|ich {have} {already} [{done}]|schon passiert|ist schon passiert""",
    ReplyRole.NO: "nein|nee|ne|nö|noe|nope|no|auf keinen fall|ach nein",
    ReplyRole.DROP: """
[das|ich] (brauche|brauch) [ich] [das|es|sie] [heute] (nicht|nicht mehr|keine|keine mehr)
[kannst du] [bitte] [heute] {dropping} [bitte|jetzt|heute] [bitte]
{reminder} (abbrechen|löschen|stoppen|beenden|ignorieren|überspringen|verwerfen|stornieren|absagen)
(brich|sag) [{reminder}] ab|hör [bitte] [damit] auf [damit]
{drop} [{reminder}] [bitte|sein|gut sein|bleiben|in ruhe|heute|diesmal]
vergiss (es|das) [einfach]|vergessen wir es|lass (es|das|mal|gut sein|mich in ruhe|stecken|sein)
lass (es|das) (sein|bleiben|gut sein)|[ist|schon] egal
[das|es|heute] [ist|wäre] nicht (nötig|notwendig|erforderlich|mehr nötig|mehr notwendig|gebraucht)
nicht mehr (nötig|notwendig)|unnötig|überflüssig
braucht es nicht|muss nicht sein|kein bedarf
nicht mehr [erinnern]|diesmal {dropping}|hör auf mich zu erinnern|keine erinnerung [mehr]|erinnere mich nicht [mehr]
reicht
es reicht|genug|schluss|cancel""",
    ReplyRole.REFUSE: """
nicht gewünscht|heute nicht [mehr]|nicht heute|diesmal nicht
[das|ich] (will|möchte) [ich] [das|es|sie] (nicht|nicht mehr|keine|keine mehr)
(will|möchte) ich nicht [mehr]|kein interesse|keine lust""",
    ReplyRole.LATER: """
{soon} [vielleicht]|vielleicht {soon}|[bitte] {soon} [bitte]|nicht jetzt|jetzt nicht|[jetzt] gerade nicht
jetzt gerade nicht
[jetzt] (grad|grade) nicht|im moment nicht|momentan nicht|nicht sofort|nicht gleich|jetzt noch nicht|noch nicht
nein noch nicht|noch nicht ganz|nicht ganz|noch immer nicht|immer noch nicht
[ich] [bin] [gerade|grad|noch|zu|sehr|leider|im moment|jetzt] beschäftigt
[ich habe|hab|habe] [noch|gerade|jetzt|grad|leider|im moment] keine zeit [gerade|jetzt]
[ich] kann [gerade|jetzt|grad] nicht [jetzt|gerade]|bin [gerade] unterwegs
bin [gerade] (in einem meeting|im meeting|im auto)|geht gerade nicht|geht jetzt nicht
warte [mal|kurz|bitte|noch|{when}|noch <duration>]|moment [mal|bitte|noch]|einen moment [bitte|noch]
[einen] augenblick [bitte]|sekunde|eine sekunde|kurz warten|ein bisschen noch|noch ein bisschen|bitte warten
wart [mal]
(gib|gebt) mir [bitte] [noch|{about}] (<duration>|etwas zeit|einen moment|ein paar minuten|ein bisschen|mehr zeit)
[ich] (brauche|brauch) [noch|{about}] (<duration>|etwas zeit|mehr zeit|ein bisschen|einen moment) [mehr|noch]
[ich] (brauche|brauch) [noch|{about}] (ein paar minuten|länger) [mehr|noch]|mehr zeit
[noch|in|erst|erst in|nur|nur noch|so] [{about}] [ein] paar minuten|[noch] [ein] paar minuten [noch]
[erst|dann|lieber|besser|nur|nur noch|einfach|vielleicht] {when} [bitte|nochmal|wieder|noch]
[noch|nochmal|weitere|nur|nur noch|bitte|bitte noch|erst] [{about}] <duration> [noch|mehr|später|länger|bitte]
[{have} [ich]|ich {have}|bin|ist] [{thing}] (noch nicht|immer noch nicht) [ganz|alles|{thing}] ({done}|fertig)
[ich bin|es ist] [{thing}] (noch nicht|immer noch nicht) [ganz|alles|{thing}] ({done}|fertig)
(noch nicht|immer noch nicht) {have}
[bin|ich bin|ist] (fast|beinahe|bald|gleich|so gut wie|halb) (fertig|{done}|so weit)|fast
[bin|ich bin] ({soon}|{when}) fertig|fertig {soon}|fertig in [{about}] <duration>|{done} in [{about}] <duration>
in [{about}] <duration> (fertig|{done}|bin ich fertig)|(bin|ich bin) in [{about}] <duration> fertig
[ich|das] {act} (ich|es|das|sie|die {medicine}) [dann|gleich|später|nachher|jetzt|bald|sofort|{soon}|{when}]
(ich|das) {act} [ich] [es|das|sie] [dann|gleich|später|nachher|jetzt|{soon}|{when}]
wird [{soon}|{when}] ({done}|fertig)|bin dabei|ich bin dabei|bin dran|mach ich|mache ich
werde ich [{soon}] (machen|tun|nehmen)|ich werde es [{soon}] (machen|tun|nehmen)
(verschieb|verschiebe|verschieben|schieb|schiebe) [{reminder}] [um|auf|für] [{when}|{soon}|<number>|<duration>]
(aufschieben|snooze|schlummern|vertagen|pausieren) [{reminder}] [um|auf|für] [{when}|{soon}|<number>|<duration>]
(pause|später erinnern) [{reminder}] [um|auf|für] [{when}|{soon}|<number>|<duration>]|{soon} {act} ich [{thing}]
schieb auf|auf später|auf (<time>|später) (verschieben|schieben)
<duration> (verschieben|schlummern|später|warten|pause)""",
    ReplyRole.REMIND: """
(erinnere|erinner|erinnern|frag|frage) [mich|dich|mir] [{again}] [dran|daran] [{when}|{soon}] [{again}] [dran|daran]
(melde|meld|weck|benachrichtige) [mich|dich|mir] [{again}] [dran|daran] [{when}|{soon}] [{again}] [dran|daran]
sag [mir] [{again}] ({when}|{soon}) [{again}] bescheid|sag [mir] [{again}] bescheid [{when}|{soon}]
ping [mich|dich|mir] [{again}] [dran|daran] [{when}|{soon}] [{again}] [dran|daran]
[bitte] [mich] [{when}|{soon}] [{again}] [mich] (erinnern|fragen)
(nochmal|noch mal|wieder|noch einmal) [{when}|{soon}]
{when} (nochmal|noch mal|wieder|noch einmal|erneut) [erinnern|fragen|bitte]
{soon} (nochmal|noch mal|wieder|noch einmal) [erinnern|fragen|bitte]""",
    ReplyRole.ASK: """
(kannst|könntest|würdest) du [bitte] mich [bitte] [{again}] [{when}|{soon}] [{again}] [dran|daran] erinnern
(kannst|könntest|würdest) du [bitte] (mich|mir) [bitte] [{again}] [{when}|{soon}] [{again}] (fragen|bescheid sagen)
(erinnerst|fragst) du mich [bitte] [{again}] [dran|daran] [{when}|{soon}] [{again}] [dran|daran]
(kann|könnte|darf) ich [bitte] [noch] [{about}] <duration> [mehr|noch] haben
(gibst du|kannst du) mir [bitte] [noch] [{about}] <duration> [mehr|noch] [geben]""",
    ReplyRole.AGO: "[schon|bereits] vor [{about}] <duration>|gerade eben|vorhin",
    ReplyRole.JOIN: "aber|und|doch erst|jedoch",
    ReplyRole.OTHER: """
[sehr|ganz] (gut|schön|toll|prima|super|klasse|schlecht|halb|alles gut|alles ok) ({done}|fertig)|gut so
sag [mal|es|bloß|ja|nein]|dass""",
    ReplyRole.MOCK: """
na ja|naja|ja [,] ja|(na|oh|ach|wow|haha|lol) [,] (toll|super|prima|klasse|perfekt|perfect|schön)
(oh|ach|haha|lol) [,] [ja] [,] (klar|sicher|genau|natürlich)""",
    ReplyRole.PARTING: "bis (später|dann|bald|nachher|gleich)",
    ReplyRole.THANKS: "danke|danke schön|dankeschön|vielen dank|danke dir|danke sehr|besten dank|merci",
    ReplyRole.POLITE: """
danke (für die erinnerung|fürs erinnern)|bitte|sorry|entschuldigung|tut mir leid|lieb von dir
guten (morgen|tag|abend)|gute nacht|servus|moin|grüß dich|grüezi|tschüss|ciao|na
also|mal|halt mal|ach|ach so|achso|äh|ähm|puh|eigentlich|dann|lieber|schatz|chef|schön|ach ja""",
}
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
        Unit.MINUTE: "Minute|Minuten|min|mins",
        Unit.HOUR: "Stunde|Stunden|std|stdn|h",
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
        WordRole.LASTING: "für|für die|höchstens|maximal",
        WordRole.BEFORE: "vor",
        WordRole.EXCEPT: "außer|ausser|außer am|ausgenommen|bis auf|nur nicht|aber nicht",
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
        "mal|x": (TIMES,),
        **{f"{word}mal": (number(value), TIMES) for value, word in enumerate(_TIMES, 2)},
        "acht Tage|acht Tagen|acht Tg": (number(1), unit(Unit.WEEK)),
        "zweimal täglich|zweimal am tag|zweimal pro tag": (number(2), PER_DAY),
        "dreimal täglich|dreimal am tag|dreimal pro tag": (number(3), PER_DAY),
        "viermal täglich|viermal am tag|viermal pro tag": (number(4), PER_DAY),
        "mal täglich|mal am tag|mal pro tag|x täglich|x am tag": (PER_DAY,),
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
    "|wenns geht|wieder|erneut",
    replies=ReplyWords(
        phrases=_PHRASES,
        macros=_MACROS,
        negations="nicht|nein|noch|kein|keine|heute|jetzt|das|brauche|brauch",
        future="in",
        at="um",
        until="bis zum|bis zu|bis|erst|nicht vor",
        openers="um|am|gegen|ab|heute",
        days="morgen|übermorgen|abend|mittag|nachmittag|mitternacht|abends|mittags|nachmittags",
        inner=(
            "uhr|früh|morgen|vormittag|nachmittag|nacht|um|am|gegen|halb|viertel|dreiviertel|vor|nach|nächste"
            "|nächsten|woche|h|in|der"
        ),
        plus="und",
        half="halb|halbe",
        more="weitere|weiteren|weiterer|mehr|extra",
        lengths={
            15: "viertelstunde|eine viertelstunde|einer viertelstunde|ne viertelstunde|ner viertelstunde",
            30: (
                "halbe stunde|halben stunde|halber stunde|ne halbe stunde|eine halbe stunde|einer halben stunde"
                "|ner halben stunde|ner halbe stunde|der halben stunde|der halbe stunde|weitere halben stunde"
                "|weitere halbe stunde|halbstunde"
            ),
            45: "dreiviertelstunde|eine dreiviertelstunde|einer dreiviertelstunde",
        },
        numbers={1: "nen"},
        typed={"is": "ist", "nich": "nicht", "net": "nicht", "ned": "nicht", "nit": "nicht", "nixmehr": "nicht"},
        units={Unit.MINUTE: "minütchen", Unit.HOUR: "stündchen"},
    ),
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
        at_most="höchstens {n} Mal",
        until="bis zum {moment}",
    ),
)
