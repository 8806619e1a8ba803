"""What duly says in Italian."""

from __future__ import annotations

from duly.language.spoken.form import ChatTexts, DateTexts, MessageTexts, NoticeTexts, Spoken

MESSAGES = MessageTexts(
    done="Fatto",
    snooze="Tra {minutes} min",
    this_evening="Stasera",
    tomorrow_morning="Domattina",
    dismiss="Ignora",
    answers="Rispondi",
    is_it_done="È fatto?",
    is_coming="{ahead}: {text}",
    was_done="✓ Fatto: {text}",
    was_snoozed="⏰ Te lo ricordo {moment}: {text}",
    asks_again="⏰ Lo richiedo {moment}: {text}",
    was_dismissed="✗ Ignorato: {text}",
    was_done_by="✓ {name} l’ha fatto: {text}",
    was_dismissed_by="✗ {name} l’ha ignorato: {text}",
    is_over="Questo promemoria è già concluso: {text}",
    asks_until="Lo richiederò finché non rispondi.",
    not_snoozed="Questo promemoria non si può rimandare e resta aperto: {text}",
    in_quiet_hours="È nelle tue ore di silenzio: arriverà {moment}.",
    in_quiet_hours_of="È nelle ore di silenzio di {name}: arriverà {moment}.",
    digest="{count} cose:",
    digest_today="Oggi, {count} cose:",
    in_digest="Arriverà con il tuo riepilogo {moment}.",
    in_digest_of="Arriverà con il riepilogo di {name} {moment}.",
    other_reading="Se intendevi {moment}, scrivilo così.",
    paired="Ciao {name}! I tuoi promemoria arriveranno qui.",
    undelivered="Un promemoria per {name} non è stato consegnato: {text}",
    unanswered="{name} non ha risposto a un promemoria: {text}",
)

DATES = DateTexts(
    at="alle {time}",
    at_one="all'{time}",
    today="oggi {at}",
    tomorrow="domani {at}",
    yesterday="ieri {at}",
    on_weekday="{weekday} {at}",
    on_date="{weekday} {day} {month} {at}",
    on_date_of_year="{weekday} {day} {month} {year} {at}",
    minutes=("{n} minuto", "{n} minuti"),
    hours=("{n} ora", "{n} ore"),
    days=("{n} giorno", "{n} giorni"),
    ahead="tra {length}",
    late="In ritardo di {length}",
)

