"""How people answer a reminder in Italian."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.languages.form import words
from duly.language.replies.form import ReplyRole, ReplyWords

_STEMS = words(
    "chiamat inviat mandat spedit comprat annaffiat innaffiat pulit lavat buttat portat consegnat firmat compilat "
    "prenotat "
    "ordinat ritirat restituit rinnovat misurat sistemat ingoiat bevut mangiat pagat finit terminat completat stampat "
    "svuotat stirat cucinat pigliat eseguit effettuat caricat versat imbucat controllat sbrigat sciolt"
)
_PAST = "|".join(stem + ending for stem in _STEMS for ending in "oaie")
_MACROS = {
    "done": (
        "fatte|scritto|telefonato|risposto|sentita|sentito|spento|spenta|spenti|messo|messa|messe|messi|dato|data|detto"
        "|provveduto|dato da mangiare|dato l'acqua|chiusa|steso|stesa|stesi|stese|risolta|(portato|portata) (giù|fuori)"
        f"|{_PAST}|fatto|fatta|fatti|preso|presa|presi|prese|finito|terminato|bevuto|mangiato|completato|concluso"
        "|pagato"
        "|chiamato|inviato|mandato|comprato|ingoiato|innaffiato|pulito|lavato|prenotato|consegnato|chiuso|assunto"
        "|assunta|sistemato|risolto|ingoiata|ingoiate|bevuta|mangiata|finita|pagata"
        "|(mandata|mandato|buttata|buttato) giù"
    ),
    "bare": (
        f"fatte|fatti|presi|{_PAST}|spento|spenta|risposto|messa|messe|provveduto"
        "|(portato|portata|portati|portate) fuori|portata giù|risolta"
        "|fatto|fatta|finito|terminato|completato|concluso|preso|presa|prese|pagato|inviato|sistemato|risolto|assunto"
        "|ingoiata|ingoiato|bevuta|finita|(mandata|buttata) giù|steso|stesa|stesi|stese|telefonato"
        "|(chiuso|chiusa) a chiave"
    ),
    "medicine": (
        "pillola|pillole|medicina|medicine|pastiglia|pastiglie|compressa|compresse|medicinale|medicinali|farmaco"
        "|farmaci|sciroppo|iniezione|puntura|vitamina|vitamine|dose|gocce|acqua"
    ),
    "thing": (
        "tutto|tutti|tutte|tutte e due|entrambe|entrambi|tutti e due|questo|quello|(la|le|il|i|mia|la mia|le mie"
        "|i miei|il mio) {medicine}"
    ),
    "have": (
        "l'ho|l ho|lho|l'o|gli ho|gliel'ho|glielo ho|ho|le ho|li ho|la ho|lo ho|io l'ho|io ho|abbiamo|l'abbiamo|me l'ho"
    ),
    "already": (
        "già|prima|ora ora|giusto ora|or ora|da un pezzo|già da un pezzo|mo|appena|proprio (ora"
        "|adesso)|finalmente|ora|adesso|oggi|stamattina|poco fa|col (caffè|pranzo)|con il caffè"
        "|a (colazione|pranzo|cena)"
    ),
    "lately": "stamattina|stamani|oggi|prima di uscire|appena sveglio|appena sveglia|in orario|prima",
    "meal": (
        "(col|con il|con la|con|a|dopo|dopo la|dopo il|prima di|durante) "
        "(caffè|pranzo|colazione|cena|acqua|latte|succo|mangiato|pasto)"
    ),
    "again": "ancora|di nuovo|nuovamente|un'altra volta|per favore|perfavore|per piacere|magari",
    "about": "circa|altri|altre|altra|altro|un'altra|ancora|forse|magari|solo|tipo",
    "when": "(tra|fra) [{about}] (<duration>|<number>) [circa]|(per|dopo|di|entro) [{about}] <duration>|<time>",
    "soon": (
        "più tardi|dopo|un po' più tardi|forse dopo|forse più tardi|magari dopo|magari più tardi|presto|subito"
        "|(tra|fra) (un po'|un po|poco|un attimo|un attimino|un momento|qualche minuto|un pochino"
        "|pochissimo|pochino)|a breve"
        "|un'altra volta"
        "|in seguito|poi"
    ),
    "now": "ora|adesso|in questo momento|per ora|al momento|subito|per il momento",
    "could": "puoi|potresti|può|potrebbe|puoi per favore|potresti per favore",
    "reason": (
        "(è|e) [stato|stata] (annullato|annullata|cancellato|cancellata)|sono (malato|malata|raffreddato|raffreddata)"
        "|(la lezione|il corso|la riunione) (è|e) [stato|stata] (annullato|annullata)|ho la febbre|hanno annullato"
    ),
    "means": (
        "online|in contanti|col (telefono|telefonino|cellulare|bancomat)|con (il|la|l'|un) (telefono|cellulare"
        "|carta|app)"
        "|con (carta|bonifico|l'app)|con il bancomat"
    ),
    "reminder": (
        "lo|questo|quello|il promemoria|promemoria|questo promemoria|tutto|la sveglia|l'avviso"
        "|(questa|quella) [dose|{medicine}]|(quella|quello) di oggi"
    ),
    "today": "oggi|per stasera|stavolta|per oggi|per stavolta|questa volta|per questa volta|stasera",
    "place": (
        "al (lavoro|volante|telefono|bar|supermercato|ristorante)"
        "|in (call|chiamata|fila|coda|autobus|vacanza|macchina|giro|treno|bagno|doccia|ufficio|palestra|riunione)"
        "|alla guida|alla posta|sull'autobus|a lavoro|fuori|a (tavola|scuola|letto|cena|pranzo)|dal (medico|dottore)"
        "|sotto la doccia|sul treno|fuori casa"
    ),
    "act": "faccio|prendo|farò|prenderò|finisco|bevo",
    "drop": (
        "annulla|annullare|annullalo|annullala|cancella|cancellare|cancellalo|stop|ferma|fermati|fermo|basta"
        "|salta|saltare|saltalo|saltala|lascia perdere|lascia|lascialo|lascialo stare|lascia stare|dimentica"
        "|dimenticalo|dimenticatene|ignora|ignorare|ignoralo|smettila|smetti|elimina|eliminare|eliminalo"
        "|lasciamo perdere|lasciamo stare|toglilo|scordatelo|scordatene|evita|evitiamo|skippa|skippala|disdici"
        "|lassa sta|lassa perde|lascia fa|interrompi|scarta|rimuovi|togli|chiudi"
    ),
}
_PHRASES = {
    ReplyRole.YES: """
