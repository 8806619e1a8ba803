"""What duly says in Italian."""

from __future__ import annotations

from duly.language.spoken.form import DateTexts, MessageTexts, Spoken

MESSAGES = MessageTexts(
    done="Fatto",
    snooze="Tra {minutes} min",
    dismiss="Ignora",
    answers="Rispondi",
    is_it_done="È fatto?",
    was_done="✓ Fatto: {text}",
    was_snoozed="⏰ Te lo ricordo {moment}: {text}",
    asks_again="⏰ Lo richiedo {moment}: {text}",
    was_dismissed="✗ Ignorato: {text}",
    is_over="Questo promemoria è già concluso: {text}",
    not_snoozed="Questo promemoria non si può rimandare e resta aperto: {text}",
    in_quiet_hours="È nelle tue ore di silenzio: arriverà {moment}.",
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

SPOKEN = Spoken(messages=MESSAGES, dates=DATES)
