"""How people answer a reminder in Italian."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.replies.form import ReplyRole, ReplyWords

_MACROS = {
    "done": (
        "fatto|fatta|fatti|preso|presa|presi|prese|finito|terminato|bevuto|mangiato|completato|concluso|pagato"
        "|chiamato|inviato|mandato|comprato|ingoiato|innaffiato|pulito|lavato|prenotato|consegnato|chiuso|assunto"
        "|assunta|sistemato|risolto|ingoiata|ingoiate|bevuta|mangiata|finita|pagata"
        "|(mandata|mandato|buttata|buttato) giù"
    ),
    "bare": (
        "fatto|fatta|finito|terminato|completato|concluso|preso|presa|prese|pagato|inviato|sistemato|risolto|assunto"
        "|ingoiata|ingoiato|bevuta|finita|(mandata|buttata) giù"
    ),
    "medicine": (
        "pillola|pillole|medicina|medicine|pastiglia|pastiglie|compressa|compresse|medicinale|medicinali|farmaco"
        "|farmaci|vitamina|vitamine|dose|gocce|acqua"
    ),
    "thing": "tutto|tutte|questo|quello|(la|le|il|i|mia|la mia|le mie|i miei|il mio) {medicine}",
    "have": "l'ho|ho|le ho|li ho|la ho|lo ho|io l'ho|io ho|abbiamo|l'abbiamo|me l'ho",
    "already": (
        "già|appena|proprio ora|finalmente|ora|adesso|oggi|stamattina|poco fa|col (caffè|pranzo)|con il caffè"
        "|a (colazione|pranzo|cena)"
    ),
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
    "reminder": (
        "lo|questo|quello|il promemoria|promemoria|questo promemoria|tutto|la sveglia|l'avviso"
        "|(questa|quella) [dose|{medicine}]|(quella|quello) di oggi"
    ),
    "today": "oggi|stavolta|per oggi|per stavolta|questa volta|per questa volta|stasera",
    "place": (
        "al (lavoro|volante|telefono|bar|supermercato|ristorante)"
        "|in (macchina|giro|treno|bagno|doccia|ufficio|palestra|riunione)"
        "|fuori|a (tavola|scuola|letto|cena|pranzo)|dal (medico|dottore)|sotto la doccia|sul treno|fuori casa"
    ),
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
[oggi] non [mi] (serve|servono|occorre) [più|oggi|niente|grazie]|non (è|e) [più] necessario|non (è|e) necessario
non c'è bisogno|non (ce n'è|c'è) più bisogno|non ho bisogno|non ce n'è bisogno|non fa niente|non ne ho [più] bisogno
non è il caso|non importa|fa niente
fa lo stesso|inutile|non più
lasciami (in pace|stare)|(smetti|smettila) di (ricordarmelo|ricordarmi)|non ricordarmelo [più]""",
    ReplyRole.REFUSE: """
[{today}] (la|lo|le|li) (salto|lascio) [{today}]|{today} [io] (passo|salto|niente|no|basta)
{today} non (la|lo|le|li) (prendo|faccio|voglio)|non (la|lo|le|li) prendo [{today}]
{today} (lascia stare|lascia perdere)
non oggi|oggi no|non voglio [più]
non lo voglio [più]|non mi interessa|non questa volta|questa volta no|passo|non lo faccio|non lo farò|niente da fare""",
    ReplyRole.LATER: """
{soon}|non {now}|{now} no|non ancora|ancora no|no non ancora|non proprio|non subito|meglio {soon}|meglio {when}
non ho [ancora] (avuto tempo|fatto in tempo|potuto) [ancora]|non sono [ancora] (riuscito|riuscita) [ancora]
(sono|sto) [ancora] {place} [{now}]|sto (mangiando|lavorando|dormendo|cucinando|cenando|pranzando)
quando (torno|arrivo|rientro) [a casa]|dopo (mangiato|pranzo|cena|il lavoro|la riunione|colazione|la doccia)
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
(sì|certo) [,] come no|(haha|lol) [,] va bene""",
    ReplyRole.PARTING: "a dopo|a presto|a più tardi|ci vediamo [dopo]",
    ReplyRole.THANKS: "grazie|grazie mille|molte grazie|tante grazie|grazie tante|ti ringrazio",
    ReplyRole.POLITE: """
grazie per (il promemoria|avermelo ricordato|averlo ricordato)|per favore
perfavore|per piacere|scusa|scusami|mi dispiace|prego
ciao|buongiorno|buonasera|buonanotte|buon giorno|buona (sera|notte|giornata|serata)|salve|arrivederci
beh|allora|dai|eh|ehm|ecco|amico|caro|cara|tesoro|comunque|anzi|guarda""",
}

REPLIES = ReplyWords(
    phrases=_PHRASES,
    macros=_MACROS,
    negations="non|no|ancora|ora|adesso|oggi",
    future="tra",
    at="alle",
    until="fino a|fino alle|fino all|fino al|finché|non prima delle|prima delle",
    openers="alle|a|verso|questa|questo|oggi",
    days="domani|dopodomani|stasera|stanotte|sera|pomeriggio|mezzogiorno|mezzanotte",
    inner=(
        "alle|a|verso|mattina|pomeriggio|sera|notte|e|mezza|un|quarto|di|del|della|h|ore|prossima|prossimo|settimana|le"
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
)