sì|sisi|sep|sè|ovviamente|assolutamente|eh sì|apposto|tutto apposto|eh già|sì già|certo|certamente|va bene|vabbè
va benissimo|bene|d'accordo|esatto
giusto|confermo|confermato|tutto ok|tutto bene|tutto a posto|a posto|è a posto|certo che sì|ovvio
assolutamente sì|eccome|yes
sì (certo|certamente|grazie|esatto|ok)""",
    ReplyRole.HEARD: """
[ho] capito|ricevuto|inteso|chiaro|[tutto] chiaro|[ho] preso nota|annotato|volentieri
molto bene|benissimo|ottimo|perfetto|fantastico|eccellente|bravo""",
    ReplyRole.DONE: """
[tutto|è|è tutto|è stato|ecco|sono|finalmente|tutti|tutte|mo] {bare} [tutto|tutte|tutti|entrambe|entrambi|{already}]
(già|già da un pezzo|da un pezzo)
certo che {have} {done}|{medicine} (fatta|fatte|messe|messa|prese|presa|preso)|ce l'ho fatta|ci sono riuscito
ci sono riuscita|poco fa
ci sono andato|ci sono andata|sono andato|sono andata|(proprio|giusto) (ora|adesso)|ora ora
(già|già da) (stamattina)|{bare} da un pezzo
{have} [{already}] {done} [{thing}] (alle|verso le) <clock>|{bare} alle <clock>|alle <clock> {have} {done}
{already} {bare}
{bare} (col|con il|con|a) (caffè|pranzo|colazione|cena|acqua|latte)
{have} {done} [{thing}] (col|con il|con|a) (pranzo|colazione|cena|acqua|latte)|{have} {done} [{thing}]
ho (finito|preso|bevuto|fatto|terminato|pagato|chiamato) [{thing}]|missione compiuta
[{thing}] {have} [{thing}] {done}|(la|le|il) {medicine} (presa|prese|preso)|{medicine} (presa|prese|preso)
fatto tutto|sono a posto ho {done}
già data|è (già stata|già stato|stata) {bare}|sono (già state|già stati|state|stati) {bare}|{bare} tutte e due
{bare} tutti e due
{bare} appena ora|eccolo {bare}|{bare} con l'acqua
{have} {done} (entrambe|entrambi|tutte e due) [le|i] {medicine}|l'ho (sentito|sentita) al telefono
per oggi {bare}|le ho date|li ho dati""",
    ReplyRole.ALREADY: """
{have} {already} {done} [{thing}] [{already}]|{have} {done} [{thing}] {already}|(già|appena) {bare}
{bare} (già|ora|adesso)
(pagato|pagata|pagati|pagate|comprato|comprata|ordinato|ordinata|prenotato|prenotata) {means}
(è|e|tutto) [tutto] già {bare}|è stato già {bare}|{thing} {have} {already} {done}
{have} [{already}] {done} [{thing}] [circa] <duration> fa|[circa] <duration> fa {have} {done} [{thing}]
{bare} [circa] <duration> fa|già {bare} <duration> fa|[già] {bare} stamattina
stamattina {have} [già] {done} [{thing}]""",
    ReplyRole.NO: "no|nope|ma no|nah|nono",
    ReplyRole.DENY: """
