"""What duly says in French."""

from __future__ import annotations

from duly.language.spoken.form import DateTexts, MessageTexts, Spoken

MESSAGES = MessageTexts(
    done="Fait",
    snooze="Dans {minutes} min",
    dismiss="Ignorer",
    answers="Répondre",
    is_it_done="C'est fait ?",
    was_done="✓ Fait : {text}",
    was_snoozed="⏰ Je te le rappelle {moment} : {text}",
    asks_again="⏰ Je redemanderai {moment} : {text}",
    was_dismissed="✗ Ignoré : {text}",
    is_over="Ce rappel est déjà terminé : {text}",
    not_snoozed="Ce rappel ne peut pas être reporté et reste ouvert : {text}",
    in_quiet_hours="C'est pendant tes heures calmes : il arrivera {moment}.",
    paired="Bonjour {name} ! Tes rappels arriveront ici.",
    undelivered="Un rappel pour {name} n'a pas pu être remis : {text}",
    unanswered="{name} n'a pas répondu à un rappel : {text}",
)

DATES = DateTexts(
    at="à {time}",
    today="aujourd'hui {at}",
    tomorrow="demain {at}",
    yesterday="hier {at}",
    on_weekday="{weekday} {at}",
    on_date="le {weekday} {day} {month} {at}",
    on_date_of_year="le {weekday} {day} {month} {year} {at}",
    minutes=("{n} minute", "{n} minutes"),
    hours=("{n} heure", "{n} heures"),
    days=("{n} jour", "{n} jours"),
    ahead="dans {length}",
    late="En retard de {length}",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES)
