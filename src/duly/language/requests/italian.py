"""How people ask in Italian."""

from __future__ import annotations

from duly.language.requests.form import RequestWords

WORDS = RequestWords(
    courtesies=(
        "per favore|perfavore|x favore|pf|grazie|grazie mille|ciao|ehi|hey|ok|okay|allora|senti|duly|dai"
        "|per piacere|ora|adesso|buongiorno|buonasera|salve|scusa|per cortesia|plis|pls|oh|eh|un attimo"
    ),
    askings=(
        "puoi|potresti|mi puoi|mi potresti|può|vorrei che|voglio che|puoi per favore|potresti per favore|riesci a"
    ),
    leads=(
        "ricordami|mi ricordi|ricordarmi|ricorda mi|promemoria|un promemoria|metti un promemoria|crea un promemoria"
        "|aggiungi un promemoria|imposta un promemoria|fammi un promemoria|nuovo promemoria|avvisami|mi avvisi"
        "|avvertimi|fammi ricordare|segnami|avvisarmi|ricordamelo|ricordare|mettimi un promemoria"
        "|creami un promemoria|mi ricorderesti|ricordati di ricordarmi|imposta promemoria|inserisci un promemoria"
        "|non farmi dimenticare"
    ),
    joints=(
        "di|che devo|che|per|di dover|del|della|dello|dei|delle|degli|dell'|riguardo a|riguardo|su|circa"
        "|a proposito di|da|devo|d'|l'appuntamento"
    ),
    befores="prima|dopo",
    danglers="per",
    asks_what=(
        "cosa ho|che cosa ho|che ho|cosa c'è|cosa ce|che c'è|che ce|cosa devo fare|che devo fare|ho qualcosa"
        "|c'è qualcosa|cosa mi aspetta|quali promemoria ho|che promemoria ho|cosa è in programma|cosa abbiamo"
        "|cosa c'è in programma|cosa è previsto|che impegni ho|quali impegni ho|cosa viene dopo|qual è il programma"
        "|agenda|la mia agenda|ho promemoria|ho dei promemoria|cos'ho|cosa ho in programma|ke ho|cs ho"
        "|cosa ho da fare|che cosa c'è|cosa ce in programma"
    ),
    shows=(
        "mostra|mostrami|fammi vedere|elenca|elencami|lista|dammi|vedi|dimmi|visualizza|fai vedere|fammi l'elenco"
        "|voglio vedere|elenco"
    ),
    list_fillers=(
        "per|in|il|la|i|le|gli|lo|l|miei|mie|mio|mia|tutti|tutte|tutto|di|da fare|in programma|previsto|promemoria"
        "|agenda|impegni|attività|elenco|lista|programmati|attivi|programma|c'è|ho|dei|delle|che ho|questa|mi"
        "|calendario|in agenda|in calendario"
    ),
    nouns="promemoria|agenda|impegni|attività|elenco|lista|calendario",
    today="oggi|stasera|questa sera|oggi pomeriggio",
    tomorrow="domani|dom",
    week=(
        "questa settimana|settimana|la settimana|i prossimi 7 giorni|i prossimi sette giorni|prossimi 7 giorni"
        "|sta settimana"
    ),
    everything=(
        "tutto|tutti|tutte|tutti i promemoria|tutti i miei promemoria|i miei promemoria|i promemoria|promemoria"
        "|ogni promemoria|tutte le notifiche|le notifiche|gli avvisi|tutti gli avvisi"
    ),
    moves=(
        "sposta|spostami|spostare|cambia|cambiami|cambiare|rimanda|rimandare|rinvia|rinviare|posticipa|posticipare"
        "|anticipa|metti|riprogramma|passa|sposta mi|muovi|anticipare|spostate"
    ),
    move_to="a|al|alla|alle|all'|per|fino a|fino al|ad|agli|ai|su|allo|per il|per la",
    cancels=(
        "cancella|cancellare|cancellami|elimina|eliminare|annulla|annullare|togli|togliere|rimuovi|rimuovere"
        "|disdici|toglimi|non ricordarmi più|non ricordarmi piu|smetti di ricordarmi|scorda|eliminami|disdire"
    ),
    pauses=(
        "metti in pausa|metti…in pausa|mettere…in pausa|pausa|sospendi|sospendere|silenzia|silenziare|ferma|fermare"
        "|blocca|interrompi|stoppa|disattiva"
    ),
    resumes=(
        "riprendi|riprendere|riattiva|riattivare|continua|continuare|attiva|attivare|riavvia|togli la pausa a"
        "|togli la pausa da|riprendi con|ricomincia|ricomincia con|fai ripartire|riaccendi"
    ),
    until="fino a|fino al|fino alle|fino alla|finché|fino ad|fino all'|sino a|sino al|fino",
    for_length="per|durante|per i prossimi|per le prossime|nei prossimi",
    from_now="tra",
    at_hour="alle",
    articles=(
        "il|lo|la|i|gli|le|l'|l|un|uno|una|un'|mio|mia|miei|mie|del|della|dello|dei|delle|dell'|dell|di|promemoria"
        "|il promemoria|per|su|che|con|appuntamento|quello|quella|questo|questa|d'"
    ),
    pronouns="lo|la|li|le|quello|questo|quella|questa|ciò|l'ultimo",
    undos=(
        "annulla|annullalo|annulla tutto|undo|torna indietro|annulla l'ultima|annulla l'ultima modifica|ripristina"
        "|indietro|ops|annulla questo|disfa|annulla l'ultima azione|torna com'era|annulla ciò|annulla quello"
        "|ripensandoci no|annulla l'ultimo"
    ),
    helps=(
        "aiuto|aiutami|help|?|cosa puoi fare|cosa sai fare|che sai fare|cosa posso dire|come funziona|come si usa"
        "|comandi|che puoi fare|istruzioni|start|ho bisogno di aiuto|mi serve aiuto|menu|cosa fai|che cosa sai fare"
        "|come funzioni"
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
