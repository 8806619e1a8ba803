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
    LEAD,
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
    ReplyRole,
    ReplyWords,
    Templates,
    first_form,
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


_MACROS = {
    "done": (
        "fatto|fatta|fatti|preso|presa|presi|prese|finito|terminato|bevuto|mangiato|completato|concluso|pagato"
        "|chiamato|inviato|mandato|comprato|ingoiato|innaffiato|pulito|lavato|prenotato|consegnato|chiuso|assunto"
        "|assunta|sistemato|risolto"
    ),
    "bare": (
        "fatto|fatta|finito|terminato|completato|concluso|preso|presa|prese|pagato|inviato|sistemato|risolto|assunto"
    ),
    "medicine": (
        "pillola|pillole|medicina|medicine|pastiglia|pastiglie|compressa|compresse|medicinale|medicinali|farmaco"
        "|farmaci|vitamina|vitamine|dose|gocce|acqua"
    ),
    "thing": "tutto|tutte|questo|quello|(la|le|il|i|mia|la mia|le mie|i miei|il mio) {medicine}",
    "have": "l'ho|ho|le ho|li ho|la ho|lo ho|io l'ho|io ho|abbiamo|l'abbiamo|me l'ho",
    "already": "già|appena|proprio ora|finalmente|ora|adesso|oggi|stamattina|poco fa",
    "again": "ancora|di nuovo|nuovamente|un'altra volta|per favore|perfavore|per piacere|magari",
    "about": "circa|altri|altre|altra|altro|un'altra|ancora|forse|magari|solo|tipo",
    "when": "(tra|fra) [{about}] <duration>|(per|dopo|di|entro) [{about}] <duration>|<time>",
    "soon": (
        "più tardi|dopo|un po' più tardi|forse dopo|forse più tardi|magari dopo|magari più tardi|presto|subito"
        "|(tra|fra) (un po'|un po|poco|un attimo|un momento|qualche minuto|un pochino)|a breve|un'altra volta"
        "|in seguito|poi"
    ),
    "now": "ora|adesso|in questo momento|per ora|al momento|subito|per il momento",
    "could": "puoi|potresti|può|potrebbe|puoi per favore|potresti per favore",
    "reminder": "lo|questo|quello|il promemoria|promemoria|questo promemoria|tutto|la sveglia|l'avviso",
    "act": "faccio|prendo|farò|prenderò|finisco|bevo",
    "drop": (
        "annulla|annullare|annullalo|annullala|cancella|cancellare|cancellalo|stop|ferma|fermati|fermo|basta"
        "|salta|saltare|saltalo|saltala|lascia perdere|lascia|lascialo|lascialo stare|lascia stare|dimentica"
        "|dimenticalo|dimenticatene|ignora|ignorare|ignoralo|smettila|smetti|elimina|eliminare|eliminalo"
        "|lasciamo perdere|lasciamo stare|interrompi|scarta|rimuovi|togli|chiudi"
    ),
}
_PHRASES = {
    ReplyRole.YES: """
sì|sisi|certo|certamente|va bene|vabbè|va benissimo|bene|d'accordo|esatto
giusto|confermo|confermato|tutto ok|tutto bene|tutto a posto|a posto|è a posto|certo che sì|ovvio
assolutamente sì|eccome|yes
sì (certo|certamente|grazie|esatto|ok)""",
    ReplyRole.HEARD: """
[ho] capito|ricevuto|inteso|chiaro|[tutto] chiaro|[ho] preso nota|annotato|volentieri
molto bene|benissimo|ottimo|perfetto|fantastico|eccellente|bravo""",
    ReplyRole.DONE: """
[tutto|è|è tutto|è stato|ecco] {bare} [tutto]|{have} {done} [{thing}]
ho (finito|preso|bevuto|fatto|terminato|pagato|chiamato) [{thing}]|missione compiuta
[{thing}] {have} [{thing}] {done}|(la|le|il) {medicine} (presa|prese|preso)|{medicine} (presa|prese|preso)
fatto tutto|sono a posto ho {done}""",
    ReplyRole.ALREADY: """
{have} {already} {done} [{thing}] [{already}]|{have} {done} [{thing}] {already}|(già|appena) {bare}
{bare} (già|ora|adesso)
(è|e|tutto) [tutto] già {bare}|è stato già {bare}|{thing} {have} {already} {done}
{have} [{already}] {done} [{thing}] [circa] <duration> fa|[circa] <duration> fa {have} {done} [{thing}]
{bare} [circa] <duration> fa|già {bare} <duration> fa|[già] {bare} stamattina
stamattina {have} [già] {done} [{thing}]""",
    ReplyRole.NO: "no|nope|ma no|nah",
    ReplyRole.DROP: """
{drop} [{reminder}] [per favore|per oggi|oggi|questa volta|così]
non [mi] (serve|servono|occorre) [più|oggi|niente|grazie]|non (è|e) [più] necessario|non (è|e) necessario
non c'è bisogno|non (ce n'è|c'è) più bisogno|non ho bisogno|non ce n'è bisogno|non fa niente|non ne ho [più] bisogno
non è il caso|non importa|fa niente
fa lo stesso|inutile|non più
lasciami (in pace|stare)|(smetti|smettila) di (ricordarmelo|ricordarmi)|non ricordarmelo [più]""",
    ReplyRole.REFUSE: """
non oggi|oggi no|non voglio [più]
non lo voglio [più]|non mi interessa|non questa volta|questa volta no|passo|non lo faccio|non lo farò|niente da fare""",
    ReplyRole.LATER: """
{soon}|non {now}|{now} no|non ancora|ancora no|no non ancora|non proprio|non subito|meglio {soon}|meglio {when}
non posso [{now}]|{now} non posso|in un altro momento|un'altra volta
[sono] [molto|troppo|un po'|ancora] (occupato|occupata|impegnato|impegnata) [{now}]
{now} sono (occupato|occupata|impegnato|impegnata)|non ho tempo [{now}]|{now} non ho tempo|sono in riunione
in riunione|sto guidando
(aspetta|aspetti|aspettami|attendi|attenda) [un (attimo|momento|po'|po|secondo|minuto|attimino)|{when}|<duration>]
(aspetta|aspetti|aspettami|attendi|attenda) [ancora <duration>|altri <duration>]
[solo|ancora] un (attimo|momento|momentino|secondo|attimino|istante) [per favore]|attimo|ancora un (po'|po|pochino)
un po' di tempo|più tempo|ancora tempo
(dammi|datemi|lasciami) [ancora] [{about}] (<duration>|un (attimo|momento|po'|po|secondo)|più tempo) [in più|ancora]
(dammi|datemi|lasciami) [ancora] [{about}] qualche minuto [in più|ancora]
(mi serve|mi servono|ho bisogno di) [ancora] [{about}] (<duration>|più tempo|un (attimo|momento)) [in più|ancora]
(mi serve|mi servono|ho bisogno di) [ancora] [{about}] qualche minuto [in più|ancora]
[ancora|solo|tra|fra] qualche minuto
[ancora|solo|altri|altre|altra|ancora altri] [{about}] <duration> [ancora|in più|dopo|più tardi|per favore]
[solo|meglio|ma|magari|facciamo|non prima di] {when} [ancora|per favore|grazie|magari|di nuovo]
non [l'ho|ho|le ho|li ho|è|lo ho|sono] ancora {done} [{thing}]|non ancora {done}|non sono ancora (pronto|pronta)
(ancora non|non ancora) [l'ho|ho|è] {done}|non {have} {done} [{thing}] ancora|non {have} ancora {done} [{thing}]
non (ho|l'ho) {done} ancora|devo ancora (farlo|prenderlo|prenderla|finire)
[ho|l'ho|sono|è] quasi [{done}|pronto|finito|fatta]|a metà|manca poco
[{bare}|sarà {bare}|avrò finito|ho finito|finisco|sono pronto] (tra|fra) [{about}] <duration>
[lo|la|li|le] {act} ({soon}|{when}|{now}|io)|({soon}|{when}|{now}) [lo|la|li|le] {act}|[lo|la|li|le] (farò|prenderò)
lo faccio|(la|le|li) prendo|lo prendo|arrivo|ci sto lavorando|lo sto facendo|sto (finendo|arrivando|facendo)
sto per (farlo|prenderlo|prenderla)|ci penso io|ci vado
(posticipa|posticipare|posticipalo|rimanda|rimandare) [{reminder}] [di|a|per] [{when}|{soon}|<duration>|<number>]
(rimandalo|rinvia|rinviare|rinvialo|sposta|spostalo) [{reminder}] [di|a|per] [{when}|{soon}|<duration>|<number>]
(ritarda|snooze|posponi) [{reminder}] [di|a|per] [{when}|{soon}|<duration>|<number>]""",
    ReplyRole.REMIND: """
(ricordamelo|ricordami|ricordarmelo|ricordarmi|ricorda|ricordameli|avvisami) [{again}] [{when}|{soon}] [{again}]
(chiedimelo|chiedimi|richiedimelo|svegliami|richiamami|riprova|ripeti|avvertimi) [{again}] [{when}|{soon}] [{again}]
(di nuovo|nuovamente) [{when}|{soon}]
({when}|{soon}) (ricordamelo|ricordami|avvisami) [{again}]""",
    ReplyRole.ASK: """
{could} (ricordarmelo|ricordarmi|avvisarmi|richiedermelo|chiedermelo) [{again}] [{when}|{soon}] [{again}]
(mi|me lo) {could} (ricordare|avvisare|richiedere|chiedere) [{again}] [{when}|{soon}] [{again}]
(me lo ricordi|mi ricordi|mi avvisi|me lo richiedi) [{again}] [{when}|{soon}] [{again}]
(posso avere|mi dai|{could} darmi) [ancora] [{about}] <duration> [in più|ancora]""",
    ReplyRole.AGO: "[circa] <duration> fa|poco fa|un attimo fa",
    ReplyRole.JOIN: "ma|però|e|quindi",
    ReplyRole.OTHER: """
[molto|troppo|così|tutto] (ben|bene|male|mezzo|a metà) ({bare}|{done})|il fatto [è]|di fatto|prima
macché|per niente""",
    ReplyRole.MOCK: """
mah|(ah|oh|eh|haha|lol) [,] [sì] [,] (certo|certamente|ovvio|chiaro|bene|benissimo|ottimo|perfetto|super|bravo)
(sì|certo) [,] come no""",
    ReplyRole.PARTING: "a dopo|a presto|a più tardi|ci vediamo [dopo]",
    ReplyRole.THANKS: "grazie|grazie mille|molte grazie|tante grazie|grazie tante|ti ringrazio",
    ReplyRole.POLITE: """
grazie per (il promemoria|avermelo ricordato|averlo ricordato)|per favore
perfavore|per piacere|scusa|scusami|mi dispiace|prego
ciao|buongiorno|buonasera|buonanotte|buon giorno|buona (sera|notte|giornata|serata)|salve|arrivederci
beh|allora|dai|eh|ehm|ecco|amico|caro|cara|tesoro|comunque|anzi|guarda""",
}
LANGUAGE = Language(
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
        WordRole.START: "a partire da|a partire dal|a partire dalla|a partire dall|iniziando da|iniziando dal"
        "|cominciando dal",
        WordRole.TO: "fino alle|fino a|fino al|fino alla|sino alle",
        WordRole.AND | WordRole.PLUS: "e|ed",
        WordRole.AND: "&|+|più|e anche",
        WordRole.LESS | WordRole.EXCEPT: "meno",
        WordRole.EXCEPT: "tranne|eccetto|salvo|escluso|esclusa|esclusi|a parte|tranne il|tranne la|ma non|fuorché",
        WordRole.ON: "durante|durante il",
        WordRole.LASTING: "durante|per|per le|per i|per le prossime|per i prossimi|al massimo|massimo|per la durata di",
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
        "volte": (TIMES,),
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
        "mezzora|mezz'ora|mezza ora": (span(1800),),
        "quarto d'ora|quarti d'ora": (span(900),),
        "tre quarti d'ora": (span(2700),),
        "da adesso|da ora|a partire da adesso|a partire da ora": (NOW,),
        "appena possibile|il prima possibile"
        "|presto|più tardi|dopo|poi|qualche|alcuni|alcune|parecchi|forse|o|oppure|boh|più avanti"
        "|ogni tanto|a volte"
        "|prima o poi|un paio di|un po|tra poco|fra poco": (VAGUE,),
    },
    glued={"o": (ORDINAL_MARK,), "a": (ORDINAL_MARK,)},
    courtesies="per favore|per piacere|x favore|perfavore|pf|grazie|grazie mille|ciao|dai|allora|se puoi|se possibile"
    "|di nuovo|ancora",
    replies=ReplyWords(
        phrases=_PHRASES,
        macros=_MACROS,
        negations="non|no|ancora|ora|adesso|oggi",
        future="tra",
        at="alle",
        until="fino a|fino alle|fino all|fino al|finché|non prima delle|prima delle",
        openers="alle|a|verso|questa|questo|oggi",
        days="domani|dopodomani|stasera|stanotte|sera|pomeriggio|mezzogiorno|mezzanotte",
        inner=(
            "alle|a|verso|mattina|pomeriggio|sera|notte|e|mezza|un|quarto|di|del|della|h|ore|prossima|prossimo"
            "|settimana|le"
        ),
        plus="e",
        typed={"nn": "non", "xke": "perché", "piu": "più", "ke": "che"},
        half="mezza|mezzo",
        more="altri|altre|altro|altra",
        lengths={
            1: "un altro minuto",
            15: "quarto d'ora|un quarto d'ora|un altro quarto d'ora",
            30: "mezz'ora|mezz'oretta|mezza ora|una mezz'ora|un'altra mezz'ora",
            45: "tre quarti d'ora",
            60: "un'ora|un'oretta|un'altra ora",
            90: "un'ora e mezza|un'ora e mezzo|ora e mezza",
        },
        units={Unit.MINUTE: "minutini|minutino", Unit.HOUR: "oretta"},
    ),
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
        at_most="al massimo {n} volte",
        until="fino al {moment}",
    ),
)