CHAT = ChatTexts(
    reminds="⏰ Te lo ricordo {moment} ({zone}): {text}",
    reminds_often="⏰ Te lo ricordo {rule}, la prossima volta {moment} ({zone}): {text}",
    reminds_people="⏰ Lo ricordo a {names} {moment} ({zone}): {text}",
    reminds_people_often="⏰ Lo ricordo a {names} {rule}, la prossima volta {moment} ({zone}): {text}",
    only_yourself=("Qui posso ricordare le cose solo a te. Chi gestisce duly può creare promemoria per altri."),
    unknown_person="Non conosco nessuno di nome «{name}», quindi non ho creato nulla.",
    comes_before="Anche {lengths} prima.",
    comes_after="E di nuovo {length} dopo che è fatto.",
    asks_when="Quando ti ricordo «{text}»? Scrivi per esempio: «domani alle 9».",
    asks_what=("Che cosa ti ricordo {moment}? Scrivilo in una frase: «ricordami di chiamare la banca domani alle 10»."),
    asks_which="Quale intendi?",
    asks_reading="Che ora intendi per «{text}»?",
    took_first="Se intendevi {moment}, scrivi: «sposta {text} a …».",
    offers="Te lo ricordo {moment} ({zone}): {text}?",
    answer_number="Rispondi con il numero.",
    yes="Sì",
    no="No",
    nothing_done="Va bene, non è cambiato nulla.",
    question_over="Questa domanda è chiusa. Chiedi di nuovo.",
    today="Oggi",
    tomorrow="Domani",
    week="I prossimi 7 giorni",
    next_week="La prossima settimana",
    weekend="Il fine settimana",
    all="I tuoi promemoria",
    list_none="{span}: niente.",
    list_head="{span} ({zone}):",
    list_line="• {first}: {second}",
    more="… e altri {count}",
    paused_word="in pausa",
    paused_next="in pausa, la prossima volta {moment}",
    put_off="{moment}, rimandato",
    waits="aspetta la tua risposta",
    moved="✓ Spostato, ora arriva {moment} ({zone}): {text}",
    moved_often="✓ Spostato, ora arriva {rule}, la prossima volta {moment} ({zone}): {text}",
    moves_series=(
        "«{text}» si ripete ({rule}). Dimmi la nuova regola, per esempio: «sposta {text} a ogni giorno alle 9»."
    ),
    removed="✗ Eliminato: {text}",
    removes_one="Elimino un promemoria alla volta: dimmi quale. «metti in pausa tutto» li fa tacere tutti.",
    skipped="⏭ Saltato {moment} ({zone}): {text}",
    skips_next="Posso saltare solo la prossima volta, {moment}: {text}",
    paused="⏸ In pausa: {text}",
    paused_all=("⏸ {n} promemoria è in pausa.", "⏸ {n} promemoria sono in pausa."),
    goes_on="Riprende {moment} ({zone}).",
    resumed="▶ Di nuovo attivo, la prossima volta {moment} ({zone}): {text}",
    resumed_all=("▶ {n} promemoria è di nuovo attivo.", "▶ {n} promemoria sono di nuovo attivi."),
    none_paused="Non c'è niente in pausa.",
    none_before="Fino ad allora non arriva niente, quindi niente è stato messo in pausa.",
    say_undo="«annulla» torna indietro.",
    undone="↩ Annullato: {text}",
    nothing_to_undo="Non c'è niente da annullare: tengo i passi per un'ora.",
    not_undone="Non si può più annullare, perché nel frattempo è cambiato.",
    not_found="Non trovo nessun promemoria su «{target}».",
    nearest="Il più vicino è: {text}",
    none_yet="Non hai ancora promemoria.",
    not_understood="Scusa, non ho capito.",
    courtesy="🙂 «aiuto» mostra quello che capisco.",
    only_text="So leggere solo il testo. Scrivimi, per favore, che cosa vuoi dire.",
    understood_time="Ho capito l'ora ({moment}), ma non che cosa fare.",
    example=("Scrivi per esempio: «ricordami di chiamare la banca domani alle 10». «aiuto» mostra che altro capisco."),
    help=(
        "Puoi scrivermi così:\n"
        "• «ricordami di chiamare la banca domani alle 10»\n"
        "• «ricordami ogni giorno alle 8 di prendere le vitamine»\n"
        "• «cosa ho oggi?», «cosa ho questa settimana?»\n"
        "• «sposta il dentista a venerdì alle 9»\n"
        "• «cancella il dentista»\n"
        "• «metti in pausa tutto fino a lunedì», «riprendi tutto»\n"
        "• «annulla»\n"
        "A un promemoria puoi rispondere «fatto», «tra 10 minuti» o «lascia perdere»."
    ),
    no_button="Questo pulsante non appartiene più a nessun tuo promemoria.",
    stranger=("Non conosco ancora questa chat. Chiedi un codice alla persona che gestisce duly e mandamelo qui."),
    chat_taken="Questa chat è già di un'altra persona.",
    time_passed="Quell'ora è passata. Dinne una più tardi.",
    snooze_too_far="Posso rimandarlo al massimo di {days} giorni. Di' un'ora più vicina.",
    too_many="Hai già tutti i promemoria che puoi avere. Eliminane prima uno.",
    too_often="È troppo spesso. L'intervallo più breve: {length}.",
    too_long="È troppo lungo per un promemoria. Dillo con meno parole.",
    went_wrong="Non ha funzionato e non è cambiato nulla. Riprova più tardi.",
)

NOTICES = NoticeTexts(
    failed="✗ {name} non è riuscito {moment}: {reason}",
    failed_often="✗ {name} non è riuscito {moment}, {count} volte di seguito: {reason}",
    failed_and_works="✗ {name} non è riuscito {moment} e ora funziona di nuovo: {reason}",
    failed_many="✗ {count} pianificazioni non sono riuscite: {reason}",
    works="✓ {name} funziona di nuovo.",
    works_many="✓ {count} pianificazioni funzionano di nuovo: {names}",
    next_attempt="Prossimo tentativo {moment}.",
    no_next_attempt="Non è previsto un altro tentativo.",
    no_reason="motivo sconosciuto",
    no_answer="È terminato senza risposta.",
    and_more="e altre {count}",
    shortened="… altri {count} caratteri",
    cost="Costo: {cost}",
    session="Sessione: {session}",
    agent_silent="l'agente non ha risposto",
    limit_until="l'agente ha raggiunto il suo limite di utilizzo, riprende {moment}",
    limit_reached="l'agente ha raggiunto il suo limite di utilizzo e non dice fino a quando",
    not_taken="{host} non ha accettato questo messaggio, quindi è qui.",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES, chat=CHAT, notices=NOTICES)