non {have} {done} [{thing}]|non (è|sono) [stato|stata] {bare}|non {bare}|ancora (nulla|niente)|non ce l'ho fatta""",
    ReplyRole.DROP: """
{drop} [{reminder}] [per favore|per oggi|oggi|questa volta|così]
[oggi] non [mi] (serve|servono|occorre) [più|oggi|niente|grazie]|non (è|e) [più] necessario|non (è|e) necessario
non c'è bisogno|non (ce n'è|c'è) più bisogno|non ho bisogno|non ce n'è bisogno|non fa niente|non ne ho [più] bisogno
non è il caso|non importa|fa niente
fa lo stesso|inutile|non più
lasciami (in pace|stare)|(smetti|smettila) di (ricordarmelo|ricordarmi)|non ricordarmelo [più]
(chissenefrega|chi se ne frega|pazienza|amen)|è inutile|non più necessario|non (è|e) [più] necessaria [oggi]
non me lo ricordare [più]
meglio di no|niente promemoria|niente {medicine} {today}|niente {today}
non voglio più promemoria|(lascio) (stare|perdere)
smettila con (questo|questi promemoria)
no (lascia stare|lascia perdere|lascia|annulla)""",
    ReplyRole.REFUSE: """
[{today}] (la|lo|le|li) (salto|lascio) [{today}]|{today} [io] (passo|salto|niente|no|basta)
{today} non (la|lo|le|li) (prendo|faccio|voglio)|non (la|lo|le|li) prendo [{today}]
{today} (lascia stare|lascia perdere)
non oggi|oggi no|non voglio [più]
non lo voglio [più]|non mi interessa|non questa volta|questa volta no|passo|non lo faccio|non lo farò|niente da fare
non stavolta|salto [{today}]|non (la|lo|le|li) voglio [fare|prendere] [{today}]
[{today}] non [ne] ho voglia [{today}]|[{today}] non mi va [{today}]
non lo faccio {today}|{today} non lo faccio|[{today}] non ci vado [{today}]|{today} riposo
(skippo|evito) [{today}]|{today} [la|lo] (skippo|evito)
{today} meglio di no|{today} facciamo senza|non la prendo {today}
[{today}] [la|lo|le|li] saltiamo [{today}]|non voglio (prenderla|farlo|prenderlo|farla)
non ne voglio [più]|non (la|lo|le|li) voglio più""",
    ReplyRole.NOT_YET: """
non ancora|no non ancora|ancora no|{now} no|non {now}|{now} non posso|non posso {now}|non ho tempo [{now}]
{now} non ho tempo|più tardi|dopo
non ho [ancora] avuto tempo|non {have} ancora {done}|ancora non {have} {done}
(magari|meglio|forse) (dopo|più tardi)|mo (no|non posso)
(sto|stavo) [ancora] <doing>|{now} (sono|sto)|sono ancora|aspetta che|un attimo (che|solo)
fammi (finire|mangiare|arrivare)|appena mi
non (riesco|ce la faccio) [{now}]|devo (ancora|prima)|sono in ritardo|non ho ancora (mangiato|iniziato)|prima devo
sono (con|in|a|al|alla|da|dal|dai|sul)|appena (rientro|torno|posso|arrivo)|sto facendo
lasciami (dormire|finire|mangiare)|dormo ancora
non sono ancora (rientrato|rientrata|arrivato|arrivata|sveglio|sveglia|pronto)|ancora presto""",
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
(posticipa|posticipare|posticipalo|rimanda|rimandare) [{reminder}] [di|per] [{when}|{soon}|<duration>|<number>]
(rimandalo|rinvia|rinviare|rinvialo|sposta|spostalo) [{reminder}] [di|per] [{when}|{soon}|<duration>|<number>]
(ritarda|snooze|posponi) [{reminder}] [di|per] [{when}|{soon}|<duration>|<number>]
{place}|non sono [ancora] a casa|dormo|(sono|sto) [un po'|troppo] (incasinato|incasinata|incasinati)|incasinato
incasinata|aspe|aspe'
risentiamoci (dopo|più tardi)|(rimanda|posticipa|sposta) un (po'|po)|(1|un) (attimo|sec|attimino)
dammi (tempo|<number>|altri <number>)
dammi un po' di tempo|[mi serve|ho bisogno di] [più|altro] tempo|ci sono quasi|[sono] a metà|(fatto|fatta) a metà
quasi quasi
[l'ho|ho|me ne sono|me lo sono|me la sono|mi sono] [completamente] (dimenticata|dimenticato|scordato|scordata)
[è] [troppo|ancora] presto|è presto|(di|a) <time> {act}|sto {place}|appena (posso|torno|arrivo)
prima di (dormire|andare a letto)
mo (lo|la|le|li) (faccio|prendo)|(mo|ora|adesso|sì mo) vado|(la|lo|le|li) sto (prendendo|facendo)
(nel|per le|nella|di) <time>
{now} sto (guidando|mangiando|lavorando|cucinando|cenando|dormendo)|un attimo che (finisco|arrivo)|magari {soon}
devo ancora|sto uscendo
tra un momentino""",
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
    ReplyRole.AGO: "[circa] <duration> fa|un attimo fa",
    ReplyRole.JOIN: "ma|però|e|quindi",
    ReplyRole.OTHER: """
[molto|troppo|così|tutto] (ben|bene|male|mezzo|a metà) ({bare}|{done})|il fatto [è]|di fatto|prima
macché|per niente
non so ancora|(sì|certo) [,] (vabbè|ciao)
non [sono|ne sono] [ancora] (sicuro|sicura)""",
    ReplyRole.MOCK: """
mah|(ah|oh|eh|haha|lol) [,] [sì] [,] (certo|certamente|ovvio|chiaro|bene|benissimo|ottimo|perfetto|super|bravo)
(sì|certo) [,] come no|(haha|lol) [,] va bene""",
    ReplyRole.PARTING: "a dopo|a presto|a più tardi|ci vediamo [dopo]",
    ReplyRole.THANKS: "grazie|grazie mille|molte grazie|tante grazie|grazie tante|ti ringrazio",
    ReplyRole.POLITE: """
grazie per (il promemoria|avermelo ricordato|averlo ricordato)|per favore
perfavore|per piacere|scusa|scusami|mi dispiace|prego
ciao|buongiorno|buonasera|buonanotte|buon giorno|buona (sera|notte|giornata|serata)|salve|arrivederci
beh|allora|dai|eh|ehm|ecco|amico|caro|cara|tesoro|comunque|anzi|guarda
mamma|papà|amore|capo|zio|fra|bro|amò|oh|ops|cavolo|cazzo|purtroppo|ahah|ahaha|ahahah|dé|deh|tranquillo
tranquilla|tranqui
non ti preoccupare|non preoccuparti|tata|frate|bello|bella|nonna|nonno|uffa|promesso|giuro""",
}

REPLIES = ReplyWords(
    phrases=_PHRASES,
    macros=_MACROS,
    negations="non|no|ancora|ora|adesso|oggi",
    future="tra",
    at="alle",
    until="dopo le|fino a|fino alle|fino all|fino al|finché|non prima delle|prima delle",
    openers="alle|a|verso|questa|questo|oggi",
    days="domattina|domani|dopodomani|stasera|stanotte|sera|pomeriggio|mezzogiorno|mezzanotte",
    inner=(
        "alle|a|verso|mattina|pomeriggio|sera|notte|e|mezza|un|quarto|di|del|della|h|ore|prossima|prossimo|settimana|le"
    ),
    plus="e",
    typed={"ank": "ancora", "fatot": "fatto", "ftto": "fatto", "nn": "non", "xke": "perché", "piu": "più", "ke": "che"},
    half="mezza|mezzo",
    doing=("ando", "endo"),
    more="altri|altre|altro|altra",
    lengths={
        1: "un altro minuto",
        15: (
            "un quartino d'ora|quartino d'ora|un quarto d'oretta|quarto d'oretta|quarto d'ora|un quarto d'ora"
            "|un altro quarto d'ora"
        ),
        30: "½ ora|½h|mezz'ora|una mezz'oretta|mezzoretta|mezz'oretta|mezza ora|una mezz'ora|un'altra mezz'ora",
        45: "tre quarti d'ora",
        60: "un'ora|un'oretta|un'altra ora",
        120: "un paio d'ore|paio d'ore|un paio di ore",
        90: "un'ora e mezza|un'ora e mezzo|ora e mezza",
    },
    numbers={10: "una decina di|decina di", 15: "una quindicina di", 20: "una ventina di", 30: "una trentina di"},
    units={Unit.MINUTE: "minutini|minutino", Unit.HOUR: "oretta"},
)
