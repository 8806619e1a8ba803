"""How people ask in Italian."""

from __future__ import annotations

from duly.language.requests.form import RequestWords

WORDS = RequestWords(
    code="it",
    courtesies=(
        "per favore|perfavore|x favore|pf|grazie|grazie mille|ciao|ehi|hey|ok|okay|allora|senti|duly|dai"
        "|per piacere|adesso|buongiorno|buonasera|salve|scusa|per cortesia|plis|pls|oh|eh|un attimo|please|plz"
        "|thx|tnx|grz|graz|grazie tante|tante grazie|grazie in anticipo|grazie duly|ciao duly|ehi duly|hey duly"
        "|hi|hello|ehilà|ehila|uè|ue|bella|buon giorno|buona sera|buona giornata|ah|ahi|uh|beh|mah|comunque|btw"
        "|ps|per favore grazie|per fav|perfav|x fav|pls grazie|scusami|scusa eh|ascolta|guarda|veloce|velocemente"
        "|solo|e|poi|quindi|anche|amico|bro|se puoi|se possibile|quando puoi|gentilmente|cortesemente"
        "|mi raccomando|oi|tesoro|pf grazie|porfa"
    ),
    courtesy_verbs="dai|guarda|senti|ascolta|scusa",
    greetings=(
        "grazie|grazie mille|grazie tante|tante grazie|grz|graz|ciao|salve|buongiorno|buonasera"
        "|buon giorno|buona sera|buona giornata|scusa|scusami|hello|hi|hey|thx|tnx"
    ),
    sayings=(
        "dire|dirle|dirgli|dici|digli|dille|dico|scrivere|scrivi|scrivile|scrivigli|scrivo|mandare|manda|mandale"
        "|mandagli|inviare|invia|augurare|augura|augurarle|augurargli|rispondere|rispondi|gridare|grida"
    ),
    tells_whom="dire|dirle|dirgli|dici|digli|dille|dico|augurare|augura|augurarle|augurargli",
    unfinished="un|uno|una|il|lo|la|i|gli|le|mio|mia|tuo|tua|grande|bel|con|per|del|della|da|di",
    askings=(
        "(mi/ci/) (puoi/potresti/può/puo/potrebbe/potete/riesci/riusciresti/vuoi) (a/) (per favore/pf/) (mi/)"
        "|(vorrei/voglio/mi piacerebbe/avrei bisogno/ho bisogno/mi serve) (che/di/che tu/) (mi/)|(è/e) possibile"
        "|si può|si puo|ti va di|ti dispiace|ti dispiacerebbe|saresti così gentile da|dovresti|devi|possiamo"
        "|potremmo|bisogna|mi fai il favore di|fammi il favore di|ti chiedo di|ricordati di"
    ),
    leads=(
        "(ricordami/ricordarmi/ricorda mi/ricordamelo/ricorami/ricrdami/ricordmi/ricordameli/ricordacelo/"
        "ricordaci/riccordami/ricordarmelo/rammentami/ricordare) (per favore/pf/anche/di nuovo/ancora/)"
        "|mi (ricordi/ricorderesti/ricorda/ricorderai/avvisi/avverti/rammenti/avviseresti/ricordate/ricordassi)"
        "|(metti/mettimi/mettere/metto/crea/creami/creare/aggiungi/aggiungimi/aggiungere/imposta/impostami/"
        "impostare/fai/fammi/fare/inserisci/inseriscimi/inserire/programma/salva/segna/manda/mandami/scrivi/"
        "nuovo/lascia/lasciami) (mi/) (un/uno/il/1/) (nuovo/altro/) (promemoria/promemo/reminder/avviso/alert/"
        "memo)|(nuovo/un/1/) (promemoria/reminder)|(mi serve/ho bisogno di/voglio/vorrei) un (promemoria/avviso)"
        "|(avvisami/avvertimi/avvisarmi/avvertirmi/avvisaci) (per favore/pf/)"
        "|fammi (ricordare/venire in mente/un fischio)|segnami|segnamelo"
        "|non (farmi/lasciarmi/mi far/mi fare/mi lasciare/fare che io) (dimenticare/scordare/dimentichi) (di/)"
        "|(non/) (devo/voglio/posso/vorrei/dovrei) (assolutamente/) (non/) (dimenticare/dimenticarmi/scordare/"
        "scordarmi/dimenticarmi di/dimenticare di/scordarmi di)"
        "|(per/così/cosi/in modo da) non (dimenticare/dimenticarmi/scordare/scordarmi)"
        "|che non (mi/) (dimentichi/scordi/dimentico/scordo)|(che/) non mi (scordi/dimentichi/scordo)"
        "|aiutami a (ricordare/ricordarmi)|ricordati di (ricordarmi/avvisarmi)|dammi un colpo"
    ),
    weak_leads=(
        "(non/) (dimenticare/dimenticarti/scordare/scordarti/scordarsi/dimenticarsi/scordiamoci/"
        "dimentichiamo) (di/)|(nota/nota per me/nota mentale/appunto/annota/segna/memo/ricorda/ricordati/"
        "ricordarsi/ricordare/da ricordare/todo/da fare/dimmi di/dimmi che devo/importante/promemo/scrivi/"
        "appunta/appuntati/segnati)|non (dimenticare/scordare)"
    ),
    end_leads=(
        "(e/quindi/per favore/pf/me lo/poi/) (ricordamelo/ricordami/ricordarmelo/ricordarmi/ricordami questo/"
        "rammentamelo/avvisami/avvertimi/ricordacelo) (per favore/pf/pls/grazie/tu/poi/)"
        "|(me/) (lo/) (ricordi/ricorderesti/avvisi)|mi (ricordi/avvisi)|me lo (puoi/potresti) ricordare"
        "|(puoi/potresti) (ricordarmelo/ricordarmi/avvisarmi)|non (farmelo/farmi/farmela) (dimenticare/scordare)"
        "|non (devo/voglio) (dimenticarlo/dimenticarmi/dimenticare/dimenticarmene/scordarmelo/scordarlo)"
        "|(metti/mettimi/fammi/crea) un promemoria|(un/) promemoria (per favore/pf/grazie/)"
        "|che non me (lo/ne) (dimentichi/scordi/dimentico)|non me lo (devo/fare) (dimenticare/scordare)"
        "|da non dimenticare|non dimenticare|non scordare"
    ),
    musts=(
        "(devo/dovrei/bisogna/ho/abbiamo/dobbiamo/voglio/vorrei/vado a/mi tocca/dovrò/dovro/avrei/c'è/ce/c'e/"
        "io devo/devo andare a) (da/un/una/il/la/l'/)|devo|è|ho (un/una/il/la/l')"
    ),
    wakes=(
        "(svegliami/svegliarmi/sveglia mi/svegliatemi/svegliaci/fammi alzare/buttami giù dal letto) (per favore/"
        "pf/)|mi (svegli/sveglieresti)"
        "|(metti/mettimi/imposta/impostami/punta/programma/mettere/impostare) (mi/) (la/una/) sveglia"
        "|(la/una/) sveglia|(devo/voglio) (svegliarmi/alzarmi)"
    ),
    alarms=(
        "(metti/mettimi/imposta/impostami/crea/fai/aggiungi/fai partire) (un/l'/un'/il/) (allarme/timer/"
        "conto alla rovescia)|(un/) (allarme/timer)"
    ),
    alarm_text="sveglia",
    statements=(
        "io|tu|lui|lei|noi|voi|loro|mi|ti|me|tuo|tua|nostro|nostra|chi|che|cosa|quando|dove|perché|perche|come"
        "|quale|quali|quanto|sono|siamo|siete|era|erano|ero|stato|stata|stati|fu|sarà|sara|saremo|essere|ho|hai"
        "|ha|abbiamo|avete|hanno|aveva|avevo|avrò|sta|sto|stai|stanno|stava|vado|vai|va|andiamo|vanno|andato"
        "|andata|posso|puoi|può|puo|possiamo|devo|deve|voglio|vuole|arriva|arrivi|arriviamo|arrivano|arrivato"
        "|parto|partono|partito|vengo|viene|vengono|venuto|torno|tornano|tornato|esco|esce|uscito|inizia|comincia"
        "|finisce|finito|chiude|faccio|fanno|vedo|vede|vediamo|visto|credo|penso|so|sa|spero|amo|adoro|odio|piace"
        "|piacciono|sembra|piove|nevica|non|no|ok|va bene|forse|ma|perchè|già|gia|mai|sempre|ieri|scorso|scorsa"
        "|buono|buona|bene|male|brutto|gentile|simpatico|stanco|stanca|freddo|caldo|grazie|ciao|buongiorno"
        "|buonanotte|fino|tra le|verso|circa|molto|tanto|troppo|ahah|ahaha|haha|lol|promemoria|ricordami|ricorda"
        "|annulla|sposta|cancella|tutti|tutte|qualcuno|nessuno|qualcosa|niente|questo|quello|mangiato|dormito"
        "|perso|vinto|dorme|dormo|lavora|vive|mangio|ceno|felice|auguri|ci vediamo|ci sentiamo|a dopo|mio volo"
        "|preso|presa|presi|prese|comprato|chiamato|pagato|bevuto|scritto|letto|messo|messa|detto|mangiata"
        "|mangiamo|ceniamo|usciamo|svegliato|svegliata|alzato|uscita|partita|tornata|arrivata|noiosa|buonissima"
    ),
    lone_statements=(
        "a casa|casa|qui|qua|lì|li|là|la|pronto|pronta|libero|libera|occupato|occupata|tardi|presto|fuori|arrivo"
        "|torno|sveglio|sveglia|malato|perfetto|in arrivo|per strada|a letto"
    ),
    statement_ends=r"^\w{3,}(?:avo|ava|avano|evo|eva|evano|ivo|iva|ivano|erò|erà|irò|irà|eremo|iamo|ammo)$(?<!arrivo)(?<!estivo)(?<!privo)(?<!nativo)(?<!attivo)(?<!motivo)(?<!archivo)(?<!riva)(?<!iva)(?<!oliva)(?<!nuova)(?<!prova)(?<!uova)(?<!chiavo)",
    others="ricorda a|ricorda ad|ricordate a|ricordi a|ricordi ad",
    and_words="e|ed|e a|ed a|e ad|&",
    selves="me|a me",
    first_lead="ricordami",
    joints=(
        "di|che devo|che|per|di dover|del|della|dello|dei|delle|degli|dell'|riguardo a|riguardo|su|circa"
        "|a proposito di|da|devo|d'|d|dell|che ho|che c'è|ho|c'è|ce|che bisogna|bisogna|che dobbiamo|per il"
        "|per la|per l'|per lo|per le|perché devo|perche devo|con|sul|sulla|in merito a|relativo a|di nuovo di"
        "|di nuovo|ancora di|anche di|anche|e|testo|intitolato|dicendo|di non dimenticare|di non dimenticare di"
        "|che dovrei|che dovevo|x|dal|dalla"
    ),
    befores="prima|dopo",
    before_times="ieri|l'altro ieri|scorso|scorsa",
    behind_times="ieri|fa|scorso|scorsa|fino|finché",
    alternatives="o|oppure",
    titles="dottor|signor|professor|ingegner|ragionier|sig|sig.ra|sig.na|dott|dott.ssa",
    title_nouns="signora|signorina|prof|don|santa",
    days_small=True,
    doses=(
        "mg|mcg|µg|g|ml|cl|l|ui|u.i|unità|goccia|gocce|gocc|pillola|pillole|pastiglia|pastiglie|compressa"
        "|compresse|cpr|capsula|capsule|puff|spruzzo|spruzzi|cucchiaio|cucchiai|cucchiaino|cucchiaini|dose"
        "|dosi|bustina|bustine|cerotto|cerotti|fiala|fiale|iniezione|iniezioni|bicchiere|bicchieri|vitamine"
        "|milligrammi|grammi|%|kg|mezza"
    ),
    count_articles="le|i|gli",
    plurals="i",
    parts_said=(
        "la mattina|di mattina|al mattino|in mattinata|il pomeriggio|di pomeriggio|nel pomeriggio|la sera"
        "|di sera|in serata|la notte|di notte|a mezzogiorno|a mezzanotte|alla sera|alla mattina"
    ),
    part_nouns="mattinata|pomeriggio|sera|serata|notte",
    part_things="serata|mattinata",
    opens_end=(
        "finché|finche|fino a quando|fino alla fine|fino a fine|fino al termine|fino a esaurimento|fino a che"
        "|fino a nuovo ordine|fino a nuovo avviso|fin quando|fino ad|fino a pasqua|fino a natale"
        "|fino a capodanno|fino alle vacanze"
    ),
    hangers="durante|per",
    opens_start=(
        "se ho dolore|se ho male|in caso di dolore|in caso di febbre|"
        "al bisogno|se necessario|se serve|all'occorrenza|in caso di dolore|se ho male|se fa male"
        "|a partire|a partire da|a partire dal|iniziando|cominciando|appena|da quando"
    ),
    opens_exception="ma non|tranne|eccetto|salvo|a meno che|tranne se|tranne quando|escluso|esclusa|ma solo|fuorché",
    bounds=(
        "senza|non|mai|ad eccezione di|ad eccezione del|ad eccezione della|ad eccezione dei"
        "|con l eccezione di|con inizio|con inizio il|a decorrere|a decorrere da|a decorrere dal|terminando"
        "|terminando il|fin|fin al|escludendo|esclusi|escluse|saltando|dal prossimo|dalla prossima"
    ),
    occasions=(
        "pasqua|natale|capodanno|festivo|festivi|feste|vacanze|ferie|estate|inverno|primavera|autunno"
        "|epifania|ferragosto|giorni festivi"
    ),
    danglers="per|il|a|è|e|ad|in|dal|dalle|alle|di|del|che è|intorno|previsto|prevista",
    asks_what=(
        "(cosa/che cosa/che/cos/ke/cs/k/cos'/che roba) (ho/c'è/ce/c'e/c e/devo fare/devo/mi aspetta/ci aspetta/"
        "abbiamo/è in programma/e in programma/è previsto/e previsto/c'è in programma/ce in programma/"
        "c'è da fare/ce da fare/viene dopo/succede/si fa/faccio/impegni ho/promemoria ho/promemoria ci sono/"
        "ho da fare/ho in programma/ho in agenda/ho in calendario/c'è in agenda/ce in agenda/c'è per/mi tocca/"
        "mi resta/resta/manca/avevo/programmi ho/cose ho/appuntamenti ho/devo ricordare/hai per me/"
        "prevede il programma/prevede l'agenda/dice l'agenda) (per/da fare/di bello/in programma/)|(ho/c'è/ce/"
        "c'e/abbiamo/ci sono/c'è forse) (qualcosa/qualche cosa/qualche impegno/qualche promemoria/impegni/"
        "promemoria/dei promemoria/appuntamenti/cose/altro/cose da fare/degli impegni/degli appuntamenti/roba/"
        "un impegno) (da fare/in programma/per/in agenda/in calendario/)"
        "|(quali/che/quanti) (promemoria/impegni/appuntamenti/attività) (ho/ci sono/abbiamo)"
        "|quali sono (i miei/i) (promemoria/impegni/appuntamenti)"
        "|(qual è/qual e/quale/qual) (il/è il/e il) (programma/piano) (di/per/)|(la mia/la/) agenda (di/per/)"
        "|(il mio/il/) programma (di/per/)|qualcosa (da fare/in programma/per/)"
        "|(com'è/come/come va/come è/com e) (la mia/il mio/messa la/messo) (giornata/programma/settimana/agenda)"
        "|(com'è/come) (si presenta/sono messo/sono messa/siamo messi/sto messo) (la/)|programmi (per/)"
        "|impegni (per/di/)|che si fa|novità per|piani (per/)|ho impegni|ho promemoria|ho dei promemoria"
    ),
    shows=(
        "mostra|mostrami|fammi vedere|elenca|elencami|lista|dammi|vedi|dimmi|visualizza|fai vedere|fammi l'elenco"
        "|voglio vedere|elenco|(mostrami/fammi vedere/elencami/dammi/dimmi/visualizza/fai vedere/leggimi/mandami/"
        "elenca) (per favore/pf/)|(mostrare/elencare/vedere/visualizzare)|(voglio/vorrei/posso) (vedere/sapere)"
        "|vediamo|fammi (l'elenco/la lista/un elenco/una lista) (di/dei/)|lista (di/dei/)|elenco (di/dei/)"
    ),
    list_fillers=(
        "per|in|il|la|i|le|gli|lo|l|miei|mie|mio|mia|tutti|tutte|tutto|di|da fare|in programma|previsto"
        "|promemoria|agenda|impegni|attività|elenco|lista|programmati|attivi|programma|c'è|ho|dei|delle|che ho"
        "|questa|mi|calendario|in agenda|in calendario|che|cosa|del|della|degli|nel|nella|questo|questi|con|a|al"
        "|alla|appuntamenti|appuntamento|eventi|cose|cosa c'è|piani|programmi|ancora|altro|giornata|salvati"
        "|segnati|attive|programmate|da|e|un|una|sono|qualcosa|resto|di bello|di speciale|di nuovo|tutta|tutto il"
        "|per la|per il|previsti|ci sono|x|su|ho in|giorno|in ballo"
    ),
    nouns="promemoria|agenda|impegni|attività|elenco|lista|calendario|appuntamenti|avvisi|reminder|programmi",
    today=(
        "oggi|stasera|questa sera|oggi pomeriggio|la giornata|giornata|la mia giornata|mia giornata|il giorno"
        "|la giornata di oggi|questo pomeriggio|stamattina|questa mattina|il resto della giornata|oggi stesso"
        "|oggi ancora|sta sera|giornata di oggi|stamani"
    ),
    tomorrow="domani|dom|domani mattina|domattina|domani sera|domani pomeriggio|la giornata di domani|dmn|dmani|doman",
    week=(
        "questa settimana|settimana|la settimana|i prossimi 7 giorni|i prossimi sette giorni|prossimi 7 giorni"
        "|sta settimana|la mia settimana|mia settimana|in settimana|nella settimana|il resto della settimana"
        "|i prossimi giorni|prossimi giorni|nei prossimi giorni|questi giorni|i giorni|sta sett|questa sett"
    ),
    next_week=(
        "(la/) (prossima/ventura) (settimana/sett)|(la/) settimana (prossima/che viene/ventura/entrante)"
        "|(la/) sett prossima"
    ),
    weekend=(
        "(questo/nel/il/per il/del/il prossimo/prossimo/sto/in questo/) (weekend/week end/fine settimana/"
        "finesettimana/w e)|(sabato e domenica/nel finesettimana)"
    ),
    everything=(
        "tutto|tutti|tutte|tutti i promemoria|tutti i miei promemoria|i miei promemoria|i promemoria|promemoria"
        "|ogni promemoria|tutte le notifiche|le notifiche|gli avvisi|tutti gli avvisi|proprio tutto|tutto quanto"
        "|assolutamente tutto|notifiche|avvisi|tutti gli alert|gli alert|i messaggi|tutti i messaggi|messaggi"
        "|tutte le mie notifiche|ogni cosa|tutti i reminder|le sveglie|tutte le sveglie|ogni notifica"
    ),
    moves=(
        "(sposta/spostami/spostare/spostate/sposti/spostiamo/sposta mi/rimanda/rimandami/rimandare/rimandi/"
        "rinvia/rinviami/rinviare/rinvii/posticipa/posticipami/posticipare/posticipi/anticipa/anticipami/"
        "anticipare/anticipi/ritarda/ritardare/riprogramma/riprogrammare/muovi/muovere/slitta/slittare/"
        "fai slittare/differisci/trasferisci/ripianifica/proroga/sposa) (per favore/pf/mi/)"
        "|cambia (l'ora/l'orario/la data) (di/del/della/dello/dell')"
    ),
    weak_moves=(
        "(cambia/cambiami/cambiare/metti/mettimi/mettere/passa/passare/porta/imposta/fai/fissa) (per favore/pf/mi/)"
    ),
    earlier_moves="(anticipa/anticipami/anticipare/anticipi) (per favore/)",
    move_to=(
        "a|al|alla|alle|all'|per|fino a|fino al|ad|agli|ai|su|allo|per il|per la|per le|da…a|il|di|in|invece a"
        "|invece al|piuttosto a|tra|fra|a tra|verso le"
    ),
    weak_to="a|al|alla|alle|all'|per|per il|per la|per le|invece a|invece al",
    move_by=(
        "di|d'|d|per|ancora di|ancora|di circa|di altre|di altri|di altra|di un'altra|circa|di ancora|avanti di"
        "|indietro di"
    ),
    later="(più tardi/piu tardi/dopo/in avanti/avanti/in più/in piu/di ritardo/oltre)",
    earlier="(prima/in anticipo/indietro/all'indietro/più presto/piu presto)",
    cancels=(
        "(cancella/cancellare/cancellami/cancelli/elimina/eliminare/eliminami/elimini/annulla/annullare/"
        "annullami/annulli/togli/togliere/toglimi/tolgli/rimuovi/rimuovere/rimuovimi/disdici/disdire/scorda/"
        "scordati/scordare/dimentica/dimenticati/dimenticare/leva/levare/levami/butta/buttare/via/sopprimi/"
        "depenna/cestina/lascia perdere/lascia stare/canc) (per favore/pf/mi/)"
        "|(dimentica/dimenticati/scordati/via) (di/del/della/dei/delle/il/la/i/le/)"
        "|non (ricordarmi/avvisarmi/mi ricordare) (più/piu) (di/del/della/dei/delle/il/la/i/le/l'/)|(smetti/"
        "smettila/basta/finiscila) (di/) (ricordarmi/avvisarmi/promemoria) (di/del/della/dei/delle/il/la/per/)"
        "|non (mi/) (serve/servono/interessa/interessano/occorre/occorrono) (più/piu)"
        "|non (ho/ho più/ho piu) (più/piu/) bisogno (di/del/della/dei/delle)"
        "|…non (mi/) (serve/servono/serve più/servono più) (più/piu/)"
        "|…(è annullato/e annullato/è annullata/e annullata/è saltato/è saltata/annullato/annullata/è disdetto)"
        "|niente (più/piu) (promemoria/avvisi) (per/su/di/del/della)|niente più|niente piu|fai fuori"
        "|dacci un taglio con"
    ),
    cancel_it=(
        "(annullalo/annullala/cancellalo/cancellala/eliminalo/eliminala/rimuovilo/rimuovila/toglilo/toglila)"
        "|(cancella/elimina/rimuovi/togli) (questo/quello/questa/quella)"
        "|(annulla/cancella/elimina/rimuovi) (questo/quel/il/l'ultimo) promemoria"
    ),
    move_it=(
        "(spostalo/spostala/rimandalo/rimandala/rinvialo/rinviala/posticipalo/posticipala)"
        "|(sposta/rimanda) (questo/quello)"
    ),
    skip_it=("(saltalo/saltala)|salta (questo/quello)"),
    sure_cancels="cancella|cancellare|elimina|eliminare|annulla|annullare|rimuovi|disdici",
    skips="salta|saltare|ometti",
    skip_ends="una volta|questa volta|la prossima volta",
    pauses=(
        "(metti/mettimi/mettere/metta/mettete) (per favore/)…in (pausa/silenzioso/attesa/stand by/stop)"
        "|(metti/mettimi/mettere) in (pausa/silenzioso/attesa)|(pausa/sospendi/sospendere/sospendimi/silenzia/"
        "silenziare/silenziami/ferma/fermare/fermami/blocca/bloccare/interrompi/interrompere/stoppa/stoppare/"
        "disattiva/disattivare/spegni/spegnere/congela/congelare/muta/stop/zittisci/arresta) (per favore/pf/mi/)"
        "|(fai/fare/facciamo) (una/) pausa (con/da/di/su)|pausa (per/con/su/a)"
    ),
    weak_pauses=(
        "(zitto/zitta/stai zitto/stai zitta/silenzio/sta zitto/stai buono/stai buona/fai silenzio/fa silenzio/"
        "pausa/taci/shh)|non (disturbarmi/mi disturbare/disturbare/rompere/mi avvisare/avvisarmi/ricordarmi/"
        "mandarmi/scrivermi/inviarmi/mi ricordare/mi mandare/mi scrivere/svegliarmi) (più/piu/nulla/niente/"
        "più niente/)|(lasciami/lasciatemi) (in pace/stare/tranquillo/tranquilla/dormire/riposare)"
        "|(niente/nessun/nessuna/zero/basta) (promemoria/notifiche/notifica/avvisi/messaggi/avviso) (più/)"
        "|modalità (silenziosa/silenzio)|fai una pausa|resta (zitto/in silenzio)|fermati|fermo|ferma (tutto/)"
        "|smettila"
    ),
    resumes=(
        "(riprendi/riprendere/riprendimi/riattiva/riattivare/riattivami/continua/continuare/attiva/attivare/"
        "riavvia/riavviare/ricomincia/ricominciare/riaccendi/riaccendere/ripristina/ripristinare/ripartire/"
        "fai ripartire/rimetti/rimettere/sblocca/accendi/riparti/togli dalla pausa) (con/a ricordarmi/di nuovo/"
        "per favore/pf/mi/)|togli la pausa (a/da/al/alle/alla/dalle/dalla/dal/agli)|(togli/leva)…dalla pausa"
        "|(rimetti/rimettere)…(in funzione/attivo/attive/in moto)|(attiva/accendi)…di nuovo"
        "|(ricordami/ricomincia a ricordarmi) di nuovo (di/del/della/le/il/la/i)"
    ),
    until=(
        "fino a|fino al|fino alle|fino alla|finché|fino ad|fino all'|sino a|sino al|fino|fino alla prossima"
        "|fino a quando non è|sino alle|fino al prossimo|almeno fino a|almeno fino al|almeno fino alle|fin|fin a"
        "|finche"
    ),
    for_length=(
        "per|durante|per i prossimi|per le prossime|nei prossimi|x|per altri|per altre|durante i prossimi|per un"
        "|per una|un|una"
    ),
    from_now="tra",
    nows="adesso|subito",
    at_hour="alle",
    articles=(
        "il|lo|la|i|gli|le|l'|l|un|uno|una|un'|mio|mia|miei|mie|del|della|dello|dei|delle|dell'|dell|di"
        "|promemoria|il promemoria|per|su|che|con|appuntamento|quello|quella|questo|questa|d'|nostro|nostra|tuo"
        "|tua|sui|sulle|sulla|sul|sullo|al|alla|alle|allo|ai|agli|all'|all|dal|dalla|avviso|l'avviso|l'avviso di"
        "|l'avviso del|l'appuntamento|l'appuntamento dal|l'appuntamento con|il promemoria di|il promemoria del"
        "|il promemoria della|il promemoria delle|il promemoria dei|il promemoria per|promemoria di"
        "|promemoria del|promemoria per|la sveglia delle|la sveglia di|quella del|quella di|quello del|quello di"
        "|quello della|la cosa del|la faccenda del|tutto ciò che riguarda|a|ad|andare a|andare in|andare dal"
        "|con il|con la|reminder|il reminder|il reminder di|il reminder del|la roba del"
    ),
    determiners="il|lo|la|i|gli|le|l|mio|mia|miei|mie|nostro|nostra|tuo|tua|suo|sua|questo|questa|quel|quella",
    pronouns=(
        "lo|la|li|le|quello|questo|quella|questa|ciò|l'ultimo|mi|me|ti|ci|gli|quelli|quelle|questi|queste"
        "|l'ultima|ultimo|quest'ultimo|quello lì|essi|tutto ciò|lo stesso"
    ),
    undos=(
        "(annulla/annullalo/annullala/annulla tutto/undo/torna indietro/tornare indietro/indietro/ripristina/"
        "disfa/disfare/ops/opss/oops/ctrl z/rimetti com'era/rimetti come prima/torna com'era/torna come prima/"
        "ripristinalo/revoca/revocalo/fai marcia indietro/marcia indietro/vai indietro/annulare/anulla/anula/"
        "annullare) (questo/quello/ciò/)|(annulla/annullare/disfa/revoca) (l'ultima/l'ultimo/la/il/"
        "quest'ultima) (modifica/azione/operazione/cosa/cambiamento/comando/passo/richiesta/)"
        "|(mi sono/me sono) (sbagliato/sbagliata)|ho sbagliato|ho cambiato idea|ripensandoci no|come non detto"
        "|rimangiatelo"
    ),
    undo_fillers=(
        "questo|quello|ciò|cio|l'ultima|l'ultimo|ultima|ultimo|la|il|modifica|azione|operazione|cosa"
        "|che hai fatto|che ho fatto|quello che hai fatto|quello che ho fatto|quello che hai appena fatto|tutto"
        "|no|aspetta|scusa|per favore|pf|dai|subito|ora|anzi|puoi|potresti|come prima|com'era|appena|ops|l|lo|mi"
        "|fatto|per piacere|eh|ho sbagliato|mi sono sbagliato|mi sono sbagliata|per sbaglio"
    ),
    helps=(
        "(aiuto/aiutami/aiutatemi/help/?/comandi/istruzioni/start/menu/menù/opzioni/funzioni/info/guida/manuale/"
        "tutorial/esempi/sos/aiutino)|(cosa/che/che cosa/ke/cos'altro/cs) (altro/) (puoi/sai/posso/fai/potresti/"
        "capisci/sapresti/sapete/offri) (fare/dire/dirti/chiedere/chiederti/scrivere/scriverti/) (per me/tu/)"
        "|(a cosa/a che) (servi/serve/serve questo bot)|(come/cm) (funziona/funzioni/si usa/si fa/ti uso/"
        "ti si usa/posso usarti/va usato/uso) (questo bot/questo/il bot/tutto/duly/questa cosa/qui/)"
        "|(mi serve/ho bisogno di/ho bisogno d') (un/) (aiuto/una mano)"
        "|(puoi/potresti/mi puoi/mi potresti) (aiutarmi/aiutare/dare una mano)"
        "|non (capisco/ho capito/ci capisco/so come funziona)|(chi/che cosa/cosa) sei"
        "|(cos'è/che cos'è/cosa è/che è) (questo/questa cosa/sto bot)"
        "|(quali/che) (sono/) (i/) (comandi/funzioni) (hai/ci sono/puoi fare/)"
        "|(mostrami/dammi/fammi vedere) (l'aiuto/i comandi/le opzioni/le funzioni/cosa sai fare)"
        "|come (creo/metto/faccio/imposto) un promemoria"
        "|in (cosa/che modo) (mi/) (puoi/potresti) (aiutare/aiutarmi/essere utile)|come posso usarti|spiegami"
    ),
    help_fillers=(
        "per me|qui|esattamente|tutto|tu|questo|bot|con te|un po|mi|pf|altro|di preciso|allora|e|il|le|i|dunque"
        "|di bello|in generale|con questo|eh|fare"
    ),
    yes=(
        "sì|si|s|certo|ok|okay|va bene|esatto|giusto|corretto|sì grazie|si grazie|sì per favore|d'accordo|fallo"
        "|proprio così|perfetto"
    ),
    no=(
        "no|n|no grazie|meglio di no|lascia stare|lascia perdere|nessuno|nessuna|sbagliato|niente|annulla|lascia"
        "|stop|per niente"
    ),
)
